// SPDX-License-Identifier: Apache-2.0
// The command's headers name this type; the engine has no JSON.
#ifndef WASM_CJSON_H
#define WASM_CJSON_H

typedef struct cJSON cJSON;

#endif

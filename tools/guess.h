// SPDX-License-Identifier: Apache-2.0
// The name that a mistyped word was probably meant to be.
#ifndef TOOLS_GUESS_H
#define TOOLS_GUESS_H

#include "tools/command.h"

/// The nearest name of a list by the number of letters to insert, remove, replace or exchange; NULL if none is near.
const char *tool_guess(tool_names *names, const char *word);
/// `; did you mean "--NAME"? See`, or `; see` if no name is near, for `then` "see" and `before` "--". The next call
/// overwrites the text.
const char *tool_guess_text(tool_names *names, const char *before, const char *word, const char *then);

#endif

// SPDX-License-Identifier: Apache-2.0
// The storage of a glTF file: its JSON, the lists in it, its buffers.
#ifndef TOC_IO_GLTF_DOCUMENT_H
#define TOC_IO_GLTF_DOCUMENT_H

#include "io/core/json.h"

/// The bytes of a buffer, loaded on first use.
typedef struct toc_gltf_buffer {
    const char *bytes; // NULL until then
    size_t count;
    char *block; // their block if they were decoded, `count` bytes, or NULL
    char *path;  // of the file that holds them, or NULL
    size_t path_size;
    toc_source file; // open where there is a path
} toc_gltf_buffer;

/// The values of a list in the JSON, by index.
typedef TOC_ARRAY(toc_json_id) toc_gltf_list;

typedef struct toc_gltf {
    toc_json json;
    const char *chunk; // the binary part of a .glb, or NULL
    size_t chunk_size;
    toc_gltf_list buffer_list, views, accessors, nodes, meshes, materials, skins;
    TOC_ARRAY(toc_gltf_buffer) buffers;
} toc_gltf;

/// Whether a source is certainly a .glb, or JSON with an asset near its beginning.
bool toc_gltf_recognise(const toc_source *source);
/// Read the JSON and the lists. The source stays the caller's and must outlive the document. Free with toc_gltf_free,
/// also on failure.
toc_status toc_gltf_open(toc_source *source, toc_gltf *out);
void toc_gltf_free(toc_gltf *file);
/// Fail if another program has changed the file, or one that holds a buffer, since it was opened.
toc_status toc_gltf_is_settled(const toc_gltf *file);

/// The values of a list.
toc_status toc_gltf_list_make(toc_gltf *file, toc_json_id array, toc_gltf_list *out);
/// The member of an object that is an index into a list: receives the value there, TOC_JSON_NONE without the member.
toc_status toc_gltf_follow(const toc_gltf *file, toc_json_id object, const char *name, const toc_gltf_list *list,
                           toc_json_id *out);
/// The bytes of a buffer view and their stride, 0 where the view has none.
toc_status toc_gltf_view(toc_gltf *file, toc_json_id view, const char **bytes, size_t *count, size_t *stride);

#endif

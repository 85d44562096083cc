// SPDX-License-Identifier: Apache-2.0
// Included files. A file is known by its device and number, so that no chain of names or links leads in a circle.
#include "io/core/include.h"

#include "base/platform/platform.h"

/// Only regular files: a device or a pipe might never end.
static bool identify(const char *path, toc_file_id *id) {
    toc_file_facts about;
    if (!toc_path_facts(path, &about) || about.kind != TOC_FILE_PLAIN) return false;
    *id = (toc_file_id){about.device, about.number};
    return true;
}

static bool same_file(toc_file_id a, toc_file_id b) { return a.device == b.device && a.number == b.number; }

toc_include toc_include_begin(const toc_source *source) {
    toc_include first = {.source = *source};
    identify(source->path, &first.id);
    return first;
}

/// The folder of a path, with its slash, and a name behind; an absolute name stands alone.
static toc_status include_join(toc_include *out, const char *path, toc_text name) {
    const char *slash = strrchr(path, '/');
    const size_t folder = slash && name.at[0] != '/' ? (size_t)(slash - path) + 1 : 0;
    out->path_size = folder + name.count + 1;
    out->path = toc_new(&out->source.allocator, out->path_size, 1);
    if (!out->path) return TOC_OUT_OF_MEMORY;
    memcpy(out->path, path, folder);
    memcpy(out->path + folder, name.at, name.count);
    return TOC_OK;
}

static void drop_path(toc_include *include) {
    toc_free(&include->source.allocator, include->path, include->path_size, 1);
    include->path = NULL;
}

static toc_status include_find(const toc_include *from, toc_text name, toc_include *out) {
    const toc_include *first = from;
    while (first->parent) first = first->parent;
    TOC_TRY(include_join(out, from->source.path, name));
    if (identify(out->path, &out->id)) return TOC_OK;
    drop_path(out);
    TOC_TRY(include_join(out, first->source.path, name));
    if (identify(out->path, &out->id)) return TOC_OK;
    drop_path(out);
    return toc_source_fail(&from->source, "the file \"%.*s\" is not there", name.count < 200 ? (int)name.count : 200,
                           name.at);
}

static toc_status check_chain(const toc_include *from, const toc_include *out) {
    if (out->depth > TOC_INCLUDE_DEPTH)
        return toc_source_fail(&from->source, "files include each other more than %d deep", TOC_INCLUDE_DEPTH);
    for (const toc_include *up = from; up; up = up->parent)
        if (same_file(up->id, out->id)) return toc_source_fail(&from->source, "%s includes itself", out->path);
    return TOC_OK;
}

toc_status toc_include_open(const toc_include *from, toc_text name, toc_include *out) {
    if (name.count == 0) return toc_source_fail(&from->source, "the name of a file is missing here");
    toc_include next = {.parent = from, .depth = from->depth + 1, .source.allocator = from->source.allocator};
    TOC_TRY(include_find(from, name, &next));
    const toc_allocator memory = from->source.allocator;
    toc_status status = check_chain(from, &next);
    if (status == TOC_OK) status = toc_source_open(next.path, &memory, &next.source);
    if (status == TOC_OK) {
        *out = next;
    } else {
        drop_path(&next);
    }
    return status;
}

toc_status toc_include_close(toc_include *include, toc_status status) {
    if (status == TOC_OK) status = toc_source_is_settled(&include->source);
    toc_source_close(&include->source);
    drop_path(include);
    return status;
}

toc_status toc_include_note(toc_include_list *list, const toc_include *from, const toc_include *file, bool *again) {
    if (list->files.count >= TOC_INCLUDE_MOST)
        return toc_source_fail(&from->source, "more than %d files are included", TOC_INCLUDE_MOST);
    *again = false;
    for (size_t i = 0; i < list->files.count && !*again; i++) *again = same_file(list->files.at[i], file->id);
    TOC_TRY(toc_array_reserve(&from->source.allocator, &list->files, 1));
    list->files.at[list->files.count++] = file->id;
    return TOC_OK;
}

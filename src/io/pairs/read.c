// SPDX-License-Identifier: Apache-2.0
// Contacts and near pairs from files of this library, in the format of the extension. Every number is checked.
// O(bytes); beside the items, one array is in memory at a time.
#include "io/pairs/read.h"
#include "base/arithmetic.h"

#include "io/core/format.h"
#include "io/core/memory_limit.h"
#include "io/pairs/items.h"

static toc_status find_reader(const toc_answer_type *type, const char *path, toc_pairs_reader **out) {
    static const struct {
        const char *extension;
        toc_pairs_reader *read;
    } readers[] = {{".csv", toc_pairs_read_csv},
                   {".json", toc_pairs_read_json},
                   {".jsonl", toc_pairs_read_json},
                   {".vtp", toc_pairs_read_vtp},
                   {".glb", toc_pairs_read_glb}};
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (!toc_path_has_extension(path, readers[i].extension)) continue;
        if (readers[i].read == toc_pairs_read_glb && type != toc_answer_type_of(TOC_ITEM_CONTACT)) break;
        *out = readers[i].read;
        return TOC_OK;
    }
    return toc_fail(TOC_BAD_INPUT, "%s: unknown extension; %s are read from a .csv, .json%s", path, type->name,
                    type == toc_answer_type_of(TOC_ITEM_CONTACT) ? ", .vtp or .glb" : " or .vtp");
}

toc_status toc_pairs_read(const toc_answer_type *type, toc_source *source, const uint64_t *step, toc_items *out) {
    toc_pairs_reader *read = NULL;
    TOC_TRY(find_reader(type, source->path, &read));
    TOC_TRY(read(type, source, step, out));
    return toc_source_is_settled(source);
}

static toc_status read_items_of(const toc_answer_type *type, const char *path, const toc_allocator *memory,
                                const uint64_t *step, toc_items *items) {
    toc_source source;
    toc_pairs_reader *unused; // an unknown extension is reported before a missing file
    TOC_TRY(find_reader(type, path, &unused));
    TOC_TRY(toc_source_open(path, memory, &source));
    const toc_status status = toc_pairs_read(type, &source, step, items);
    toc_source_close(&source);
    return status;
}

static toc_status check_kind(toc_item item) {
    if (item == TOC_ITEM_CONTACT || item == TOC_ITEM_NEAR) return TOC_OK;
    const toc_answer_type *type = toc_answer_type_of(item);
    if (type) return toc_fail(TOC_BAD_INPUT, "contacts and near pairs can be read, not %s", type->name);
    return toc_fail(TOC_BAD_INPUT, "there is no kind of items number %d", (int)item);
}

toc_status toc_answer_read(const char *path, const toc_read_options *options, toc_item item, void *out) {
    TOC_SCOPED_ARITHMETIC;
    toc_memory_limit limit;
    toc_items items = {0};
    TOC_NEED(path);
    TOC_NEED(out);
    TOC_TRY(check_kind(item));
    const toc_answer_type *type = toc_answer_type_of(item);
    TOC_TRY(toc_memory_limit_begin(options, &limit));
    const toc_allocator memory = toc_memory_limit_allocator(&limit);
    toc_status status = toc_memory_limit_explain(
        &limit, read_items_of(type, path, &memory, options ? options->step : NULL, &items), path);
    if (status == TOC_OK)
        status = toc_answer_create(&limit.inner, item, items.count / type->order.item_size, items.at, out);
    toc_array_free(&memory, &items);
    return status == TOC_OK ? TOC_OK : toc_fail_file(status, path);
}

// SPDX-License-Identifier: Apache-2.0
// Links of groups: symbol tables, messages of links, and links in a heap.
#include "io/hdf5/inner.h"

typedef struct link_lister {
    const toc_hdf5 *h;
    toc_hdf5_link *take;
    void *user;
    uint64_t budget;
    uint64_t tree, names;     // of a symbol table
    uint64_t heap, heap_tree; // of many links
} link_lister;

static toc_status take_link(void *user, toc_hdf5_bytes b) {
    link_lister *l = user;
    const char *begin = b.at;
    uint64_t version, flags, kind = 0, length, object = TOC_HDF5_NONE;
    bool whole = toc_hdf5_take(&b, 1, &version) && toc_hdf5_take(&b, 1, &flags);
    if (whole && flags & 8) whole = toc_hdf5_take(&b, 1, &kind);
    if (whole && flags & 4) whole = toc_hdf5_skip(&b, 8);
    if (whole && flags & 16) whole = toc_hdf5_skip(&b, 1);
    whole = whole && toc_hdf5_take(&b, 1U << (flags & 3), &length);
    const char *name = b.at;
    whole = whole && toc_hdf5_skip(&b, length) && (kind != 0 || toc_hdf5_take(&b, 8, &object));
    if (!whole) return toc_hdf5_fail(l->h, begin, "a link is longer than its message");
    return l->take(l->user, (toc_text){name, (size_t)length}, object);
}

static toc_status take_group_message(void *user, const toc_hdf5_message *m) {
    link_lister *l = user;
    toc_hdf5_bytes b = m->data;
    uint64_t flags;
    if (m->type == TOC_HDF5_LINK) return take_link(user, b);
    if (m->type == TOC_HDF5_SYMBOLS && (!toc_hdf5_take(&b, 8, &l->tree) || !toc_hdf5_take(&b, 8, &l->names)))
        return toc_hdf5_fail(l->h, b.at, "a group has no symbols");
    if (m->type == TOC_HDF5_LINK_INFO &&
        (!toc_hdf5_skip(&b, 1) || !toc_hdf5_take(&b, 1, &flags) || !toc_hdf5_skip(&b, flags & 1 ? 8 : 0) ||
         !toc_hdf5_take(&b, 8, &l->heap) || !toc_hdf5_take(&b, 8, &l->heap_tree)))
        return toc_hdf5_fail(l->h, b.at, "a group has no links");
    return TOC_OK;
}

/// Names of a symbol table, one behind the other.
static toc_status find_names(link_lister *l, toc_hdf5_bytes *out) {
    toc_hdf5_bytes b;
    TOC_TRY(toc_hdf5_block(l->h, l->names, "HEAP", 32, &l->budget, &b));
    const uint64_t size = toc_load_u64(b.at + 4, false), address = toc_load_u64(b.at + 20, false);
    if (!toc_hdf5_view(l->h, address, size, out)) return toc_hdf5_fail(l->h, b.at, "names are behind the end");
    return TOC_OK;
}

static toc_status take_symbols(link_lister *l, uint64_t address, toc_hdf5_bytes names) {
    enum { ENTRY = 40 };
    toc_hdf5_bytes b;
    TOC_TRY(toc_hdf5_block(l->h, address, "SNOD", 8, &l->budget, &b));
    const uint64_t count = toc_load_u16(b.at + 2, false);
    b.at += 4;
    if (count * ENTRY > (uint64_t)(b.end - b.at)) return toc_hdf5_fail(l->h, b.at, "the file ends within symbols");
    TOC_TRY(toc_hdf5_spend(l->h, &l->budget, count * ENTRY));
    for (uint64_t i = 0; i < count; i++, b.at += ENTRY) {
        const uint64_t offset = toc_load_u64(b.at, false), object = toc_load_u64(b.at + 8, false);
        if (offset >= (uint64_t)(names.end - names.at)) return toc_hdf5_fail(l->h, b.at, "a symbol has no name");
        const char *name = names.at + offset;
        const size_t length = strnlen(name, (size_t)(names.end - name));
        TOC_TRY(l->take(l->user, (toc_text){name, length}, object));
    }
    return TOC_OK;
}

static toc_status walk_symbols(link_lister *l, uint64_t address, int level, toc_hdf5_bytes names) {
    enum { HEAD = 24 };
    toc_hdf5_bytes b;
    TOC_TRY(toc_hdf5_block(l->h, address, "TREE", HEAD, &l->budget, &b));
    const int found = (uint8_t)b.at[1];
    const uint64_t count = toc_load_u16(b.at + 2, false);
    if (b.at[0] != 0 || (level >= 0 && found != level))
        return toc_hdf5_fail(l->h, b.at, "the levels of a tree are out of order");
    b.at += HEAD - 4;
    if (16 * count > (uint64_t)(b.end - b.at)) return toc_hdf5_fail(l->h, b.at, "the file ends within a tree");
    TOC_TRY(toc_hdf5_spend(l->h, &l->budget, 16 * count));
    for (uint64_t i = 0; i < count; i++, b.at += 16) {
        const uint64_t child = toc_load_u64(b.at + 8, false);
        TOC_TRY(found > 0 ? walk_symbols(l, child, found - 1, names) : take_symbols(l, child, names));
    }
    return TOC_OK;
}

toc_status toc_hdf5_list(const toc_hdf5 *h, uint64_t group, toc_hdf5_link *take, void *user) {
    link_lister l = {
        .h = h, .take = take, .user = user, .budget = toc_hdf5_budget(h), .tree = TOC_HDF5_NONE, .heap = TOC_HDF5_NONE};
    TOC_TRY(toc_hdf5_messages(h, group, take_group_message, &l));
    if (l.heap != TOC_HDF5_NONE) TOC_TRY(toc_hdf5_heap_list(h, l.heap, l.heap_tree, 4, take_link, &l));
    if (l.tree == TOC_HDF5_NONE) return TOC_OK;
    toc_hdf5_bytes names;
    TOC_TRY(find_names(&l, &names));
    return walk_symbols(&l, l.tree, -1, names);
}

typedef struct finder {
    toc_text name;
    uint64_t object;
} finder;

static toc_status match_link(void *user, toc_text name, uint64_t object) {
    finder *f = user;
    if (name.count == f->name.count && memcmp(name.at, f->name.at, name.count) == 0) f->object = object;
    return TOC_OK;
}

toc_status toc_hdf5_find(const toc_hdf5 *h, uint64_t group, const char *path, uint64_t *object) {
    *object = group;
    while (*path && *object != TOC_HDF5_NONE) {
        while (*path == '/') path++;
        const size_t length = strcspn(path, "/");
        if (length == 0) break;
        finder f = {.name = {path, length}, .object = TOC_HDF5_NONE};
        TOC_TRY(toc_hdf5_list(h, *object, match_link, &f));
        *object = f.object;
        path += length;
    }
    return TOC_OK;
}

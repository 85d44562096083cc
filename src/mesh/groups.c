// SPDX-License-Identifier: Apache-2.0
// Names of groups, from the parts, materials and sets of files.
//
// Stored names are UTF-8 without control characters, whatever the file held, so they can be printed anywhere. All
// names are in one array, each ended by a 0 byte, and a list in the order of the groups has their positions. A lookup
// takes O(log n); naming the groups in ascending order takes O(1) each.
#include <assert.h>
#include <string.h>

#include "mesh/mesh.h"

// The place of a group in the list, or the place to insert it.
static size_t group_place(const toc_mesh *mesh, int32_t group) {
    size_t low = 0, high = mesh->named.count;
    if (high > 0 && mesh->named.at[high - 1].group < group) return high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (mesh->named.at[middle].group < group)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_named(const toc_mesh *mesh, size_t place, int32_t group) {
    return place < mesh->named.count && mesh->named.at[place].group == group;
}

// The bytes of the UTF-8 character at `at`; 0 if it is invalid or not printable. Does not read past a 0 byte.
static size_t character_size(const unsigned char *at) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (at[0] < 0x80) return at[0] >= ' ' && at[0] != 0x7f;
    const size_t size = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc0 || at[0] > 0xf4) return 0;
    uint32_t code = at[0] & (0xffu >> (size + 1));
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (at[i] & 0x3fu);
    }
    const bool surrogate = code >= 0xd800 && code < 0xe000, control = code < 0xa0;
    return code < least[size] || code > 0x10ffff || surrogate || control ? 0 : size;
}

// Replace each byte that is part of no printable character by a question mark.
static void clean_name(char *name) {
    for (size_t size; *name; name += size) {
        size = character_size((const unsigned char *)name);
        if (size > 0) continue;
        *name = '?';
        size = 1;
    }
}

static void forget_group_name(toc_mesh *mesh, size_t place) {
    assert(place < mesh->named.count);
    toc_group_name *at = &mesh->named.at[place];
    memmove(at, at + 1, (mesh->named.count - place - 1) * sizeof *at);
    mesh->named.count--;
}

static void insert_group_name(toc_mesh *mesh, size_t place, toc_group_name name) {
    assert(place <= mesh->named.count && mesh->named.count < mesh->named.capacity);
    toc_group_name *at = &mesh->named.at[place];
    memmove(at + 1, at, (mesh->named.count - place) * sizeof *at);
    mesh->named.count++;
    *at = name;
}

toc_status toc_mesh_set_group_name(toc_mesh *mesh, int32_t group, const char *name) {
    TOC_CHANGE_MESH(mesh);
    return toc_mesh_put_group_name(mesh, group, name);
}

toc_status toc_mesh_put_group_name(toc_mesh *mesh, int32_t group, const char *name) {
    const size_t place = group_place(mesh, group), length = name ? strlen(name) : 0, first = mesh->names.count;
    const bool known = is_named(mesh, place, group);
    if (length == 0) {
        if (known) forget_group_name(mesh, place);
        return TOC_OK;
    }
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->named, 1));
    const size_t own = (uintptr_t)name - (uintptr_t)mesh->names.at; // a name of this mesh moves with the array
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->names, length + 1));
    memcpy(mesh->names.at + first, own < first ? mesh->names.at + own : name, length + 1);
    clean_name(mesh->names.at + first);
    mesh->names.count += length + 1;
    if (known)
        mesh->named.at[place].first = first;
    else
        insert_group_name(mesh, place, (toc_group_name){group, first});
    return TOC_OK;
}

const char *toc_mesh_get_group_name(const toc_mesh *mesh, int32_t group) {
    if (!mesh) return NULL;
    const size_t place = group_place(mesh, group);
    return is_named(mesh, place, group) ? mesh->names.at + mesh->named.at[place].first : NULL;
}

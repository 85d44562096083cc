// SPDX-License-Identifier: Apache-2.0
// Feature pairs in a canonical order, and the difference of two lists.
#include "bench/support/keys.h"

#include <stdlib.h>

#include "bench/support/measure.h"

#ifdef TOC_HAVE_ZLIB
#include <zlib.h>
#endif

static void order(uint32_t *a, uint32_t *b) {
    if (*a <= *b) return;
    const uint32_t c = *a;
    *a = *b;
    *b = c;
}

static bench_key key_of(toc_kind kind, const uint32_t v[4]) {
    bench_key k = {kind, {v[0], v[1], v[2], v[3]}};
    order(&k.v[2], &k.v[3]);
    if (kind == TOC_VF) {
        order(&k.v[1], &k.v[2]);
        order(&k.v[2], &k.v[3]);
        return k;
    }
    order(&k.v[0], &k.v[1]);
    if (k.v[0] < k.v[2]) return k;
    return (bench_key){kind, {k.v[2], k.v[3], k.v[0], k.v[1]}};
}

static int by_key(const void *a, const void *b) {
    const bench_key *x = a, *y = b;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    for (int i = 0; i < 4; i++)
        if (x->v[i] != y->v[i]) return x->v[i] < y->v[i] ? -1 : 1;
    return 0;
}

void bench_keys_add(bench_keys *keys, toc_kind kind, const uint32_t v[4]) {
    if (keys->count == keys->capacity) {
        keys->capacity = keys->capacity ? 2 * keys->capacity : 1024;
        keys->at = bench_must(realloc(keys->at, keys->capacity * sizeof *keys->at));
    }
    keys->at[keys->count++] = key_of(kind, v);
}

void bench_keys_sort(bench_keys *keys) {
    if (keys->count) qsort(keys->at, keys->count, sizeof *keys->at, by_key);
}

void bench_keys_free(bench_keys *keys) { free(keys->at); }

bench_keys bench_keys_of(const toc_contacts *contacts) {
    bench_keys keys = {0};
    for (size_t i = 0; i < contacts->count; i++)
        bench_keys_add(&keys, contacts->contacts[i].kind, contacts->contacts[i].v);
    bench_keys_sort(&keys);
    return keys;
}

size_t bench_keys_missing(const bench_keys *wanted, const bench_keys *found) {
    size_t missing = 0;
    for (size_t i = 0, j = 0; i < wanted->count; i++) {
        while (j < found->count && by_key(&found->at[j], &wanted->at[i]) < 0) j++;
        missing += j == found->count || by_key(&found->at[j], &wanted->at[i]) != 0;
    }
    return missing;
}

bool bench_keys_read(const char *path, bench_keys *out) {
#ifdef TOC_HAVE_ZLIB
    gzFile file = gzopen(path, "rb");
    char line[256];
    if (!file) return false;
    while (gzgets(file, line, sizeof line)) {
        if (line[2] != ',') continue; // the names of the columns
        uint32_t v[4];
        char *at = line + 3;
        for (int i = 0; i < 4; i++, at++) v[i] = (uint32_t)strtoul(at, &at, 10);
        if (*at == '1') bench_keys_add(out, line[0] == 'e' ? TOC_EE : TOC_VF, v);
    }
    gzclose(file);
    bench_keys_sort(out);
    return out->count > 0;
#else
    (void)path, (void)out;
    return false;
#endif
}

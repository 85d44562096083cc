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

static bool touches_exactly(const bench_key *key, const double *x0, const double *x1, double separation) {
    toc_pair pair;
    toc_hit hit;
    toc_pair_test test = toc_pair_test_default();
    test.method = TOC_METHOD_EXACT;
    test.separation = separation;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            pair.x0[i][k] = x0[3 * (size_t)key->v[i] + (size_t)k];
            pair.x1[i][k] = x1[3 * (size_t)key->v[i] + (size_t)k];
        }
    bench_check(toc_pair_find((toc_kind)key->kind, &pair, &test, &hit));
    return hit.verdict != TOC_APART;
}

bench_judged bench_keys_judge(const bench_keys *ours, const bench_keys *theirs, const double *x0, const double *x1,
                              double separation) {
    bench_judged judged = {0, 0, 0, 0};
    for (size_t i = 0, j = 0; i < ours->count || j < theirs->count;) {
        const int side = j == theirs->count ? -1 : i == ours->count ? 1 : by_key(&ours->at[i], &theirs->at[j]);
        if (side == 0) {
            i++, j++;
            continue;
        }
        const bool touch = touches_exactly(side < 0 ? &ours->at[i] : &theirs->at[j], x0, x1, separation);
        size_t *count = side < 0 ? (touch ? &judged.theirs_lacks : &judged.invented)
                                 : (touch ? &judged.missed : &judged.false_alarms);
        ++*count;
        side < 0 ? i++ : j++;
    }
    return judged;
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

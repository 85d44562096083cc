// SPDX-License-Identifier: Apache-2.0
// The head of a netCDF file in its classic formats, 1, 2 and 5: lists of dimensions, attributes and variables, each
// with a count before it. Walked through once, nothing kept. After "The NetCDF Classic Format Specification" of
// Unidata.
#include "io/netcdf.h"

typedef struct head {
    toc_source *source;
    size_t count_size, offset_size; // bytes
} head;

typedef toc_status check_item(const head *h);

static toc_status skip(const head *h, uint64_t count, size_t size) {
    uint64_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > toc_source_left(h->source))
        return toc_source_fail_byte(h->source, "the head of this netCDF file promises more than there is");
    const size_t padded = (size_t)(bytes + 3) / 4 * 4, left = toc_source_left(h->source);
    h->source->at += padded < left ? padded : left;
    return TOC_OK;
}

static toc_status take(const head *h, size_t size, uint64_t *out) {
    const char *at = h->source->at;
    TOC_TRY(skip(h, 1, size));
    *out = size == 8 ? toc_load_u64(at, true) : toc_load_u32(at, true);
    return TOC_OK;
}

static toc_status skip_counted(const head *h, size_t size) {
    uint64_t count;
    TOC_TRY(take(h, h->count_size, &count));
    return skip(h, count, size);
}

static toc_status check_list(const head *h, check_item *check) {
    uint64_t tag, count;
    TOC_TRY(take(h, 4, &tag));
    TOC_TRY(take(h, h->count_size, &count));
    for (uint64_t i = 0; i < count; i++) TOC_TRY(check(h));
    return TOC_OK;
}

static toc_status check_dimension(const head *h) {
    TOC_TRY(skip_counted(h, 1)); // the name
    return skip(h, 1, h->count_size);
}

static toc_status check_attribute(const head *h) {
    static const size_t sizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
    uint64_t type;
    TOC_TRY(skip_counted(h, 1));
    TOC_TRY(take(h, 4, &type));
    if (type < 1 || type >= sizeof sizes / sizeof *sizes)
        return toc_source_fail_byte(h->source, "an attribute of the unknown type %lu", (unsigned long)type);
    return skip_counted(h, sizes[type]);
}

static toc_status check_variable(const head *h) {
    TOC_TRY(skip_counted(h, 1));
    TOC_TRY(skip_counted(h, h->count_size)); // its dimensions
    TOC_TRY(check_list(h, check_attribute));
    TOC_TRY(skip(h, 1, 4)); // the type
    TOC_TRY(skip(h, 1, h->count_size));
    return skip(h, 1, h->offset_size);
}

toc_status toc_netcdf_check(toc_source *source) {
    if (toc_source_left(source) < 4 || memcmp(source->at, "CDF", 3) != 0) return TOC_OK;
    const int version = source->at[3];
    if (version != 1 && version != 2 && version != 5) return TOC_OK;
    const head h = {source, version == 5 ? 8 : 4, version == 1 ? 4 : 8};
    source->at += 4;
    TOC_TRY(skip(&h, 1, h.count_size)); // records
    TOC_TRY(check_list(&h, check_dimension));
    TOC_TRY(check_list(&h, check_attribute));
    return check_list(&h, check_variable);
}

// SPDX-License-Identifier: Apache-2.0
// The head of a netCDF file in its classic formats, 1, 2 and 5: lists of dimensions, attributes and variables, each
// with a count before it, and where the data of each variable begin. Walked through once for how long the file must be:
// the library takes zeros for what is missing. After "The NetCDF Classic Format Specification" of
// Unidata.
#include "io/netcdf.h"

typedef struct head {
    toc_source *source;
    size_t count_size, offset_size; // bytes
    uint64_t records, record_size;  // of each record all variables that have any
    uint64_t dimensions, unlimited; // their number so far, and which of them counts records
    uint64_t end, record_end;       // of what is there once, and of the first record
} head;

typedef toc_status check_item(head *h);

static toc_status skip(head *h, uint64_t count, size_t size) {
    uint64_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > toc_source_left(h->source))
        return toc_source_fail_byte(h->source, "the head of this netCDF file promises more than there is");
    const size_t padded = (size_t)(bytes + 3) / 4 * 4, left = toc_source_left(h->source);
    h->source->at += padded < left ? padded : left;
    return TOC_OK;
}

static toc_status take(head *h, size_t size, uint64_t *out) {
    const char *at = h->source->at;
    TOC_TRY(skip(h, 1, size));
    *out = size == 8 ? toc_load_u64(at, true) : toc_load_u32(at, true);
    return TOC_OK;
}

static toc_status skip_counted(head *h, size_t size) {
    uint64_t count;
    TOC_TRY(take(h, h->count_size, &count));
    return skip(h, count, size);
}

static toc_status check_list(head *h, check_item *check) {
    uint64_t tag, count;
    TOC_TRY(take(h, 4, &tag));
    TOC_TRY(take(h, h->count_size, &count));
    for (uint64_t i = 0; i < count; i++) TOC_TRY(check(h));
    return TOC_OK;
}

static toc_status check_dimension(head *h) {
    uint64_t length;
    TOC_TRY(skip_counted(h, 1)); // the name
    TOC_TRY(take(h, h->count_size, &length));
    if (length == 0) h->unlimited = h->dimensions;
    h->dimensions++;
    return TOC_OK;
}

static toc_status check_attribute(head *h) {
    static const size_t sizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
    uint64_t type;
    TOC_TRY(skip_counted(h, 1));
    TOC_TRY(take(h, 4, &type));
    if (type < 1 || type >= sizeof sizes / sizeof *sizes)
        return toc_source_fail_byte(h->source, "an attribute of the unknown type %lu", (unsigned long)type);
    return skip_counted(h, sizes[type]);
}

// Whether the first dimension of a variable counts records.
static toc_status take_dimensions(head *h, bool *is_record) {
    uint64_t count, first = UINT64_MAX;
    TOC_TRY(take(h, h->count_size, &count));
    const char *at = h->source->at;
    TOC_TRY(skip(h, count, h->count_size));
    if (count > 0) first = h->count_size == 8 ? toc_load_u64(at, true) : toc_load_u32(at, true);
    *is_record = first == h->unlimited;
    return TOC_OK;
}

static uint64_t sum(uint64_t a, uint64_t b) { return a < UINT64_MAX - b ? a + b : UINT64_MAX; }

static toc_status check_variable(head *h) {
    enum { BYTE = 1, SHORT = 3, UBYTE = 7, USHORT = 8 };
    uint64_t type, size, begin;
    bool is_record;
    TOC_TRY(skip_counted(h, 1));
    TOC_TRY(take_dimensions(h, &is_record));
    TOC_TRY(check_list(h, check_attribute));
    TOC_TRY(take(h, 4, &type));
    TOC_TRY(take(h, h->count_size, &size));
    TOC_TRY(take(h, h->offset_size, &begin));
    const bool is_padded = (type >= BYTE && type <= SHORT) || type == UBYTE || type == USHORT;
    const uint64_t end = sum(begin, is_padded && size >= 3 ? size - 3 : size);
    uint64_t *last = is_record ? &h->record_end : &h->end;
    if (end > *last) *last = end;
    if (is_record) h->record_size = sum(h->record_size, size);
    return TOC_OK;
}

// How long the file must be. Of a file that is being written, records are not counted.
static uint64_t length_of(const head *h) {
    const uint64_t uncounted = h->count_size == 8 ? UINT64_MAX : UINT32_MAX;
    uint64_t further;
    if (h->records == 0 || h->records == uncounted || h->record_end == 0) return h->end;
    if (__builtin_mul_overflow(h->records - 1, h->record_size, &further)) return UINT64_MAX;
    const uint64_t last = sum(h->record_end, further);
    return last > h->end ? last : h->end;
}

toc_status toc_netcdf_check(toc_source *source) {
    if (toc_source_left(source) < 4) return toc_source_fail_byte(source, "less than a word is no netCDF file");
    if (memcmp(source->at, "CDF", 3) != 0) return TOC_OK;
    const int version = source->at[3];
    if (version != 1 && version != 2 && version != 5) return TOC_OK;
    head h = {.source = source,
              .count_size = version == 5 ? 8 : 4,
              .offset_size = version == 1 ? 4 : 8,
              .unlimited = UINT64_MAX - 1};
    source->at += 4;
    TOC_TRY(take(&h, h.count_size, &h.records));
    TOC_TRY(check_list(&h, check_dimension));
    TOC_TRY(check_list(&h, check_attribute));
    TOC_TRY(check_list(&h, check_variable));
    const uint64_t length = length_of(&h);
    if (length <= (uint64_t)(source->end - source->begin)) return TOC_OK;
    source->at = source->end;
    return toc_source_fail_byte(source, "the file ends, but should have %llu bytes", (unsigned long long)length);
}

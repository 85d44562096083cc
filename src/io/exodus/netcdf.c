// SPDX-License-Identifier: Apache-2.0
// The header of a netCDF file in its classic formats, 1, 2 and 5: lists of dimensions, attributes and variables, each
// behind its count, and the offset of the data of each variable. One pass checks its rules and computes the length of
// the file. The library reads missing data as zeros, allocates the memory of any count, and divides by the size of
// unknown types. After "The NetCDF Classic Format Specification" of Unidata.
//
// netCDF-4 files are HDF5 files, whose superblock gives the length.
#include "io/exodus/netcdf.h"

#include <assert.h>

enum { DIMENSION = 10, VARIABLE, ATTRIBUTE, MOST_NAME = 256, MOST_RANK = 1024 };

typedef struct head {
    toc_source *source;
    int version;
    uint64_t records, record_size;             // bytes of a record over all its variables
    TOC_ARRAY(uint64_t) lengths;               // of dimensions; 0 for the one that counts records
    uint64_t end, record_end;                  // the bytes outside of records, and of the first record
    uint64_t record_variables, last_in_record; // their number, and bytes of the last one without padding
} head;

typedef toc_status check_item(head *h);

static size_t count_size(const head *h) { return h->version == 5 ? 8 : 4; }

static toc_status too_much(const head *h) {
    return toc_source_fail_byte(h->source, "the head of this netCDF file promises more than there is");
}

static toc_status broken(const head *h, const char *rule) {
    return toc_source_fail_byte(h->source, "a netCDF file %s", rule);
}

static toc_status netcdf_skip(head *h, uint64_t count, size_t size) {
    assert(size > 0);
    uint64_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > toc_source_left(h->source)) return too_much(h);
    const size_t padded = (size_t)(bytes + 3) / 4 * 4, left = toc_source_left(h->source);
    h->source->at += padded < left ? padded : left;
    return TOC_OK;
}

static toc_status netcdf_take(head *h, size_t size, uint64_t *out) {
    assert(size > 0);
    const char *at = h->source->at;
    TOC_TRY(netcdf_skip(h, 1, size));
    *out = size == 8 ? toc_load_u64(at, true) : toc_load_u32(at, true);
    return TOC_OK;
}

static toc_status netcdf_take_count(head *h, uint64_t *out) { return netcdf_take(h, count_size(h), out); }

static toc_status check_list(head *h, uint64_t tag, check_item *check) {
    uint64_t found, count;
    TOC_TRY(netcdf_take(h, 4, &found));
    TOC_TRY(netcdf_take_count(h, &count));
    if (found != tag && (found != 0 || count != 0)) return broken(h, "has its lists in order, each under its number");
    for (uint64_t i = 0; i < count; i++) TOC_TRY(check(h));
    return TOC_OK;
}

static toc_status check_name(head *h) {
    uint64_t length;
    TOC_TRY(netcdf_take_count(h, &length));
    const char *at = h->source->at;
    TOC_TRY(netcdf_skip(h, length, 1));
    if (length > 0 && length <= MOST_NAME && !memchr(at, 0, (size_t)length)) return TOC_OK;
    return broken(h, "has names of 1 to 256 bytes, none of them 0");
}

static toc_status check_dimension(head *h) {
    uint64_t length;
    TOC_TRY(check_name(h));
    TOC_TRY(netcdf_take_count(h, &length));
    for (size_t i = 0; i < h->lengths.count && length == 0; i++)
        if (h->lengths.at[i] == 0) return broken(h, "has one dimension without a length");
    TOC_TRY(toc_array_reserve(&h->source->allocator, &h->lengths, 1));
    h->lengths.at[h->lengths.count++] = length;
    return TOC_OK;
}

static toc_status netcdf_take_type(head *h, size_t *size) {
    static const size_t sizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
    const uint64_t last = h->version == 5 ? 11 : 6;
    uint64_t type;
    TOC_TRY(netcdf_take(h, 4, &type));
    if (type < 1 || type > last) return toc_source_fail_byte(h->source, "the unknown type %lu", (unsigned long)type);
    *size = sizes[type];
    return TOC_OK;
}

static toc_status check_attribute(head *h) {
    size_t size = 0;
    uint64_t count;
    TOC_TRY(check_name(h));
    TOC_TRY(netcdf_take_type(h, &size));
    TOC_TRY(netcdf_take_count(h, &count));
    return netcdf_skip(h, count, size);
}

// The number of values of a variable, in each record if it has records.
static toc_status take_dimensions(head *h, uint64_t *values, bool *is_record) {
    uint64_t rank, id;
    TOC_TRY(netcdf_take_count(h, &rank));
    if (rank > MOST_RANK) return broken(h, "has variables of at most 1024 dimensions");
    *values = 1;
    *is_record = false;
    for (uint64_t k = 0; k < rank; k++) {
        TOC_TRY(netcdf_take_count(h, &id));
        if (id >= h->lengths.count) return broken(h, "has variables of dimensions that it lists");
        const uint64_t length = h->lengths.at[id];
        if (length == 0 && k > 0) return broken(h, "counts records in the first dimension of a variable only");
        if (length == 0) *is_record = true;
        if (length > 0 && __builtin_mul_overflow(*values, length, values)) return too_much(h);
    }
    return TOC_OK;
}

static uint64_t netcdf_sum(uint64_t a, uint64_t b) { return a < UINT64_MAX - b ? a + b : UINT64_MAX; }

static toc_status check_variable(head *h) {
    uint64_t bytes = 0, ignored, begin;
    size_t size = 0;
    bool is_record = false;
    TOC_TRY(check_name(h));
    TOC_TRY(take_dimensions(h, &bytes, &is_record));
    TOC_TRY(check_list(h, ATTRIBUTE, check_attribute));
    TOC_TRY(netcdf_take_type(h, &size));
    TOC_TRY(netcdf_take_count(h, &ignored)); // its bytes, which follow from the rest
    TOC_TRY(netcdf_take(h, h->version == 1 ? 4 : 8, &begin));
    if (__builtin_mul_overflow(bytes, size, &bytes)) return too_much(h);
    uint64_t *last = is_record ? &h->record_end : &h->end;
    if (netcdf_sum(begin, bytes) > *last) *last = netcdf_sum(begin, bytes);
    if (!is_record) return TOC_OK;
    h->record_size = netcdf_sum(h->record_size, netcdf_sum(bytes, -bytes % 4));
    h->record_variables++;
    h->last_in_record = bytes;
    return TOC_OK;
}

// The necessary length of the file. While a file is being written its records are not counted; those of a lone variable
// are not padded.
static uint64_t netcdf_length_of(const head *h) {
    const uint64_t uncounted = h->version == 5 ? UINT64_MAX : UINT32_MAX;
    uint64_t further;
    if (h->records == 0 || h->records == uncounted || h->record_end == 0) return h->end;
    if (__builtin_mul_overflow(h->records - 1, h->record_variables == 1 ? h->last_in_record : h->record_size, &further))
        return UINT64_MAX;
    const uint64_t last = netcdf_sum(h->record_end, further);
    return last > h->end ? last : h->end;
}

static toc_status check_length(toc_source *source, uint64_t length) {
    if (length <= (uint64_t)(source->end - source->begin)) return TOC_OK;
    source->at = source->end;
    return toc_source_fail_byte(source, "the file ends, but should have %llu bytes", (unsigned long long)length);
}

static toc_status netcdf_walk(head *h) {
    h->source->at += 4;
    TOC_TRY(netcdf_take_count(h, &h->records));
    TOC_TRY(check_list(h, DIMENSION, check_dimension));
    TOC_TRY(check_list(h, ATTRIBUTE, check_attribute));
    TOC_TRY(check_list(h, VARIABLE, check_variable));
    return check_length(h->source, netcdf_length_of(h));
}

static toc_status check_classic(toc_source *source, int version) {
    head h = {.source = source, .version = version};
    const toc_status status = netcdf_walk(&h);
    toc_array_free(&source->allocator, &h.lengths);
    return status;
}

static toc_status check_hdf5(toc_source *source) {
    enum { SUPERBLOCK = 48 };
    const char *at = source->at;
    if (toc_source_left(source) < SUPERBLOCK) return check_length(source, SUPERBLOCK);
    const bool old = at[8] < 2;
    if (at[old ? 13 : 9] != 8) return TOC_OK; // bytes of an address
    return check_length(source, toc_load_u64(at + (old ? 40 : 28), false));
}

toc_status toc_netcdf_check(toc_source *source) {
    static const char hdf5[] = "\211HDF\r\n\032\n";
    const char *at = source->at;
    if (toc_source_left(source) >= 8 && memcmp(at, hdf5, 8) == 0) return check_hdf5(source);
    if (toc_source_left(source) >= 4 && memcmp(at, "CDF", 3) == 0 && (at[3] == 1 || at[3] == 2 || at[3] == 5))
        return check_classic(source, at[3]);
    return toc_source_fail_byte(source, "this begins like no netCDF file");
}

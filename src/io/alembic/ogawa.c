// SPDX-License-Identifier: Apache-2.0
// Groups, data, objects and properties of an Ogawa file.
//
// A group is a count and as many places; a place with the highest bit set is that of data, which are a length and
// bytes. Heads of objects and properties are the last data of their group. Samples begin with a key of 16 bytes.
// Least significant byte first. Every place is checked; the heads of a file are at most as long as the file, so that a
// walk over groups that lead to each other ends.
#include "io/alembic/ogawa.h"

#include <assert.h>
#include <math.h>

enum { FILE_HEAD = 16, KEY = 16, HASHES = 32, FROZEN = 0xff, INLINE_METADATA = 0xff };
enum { MOST_SEARCHES = 64 }; // in the properties of an object; fewer names are looked for
#define DATA_BIT (UINT64_C(1) << 63)

/// Times without a period have this one or a larger one.
static const double no_period = 1e300;

static toc_status ogawa_fail(const toc_ogawa *o, uint64_t place, const char *what) {
    toc_source *s = o->source;
    const uint64_t size = (uint64_t)(s->end - s->begin);
    s->at = s->begin + (place < size ? place : size);
    return toc_source_fail_byte(s, "%s", what);
}

static uint64_t ogawa_size(const toc_ogawa *o) { return (uint64_t)(o->source->end - o->source->begin); }

/// Count the bytes of heads that were read, against a multiple of the file.
static toc_status spend(uint64_t *spent, uint64_t most, const toc_ogawa *o, uint64_t place, uint64_t bytes) {
    *spent += bytes;
    if (*spent <= most * ogawa_size(o)) return TOC_OK;
    return ogawa_fail(o, place, "the groups of this Alembic file lead to each other");
}

// ---- groups and data

static toc_status ogawa_count_children(toc_ogawa *o, uint64_t group, uint64_t *count) {
    const uint64_t size = ogawa_size(o);
    *count = 0;
    if (group == TOC_OGAWA_NONE) return TOC_OK;
    if (group > size || size - group < 8) return ogawa_fail(o, group, "a group is not within the file");
    *count = toc_load_u64(o->source->begin + group, false);
    if (*count <= (size - group - 8) / 8) return TOC_OK;
    return ogawa_fail(o, group, "a group has more members than the file has room for");
}

static uint64_t child_place(const toc_ogawa *o, uint64_t group, uint64_t i) {
    return toc_load_u64(o->source->begin + group + 8 + 8 * i, false);
}

/// A group in a group; TOC_OGAWA_NONE for an empty one.
static toc_status child_group(toc_ogawa *o, uint64_t group, uint64_t i, uint64_t *out) {
    uint64_t count;
    *out = TOC_OGAWA_NONE;
    TOC_TRY(ogawa_count_children(o, group, &count));
    if (i >= count) return TOC_OK;
    const uint64_t place = child_place(o, group, i);
    if (place & DATA_BIT) return ogawa_fail(o, group + 8 + 8 * i, "a group was expected here, not data");
    if (place != 0) *out = place;
    return TOC_OK;
}

static toc_status data_at(toc_ogawa *o, uint64_t place, toc_text *out) {
    const uint64_t size = ogawa_size(o);
    *out = (toc_text){o->source->begin, 0};
    if (place == 0) return TOC_OK;
    if (place > size || size - place < 8) return ogawa_fail(o, place, "data are not within the file");
    const uint64_t count = toc_load_u64(o->source->begin + place, false);
    if (count > size - place - 8) return ogawa_fail(o, place, "data are longer than the file");
    *out = (toc_text){o->source->begin + place + 8, count};
    return TOC_OK;
}

static toc_status child_data(toc_ogawa *o, uint64_t group, uint64_t i, toc_text *out) {
    uint64_t count;
    TOC_TRY(ogawa_count_children(o, group, &count));
    if (i >= count) return ogawa_fail(o, group, "a group lacks data");
    const uint64_t place = child_place(o, group, i);
    if (!(place & DATA_BIT)) return ogawa_fail(o, group + 8 + 8 * i, "data were expected here, not a group");
    return data_at(o, place & ~DATA_BIT, out);
}

/// The heads of the members of a group: its last data, none for a group without.
static toc_status ogawa_find_heads(toc_ogawa *o, uint64_t group, toc_text *out) {
    uint64_t count;
    *out = (toc_text){o->source->begin, 0};
    TOC_TRY(ogawa_count_children(o, group, &count));
    if (count == 0 || !(child_place(o, group, count - 1) & DATA_BIT)) return TOC_OK;
    return child_data(o, group, count - 1, out);
}

// ---- numbers in a row

/// Bytes of heads, or of times.
typedef struct row {
    toc_ogawa *o;
    const char *at, *end;
} row;

static toc_status row_fail(const row *r) {
    return ogawa_fail(r->o, (uint64_t)(r->at - r->o->source->begin), "the heads of this Alembic file are cut");
}

static toc_status ogawa_take_number(row *r, unsigned bytes, uint64_t *out) {
    *out = 0;
    if ((size_t)(r->end - r->at) < bytes) return row_fail(r);
    for (unsigned i = bytes; i-- > 0;) *out = *out << 8 | (uint8_t)r->at[i];
    r->at += bytes;
    return TOC_OK;
}

static toc_status ogawa_take_double(row *r, double *out) {
    if (r->end - r->at < 8) return row_fail(r);
    *out = toc_load_f64(r->at, false);
    r->at += 8;
    return TOC_OK;
}

static toc_status ogawa_take_bytes(row *r, uint64_t count, toc_text *out) {
    *out = (toc_text){r->at, 0};
    if (count > (uint64_t)(r->end - r->at)) return row_fail(r);
    *out = (toc_text){r->at, count};
    r->at += count;
    return TOC_OK;
}

static toc_status take_metadata(row *r, uint64_t index, unsigned bytes, toc_text *out) {
    uint64_t count;
    if (index == INLINE_METADATA) {
        TOC_TRY(ogawa_take_number(r, bytes, &count));
        return ogawa_take_bytes(r, count, out);
    }
    if (index >= r->o->metadata.count) return row_fail(r);
    *out = r->o->metadata.at[index];
    return TOC_OK;
}

// ---- objects

toc_status toc_ogawa_objects(toc_ogawa *o, uint64_t object, toc_ogawa_object_found *found, void *user) {
    toc_text heads;
    TOC_TRY(ogawa_find_heads(o, object, &heads));
    TOC_TRY(spend(&o->walked, 1, o, object, heads.count));
    if (heads.count <= HASHES) return TOC_OK;
    row r = {o, heads.at, heads.at + heads.count - HASHES};
    for (uint64_t i = 1; r.at < r.end; i++) { // the object's own properties are first
        uint64_t count, index, group;
        toc_text name, metadata;
        TOC_TRY(ogawa_take_number(&r, 4, &count));
        TOC_TRY(ogawa_take_bytes(&r, count, &name));
        TOC_TRY(ogawa_take_number(&r, 1, &index));
        TOC_TRY(take_metadata(&r, index, 4, &metadata));
        TOC_TRY(child_group(o, object, i, &group));
        TOC_TRY(found(user, name, metadata, group));
    }
    return TOC_OK;
}

toc_status toc_ogawa_properties_of(toc_ogawa *o, uint64_t object, uint64_t *group) {
    uint64_t count;
    *group = TOC_OGAWA_NONE;
    TOC_TRY(ogawa_count_children(o, object, &count));
    return count == 0 || child_place(o, object, 0) & DATA_BIT ? TOC_OK : child_group(o, object, 0, group);
}

bool toc_ogawa_has_schema(toc_text metadata, const char *begin) {
    static const char key[] = "schema=";
    const size_t length = strlen(begin), head = sizeof key - 1;
    for (size_t i = 0; i + head + length <= metadata.count; i++)
        if ((i == 0 || metadata.at[i - 1] == ';') && memcmp(metadata.at + i, key, head) == 0)
            return memcmp(metadata.at + i + head, begin, length) == 0;
    return false;
}

// ---- properties

/// Bits of the first word of a property's head.
enum { KIND = 3, SAMPLED_AT = 0x100, CHANGES = 0x200, CONSTANT = 0x800 };

/// Samples before the first that changed are equal to the first sample, those behind the last to that one.
static toc_status ogawa_take_samples(row *r, uint64_t info, unsigned bytes, toc_ogawa_property *p) {
    uint64_t count, first, last, sampling = 0;
    TOC_TRY(ogawa_take_number(r, bytes, &count));
    first = info & CONSTANT ? 0 : 1;
    last = info & CONSTANT || count == 0 ? 0 : count - 1;
    if (info & CHANGES) {
        TOC_TRY(ogawa_take_number(r, bytes, &first));
        TOC_TRY(ogawa_take_number(r, bytes, &last));
    }
    if (info & SAMPLED_AT) TOC_TRY(ogawa_take_number(r, bytes, &sampling));
    p->count = (uint32_t)count;
    p->first_changed = (uint32_t)first;
    p->last_changed = (uint32_t)last;
    p->sampling = (uint32_t)sampling;
    if (count > ogawa_size(r->o))
        return ogawa_fail(r->o, (uint64_t)(r->at - r->o->source->begin), "more samples than bytes");
    return sampling < r->o->samplings.count ? TOC_OK : row_fail(r);
}

static toc_status take_property(row *r, toc_ogawa_property *p, toc_text *name) {
    static const uint8_t widths[] = {1, 2, 4, 0};
    uint64_t info, count;
    toc_text metadata;
    TOC_TRY(ogawa_take_number(r, 4, &info));
    const unsigned bytes = widths[info >> 2 & 3];
    if (bytes == 0) return row_fail(r);
    *p = (toc_ogawa_property){.group = TOC_OGAWA_NONE,
                              .is_compound = (info & KIND) == 0,
                              .is_array = (info & KIND) > 1,
                              .type = info >> 4 & 15,
                              .extent = info >> 12 & 255};
    if (!p->is_compound) TOC_TRY(ogawa_take_samples(r, info, bytes, p));
    TOC_TRY(ogawa_take_number(r, bytes, &count));
    TOC_TRY(ogawa_take_bytes(r, count, name));
    return take_metadata(r, info >> 20 & 255, bytes, &metadata);
}

toc_status toc_ogawa_find(toc_ogawa *o, uint64_t group, const char *name, toc_ogawa_property *out, bool *found) {
    toc_text heads, own = {NULL, 0};
    *found = false;
    TOC_TRY(ogawa_find_heads(o, group, &heads));
    TOC_TRY(spend(&o->searched, MOST_SEARCHES, o, group, heads.count));
    row r = {o, heads.at, heads.at + heads.count};
    for (uint64_t i = 0; r.at < r.end && !*found; i++) {
        TOC_TRY(take_property(&r, out, &own));
        *found = toc_text_is(own, name);
        if (*found) TOC_TRY(child_group(o, group, i, &out->group));
    }
    return TOC_OK;
}

toc_status toc_ogawa_sample(toc_ogawa *o, const toc_ogawa_property *p, uint32_t sample, toc_text *out) {
    assert(sample < p->count);
    uint64_t stored = 0;
    const bool constant = p->first_changed == 0 && p->last_changed == 0;
    if (!constant && sample >= p->first_changed)
        stored = (uint64_t)(sample < p->last_changed ? sample : p->last_changed) - p->first_changed + 1;
    if (stored > p->count) return ogawa_fail(o, p->group, "the samples of a property cannot be");
    TOC_TRY(child_data(o, p->group, p->is_array ? 2 * stored : stored, out));
    const size_t key = out->count < KEY ? out->count : KEY;
    *out = (toc_text){out->at + key, out->count - key};
    return TOC_OK;
}

double toc_ogawa_time(const toc_ogawa *o, const toc_ogawa_property *p, uint32_t sample) {
    const toc_ogawa_times *t = &o->samplings.at[p->sampling];
    if (t->period > 0) return o->times.at[t->first + sample % t->count] + t->period * (double)(sample / t->count);
    return o->times.at[t->first + (sample < t->count ? sample : t->count - 1)];
}

// ---- the file

static toc_status take_times(row *r) {
    toc_ogawa *o = r->o;
    toc_ogawa_times times = {.first = o->times.count};
    uint64_t most, count;
    TOC_TRY(ogawa_take_number(r, 4, &most));
    TOC_TRY(ogawa_take_double(r, &times.period));
    TOC_TRY(ogawa_take_number(r, 4, &count));
    if (count == 0 || count > (uint64_t)(r->end - r->at) / 8) return row_fail(r);
    TOC_TRY(toc_array_reserve(&o->allocator, &o->times, count));
    for (uint64_t i = 0; i < count; i++) {
        double *time = &o->times.at[o->times.count++];
        TOC_TRY(ogawa_take_double(r, time));
        if (!isfinite(*time) || (i > 0 && !(*time > time[-1]))) return row_fail(r);
    }
    times.count = (uint32_t)count;
    if (times.period >= no_period)
        times.period = 0;
    else if (!(times.period > o->times.at[o->times.count - 1] - o->times.at[times.first]))
        return row_fail(r);
    TOC_TRY(toc_array_reserve(&o->allocator, &o->samplings, 1));
    o->samplings.at[o->samplings.count++] = times;
    return TOC_OK;
}

static toc_status read_samplings(toc_ogawa *o, toc_text data) {
    row r = {o, data.at, data.at + data.count};
    while (r.at < r.end) TOC_TRY(take_times(&r));
    return o->samplings.count > 0 ? TOC_OK : row_fail(&r);
}

/// Texts that many objects and properties share; the first is empty.
static toc_status read_metadata(toc_ogawa *o, toc_text data) {
    row r = {o, data.at, data.at + data.count};
    toc_text text = {data.at, 0};
    for (uint64_t count; o->metadata.count < INLINE_METADATA;) {
        TOC_TRY(toc_array_reserve(&o->allocator, &o->metadata, 1));
        o->metadata.at[o->metadata.count++] = text;
        if (r.at == r.end) break;
        TOC_TRY(ogawa_take_number(&r, 1, &count));
        TOC_TRY(ogawa_take_bytes(&r, count, &text));
    }
    return TOC_OK;
}

bool toc_ogawa_is(const toc_source *source) {
    return source->end - source->begin >= FILE_HEAD && memcmp(source->begin, "Ogawa", 5) == 0;
}

static toc_status ogawa_check_head(toc_ogawa *o) {
    static const char hdf5[] = "\211HDF";
    toc_source *s = o->source;
    if (ogawa_size(o) >= 4 && memcmp(s->begin, hdf5, 4) == 0)
        return ogawa_fail(o, 0,
                          "Alembic files of the old kind, in HDF5, are not read: convert it with abcconvert -toOgawa");
    if (!toc_ogawa_is(s)) return ogawa_fail(o, 0, "this begins like no Alembic file");
    if ((uint8_t)s->begin[5] != FROZEN)
        return ogawa_fail(o, 5, "the program that wrote this Alembic file has not closed it");
    return TOC_OK;
}

static toc_status read_archive(toc_ogawa *o) {
    enum { VERSION, LIBRARY, TOP, METADATA, SAMPLINGS, SHARED };
    toc_text version, data;
    TOC_TRY(ogawa_check_head(o));
    const uint64_t group = toc_load_u64(o->source->begin + 8, false);
    TOC_TRY(child_data(o, group, VERSION, &version));
    if (version.count != 4 || toc_load_u32(version.at, false) != 0)
        return ogawa_fail(o, group, "the version of this Alembic file is newer than 0");
    TOC_TRY(child_group(o, group, TOP, &o->root));
    TOC_TRY(child_data(o, group, SAMPLINGS, &data));
    TOC_TRY(read_samplings(o, data));
    TOC_TRY(child_data(o, group, SHARED, &data));
    return read_metadata(o, data);
}

toc_status toc_ogawa_open(toc_source *source, const toc_allocator *allocator, toc_ogawa *out) {
    *out = (toc_ogawa){.source = source, .allocator = *allocator, .root = TOC_OGAWA_NONE};
    return read_archive(out);
}

void toc_ogawa_close(toc_ogawa *o) {
    toc_array_free(&o->allocator, &o->metadata);
    toc_array_free(&o->allocator, &o->samplings);
    toc_array_free(&o->allocator, &o->times);
}

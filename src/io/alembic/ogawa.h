// SPDX-License-Identifier: Apache-2.0
// The container of Alembic files, Ogawa: groups and pieces of data, and in them objects with properties that are
// sampled in time.
#ifndef TOC_IO_ALEMBIC_OGAWA_H
#define TOC_IO_ALEMBIC_OGAWA_H

#include "io/core/source.h"

#define TOC_OGAWA_NONE UINT64_MAX

/// Types of the numbers of a property, as the file counts them.
enum { TOC_OGAWA_BOOL, TOC_OGAWA_U8, TOC_OGAWA_I8, TOC_OGAWA_I32 = 6, TOC_OGAWA_F32 = 10, TOC_OGAWA_F64 };

/// Times of samples: `count` of them, again and again after each period.
typedef struct toc_ogawa_times {
    double period; // 0: never again
    uint32_t count;
    size_t first; // in the list of all times
} toc_ogawa_times;

typedef struct toc_ogawa {
    toc_source *source;
    toc_allocator allocator;
    uint64_t walked, searched; // bytes of heads so far: groups that lead to each other end here
    uint64_t root;             // the top object
    TOC_ARRAY(toc_text) metadata;
    TOC_ARRAY(toc_ogawa_times) samplings;
    TOC_ARRAY(double) times;
} toc_ogawa;

/// A property. Of a compound one the group has its properties, else its samples.
typedef struct toc_ogawa_property {
    uint64_t group;
    bool is_compound, is_array;
    uint8_t type, extent; // numbers of a type in an item
    uint32_t count;       // samples
    uint32_t first_changed, last_changed, sampling;
} toc_ogawa_property;

/// Open the source of an Alembic file. Close with toc_ogawa_close, also on failure.
toc_status toc_ogawa_open(toc_source *source, const toc_allocator *allocator, toc_ogawa *out);
void toc_ogawa_close(toc_ogawa *o);
bool toc_ogawa_is(const toc_source *source);

/// Called with each child of an object: its name, its metadata, its group or TOC_OGAWA_NONE.
typedef toc_status toc_ogawa_object_found(void *user, toc_text name, toc_text metadata, uint64_t group);
toc_status toc_ogawa_objects(toc_ogawa *o, uint64_t object, toc_ogawa_object_found *found, void *user);
/// The group of an object's own properties.
toc_status toc_ogawa_properties_of(toc_ogawa *o, uint64_t object, uint64_t *group);
/// A property by its name; *found is false where there is none.
toc_status toc_ogawa_find(toc_ogawa *o, uint64_t group, const char *name, toc_ogawa_property *out, bool *found);

/// The bytes of a sample, without a copy. Fails where the file lacks them.
toc_status toc_ogawa_sample(toc_ogawa *o, const toc_ogawa_property *property, uint32_t sample, toc_text *out);
/// The time of a sample.
double toc_ogawa_time(const toc_ogawa *o, const toc_ogawa_property *property, uint32_t sample);

/// Whether metadata has a schema that begins like this.
bool toc_ogawa_has_schema(toc_text metadata, const char *begin);

#endif

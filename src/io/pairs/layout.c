// SPDX-License-Identifier: Apache-2.0
// The columns and arrays of contacts and near pairs, and the ranges of their numbers.
#include "io/pairs/layout.h"

#include <math.h>
#include <string.h>

static bool are_finite_numbers(const double *x, size_t count) {
    bool finite = true;
    for (size_t k = 0; k < count; k++) finite = finite && isfinite(x[k]);
    return finite;
}

static bool is_plausible_contact(const void *item) {
    const toc_contact *c = item;
    return c->toc >= 0 && c->toc <= 1 && are_finite_numbers(c->weights, 4) && are_finite_numbers(c->point, 3) &&
           are_finite_numbers(c->normal, 3);
}

static bool is_plausible_near_pair(const void *item) {
    const toc_near_pair *p = item;
    return p->distance >= 0 && p->thickness >= 0 && are_finite_numbers(&p->distance, 1) &&
           are_finite_numbers(&p->thickness, 1) && are_finite_numbers(p->weights, 4) &&
           are_finite_numbers(p->points[0], 3) && are_finite_numbers(p->points[1], 3) &&
           are_finite_numbers(p->normal, 3);
}

#define FIELD(name, type, member) \
    { name, type, offsetof(ITEM, member) }
#define ARRAY(name, type, components, member) \
    { name, type, components, offsetof(ITEM, member) }
#define IDS                                                                                                \
    FIELD("kind", TOC_FIELD_KIND, kind), FIELD("v0", TOC_FIELD_ID, v[0]), FIELD("v1", TOC_FIELD_ID, v[1]), \
        FIELD("v2", TOC_FIELD_ID, v[2]), FIELD("v3", TOC_FIELD_ID, v[3])
#define BODIES_AND_WEIGHTS                                                                \
    FIELD("body0", TOC_FIELD_ID, body[0]), FIELD("body1", TOC_FIELD_ID, body[1]),         \
        FIELD("w0", TOC_FIELD_REAL, weights[0]), FIELD("w1", TOC_FIELD_REAL, weights[1]), \
        FIELD("w2", TOC_FIELD_REAL, weights[2]), FIELD("w3", TOC_FIELD_REAL, weights[3])
#define VECTOR(x, y, z, member) \
    FIELD(x, TOC_FIELD_REAL, member[0]), FIELD(y, TOC_FIELD_REAL, member[1]), FIELD(z, TOC_FIELD_REAL, member[2])
#define SAME_ARRAYS                                                                     \
    ARRAY("normal", TOC_FIELD_REAL, 3, normal), ARRAY("kind", TOC_FIELD_KIND, 1, kind), \
        ARRAY("vertices", TOC_FIELD_ID, 4, v), ARRAY("bodies", TOC_FIELD_ID, 2, body),  \
        ARRAY("weights", TOC_FIELD_REAL, 4, weights)

#define ITEM toc_contact
static const toc_pair_field contact_fields[] = {IDS,
                                                FIELD("toc", TOC_FIELD_REAL, toc),
                                                BODIES_AND_WEIGHTS,
                                                VECTOR("x", "y", "z", point),
                                                VECTOR("nx", "ny", "nz", normal),
                                                FIELD("verdict", TOC_FIELD_VERDICT, verdict)};
static const toc_pair_column contact_columns[] = {SAME_ARRAYS, ARRAY("toc", TOC_FIELD_REAL, 1, toc),
                                                  ARRAY("verdict", TOC_FIELD_VERDICT, 1, verdict),
                                                  ARRAY("Points", TOC_FIELD_REAL, 3, point)};
#undef ITEM
#define ITEM toc_near_pair
static const toc_pair_field near_fields[] = {IDS,
                                             FIELD("distance", TOC_FIELD_REAL, distance),
                                             BODIES_AND_WEIGHTS,
                                             VECTOR("x", "y", "z", points[0]),
                                             VECTOR("x1", "y1", "z1", points[1]),
                                             VECTOR("nx", "ny", "nz", normal),
                                             FIELD("thickness", TOC_FIELD_REAL, thickness)};
static const toc_pair_column near_columns[] = {SAME_ARRAYS, ARRAY("distance", TOC_FIELD_REAL, 1, distance),
                                               ARRAY("Points", TOC_FIELD_REAL, 3, points[0]),
                                               ARRAY("second", TOC_FIELD_REAL, 3, points[1])};
#undef ITEM

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))
const toc_pair_layout toc_contact_layout = {.what = "contacts",
                                            .item_size = sizeof(toc_contact),
                                            .field_count = COUNT_OF(contact_fields),
                                            .array_count = COUNT_OF(contact_columns),
                                            .fields = contact_fields,
                                            .arrays = contact_columns,
                                            .records = "contacts",
                                            .is_plausible = is_plausible_contact};
const toc_pair_layout toc_near_layout = {.what = "near pairs",
                                         .item_size = sizeof(toc_near_pair),
                                         .field_count = COUNT_OF(near_fields),
                                         .array_count = COUNT_OF(near_columns),
                                         .fields = near_fields,
                                         .arrays = near_columns,
                                         .is_plausible = is_plausible_near_pair};

/// The words of kinds and verdicts, by their values.
static const char *const kind_words[] = {[TOC_VF] = "vf", [TOC_EE] = "ee"};
static const char *const verdict_words[] = {[TOC_HIT] = "hit", [TOC_UNDECIDED] = "undecided"};

const char *const *toc_field_words(toc_field_type type, int *count) {
    *count = type == TOC_FIELD_KIND ? (int)COUNT_OF(kind_words) : (int)COUNT_OF(verdict_words);
    return type == TOC_FIELD_KIND ? kind_words : verdict_words;
}

void toc_field_put_word(char *at, toc_field_type type, int word) {
    const toc_kind kind = word == TOC_VF ? TOC_VF : TOC_EE;
    const toc_verdict verdict = word == TOC_HIT ? TOC_HIT : TOC_UNDECIDED;
    if (type == TOC_FIELD_KIND)
        memcpy(at, &kind, sizeof kind);
    else
        memcpy(at, &verdict, sizeof verdict);
}

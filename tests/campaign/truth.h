// SPDX-License-Identifier: Apache-2.0
// Exact answers for a model: every pair of features decided one by one, in rational numbers where it is close.
#ifndef TOC_CAMPAIGN_TRUTH_H
#define TOC_CAMPAIGN_TRUTH_H

#include "campaign/model.h"

/// Two features that may touch by the scene's filters. Vertices in ascending order within each feature; of two edges
/// the one of the lower body, then of the lower ids, is first.
typedef struct truth_pair {
    toc_kind kind;
    const model_feature *a, *b;
    bool touches;
    bool asked;   // by the present question: on the boundary where only that counts, and not refused by its callback
    double limit; // distance that counts as contact, of the present question: its separation and the thickness
    double low, high; // the first time of contact is between these two doubles, at most neighbours of 2^-52 of it
} truth_pair;

typedef struct truth_list {
    size_t count, capacity;
    truth_pair *pairs; // ascending by truth_compare
    uint64_t questions;
} truth_list;

/// All pairs of features that the scene's filters allow.
void truth_enumerate(model *m, truth_list *out);
void truth_free(truth_list *list);
/// Decide each pair in [from, to], on straight paths or parabolas.
void truth_contacts(const model *m, double from, double to, truth_list *list);
/// Whether no pair that is asked about touches on the way to where toc_positions_interpolate puts the vertices.
bool truth_is_free(const model *m, const truth_list *list, double fraction);
/// Where a pair is in the list; NULL when it is no pair.
truth_pair *truth_find(const truth_list *list, toc_kind kind, const uint32_t body[2], const uint32_t v[4]);
/// The vertices of a pair, as in toc_contact.
void truth_vertices(const truth_pair *p, uint32_t v[4]);
/// Where its vertices start and end.
void truth_place(const model *m, const truth_pair *p, double x0[4][3], double x1[4][3]);

/// The motion of a pair: on straight paths its ends, on parabolas also the control points between them.
typedef struct truth_motion {
    bool curved;
    toc_quadratic_pair at;
} truth_motion;

/// The motion of a pair in the present step. In a scene with an accelerated body all paths are parabolas.
void truth_motion_of(const model *m, const truth_pair *p, truth_motion *out);
/// Its vertices at a time.
void truth_motion_at(const truth_motion *m, long double time, long double x[4][3]);
/// The first contact in [from, to], between two doubles as in truth_pair; false for none.
bool truth_first(toc_kind kind, const truth_motion *m, double from, double to, double *low, double *high);

/// Four vertices at a time.
void truth_mix(double x0[4][3], double x1[4][3], long double time, long double x[4][3]);
/// The distance of two features whose four vertices are given, in extended precision: right to 1e-9 of their size.
long double truth_distance(toc_kind kind, long double x[4][3]);
/// Whether the distance is at most `limit`, exactly.
bool truth_is_within(toc_kind kind, double x[4][3], double limit);
/// The same at a time of straight paths.
bool truth_is_within_then(toc_kind kind, double x0[4][3], double x1[4][3], double time, double limit);
bool truth_is_within_on_parabolas(toc_kind kind, const toc_quadratic_pair *p, double time, double limit);
/// The distance at a time, to 2^-52 of itself.
long double truth_exact_distance(toc_kind kind, double x0[4][3], double x1[4][3], double time);
/// Bounds of the smallest distance over the step, at most `wanted` apart or both above `limit`; false when that took
/// too long, and they are only bounds.
bool truth_closest(toc_kind kind, double x0[4][3], double x1[4][3], long double limit, long double wanted,
                   long double *low, long double *high);
/// Signs of determinants of three points relative to another: (a - p) . ((b - p) x (c - p)), and with a direction in
/// place of c - p.
int truth_orientation(const double p[3], const double a[3], const double b[3], const double c[3]);
int truth_side(const double p[3], const double a[3], const double b[3], const double direction[3]);
/// Six times the volume inside of wound triangles, its sign.
int truth_volume_sign(size_t count, double (*triangles)[3][3]);
/// Whether two hulls share a point, exactly.
bool truth_hulls_meet(int count_a, double a[8][3], int count_b, double b[8][3]);
/// Distance of a point from the hull of one, two or three points, in extended precision.
long double truth_point_distance(const long double point[3], int count, long double (*x)[3]);

#endif

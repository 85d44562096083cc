// SPDX-License-Identifier: Apache-2.0
// Feature pairs of overlapping primitives, compiled for each instruction set.
//
// Processors cannot predict whether two features overlap, so the code does not branch on it: every pair is written, and
// the next one overwrites it unless it is kept.
#include "cull/surface/features.h"

// The form of the bounds: a constant in each compiled copy.
typedef struct feature_form {
    int lanes;
    bool moves;
    toc_look look;
} feature_form;

static TOC_INLINE size_t feature_dop_floats(feature_form f) { return (f.moves ? 4 : 2) * (size_t)f.lanes; }

enum { GROUP = 32 }; // leaf pairs whose features are listed, and prefetched, before any of them is compared

// A pair of features and their DOPs.
typedef struct candidate {
    const float *a, *b;
    toc_feature_pair v;
} candidate;

// With room for one more, to overwrite.
typedef struct candidates {
    size_t vf_count, ee_count;
    candidate vf[GROUP * 6 + 1], ee[GROUP * 9 + 1];
} candidates;

static inline void prefetch_dop(const float *dop, size_t floats) {
    for (size_t i = 0; i < floats; i += 16) __builtin_prefetch(dop + i);
}

// Points of one primitive and the face of another.
static TOC_INLINE void list_vf_candidates(const toc_represented_dops *d, feature_form f,
                                          const toc_representative *with_points, const toc_representative *with_face,
                                          const float *face_dop, candidates *list) {
    const uint32_t *face = with_face->face;
    if (face[0] == UINT32_MAX) return;
    for (uint32_t i = with_points->first_point; i < with_points->first_point + with_points->point_count; i++) {
        const uint32_t v = d->representatives->points[i];
        const float *dop = d->points + i * feature_dop_floats(f);
        prefetch_dop(dop, feature_dop_floats(f));
        list->vf[list->vf_count] = (candidate){dop, face_dop, {{v, face[0], face[1], face[2]}}};
        list->vf_count += !toc_vertex_in_face(v, face);
    }
}

static TOC_INLINE void list_ee_candidates(const toc_represented_dops *d, feature_form f,
                                          const toc_representative *first, const toc_representative *second,
                                          candidates *list) {
    const size_t floats = feature_dop_floats(f);
    for (uint32_t j = second->first_edge; j < second->first_edge + second->edge_count; j++)
        prefetch_dop(d->edges + j * floats, floats);
    for (uint32_t i = first->first_edge; i < first->first_edge + first->edge_count; i++) {
        prefetch_dop(d->edges + i * floats, floats);
        for (uint32_t j = second->first_edge; j < second->first_edge + second->edge_count; j++) {
            const uint32_t *a = d->representatives->edges[i], *b = d->representatives->edges[j];
            list->ee[list->ee_count] =
                (candidate){d->edges + i * floats, d->edges + j * floats, toc_edges_in_order(a, b)};
            list->ee_count += !toc_edges_share(a, b);
        }
    }
}

static TOC_INLINE void list_group(const toc_represented_dops *d, feature_form f, const toc_leaf_pair *pairs,
                                  size_t count, candidates *list) {
    const uint32_t *order = d->bvh->order;
    list->vf_count = list->ee_count = 0;
    for (size_t i = 0; i < count; i++) {
        const toc_representative *a = &d->representatives->at[pairs[i].a], *b = &d->representatives->at[pairs[i].b];
        const float *face_a = d->faces + order[pairs[i].a] * feature_dop_floats(f);
        const float *face_b = d->faces + order[pairs[i].b] * feature_dop_floats(f);
        prefetch_dop(face_a, feature_dop_floats(f));
        prefetch_dop(face_b, feature_dop_floats(f));
        list_vf_candidates(d, f, a, b, face_b, list);
        list_vf_candidates(d, f, b, a, face_a, list);
        list_ee_candidates(d, f, a, b, list);
    }
}

// Keep the pairs whose swept DOPs overlap. @return their number.
static TOC_INLINE size_t compare_swept(feature_form f, const candidate *at, size_t count, toc_feature_pair *out) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        out[kept] = at[i].v;
        kept += toc_dops_overlap(at[i].a, at[i].b, f.lanes);
    }
    return kept;
}

// Keep the pairs whose moving DOPs overlap at some time: first those decided without division, then the undecided ones.
static TOC_INLINE size_t compare_moving(feature_form f, candidate *at, size_t count, toc_feature_pair *out) {
    size_t kept = 0, open = 0;
    for (size_t i = 0; i < count; i++) {
        const candidate c = at[i];
        const toc_gaps gaps = toc_dops_gaps(c.a, c.b, f.lanes);
        const toc_meeting meeting = toc_gaps_tell(&gaps, f.lanes, f.look);
        out[kept] = c.v;
        kept += meeting.sure;
        at[open] = c;
        open += meeting.maybe;
    }
    for (size_t i = 0; i < open; i++) {
        const toc_gaps gaps = toc_dops_gaps(at[i].a, at[i].b, f.lanes);
        out[kept] = at[i].v;
        kept += toc_gaps_close(&gaps, f.lanes, f.look);
    }
    return kept;
}

static TOC_INLINE size_t compare_candidates(feature_form f, candidate *at, size_t count, toc_feature_pair *out) {
    return f.moves ? compare_moving(f, at, count, out) : compare_swept(f, at, count, out);
}

static TOC_INLINE void cull_feature_pairs(const toc_represented_dops *dops, feature_form f, const toc_leaf_pair *pairs,
                                          size_t count, toc_feature_pairs *out) {
    candidates list;
    out->vf_count = out->ee_count = 0;
    for (size_t i = 0; i < count; i += GROUP) {
        list_group(dops, f, pairs + i, count - i < GROUP ? count - i : GROUP, &list);
        out->asked += list.vf_count + list.ee_count;
        out->vf_count += compare_candidates(f, list.vf, list.vf_count, out->vf + out->vf_count);
        out->ee_count += compare_candidates(f, list.ee, list.ee_count, out->ee + out->ee_count);
    }
}

// Compiled once for each form.
void TOC_FOR_LANES(toc_features_kernel)(const toc_represented_dops *dops, const toc_leaf_pair *pairs, size_t count,
                                        toc_feature_pairs *out) {
    const bool few = dops->bvh->kind.lanes == 8;
    if (dops->bvh->lower.most > 0) {
        const toc_look look = toc_window_look(dops->window);
        few ? cull_feature_pairs(dops, (feature_form){8, true, look}, pairs, count, out)
            : cull_feature_pairs(dops, (feature_form){16, true, look}, pairs, count, out);
    } else {
        few ? cull_feature_pairs(dops, (feature_form){.lanes = 8}, pairs, count, out)
            : cull_feature_pairs(dops, (feature_form){.lanes = 16}, pairs, count, out);
    }
}

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutants: small defects put into a copy of the sources, one at a time, each with the tests that must notice it.

    mutants.py SOURCE_DIR [NAME...]      build and run all or some; ends with "N killed, N survived"
    mutants.py --check SOURCE_DIR        only check that each text to replace occurs exactly once

A failure, a crash or a time-out of a test kills the mutant. The exit status is 0 if no mutant survives. The copy is
build/mutants/tree; it stays there, so that the next run builds only the difference.
"""
import os
import re
import shutil
import subprocess
import sys
import time

# name, file, text, replacement, tests
MUTANTS = [
    ("csat-margin", "src/cull/volume/csat.c", "(16 * 0x1p-24f * csat->reach + csat->separation)", "csat->separation", "cull.csat"),
    ("csat-separation", "src/cull/volume/csat.c", "(16 * 0x1p-24f * csat->reach + csat->separation)", "16 * 0x1p-24f * csat->reach", "cull.csat"),
    ("csat-control", "src/cull/volume/feature_csat.c", "csat->control ? COEFFICIENTS : CONTROL", "CONTROL", "cull.feature_csat"),
    ("curved-control", "src/cull/surface/triangle_features.c", "    return side && side_along(&c->control, axis, s->a, s->b, separation) == side;", "    return side != 0;", "cull.feature_csat"),
    ("rings-error", "src/cull/surface/flat_rings.kernel.c", "#define AREA_ERROR 0x1p-47", "#define AREA_ERROR 0", "cull.flat_rings"),
    ("stars-margin", "src/cull/volume/stars.kernel.c", "const float margin = 0x1p-17f *", "const float margin = 0 *", "cull.stars"),
    ("flood-far-tets", "src/search/interior_flood.c", "    *apart = far_tets_apart(f, &elements->cells.at[a], &elements->cells.at[b]);", "    *apart = true;", "search.interior"),
    ("question-distance", "src/ask/question.c", "settings.test.separation = own->distance;", "settings.test.separation = 0;", "ask.near"),
    ("request-reach", "src/search/request.c", "changed.reach = reach_of_query(request->scene, query);", "changed.reach = 0;", "ask.request"),
    ("request-thrifty", "src/ask/query.c", "request.thrifty = thrifty;", "request.thrifty = false;", "ask.request"),
    ("question-end", "src/ask/question.c", "*end == TOC_AT_START ? step->x0 : step->x1", "step->x0", "ask.near"),
    ("listed-last-round", "src/search/listed.c", "(count + LISTED_ROUND - 1) / LISTED_ROUND", "count / LISTED_ROUND", "ask.candidates"),
    ("result-several", "src/search/contacts.c", "contacts->count <= 1) return TOC_OK;", "contacts->count <= 2) return TOC_OK;", "search.contacts"),
    ("motion-same-place", "src/scene/motion.c", "still && m->rests[v] && is_same(x0, seen)", "still && m->rests[v]", "search.resting_pairs"),
    ("axes-constant-error", "src/cull/surface/triangle_axes.kernel.c", "#define CONSTANT_ERROR 0x3p-24f", "#define CONSTANT_ERROR 0.f", "cull.triangle_axes"),
    ("prefilter-constant-error", "src/pair/prefilter.kernel.c", "#define CONSTANT_ERROR 0x3p-24f", "#define CONSTANT_ERROR 0.f", "pair.prefilter"),
    ("certified-gap-error", "src/pair/certified.kernel.c", "#define GAP_ERROR 0x1p-48", "#define GAP_ERROR 0.", "pair.certified"),
    ("place-approach", "src/pair/wide_place.h", "weights[i] : -weights[i]));", "weights[i] : weights[i]));", "pair.places"),
    ("tie-zero-share", "src/pair/tie.kernel.c", "zero[i] = asked & share_is_zero(&areas, i, &above);", "share_is_zero(&areas, i, &above), zero[i] = asked;", "pair.ties"),
    ("tie-above", "src/pair/tie.kernel.c", "known &= ~asked | zero[i] | above;", "", "pair.ties"),
    ("pipeline-held-leaves", "src/search/pipeline.c", "if (worker->held_count > 0) TOC_TRY(pass_held_leaves(worker));", "", "search.presets"),
    ("pipeline-device-last", "src/search/pipeline.c", "    TOC_TRY(flush_device(worker));\n    worker->busy +=", "    worker->busy +=", "search.device"),
    ("device-again", "src/search/device_outcomes.c", "    if (status == TOC_OK && open->again_count)", "    if (false)", "search.device"),
    ("device-first", "src/device/first.device.c", "toc_device_time_bits(out->hit.toc) > first", "toc_device_time_bits(out->hit.toc) >= first", "search.device"),
    ("device-boxes", "src/device/search.h", "apart |= (a->low[0][c] > b->high[0][c]) & ", "apart |= (a->low[0][c] > b->high[0][c]) | ", "search.device"),
    ("device-limit", "src/device/locate.device.c", "kind == TOC_VF ? 1 : 2) == 0) return;", "kind == TOC_VF ? 1 : 2) < 0) return;", "ask.device"),
    ("device-own", "src/device/certified.device.c", "    if (work->limits.thickness)\n", "    if (false)\n", "ask.device"),
    ("device-near", "src/device/near.device.c", "look == LOOK_NEAR && work->decides", "look == LOOK_NEAR", "ask.device"),
    ("device-near-order", "src/search/items.c", "with + other - size) > 0)", "with + other - size) < 0)", "ask.device"),
    ("device-axis", "src/device/separate.device.c", "if (least > margin) return true;", "if (least > -margin) return true;", "search.device_volumes"),
    ("device-neighbours", "src/device/separate.device.c", "if (corners_share(ids_a, ids_b, corners)) return true;", "if (corners_share(ids_a, ids_b, corners)) return false;", "search.device_volumes"),
    ("device-inner", "src/device/expand.device.c", "const uint32_t count = near + (work->end - work->begin);", "const uint32_t count = near;", "search.device_volumes"),
    ("device-cells", "src/search/device_cells.c", "for (size_t i = 0; i < around->count; i++)", "for (size_t i = 1; i < around->count; i++)", "search.device_volumes"),
    ("device-rank", "src/device/rank.device.c", "v[second ? 1 + kind : 0]", "v[second]", "search.device"),
    ("contacts-merge", "src/search/contacts.c", "size_t few = first ? few_before(m, &m->many[first - 1]) : 0;", "size_t few = 0;", "search.device"),
    ("certified-round-down", "src/pair/certified.kernel.c", "#define ROUND_DOWN (1 - 0x1p-50)", "#define ROUND_DOWN (1 + 0x1p-30)", "pair.certified"),
    ("dop-low-outward", "src/bound/dop.kernel.c", "const toc_wide less = x - (", "const toc_wide less = x + (", "bound.dop"),
    ("dop-high-outward", "src/bound/dop.kernel.c", "const toc_wide more = x + (", "const toc_wide more = x - (", "bound.dop"),
    ("span-apart-at-start", "src/bound/span.h", "apart |= before & (after |", "apart |= before | (after &", "bound.span"),
    ("span-enter-rounded", "src/bound/span.h", "zero * (1 - 0x1p-20f) - tiny", "zero", "bound.span"),
    ("span-leave-rounded", "src/bound/span.h", "zero * (1 + 0x1p-20f) + tiny", "zero", "bound.span"),
    ("safe-shift", "sim/character/safe.c", "(double)gap - m->shift - m->error;", "(double)gap - m->error;", "sim.character"),
    ("safe-own-shift", "sim/character/safe.c", "room > 0 && shift2 < (1 - 0x1p-40) * room * room;", "room > 0 && shift2 < 64 * room * room;", "sim.character"),
    ("safe-gap", "sim/character/reference.c", "(1 - 0x1p-20) * gap - 0x1p-20 * c->mean_edge", "gap + c->mean_edge", "sim.character"),
    ("spots-order", "sim/character/spot.h", "return (character_spots){a ^ other, b ^ other};", "return (character_spots){a, b};", "sim.character"),
    ("subresultant-power", "src/number/polynomial.c", "drop + 1 - steps", "0", "number.polynomial"),
    ("coprime-lead", "src/number/polynomial.c", "return larger.degree == 0;", "return larger.degree <= 1;", "number.polynomial"),
    ("sweep-touching", "src/index/sweep.c", "low[0] <= box->high[0]", "low[0] < box->high[0]", "search.brute"),
    ("hash-left-table", "src/index/hash.c", "if (has_left_table(hash, i)) return TOC_OK;", "", "search.memory"),
    ("hash-coarse-copies", "src/index/hash.c", "hash->levels = hash->homes | input->beside;", "hash->levels = 0;", "index.hash"),
    ("arena-alignment", "src/base/memory.c", "        arena->next += gap;\n", "", "base.memory"),
    ("array-overflow", "src/base/memory.c", "__builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes", "(bytes = count * size)", "base.memory"),
    ("threads-unlimited", "src/base/threads.c", "toc_threads_fit(threads < most ? threads : most)", "toc_threads_fit(threads)", "base.threads"),
    ("loop-number", "src/base/loop.c", "if (self->number < team->loop->loop->threads) take_rounds(", "take_rounds(", "base.threads"),
    ("hash-fill-parts", "src/index/hash.c", "place += drafts[i].slot < first;", "", "index.hash"),
    ("bvh-large-parts", "src/index/bvh.c", "for (size_t i = 1; i < parts; i++) join_bins(&k.parts[0].centres", "for (size_t i = 1; i + 1 < parts; i++) join_bins(&k.parts[0].centres", "index.bvh"),
    ("loop-spread", "src/base/loop.c", "+ (stretch < rest ? stretch : rest) +", "+ rest +", "base.threads"),
    ("loop-in-order", "src/base/loop.c", ".spreads = !loop->in_order &&", ".spreads =", "base.threads"),
    ("shared-vertex", "src/cull/shared.h", "return (v == f[0]) | (v == f[1]) | (v == f[2]);", "return (v == f[0]) | (v == f[1]);", "search.brute"),
    ("edges-share", "src/cull/shared.h", "| (a[1] == b[0]) | (a[1] == b[1]);", "| (a[1] == b[1]);", "search.brute"),
    ("edges-in-order", "src/cull/shared.h", "low = x < y ? x : y, high = x < y ? y : x", "low = x, high = y", "search.grid"),
    ("order-kind", "src/search/contacts.c", "ids[0] = (uint32_t)c->kind;", "ids[0] = 0;", "search.order"),
    ("prefilter-window-start", "src/pair/prefilter.c", "(float)(t * (1 - 0x1p-22))", "(float)(t * (1 + 0x1p-10))", "pair.prefilter"),
    ("prefilter-window-end", "src/pair/prefilter.c", "fminf(float_above(test->to), 1)", "fminf(float_below(test->to) * (1 - 0x1p-10f), 1)", "pair.prefilter"),
    ("settled-leaves", "src/index/bvh.kernel.c", "if (bvh->settles && bvh->settled[a->left] >> place & 1) places &=", "if (bvh->settles) places &=", "index.bvh"),
    ("tie-error", "src/pair/predicate_tie.c", "(5 * U * size + blur * speed)", "(0 * U * size + 0 * speed)", "pair.ties"),
    ("tie-area", "src/pair/predicate_tie.c", "{{0, 3}, {0, 1}}", "{{0, 1}, {0, 3}}", "pair.ties"),
    ("tie-round", "src/pair/predicate_tie.c", "*out = nextafter(root.high, 0);", "*out = root.high;", "pair.ties"),
    ("plane-exact", "src/pair/predicate_plane.c", "if (i != two[0] && i != two[1] && !is_determinant_zero(v[i], a, b)) return false;", "(void)is_determinant_zero;", "pair.ties"),
    ("plane-digits", "src/pair/predicate_plane.c", "if (difference.low != 0 || ", "if (", "pair.ties"),
    ("flat-turns", "src/pair/predicate_flat.c", "b, b, c->turn[2])) > 0;", "b, b, c->turn[2])) < 0;", "pair.ties"),
    ("flat-first", "src/pair/predicate_flat.c", "if (contacts[i].low < first->low)", "if (contacts[i].low > first->low)", "pair.ties"),
    ("flat-between", "src/pair/predicate_flat.c", "return from == to ? -1 : 1;", "return 1;", "pair.ties"),
    ("predicate-width", "src/pair/predicate.c", "high < b && high - low <= 0x1p-32 * low)", "high < b)", "pair.oracle"),
    ("fine-width", "src/pair/predicate_fine.c", "if (!(width <= 0x1p-34 * root.high)) return false;", "", "pair.exact"),
    ("part-early", "src/pair/ladder.c", "if (hit->toc < test->from) return TOC_UNDECIDED;", "if (hit->toc < test->from) return TOC_APART;", "pair.exact"),
    ("part-late", "src/pair/ladder.c", "return hit->toc * (1 + 0x1p-31) <= test->to ? TOC_HIT : TOC_UNDECIDED;", "return TOC_HIT;", "pair.exact"),
    ("cubic-margin", "src/pair/certified.kernel.c", "toc_wide_all(0x1p-45) * size * size * wide3_largest(m->reach)}", "toc_wide_all(-0x1p-12) * size * size * wide3_largest(m->reach)}", "pair.certified"),
    ("crosses-error", "src/pair/certified.kernel.c", "error = toc_wide_all(0x1p-46) * size", "error = toc_wide_all(-0x1p-12) * size", "pair.certified"),
    ("stars-rounding", "src/cull/volume/stars.c", "return reach_of(&s) > rounding;", "return reach_of(&s) > -1;", "cull.stars"),
    ("intact-rounding", "src/cull/volume/intact.c", "return reach * (1 + 0x1p-20) + 0x1p-20 < ref->distance;", "return reach * 0.5 < ref->distance;", "cull.intact"),
    ("intact-separation", "src/cull/volume/intact.c", "2 * sqrt(most) + separation * sqrt(size)", "2 * sqrt(most)", "cull.intact"),
    ("axes-distance", "src/search/surface_stages.c", ".distance = (float)(p->distance * motion->frame.scale) * (1 + 0x1p-20f)", ".distance = 0", "search.presets"),
    ("window-early", "src/search/narrow_phase.c", "lower(&all->window.to, contact->toc * (1 + 0x1p-28));", "lower(&all->window.to, contact->toc * (1 - 0x1p-28));", "search.first"),
    ("left-end", "src/search/tree.c", "((double)(a < b ? a : b) - 0x1p-20)", "((double)(a < b ? b : a) + 0x1p-4)", "search.first"),
    ("near-farther", "src/pair/gap.h", "* toc_vec_length(axis) * (1 + 0x1p-48)", "* toc_vec_length(axis) * (1 - 0x1p-8)", "ask.near"),
    ("floor-margin", "src/ask/closest_approach.c", "gap -= toc_axis_margin(&a->path, axis);", "gap += 0x1p-8 * gap;", "ask.near"),
    ("room-axis", "src/ask/room.c", "* (1 - 0x1p-48), local->exponent)", "* (1 + 0x1p-8), local->exponent)", "ask.room"),
    ("room-subnormal", "src/ask/room.c", "toc_larger(0, bound - 0x1p-1074)", "bound + 0x1p-1070", "ask.room"),
    ("room-within", "src/ask/room.c", "toc_larger(low, floor + s->limits->share * (start - floor))", "floor", "ask.room"),
    ("room-rounding", "src/ask/room.c", ".rounding = 0x1p-47 * toc_scene_largest_coordinate(scene) + 0x1p-1070", ".rounding = 0", "ask.room"),
    ("candidates-rounding", "src/ask/candidates.c", "#define ROUNDING_SHARE 0x1p-46", "#define ROUNDING_SHARE -0x1p-8", "ask.candidates"),
    ("safe-close", "src/ask/safe_step.c", "query.test.separation += 0x1p-46 * toc_scene_largest_coordinate(request->scene) + 0x1p-1070;", "", "ask.safe_step"),
    ("safe-latest", "src/ask/safe_step.c", "static const double LATEST = 1 + 0x1p-28;", "static const double LATEST = 1 - 0x1p-6;", "ask.safe_step"),
    ("safe-rounded", "src/ask/safe_step.c", "return *is_free ? is_apart(s, c, &pair, fraction, is_free) : TOC_OK;", "return TOC_OK;", "ask.safe_step"),
    ("safe-true", "src/ask/safe_step.c", "TOC_TRY(is_apart(s, c, &rounded, 1, is_free));", "(void)rounded;", "ask.safe_step"),
    ("probe-enter", "src/ask/probes.c", "first * (1 - 0x1p-40)", "first * (1 + 0x1p-6)", "ask.probes"),
    ("probe-leave", "src/ask/probes.c", "last * (1 + 0x1p-40)", "last * (1 - 0x1p-6)", "ask.probes"),
    ("probe-tie", "src/ask/probes.c", "hit.toc == best->time && best->body != UINT32_MAX && !ids_come_before", "hit.toc == best->time && best->body != UINT32_MAX && ids_come_before", "ask.probes"),
    ("hit-limit", "src/ask/probes.c", "w->limit = hit.toc * (1 + 0x1p-28);", "w->limit = 0.9 * hit.toc;", "ask.probes"),
    ("vertices-limit", "src/ask/near_vertices.c", "vertex_limit(p, v[0], v[1]) * (1 + 0x1p-49)", "vertex_limit(p, v[0], v[1]) * (1 - 0x1p-9)", "ask.near_vertices"),
    ("times-tie", "include/toccata/scene.h", "if (a->point[c] != b->point[c]) return a->point[c] < b->point[c] ? -1 : 1;\n    return toc_contact_compare(a, b);", "(void)c;\n    return toc_contact_compare(a, b);", "search.first"),
    ("cut-vertices", "src/search/surface_tree.c", "w->form->thickness + 0x1p-50 * most", "0", "search.first"),
    ("until-rounded", "src/search/surface_tree.c", "(float)w->form->until * (1 + 0x1p-20f)", "(float)w->form->until * (1 - 0x1p-10f)", "search.first"),
    ("before-best", "src/search/narrow_phase.c", "left - 0x1p-40 * most", "left + 0x1p-3 * most", "search.first"),
    ("cut-elements", "src/search/elements.c", "p->distance + 0x1p-49 * most", "0", "search.first"),
    ("predicate-error", "src/pair/predicate.c", "q->error = 512 * U *", "q->error = 0 * U *", "pair.oracle"),
    ("predicate-outside", "src/pair/predicate.c", "if (shares->at[i] < -shares->error[i]) return TOC_APART;", "if (shares->at[i] <= 0) return TOC_APART;", "pair.ties"),
    ("predicate-inside", "src/pair/predicate.c", "inside = inside && shares->at[i] > shares->error[i];", "inside = inside && shares->at[i] >= 0;", "pair.oracle"),
    ("predicate-share-error", "src/pair/predicate.c", "*error = toc_bound_dot(a->bound, b->bound, U);", "*error = 0;", "pair.oracle"),
    ("predicate-blur", "src/pair/predicate.c", "toc_bound_mix(toc_vec_max(v), m->size, m->speed, blur, U)", "toc_bound_mix(toc_vec_max(v), m->size, 0 * m->speed, blur, 0)", "pair.oracle"),
    ("predicate-settled", "src/pair/predicate.c", "settled->at[i] == 0 && settled->error[i] == 0", "settled->at[i] == 0 || settled->error[i] == 0", "pair.ties"),
    ("fine-error", "src/pair/predicate_fine.c", "q->error = 3 * 512 * TOC_DD_ERROR", "q->error = 0 * TOC_DD_ERROR", "pair.exact"),
    ("fine-share-error", "src/pair/predicate_fine.c", "*error = toc_bound_dot(a->bound, b->bound, TOC_DD_ERROR) + SHARE_UNDERFLOW;", "*error = 0;", "pair.exact"),
    ("bound-slack", "src/pair/error_bound.h", "#define TOC_BOUND_SLACK (1 + 0x1p-10)", "#define TOC_BOUND_SLACK 0x1p-30", "pair.oracle"),
    ("cubic-sign", "src/pair/cubic_search.inc", "if (!(fabs(NUMBER_HIGH(c[i])) > error)) return -1;", "", "pair.oracle"),
    ("certified-over", "src/pair/certified.kernel.c", "return sharp & (least > need);", "return sharp & (least > -need);", "pair.certified"),
    ("certified-over-blur", "src/pair/certified.kernel.c", "const toc_wide blur = (high - low) * speed * toc_wide_all(LENGTH_UP) + reach * toc_wide_all(0x1p-50);", "const toc_wide blur = toc_wide_all(0) * speed;", "pair.certified"),
    ("certified-early", "src/pair/certified.kernel.c", "#define TIME_PART 0x1p-30", "#define TIME_PART 0x1p-20", "pair.certified"),
    ("certified-length", "src/pair/certified.kernel.c", "#define LENGTH_UP (1 + 0x1p-50)", "#define LENGTH_UP (1 - 0x1p-8)", "pair.certified"),
    ("certified-underflow", "src/pair/certified.kernel.c", "#define UNDERFLOW_ERROR 0x1p-1000", "#define UNDERFLOW_ERROR -0x1p-500", "pair.certified"),
    ("tie-lanes-less", "src/pair/tie.kernel.c", "more = area.value > area.error, less = area.value < -area.error,", "more = area.value > toc_wide_all(0), less = area.value < toc_wide_all(0),", "pair.ties"),
    ("tie-sign", "src/pair/predicate_tie.c", "return a.value > a.error ? 1 : a.value < -a.error ? -1 : 0; }", "return a.value > 0 ? 1 : a.value < 0 ? -1 : 0; }", "pair.ties"),
    ("flat-signs", "src/pair/predicate_flat.c", "if ((s[0] == s[1] && s[1] == s[2]) ||", "if ((s[0] == s[2]) ||", "pair.ties"),
    ("flat-error", "src/pair/predicate_flat.c", "(error + 8 * U * (fabs(a) + fabs(b) + fabs(d))) * TOC_BOUND_SLACK};", "0};", "pair.ties"),
    ("orientation-volume", "src/pair/orientation.c", "0x1p-48 + 0x1p-51 * (double)volume->faces", "0", "ask.containment"),
    ("distance-range", "src/pair/closest_points.h", "(out->extent > 0x1p-200 && out->extent < 0x1p200)", "out->extent > 0", "pair.distance"),
    ("touch-before", "src/pair/touches.c", "return same ? before : nextafter(before, 2);", "return before;", "pair.touches"),
    ("flat-rings-once", "src/cull/surface/flat_rings.kernel.c", "once &= right | ~passed;", "", "cull.flat_rings"),
    ("axes-underflow", "src/cull/surface/triangle_axes.kernel.c", "#define UNDERFLOW_ERROR 0x1p-120f", "#define UNDERFLOW_ERROR -1.f", "cull.triangle_axes"),
    ("features-below", "src/cull/surface/triangle_features.c", "if (b.low0 - a.high0 > margin && b.low1 - a.high1 > margin) return 1;", "if (b.low0 - a.high0 > -margin && b.low1 - a.high1 > -margin) return 1;", "cull.triangle_features"),
    ("features-end", "src/cull/surface/triangle_features.c", "if (a.low0 - b.high0 > margin && a.low1 - b.high1 > margin) return -1;", "if (a.low0 - b.high0 > margin) return -1;", "cull.triangle_features"),
    ("features-separation", "src/cull/surface/triangle_features.c", "return separation > 0 ? margin + separation *", "return separation > 0 ? margin + 0 * separation *", "cull.triangle_features"),
    ("feature-csat-above", "src/cull/volume/feature_csat.c", "above = above && e[0] - e[3] > margin;", "above = above && e[0] - e[3] > -margin;", "cull.feature_csat"),
    ("feature-csat-below", "src/cull/volume/feature_csat.c", "below = below && e[2] - e[1] > margin;", "below = below && e[2] - e[1] > -margin;", "cull.feature_csat"),
    ("csat-control-axis", "src/cull/volume/csat.c", "is_apart = is_apart && gap.size > margin;", "", "cull.csat"),
    ("stars-ends", "src/cull/volume/stars.kernel.c", "sign * ends[0] > margin && sign * ends[4] > margin &&", "sign * ends[0] > margin &&", "cull.stars"),
    ("stars-between", "src/cull/volume/stars.kernel.c", "sign * between[0] > 3 * margin &&\n           sign * between[4] > 3 * margin;", "sign * between[0] > 3 * margin;", "cull.stars"),
    ("stars-side", "src/cull/volume/stars.c", "if (c_is_other && d_is_other && sides_cross(u, v, s->at[c], s->at[d])) return 0;", "", "cull.stars"),
    ("flood-grown", "src/search/interior_flood.c", "dop[c] -= 0x1p-22f, dop[lanes + c] += 0x1p-22f;", "dop[c] += 0x1p-3f, dop[lanes + c] -= 0x1p-3f;", "search.interior"),
    ("safe-time", "src/ask/safe_step.c", "c->toc * s->until * (1 - 0x1p-50) > fraction) return TOC_OK;", "c->toc * s->until > fraction * (1 - 0x1p-20)) return TOC_OK;", "ask.safe_step"),
    ("safe-resolution", "src/ask/safe_step.c", "static const double RESOLUTION = 0x1p-44;", "static const double RESOLUTION = 0x1p-8;", "ask.safe_step"),
    ("room-close", "src/ask/room.c", "static const double CLOSE_LOSS = 0x1p-10;", "static const double CLOSE_LOSS = 0x1p-1;", "ask.room"),
    ("room-floor", "src/ask/room.c", "static const double FLOOR_LOSS = 0x1p-40;", "static const double FLOOR_LOSS = 0x1p-10;", "ask.room"),
    ("candidates-away", "src/ask/candidates.c", "if (away <= c->slack + c->rounding) continue;", "if (away <= 2 * c->slack + c->rounding) continue;", "ask.candidates"),
    ("approach-gap", "src/ask/closest_approach.c", "return gap > 0 ? gap / toc_vec_length(axis) * (1 - 0x1p-48) : 0;", "return gap > 0 ? gap / toc_vec_length(axis) * (1 + 0x1p-8) : 0;", "ask.near"),
    ("approach-share", "src/ask/closest_approach.h", "#define TOC_APPROACH_SHARE 0x1p-20", "#define TOC_APPROACH_SHARE 0x1p-4", "ask.near"),
    ("box-grown", "src/ask/probes.c", "const double grown = 0x1p-45 * line->size;", "const double grown = -0x1p-8 * line->size;", "ask.probes"),
    ("weights-face", "src/pair/predicate.c", "return 2 * off * TOC_BOUND_SLACK <=", "return 0 * off * TOC_BOUND_SLACK <=", "pair.ties"),
    ("weights-edges", "src/pair/predicate.c", "sharp = sharp && 2 * off", "sharp = sharp && 0 * off", "pair.ties"),
    ("bracket-signs", "src/pair/predicate.c", " && (before < 0) != (after < 0)", "", "pair.brackets"),
    ("bracket-certain", "src/pair/predicate.c", "fabs(before) > q->error && fabs(after) > q->error && ", "", "pair.brackets"),
    ("flat-may-vanish", "src/pair/predicate.c", "if (fabs(q->cubic[i]) > q->error) return false;", "if (fabs(q->cubic[i]) > 0) return false;", "pair.ties"),
    ("fine-bracket-signs", "src/pair/predicate_fine.c", " && (before < 0) != (after < 0)", "", "pair.fine"),
    ("certified-blur", "src/pair/certified.kernel.c", "blur * toc_wide_all(1024) <= size", "blur <= size", "pair.certainty"),
    ("certified-round-up", "src/pair/certified.kernel.c", "#define ROUND_UP (1 + 0x1p-50)", "#define ROUND_UP 1", "pair.certainty"),
    ("certified-smallest", "src/pair/certified.h", "#define TOC_CERTIFIED_SMALLEST 0x1p-100", "#define TOC_CERTIFIED_SMALLEST 0x1p-1000", "pair.certainty"),
    ("prefilter-relative-error", "src/pair/prefilter.kernel.c", "#define RELATIVE_ERROR 0x14p-24f", "#define RELATIVE_ERROR 0.f", "pair.axes"),
    ("prefilter-underflow", "src/pair/prefilter.kernel.c", "#define UNDERFLOW_ERROR 0x1p-120f", "#define UNDERFLOW_ERROR 0.f", "pair.axes"),
    ("tie-bracket-width", "src/pair/tie.kernel.c", " & (high - low <= toc_wide_all(0x1p-32) * low)", "", "pair.brackets"),
    ("tie-bracket-signs", "src/pair/tie.kernel.c", " &\n                               ((before < zero) ^ (after < zero))", "", "pair.brackets"),
    ("tie-normal", "src/pair/tie.kernel.c", "up = n.value > n.error, down = n.value < -n.error,", "up = n.value > toc_wide_all(0), down = n.value < toc_wide_all(0),", "pair.brackets"),
    ("tie-latest", "src/pair/tie.kernel.c", "#define LATEST_ROOT (1 - 0x1p-29)", "#define LATEST_ROOT 1.", "pair.brackets"),
    ("tie-exact-root", "src/pair/tie.kernel.c", " & (exact | (root.low < -off))", "", "pair.brackets"),
    ("tie-root-of-step", "src/pair/predicate_tie.c", " && root.high <= 1", "", "pair.brackets"),
    ("turn-signs", "src/pair/predicate_flat.c", "return toc_tie_sign(turn_at(c, out->low)) * toc_tie_sign(turn_at(c, out->high)) < 0;", "return true;", "pair.turns"),
    ("turn-count", "src/pair/predicate_flat.c", "if (count != wanted) return -1;", "(void)wanted;", "pair.turns"),
    ("turn-slope", "src/pair/predicate_flat.c", "4 * off + 16 * U * size + width * bend", "0 * off + 16 * U * size + width * bend", "pair.turns"),
    ("turn-bend", "src/pair/predicate_flat.c", "4 * off + 16 * U * size + width * bend", "4 * off + 16 * U * size + 0 * width * bend", "pair.turns"),
    ("orientation-error", "src/pair/orientation.c", "certain_sign(determinant, sum, 0x1p-48)", "certain_sign(determinant, sum, 0)", "pair.orientation"),
    ("orientation-least", "src/pair/orientation.c", "#define LEAST_SUM 0x1p-900", "#define LEAST_SUM 0", "pair.orientation"),
    ("orientation-underflow", "src/pair/orientation.c", "#define UNDERFLOW_SHARE 0x1p-1020", "#define UNDERFLOW_SHARE 0", "pair.orientation"),
    ("distance-inside", "src/pair/closest_points.h", "return 0x1p-45 * reach * reach *", "return 0 * reach * reach *", "pair.distance"),
    ("distance-narrow", "src/pair/closest_points.h", "margin * side <= 0x1p-38 * reach * sum ? found", "margin * side <= 0x1p38 * reach * sum ? found", "pair.distance"),
    ("distance-parallel", "src/pair/closest_points.h", "if (!(least > 0) || !has_normal(normal, a, b, NO_PLACE)) {", "if (!(least > 0)) {", "pair.distance"),
    ("flat-rings-side", "src/cull/surface/flat_rings.kernel.c", "left = side > error, right = side < -error;", "left = side > error, right = side < toc_wide_all(0);", "cull.rings"),
    ("flat-rings-middle", "src/cull/surface/flat_rings.kernel.c", "upright &= wide3_dot(d, mixed) > error;", "upright &= wide3_dot(d, mixed) > toc_wide_all(0);", "cull.rings"),
    ("axes-relative-error", "src/cull/surface/triangle_axes.kernel.c", "#define RELATIVE_ERROR 0x14p-24f", "#define RELATIVE_ERROR 0.f", "cull.couples"),
    ("csat-first-axis", "src/cull/volume/csat.c", "csat_axis n = between_centres(a, b, fours);", "csat_axis n = {1, 0, 0};", "cull.csat"),
    ("stars-open", "src/cull/volume/stars.c", "(s->closed ? 1.5 : 0.999)", "1.5", "cull.stars"),
    ("stars-closed", "src/cull/volume/stars.c", "(s->closed ? 1.5 : 0.999)", "(s->closed ? 2.5 : 0.999)", "cull.stars"),
    # Found through the public interface, by the fixed seeds of the campaign (docs/reliability.md).
    ("campaign-dop-inward", "src/bound/dop.kernel.c", "less = x - (toc_wide_abs(x) * toc_wide_all(0x1p-22)", "less = x - (toc_wide_abs(x) * toc_wide_all(-0x1p-8)", "campaign.slice"),
    ("campaign-csat-negative", "src/cull/volume/csat.c", "(16 * 0x1p-24f * csat->reach", "(-0x1p-4f * csat->reach", "campaign.slice"),
    ("campaign-gap-negative", "src/pair/certified.kernel.c", "#define GAP_ERROR 0x1p-48", "#define GAP_ERROR -0x1p-12", "campaign.slice"),
    ("campaign-gap-zero", "src/pair/certified.kernel.c", "#define GAP_ERROR 0x1p-48", "#define GAP_ERROR 0", "campaign.slice"),
    ("campaign-cell-skipped", "src/index/hash.c", "for (cell[2] = low[2]; cell[2] <= high", "for (cell[2] = low[2] + (high[2] > low[2]); cell[2] <= high", "campaign.slice"),
    ("campaign-orphan-dropped", "src/search/elements.c", "for (size_t i = 0; i < count; i++) {\n        w->stages[stage].in++;", "for (size_t i = 1; i < count; i++) {\n        w->stages[stage].in++;", "campaign.slice"),
    ("pairs-kept", "src/search/surface_tree.c", "tree->still[i] = TOC_RESTS;\n    tree->resting_pairs.count = 0;", "tree->still[i] = TOC_RESTS;", "search.resting_pairs"),
    ("campaign-refit-skipped", "src/search/surface_tree.c", "rests = toc_motion_rests(&tree->motion, p->vertices, primitive_corners(p));", "rests = i % 3 == 0 && primitive_corners(p);", "campaign.slice"),
    ("campaign-exact-late", "src/pair/exact.c", "toc_part_time(&numbers, &of, &first.time);", "toc_part_time(&numbers, &of, &first.time) * (1 + 0x1p-30);", "campaign.slice"),
    ("campaign-predicate-late", "src/pair/predicate.c", "hit->toc = root.low;", "hit->toc = root.high * (1 + 0x1p-40);", "campaign.slice"),
    ("campaign-rings-negative", "src/cull/surface/flat_rings.kernel.c", "#define AREA_ERROR 0x1p-47", "#define AREA_ERROR -0x1p-1", "campaign.slice"),
    ("campaign-edits-not-seen", "src/scene/step.c", "gathered_revision != toc_mesh_get_revision(scene->bodies.at[i].mesh)) return false;", "gathered_revision == UINT64_MAX) return false;", "campaign.slice"),
    ("campaign-layers-either", "src/scene/pair_filter.c", "(a->mask & b->layers) && (b->mask", "(a->mask & b->layers) || (b->mask", "campaign.slice"),
    ("campaign-first-by-x", "include/toccata/scene.h", "return a->point[c] < b->point[c] ? -1 : 1;", "return a->point[c] > b->point[c] ? -1 : 1;", "campaign.slice"),
    ("compare-bodies", "src/search/contacts.c", "COMPARE(a->body[i], b->body[i]);", "COMPARE(b->body[i], a->body[i]);", "search.order"),
    ("column-order", "src/search/contacts.c", 'TOC_COLUMN_TIME, 1, AT(toc), 2}', 'TOC_COLUMN_TIME, 1, AT(toc), 9}', "io.pair_bytes"),
    ("column-second", "src/ask/near.c", "AT(points[1]), 4}", "AT(points[0]), 4}", "io.pair_bytes"),
    ("column-range", "src/io/pairs/columns.c", "if (type == TOC_COLUMN_TIME) return x >= 0 && x <= 1;", "if (type == TOC_COLUMN_TIME) return x >= 0;", "io.pairs_read"),
    ("column-no-face", "src/io/pairs/row.c", "column->type != TOC_COLUMN_FACES || has_face(column, item)", "true", "io.pair_bytes"),
    ("result-distinct", "src/base/result.c", "r->items.at + at) == 0) continue;", "r->items.at + at) == 1) continue;", "base.result"),
    ("result-moved", "src/base/result.c", "const toc_status status = toc_array_reserve(&r->allocator, &r->items, bytes - r->items.count);\n    toc_result_show(list);", "const toc_status status = toc_array_reserve(&r->allocator, &r->items, bytes - r->items.count);", "base.result"),
    ("campaign-room-share", "src/ask/room.c", "limits->share * (start - least)", "0.25 * limits->share * (start - least)", "campaign.slice"),
    ("candidates-slack", "src/ask/candidates.c", "toc_thickness_add(p->distance / 2, slack)", "toc_thickness_add(p->distance / 2, 0)", "ask.candidates"),
    ("campaign-touch-late", "src/pair/touches.c", ".enter = time_before(s->numbers, enter)", ".enter = time_after(s->numbers, enter)", "campaign.slice"),
    ("campaign-closest-far", "src/ask/probes.c", "toc_larger(sqrt(square) - 0x1p-33 * line->size, 0)", "1.1 * sqrt(square)", "campaign.slice"),
    ("campaign-winding-edge", "src/ask/containment.c", "ends_below = b[1] <= p[1];", "ends_below = b[1] < p[1];", "campaign.slice"),
    ("campaign-winding-open", "src/ask/containment.c", "if (sum != 0) s->closed", "if (sum > 1) s->closed", "campaign.slice"),
    ("arithmetic-state", "src/base/arithmetic.h", "if (!toc_arithmetic_is_own(before)) toc_arithmetic_write(TOC_ARITHMETIC_OWN);", "", "ask.arithmetic"),
    ("arithmetic-left", "src/base/arithmetic.h", "if (!toc_arithmetic_is_own(*before)) toc_arithmetic_write(*before);", "(void)before;", "ask.arithmetic"),
    ("arithmetic-rounds", "src/base/loop.c", "static void take_rounds(shared_loop *shared, int thread) {\n    TOC_SCOPED_ARITHMETIC;", "static void take_rounds(shared_loop *shared, int thread) {", "ask.arithmetic"),
    ("arithmetic-body", "sim/body/body.c", "const toc_sim_material *given, uint32_t *body) {\n    TOC_SCOPED_ARITHMETIC;", "const toc_sim_material *given, uint32_t *body) {", "sim.host"),
    ("plane-pin-above", "src/scene/plane.c", "i % 2 ? height : 0", "i % 2 ? height : -height", "scene.plane"),
    ("lifetimes-survivors", "src/io/gltf/lifetimes.c", "now->at[j].birth = old->birth;", "", "io.lifetimes"),
    ("arithmetic-filter", "src/scene/pair_filter.c", "    toc_arithmetic_resume();\n", "", "ask.arithmetic"),
    ("changes-ended", "src/ask/changes.c", "order < 0 ? TOC_CHANGE_ENDED : order > 0", "order != 0", "ask.changes"),
    ("campaign-near-too-close", "src/ask/near.c", "ldexp(limit, -local.exponent)", "0.9 * ldexp(limit, -local.exponent)", "campaign.slice"),
]

# Tests that are not a program tests/MODULE/NAME.c: source, target, command in the folder build/tests.
OTHERS = {
    "campaign.slice": ("tests/campaign/campaign.c", "campaign", "campaign/campaign --brief --first --seed 1 --trials 270"),
    "campaign.swarm": ("tests/campaign/swarm.c", "swarm", "campaign/swarm --questions 2000000 --seed 1"),
}


def parts_of(test):
    """@return the source of a test, its target, and its command in the folder build/tests."""
    return OTHERS.get(test) or ("tests/" + test.replace(".", "/", 1) + ".c", f"test.{test}", f"test.{test}")


def check(root):
    """Report each text that does not occur exactly once, and each test without a source."""
    bad = 0
    for name, path, text, _, tests in MUTANTS:
        file = os.path.join(root, path)
        count = open(file).read().count(text) if os.path.exists(file) else 0
        if count != 1:
            print(f"{name}: the text occurs {count} times in {path}, not once")
            bad += 1
        for test in tests.split():
            source = parts_of(test)[0]
            if not os.path.exists(os.path.join(root, source)):
                print(f"{name}: there is no {source}")
                bad += 1
    return bad


def copy_tree(root, tree):
    """Copy the files of the working tree that differ, so that a build stays incremental, and remove those that left it."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()
    for folder, folders, files in os.walk(tree):
        if folder == tree:
            folders[:] = [name for name in folders if name != "build"]
        for name in files:
            path = os.path.relpath(os.path.join(folder, name), tree)
            if not os.path.isfile(os.path.join(root, path)):
                os.remove(os.path.join(tree, path))
    for name in names:
        source, target = os.path.join(root, name), os.path.join(tree, name)
        if not os.path.isfile(source):
            continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not os.path.exists(target) or open(source, "rb").read() != open(target, "rb").read():
            shutil.copyfile(source, target)


def command_output(tree, *command):
    """Run a command to its end. @return its status and what it prints."""
    done = subprocess.run(command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode(errors="replace")


def configure(tree):
    launcher = []
    if shutil.which("ccache"):
        os.environ.update(CCACHE_BASEDIR=tree, CCACHE_NOHASHDIR="1")
        launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"]
    options = ["-DTOC_TESTS=ON", "-DTOC_BENCH=OFF", "-DTOC_WERROR=OFF", *launcher]
    status, output = command_output(tree, "cmake", "--preset", "release", *options)
    if status:
        sys.exit(output)


def build(tree, tests):
    jobs = os.environ.get("JOBS", str(os.cpu_count()))
    targets = [parts_of(test)[1] for test in tests]
    status, output = command_output(tree, "cmake", "--build", "--preset", "release", "-j", jobs, "--target", *targets)
    if status:
        sys.exit(output + "the build failed")


def run_test(tree, test, limit):
    """@return None if the test passes, else the failed functions, the signal or the time limit."""
    program, *words = parts_of(test)[2].split()
    command = [os.path.join(tree, "build", "tests", program), *words]
    try:
        done = subprocess.run(command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit)
    except subprocess.TimeoutExpired:
        return f"no end within {limit:.0f} s"
    if done.returncode == 0:
        return None
    output = done.stdout.decode(errors="replace")
    failed = re.findall(r"\[  FAILED  \] ([A-Za-z]\w+)|^FAILED (.{,80})", output, re.MULTILINE)
    return ", ".join(dict.fromkeys(a or b for a, b in failed)) or f"exit status {done.returncode}"


def measure_limits(tree, tests):
    """Run the tests without a mutant: all must pass. @return a generous time limit for each. Long tests are not run."""
    limits = {test: 3600 for test in OTHERS}
    for test in tests:
        if test in OTHERS:
            continue
        start = time.monotonic()
        failure = run_test(tree, test, 3600)
        if failure:
            sys.exit(f"{test} fails without a mutant: {failure}")
        limits[test] = 30 + 5 * (time.monotonic() - start)
    return limits


def kill(tree, mutant, limits):
    """Build the mutant and run its tests until one fails. @return the failure, None if it survives."""
    _, path, text, replacement, tests = mutant
    file = os.path.join(tree, path)
    whole = open(file).read()
    try:
        open(file, "w").write(whole.replace(text, replacement))
        build(tree, tests.split())
        for test in tests.split():
            failure = run_test(tree, test, limits[test])
            if failure:
                return f"{test}: {failure}"
    finally:
        open(file, "w").write(whole)
    return None


def run_mutants(root, names):
    unknown = set(names) - {mutant[0] for mutant in MUTANTS}
    if unknown:
        sys.exit("no mutant has the name " + ", ".join(sorted(unknown)))
    chosen = [mutant for mutant in MUTANTS if not names or mutant[0] in names]
    tests = sorted({test for mutant in chosen for test in mutant[4].split()})
    tree = os.path.join(root, "build", "mutants", "tree")
    copy_tree(root, tree)
    configure(tree)
    build(tree, tests)
    limits = measure_limits(tree, tests)
    survived = 0
    for mutant in chosen:
        failure = kill(tree, mutant, limits)
        survived += failure is None
        print(f"{'killed  ' if failure else 'SURVIVED'} {mutant[0]:28}{failure or mutant[4]}", flush=True)
    print(f"{len(chosen) - survived} killed, {survived} survived")
    return survived


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--check":
        sys.exit(check(sys.argv[2]) > 0)
    root = os.path.abspath(sys.argv[1])
    sys.exit(check(root) > 0 or run_mutants(root, sys.argv[2:]) > 0)


main()

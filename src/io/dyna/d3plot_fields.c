// SPDX-License-Identifier: Apache-2.0
// Results in a state of a d3plot: stress and plastic strain of solids and shells, thickness of shells, accelerations
// and temperatures of nodes. O(words of the state), read in parts.
//
// The control words tell which results there are. Where they do not account for every word of an element, the places of
// its results are not known, and the kind has none. A shell has the largest value of its layers.
#include <assert.h>
#include <math.h>

#include "io/core/fields.h"
#include "io/dyna/d3plot.h"

enum { CHUNK = 1 << 13, RIGID = 20 }; // words read at a time; the type of a rigid material

/// Values by element ids.
typedef struct element_values {
    double *stress, *plastic, *pressure, *thickness; // NULL for none
} element_values;

typedef struct state_place {
    const toc_d3plot *plot;
    const char *path;
    uint64_t first;
} state_place;

static double larger_value(double a, double b) { return b > a || isnan(a) ? b : a; }

static void take_layers(const toc_d3_results *r, const double *words, const element_values *to, size_t element) {
    for (size_t i = 0; i < r->layers; i++, words += r->layer) {
        if (r->has_stress) {
            to->stress[element] = larger_value(to->stress[element], toc_fields_von_mises(words));
            to->pressure[element] = larger_value(to->pressure[element], -(words[0] + words[1] + words[2]) / 3);
        }
        if (r->has_plastic) to->plastic[element] = larger_value(to->plastic[element], words[6 * r->has_stress]);
    }
}

/// Elements of a kind one after the other; `has_none` marks those without results, or is NULL.
static toc_status take_kind(const state_place *at, int kind, const uint8_t *has_none, const element_values *to) {
    const toc_d3_results *r = &at->plot->results[kind];
    const size_t most = r->each < CHUNK ? CHUNK / r->each : 1;
    size_t element = toc_d3plot_first_of(at->plot, kind), next = 0;
    double *words = toc_new(&at->plot->allocator, most * r->each, sizeof *words);
    toc_status status = words ? TOC_OK : TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < r->count && status == TOC_OK; i += most) {
        const size_t some = r->count - i < most ? r->count - i : most;
        status = toc_d3plot_reals(at->plot, at->path, at->first + r->first + i * r->each, some * r->each, words);
        for (size_t k = 0; k < some && status == TOC_OK; k++, next++, element++) {
            for (; has_none && has_none[next]; next++) element++;
            take_layers(r, words + k * r->each, to, element);
            if (r->thickness) to->thickness[element] = words[k * r->each + r->thickness];
        }
    }
    toc_free(&at->plot->allocator, words, most * r->each, sizeof *words);
    return status;
}

// ---- shells of rigid parts

/// Where the shells stand in the first file.
static uint64_t shells_begin(const toc_d3plot *plot) {
    return plot->geometry + 3 * (uint64_t)plot->nodes +
           9 * ((uint64_t)plot->elements[TOC_D3_SOLIDS] + plot->elements[TOC_D3_THICK_SHELLS]) +
           6 * (uint64_t)plot->elements[TOC_D3_BEAMS];
}

static toc_status mark_rigid(const toc_d3plot *plot, uint8_t *rigid, size_t *count) {
    enum { SHELL_WORDS = 5, SOME = CHUNK / SHELL_WORDS };
    const size_t shells = plot->elements[TOC_D3_SHELLS];
    const unsigned word = plot->word_size;
    toc_source types, source;
    *count = 0;
    TOC_TRY(toc_d3plot_load(plot, plot->path, plot->types, (size_t)plot->type_count, &types));
    toc_status status = TOC_OK;
    for (size_t i = 0; i < shells && status == TOC_OK; i += SOME) {
        const size_t some = shells - i < SOME ? shells - i : SOME;
        status = toc_d3plot_load(plot, plot->path, shells_begin(plot) + i * SHELL_WORDS, some * SHELL_WORDS, &source);
        for (size_t k = 0; k < some && status == TOC_OK; k++) {
            const int64_t part = toc_d3plot_integer(plot, source.begin + (k * SHELL_WORDS + 4) * word);
            const bool is_known = part >= 1 && (uint64_t)part <= plot->type_count;
            rigid[i + k] = is_known && toc_d3plot_integer(plot, types.begin + (size_t)(part - 1) * word) == RIGID;
            *count += rigid[i + k];
        }
        if (status == TOC_OK) toc_source_close(&source);
    }
    toc_source_close(&types);
    return status;
}

/// Shells among which rigid ones have no results. Where the file counts others than are found, the shells have none.
static toc_status take_shells(const state_place *at, const element_values *to) {
    const toc_d3plot *plot = at->plot;
    const size_t count = plot->elements[TOC_D3_SHELLS];
    size_t found;
    if (plot->rigid_shells == 0) return take_kind(at, TOC_D3_SHELLS, NULL, to);
    uint8_t *rigid = toc_new(&plot->allocator, count, 1);
    if (!rigid) return TOC_OUT_OF_MEMORY;
    toc_status status = mark_rigid(plot, rigid, &found);
    if (status == TOC_OK && found == plot->rigid_shells) status = take_kind(at, TOC_D3_SHELLS, rigid, to);
    toc_free(&plot->allocator, rigid, count, 1);
    return status;
}

// ---- fields

static bool has(const toc_d3plot *plot, int kind) {
    return plot->results[kind].each > 0 && plot->results[kind].count > 0;
}

/// A field of all elements, without values so far.
static toc_status new_element_field(const toc_d3plot *plot, toc_field_list *list, const char *name, double **values) {
    const size_t count = toc_d3plot_first_of(plot, TOC_D3_KINDS);
    TOC_TRY(toc_fields_new(list, name, (toc_field){.of_elements = true, .components = 1, .count = count}, values));
    for (size_t i = 0; i < count; i++) (*values)[i] = NAN;
    return TOC_OK;
}

static toc_status d3plot_element_fields(const state_place *at, toc_field_list *list) {
    const toc_d3plot *plot = at->plot;
    element_values values = {.stress = NULL};
    bool stress = false, plastic = false;
    for (int kind = 0; kind < TOC_D3_KINDS; kind++) {
        stress |= has(plot, kind) && plot->results[kind].has_stress;
        plastic |= has(plot, kind) && plot->results[kind].has_plastic;
    }
    if (stress) TOC_TRY(new_element_field(plot, list, "von Mises stress", &values.stress));
    if (stress) TOC_TRY(new_element_field(plot, list, "pressure", &values.pressure));
    if (plastic) TOC_TRY(new_element_field(plot, list, "plastic strain", &values.plastic));
    if (has(plot, TOC_D3_SHELLS) && plot->results[TOC_D3_SHELLS].thickness)
        TOC_TRY(new_element_field(plot, list, "thickness", &values.thickness));
    if (has(plot, TOC_D3_SOLIDS)) TOC_TRY(take_kind(at, TOC_D3_SOLIDS, NULL, &values));
    if (has(plot, TOC_D3_THICK_SHELLS)) TOC_TRY(take_kind(at, TOC_D3_THICK_SHELLS, NULL, &values));
    return has(plot, TOC_D3_SHELLS) ? take_shells(at, &values) : TOC_OK;
}

static toc_status d3plot_node_field(const state_place *at, toc_field_list *list, const char *name, uint64_t first,
                                    uint32_t components) {
    const size_t count = at->plot->nodes;
    double *values;
    if (first == 0) return TOC_OK;
    TOC_TRY(toc_fields_new(list, name, (toc_field){.components = components, .count = count}, &values));
    return toc_d3plot_reals(at->plot, at->path, at->first + first, components * count, values);
}

toc_status toc_d3plot_fields(const toc_d3plot *plot, const char *path, uint64_t first, toc_field_list *list) {
    const state_place at = {plot, path, first};
    assert(plot->node_extras == 0);
    TOC_TRY(d3plot_element_fields(&at, list));
    TOC_TRY(d3plot_node_field(&at, list, "acceleration", plot->accelerations, 3));
    return d3plot_node_field(&at, list, "temperature", plot->temperatures, 1);
}

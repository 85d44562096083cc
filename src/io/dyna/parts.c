// SPDX-License-Identifier: Apache-2.0
// Parts and sections of an LS-DYNA deck: a part has a title and a section, and the section a thickness.
#include <stdlib.h>

#include "io/dyna/dyna.h"

/// Cards that options of *PART add; the axes of an inertia may have one more.
static toc_status skip_options(toc_dyna *deck) {
    static const char *const others[] = {"REPOSITION", "CONTACT", "PRINT", "ATTACHMENT", NULL};
    if (toc_dyna_option(deck, "INERTIA")) {
        toc_card line;
        TOC_TRY(toc_dyna_need(deck, &line));
        for (int i = 0; i < 4; i++) toc_card_field(&line, deck->column);
        const bool own_axes = toc_text_is(toc_card_field(&line, deck->column), "1");
        TOC_TRY(toc_dyna_skip(deck, own_axes ? 3 : 2));
    }
    return toc_dyna_skip(deck, toc_dyna_options(deck, others));
}

static toc_status dyna_part_read_part(toc_dyna *deck, const toc_card *title, toc_card *line) {
    toc_dyna_part part = {.id = 0};
    const size_t length = (size_t)(title->end - title->begin);
    memcpy(part.title, title->begin, length < TOC_DYNA_NAME ? length : TOC_DYNA_NAME);
    TOC_TRY(toc_dyna_integer(deck, line, deck->column, &part.id));
    TOC_TRY(toc_dyna_integer(deck, line, deck->column, &part.section));
    TOC_TRY(toc_array_reserve(&deck->allocator, &deck->numbered, 1));
    deck->numbered.at[deck->numbered.count++] = part;
    return TOC_OK;
}

toc_status toc_dyna_read_parts(toc_dyna *deck) {
    const bool layered = strncmp(deck->name, "PART_COMPOSITE", 14) == 0; // cards of layers follow
    for (toc_card title, line; toc_dyna_line(deck, &title);) {
        if (!toc_dyna_line(deck, &line)) return TOC_OK; // that was a blank line at the end
        TOC_TRY(dyna_part_read_part(deck, &title, &line));
        if (layered) return TOC_OK;
        TOC_TRY(skip_options(deck));
    }
    return TOC_OK;
}

/// The mean of the four corners; a blank one equals the first.
static toc_status dyna_part_read_thickness(toc_dyna *deck, double *out) {
    toc_card line;
    double sum = 0, first = 0;
    TOC_TRY(toc_dyna_need(deck, &line));
    for (int i = 0; i < 4; i++) {
        const char *at = line.at;
        double thickness;
        TOC_TRY(toc_dyna_real_or_0(deck, &line, deck->column, &thickness));
        if (thickness < 0) {
            deck->source->at = at;
            return toc_source_fail(deck->source, "a thickness of %g cannot be", thickness);
        }
        if (i == 0) first = thickness;
        sum += thickness == 0 ? first : thickness;
    }
    *out = sum / 4;
    return TOC_OK;
}

/// Number, formulation, shear, integration points, print, rule, and whether the points have angles on cards behind.
static toc_status dyna_part_read_section(toc_dyna *deck, toc_card *line) {
    toc_dyna_section section;
    double points, angles;
    TOC_TRY(toc_dyna_integer(deck, line, deck->column, &section.id));
    for (int i = 0; i < 2; i++) toc_card_field(line, deck->column);
    TOC_TRY(toc_dyna_real_or_0(deck, line, deck->column, &points));
    for (int i = 0; i < 2; i++) toc_card_field(line, deck->column);
    TOC_TRY(toc_dyna_real_or_0(deck, line, deck->column, &angles));
    TOC_TRY(dyna_part_read_thickness(deck, &section.thickness));
    TOC_TRY(toc_array_reserve(&deck->allocator, &deck->sections, 1));
    deck->sections.at[deck->sections.count++] = section;
    return angles == 1 && points >= 1 && points <= 1e6 ? toc_dyna_skip(deck, ((int64_t)points + 7) / 8) : TOC_OK;
}

toc_status toc_dyna_read_sections(toc_dyna *deck) {
    const bool titled = strcmp(deck->name, "SECTION_SHELL_TITLE") == 0;
    const bool plain = titled || strcmp(deck->name, "SECTION_SHELL") == 0; // else cards of other options follow
    for (toc_card line; titled ? toc_dyna_line(deck, &line) : toc_dyna_card(deck, &line);) {
        if (titled && !toc_dyna_card(deck, &line)) return TOC_OK;
        TOC_TRY(dyna_part_read_section(deck, &line));
        if (!plain) return TOC_OK;
    }
    return TOC_OK;
}

static int by_part(const void *a, const void *b) {
    const toc_dyna_part *p = a, *q = b;
    return (p->id > q->id) - (p->id < q->id);
}

static int by_section(const void *a, const void *b) {
    const toc_dyna_section *p = a, *q = b;
    return (p->id > q->id) - (p->id < q->id);
}

static double part_thickness(const toc_dyna *deck, int32_t group) {
    if (deck->numbered.count == 0 || deck->sections.count == 0) return 0;
    const toc_dyna_part wanted = {.id = group};
    const toc_dyna_part *part = bsearch(&wanted, deck->numbered.at, deck->numbered.count, sizeof wanted, by_part);
    const toc_dyna_section key = {.id = part ? part->section : 0};
    const toc_dyna_section *section =
        part ? bsearch(&key, deck->sections.at, deck->sections.count, sizeof key, by_section) : NULL;
    return section ? section->thickness : 0;
}

static toc_status set_thicknesses(const toc_dyna *deck, toc_mesh *mesh) {
    const size_t count = toc_mesh_get_element_count(mesh);
    int32_t group = 0;
    double of_part = part_thickness(deck, group);
    for (size_t i = 0; i < count; i++) {
        const toc_element element = toc_mesh_get_element(mesh, (uint32_t)i);
        if (element.shape != TOC_TRIANGLE && element.shape != TOC_QUAD) continue;
        if (element.group != group) of_part = part_thickness(deck, group = element.group);
        const double own = i < deck->thicknesses.count ? deck->thicknesses.at[i] : 0;
        const double thickness = own > 0 ? own : of_part;
        if (thickness > 0) TOC_TRY(toc_mesh_set_thickness(mesh, (uint32_t)i, thickness));
    }
    return TOC_OK;
}

toc_status toc_dyna_name_parts(toc_dyna *deck, toc_mesh *mesh) {
    if (deck->numbered.count > 0) qsort(deck->numbered.at, deck->numbered.count, sizeof(toc_dyna_part), by_part);
    if (deck->sections.count > 0) qsort(deck->sections.at, deck->sections.count, sizeof(toc_dyna_section), by_section);
    for (size_t i = 0; i < deck->numbered.count; i++) {
        const toc_dyna_part *part = &deck->numbered.at[i];
        if (part->id < INT32_MIN || part->id > INT32_MAX) continue; // no element has such a group
        TOC_TRY(toc_mesh_set_group_name(mesh, (int32_t)part->id, part->title));
    }
    return set_thicknesses(deck, mesh);
}

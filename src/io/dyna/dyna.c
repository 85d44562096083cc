// SPDX-License-Identifier: Apache-2.0
// LS-DYNA's keyword decks: nodes, shells, solids, thick shells and beams; parts as groups; thicknesses of sections and
// of elements.
//
// Cards have fixed columns (8, 10 or 20 a number, by deck or keyword) or commas, line by line. Elements may precede
// their nodes: corners stay labels until the end. If a node is then missing, a second pass finds the line. Keywords
// that move nodes are refused, since contacts would be found in the wrong place; other keywords are skipped. One pass,
// O(n). After the LS-DYNA Keyword User's Manual, volume I.
#include "io/dyna/dyna.h"

#include <assert.h>
#include <ctype.h>
#include <strings.h>

#include "io/core/format.h"

static toc_status dyna_fail_at(const toc_dyna *deck, const char *at, const char *what, int64_t number) {
    deck->source->at = at;
    return toc_source_fail(deck->source, what, (long long)number);
}

/// The second pass searches only for the repeated label.
static toc_status check_node(toc_dyna *deck, const toc_card *line, int64_t label) {
    if (!deck->labels.repeated || label != deck->labels.twice) return TOC_OK;
    return ++deck->seen > 1 ? dyna_fail_at(deck, line->begin, "node %lld is there twice", label) : TOC_OK;
}

static toc_status dyna_read_nodes(toc_dyna *deck) {
    for (toc_card line; toc_dyna_card(deck, &line);) {
        int64_t label = 0;
        double x[3];
        TOC_TRY(toc_dyna_integer(deck, &line, deck->narrow, &label));
        if (deck->checking) {
            TOC_TRY(check_node(deck, &line, label));
            continue;
        }
        for (int k = 0; k < 3; k++) TOC_TRY(toc_dyna_real(deck, &line, deck->wide, &x[k]));
        TOC_TRY(toc_labels_add(&deck->labels, label));
        TOC_TRY(toc_array_reserve(&deck->allocator, &deck->parts.positions, 3));
        memcpy(deck->parts.positions.at + deck->parts.positions.count, x, sizeof x);
        deck->parts.positions.count += 3;
    }
    return TOC_OK;
}

/// Whether a node is missing; known in the second pass only.
static bool dyna_is_missing(const toc_dyna *deck, int64_t label) {
    return deck->checking && !deck->labels.repeated && label != 0 && toc_labels_find(&deck->labels, label) < 0;
}

/// Labels of nodes; a blank one is 0. Refused are labels beyond the range of vertices and, in the second pass, missing
/// nodes.
static toc_status take_labels(toc_dyna *deck, toc_card *line, int count, uint32_t *out) {
    assert(count > 0);
    for (int i = 0; i < count; i++) {
        const char *at = line->at;
        int64_t label;
        TOC_TRY(toc_dyna_integer(deck, line, deck->narrow, &label));
        if (dyna_is_missing(deck, label) || label < 0 || label >= UINT32_MAX)
            return dyna_fail_at(deck, at, "node %lld is used, but is not there", label);
        out[i] = (uint32_t)label;
    }
    return TOC_OK;
}

/// The numbers of an element and its part, and its nodes as far as they are on this card.
static toc_status dyna_take_element(toc_dyna *deck, toc_card *line, int count, uint32_t *nodes, int32_t *part) {
    assert(count > 0);
    int64_t number;
    TOC_TRY(toc_dyna_integer(deck, line, deck->narrow, &deck->number));
    TOC_TRY(toc_dyna_integer(deck, line, deck->narrow, &number));
    if (number < INT32_MIN || number > INT32_MAX)
        return dyna_fail_at(deck, line->begin, "part %lld does not fit into 32 bits", number);
    *part = (int32_t)number;
    return take_labels(deck, line, count, nodes);
}

static toc_status dyna_add_element(toc_dyna *deck, const toc_card *line, toc_shape shape, const uint32_t *corners,
                                   int32_t part) {
    if (corners[0] == 0) return dyna_fail_at(deck, line->begin, "an element without nodes", 0);
    deck->elements++;
    if (!deck->checking) TOC_TRY(toc_labels_add(&deck->numbers, deck->number));
    return deck->checking ? TOC_OK : toc_parts_add(&deck->parts, &deck->allocator, shape, corners, part);
}

/// A blank node repeats the one before.
static void fill_nodes(uint32_t *nodes, int count) {
    assert(count > 0);
    for (int i = 1; i < count; i++)
        if (nodes[i] == 0) nodes[i] = nodes[i - 1];
}

static toc_status keep_thickness(toc_dyna *deck, double thickness) {
    if (thickness == 0 || deck->checking) return TOC_OK;
    const size_t missing = deck->elements - deck->thicknesses.count;
    TOC_TRY(toc_array_reserve(&deck->allocator, &deck->thicknesses, missing));
    memset(deck->thicknesses.at + deck->thicknesses.count, 0, missing * sizeof thickness);
    deck->thicknesses.count = deck->elements;
    deck->thicknesses.at[deck->elements - 1] = thickness;
    return TOC_OK;
}

/// The thickness at each corner, of which the element gets the mean.
static toc_status dyna_read_thickness(toc_dyna *deck, int corners) {
    toc_card line;
    double sum = 0;
    TOC_TRY(toc_dyna_need(deck, &line));
    for (int i = 0; i < corners; i++) {
        double thickness;
        TOC_TRY(toc_dyna_real(deck, &line, deck->wide, &thickness));
        if (thickness < 0) return dyna_fail_at(deck, line.begin, "a thickness below 0 cannot be", 0);
        sum += thickness;
    }
    return keep_thickness(deck, sum / corners);
}

static toc_status read_shells(toc_dyna *deck) {
    static const char *const others[] = {"OFFSET", "DOF", NULL};
    const bool thick = toc_dyna_option(deck, "THICKNESS");
    const bool angled = !thick && (toc_dyna_option(deck, "BETA") || toc_dyna_option(deck, "MCID"));
    const int more = angled + toc_dyna_options(deck, others);
    if (toc_dyna_option(deck, "COMPOSITE")) return toc_source_fail(deck->source, "*%s is not read", deck->name);
    for (toc_card line; toc_dyna_card(deck, &line);) {
        uint32_t nodes[8];
        int32_t part = 0;
        TOC_TRY(dyna_take_element(deck, &line, 8, nodes, &part));
        const bool eight = nodes[4] != 0 || nodes[5] != 0;
        fill_nodes(nodes, 4);
        const toc_shape shape = toc_shell_of(nodes);
        TOC_TRY(dyna_add_element(deck, &line, shape, nodes, part));
        deck->higher_order += eight;
        if (thick) TOC_TRY(dyna_read_thickness(deck, toc_shape_count_corners(shape)));
        TOC_TRY(toc_dyna_skip(deck, (thick && eight) + more));
    }
    return TOC_OK;
}

/// A solid has its nodes on the card with its number, or ten of them on the next.
static toc_status read_solid(toc_dyna *deck, toc_card *line) {
    uint32_t nodes[10] = {0}, corners[8];
    int32_t part = 0;
    TOC_TRY(dyna_take_element(deck, line, 8, nodes, &part));
    if (nodes[0] == 0) {
        TOC_TRY(toc_dyna_need(deck, line));
        TOC_TRY(take_labels(deck, line, 10, nodes));
    }
    const bool ten = nodes[8] != 0;
    deck->higher_order += ten;
    fill_nodes(nodes, 8);
    const toc_shape shape = ten ? TOC_TET : toc_solid_of(nodes, corners);
    return dyna_add_element(deck, line, shape, ten ? nodes : corners, part);
}

static toc_status read_solids(toc_dyna *deck) {
    static const char *const refused[] = {"H20", "H27", "H64", "T15", "T20", NULL};
    static const char *const others[] = {"DOF", "BETA", NULL};
    const int more = toc_dyna_options(deck, others) + (toc_dyna_option(deck, "ORTHO") ? 2 : 0);
    if (toc_dyna_options(deck, refused) > 0) return toc_source_fail(deck->source, "*%s is not read", deck->name);
    for (toc_card line; toc_dyna_card(deck, &line);) {
        TOC_TRY(read_solid(deck, &line));
        TOC_TRY(toc_dyna_skip(deck, more));
    }
    return TOC_OK;
}

static toc_status read_beams(toc_dyna *deck) {
    static const char *const others[] = {"THICKNESS", "SCALAR",      "SCALR",   "SECTION", "PID",
                                         "OFFSET",    "ORIENTATION", "WARPAGE", "ELBOW",   NULL};
    const int more = toc_dyna_options(deck, others);
    for (toc_card line; toc_dyna_card(deck, &line);) {
        uint32_t nodes[2];
        int32_t part = 0;
        TOC_TRY(dyna_take_element(deck, &line, 2, nodes, &part));
        fill_nodes(nodes, 2);
        TOC_TRY(dyna_add_element(deck, &line, TOC_EDGE, nodes, part));
        TOC_TRY(toc_dyna_skip(deck, more));
    }
    return TOC_OK;
}

static toc_status dyna_read_file(toc_dyna *deck, toc_include *file);

/// Read an included file. A file included twice repeats its nodes, which is refused
/// at once, not when all of them are in memory.
static toc_status dyna_read_included(toc_dyna *deck, toc_include *next) {
    bool again;
    TOC_TRY(toc_include_note(&deck->included, deck->file, next, &again));
    TOC_TRY(dyna_read_file(deck, next));
    return again && !deck->checking ? toc_labels_check(&deck->labels) : TOC_OK;
}

/// The file is read in its place, with the columns of the deck there.
static toc_status dyna_include(toc_dyna *deck, toc_text name) {
    toc_include next, *before = deck->file;
    TOC_TRY(toc_include_open(before, name, &next));
    const toc_status status = toc_include_close(&next, dyna_read_included(deck, &next));
    deck->file = before;
    deck->source = &before->source;
    deck->ended = false;
    return status;
}

typedef struct file_name {
    char text[1024];
    size_t count;
} file_name;

/// Append a line to a name; true if a plus at its end continues it on the next line.
static bool add_line(file_name *name, const toc_card *line) {
    const bool more = line->end - line->begin > 1 && line->end[-1] == '+' && line->end[-2] == ' ';
    size_t length = (size_t)(line->end - line->begin) - (more ? 2 : 0);
    while (length > 0 && toc_is_blank(line->begin[length - 1])) length--;
    if (length > sizeof name->text - name->count) length = sizeof name->text - name->count;
    memcpy(name->text + name->count, line->begin, length);
    name->count += length;
    return more;
}

static toc_status read_includes(toc_dyna *deck) {
    for (toc_card line; toc_dyna_card(deck, &line);) {
        file_name name = {.count = 0};
        while (add_line(&name, &line) && toc_dyna_card(deck, &line)) continue;
        const char *next = deck->source->at;
        deck->source->at = line.begin; // for a failure
        TOC_TRY(dyna_include(deck, (toc_text){name.text, name.count}));
        deck->source->at = next;
    }
    return TOC_OK;
}

/// A keyword; with `options`, also any keyword that begins with it and an underscore.
typedef struct keyword {
    const char *name;
    bool options;
    toc_status (*read)(toc_dyna *deck); // NULL if it is refused
} keyword;

static const keyword keywords[] = {
    {"NODE", false, dyna_read_nodes},
    {"ELEMENT_SHELL", true, read_shells},
    {"ELEMENT_SOLID", true, read_solids},
    {"ELEMENT_TSHELL", true, read_solids},
    {"ELEMENT_BEAM", true, read_beams},
    {"PART", false, toc_dyna_read_parts},
    {"PART_INERTIA", true, toc_dyna_read_parts},
    {"PART_REPOSITION", true, toc_dyna_read_parts},
    {"PART_CONTACT", true, toc_dyna_read_parts},
    {"PART_PRINT", true, toc_dyna_read_parts},
    {"PART_COMPOSITE", true, toc_dyna_read_parts},
    {"SECTION_SHELL", true, toc_dyna_read_sections},
    {"PARAMETER", false, toc_dyna_read_parameters},
    {"PARAMETER_LOCAL", false, toc_dyna_read_parameters},
    {"INCLUDE", false, read_includes},
    {"INCLUDE_TRANSFORM", true, NULL},
    {"INCLUDE_COMPENSATION", true, NULL},
    {"NODE_TRANSFORM", true, NULL},
    {"NODE_SCALAR", true, NULL},
    {"NODE_MERGE", true, NULL},
};

static bool is_keyword(const char *name, const keyword *k) {
    const size_t length = strlen(k->name);
    return strncmp(name, k->name, length) == 0 && (name[length] == 0 || (k->options && name[length] == '_'));
}

/// A mark behind the keyword chooses its columns: + for 20, - for 8 in a deck of 20, % for 10.
static void set_columns(toc_dyna *deck, char mark) {
    const bool wide = mark == '+' || (deck->long_deck && mark != '-');
    deck->narrow = wide ? 20 : mark == '%' || deck->ten ? 10 : 8;
    deck->wide = wide ? 20 : 16;
    deck->column = wide ? 20 : 10;
}

/// The name in capitals; returns the mark behind it.
static char dyna_take_name(toc_dyna *deck, const toc_card *line) {
    size_t count = 0;
    const char *at = line->begin + 1;
    for (; at < line->end && !toc_is_blank(*at) && count < TOC_DYNA_NAME - 1; at++) {
        if (*at == '+' || *at == '%' || (*at == '-' && at + 1 == line->end)) break;
        deck->name[count++] = (char)toupper((unsigned char)*at);
    }
    deck->name[count] = 0;
    while (at < line->end && toc_is_blank(*at)) at++;
    return at < line->end ? *at : 0;
}

static bool says(const toc_card *line, const char *words) {
    const size_t length = strlen(words);
    for (const char *at = line->begin; (size_t)(line->end - at) >= length; at++)
        if (strncasecmp(at, words, length) == 0) return true;
    return false;
}

static toc_status dyna_read_keyword(toc_dyna *deck, const toc_card *line) {
    const char mark = dyna_take_name(deck, line);
    if (strcmp(deck->name, "KEYWORD") == 0) {
        deck->long_deck |= says(line, "LONG=Y");
        deck->ten |= says(line, "I10=Y");
    }
    set_columns(deck, mark);
    deck->ended = strcmp(deck->name, "END") == 0;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (!is_keyword(deck->name, &keywords[i])) continue;
        if (keywords[i].read) return keywords[i].read(deck);
        deck->source->at = line->begin;
        return toc_source_fail(deck->source, "*%s is not read: it would change nodes", deck->name);
    }
    return TOC_OK;
}

static toc_status dyna_read_file(toc_dyna *deck, toc_include *file) {
    toc_source *source = &file->source;
    deck->file = file;
    deck->source = source;
    while (source->at < source->end && !deck->ended) {
        if (*source->at == '*') {
            toc_card line;
            toc_card_take(source, &line);
            TOC_TRY(dyna_read_keyword(deck, &line));
        } else {
            toc_source_next_line(source);
        }
    }
    return TOC_OK;
}

static toc_status read_deck(toc_dyna *deck, toc_source *source) {
    toc_include first = toc_include_begin(source);
    deck->ended = deck->long_deck = deck->ten = false;
    deck->elements = 0;
    deck->included.files.count = 0;
    return dyna_read_file(deck, &first);
}

static toc_status dyna_build(toc_dyna *deck, toc_source *source, toc_mesh *mesh) {
    toc_status status = read_deck(deck, source);
    if (status == TOC_OK) status = toc_labels_finish(&deck->labels);
    if (status != TOC_OK && !deck->labels.repeated) return status;
    if (deck->labels.repeated || !toc_parts_resolve(&deck->parts, &deck->labels)) {
        deck->checking = true;
        TOC_TRY(read_deck(deck, source));
        return toc_fail(TOC_BAD_INPUT, "%s: changed while it was read", source->path); // the included files, that is
    }
    TOC_TRY(toc_mesh_adopt(mesh, &deck->parts));
    toc_labels_hand_over(&deck->labels, &mesh->vertex_labels);
    toc_labels_hand_over(&deck->numbers, &mesh->element_labels);
    mesh->higher_order = deck->higher_order;
    return toc_dyna_name_parts(deck, mesh);
}

static toc_status read_dyna(toc_source *source, toc_mesh *mesh) {
    toc_dyna deck = {.allocator = source->allocator,
                     .labels = toc_labels_begin(&source->allocator),
                     .numbers = toc_labels_begin(&source->allocator)};
    const toc_status status = dyna_build(&deck, source, mesh);
    toc_parts_free(&deck.parts, &deck.allocator);
    toc_labels_free(&deck.labels);
    toc_labels_free(&deck.numbers);
    toc_array_free(&deck.allocator, &deck.thicknesses);
    toc_array_free(&deck.allocator, &deck.numbered);
    toc_array_free(&deck.allocator, &deck.sections);
    toc_array_free(&deck.allocator, &deck.parameters);
    toc_array_free(&deck.allocator, &deck.included.files);
    return status;
}

/// A deck begins with *KEYWORD, behind comments.
static bool dyna_recognise(const toc_source *source) {
    toc_source look = *source;
    look.at = look.begin;
    while (look.at < look.end && (*look.at == '$' || *look.at == '\n' || *look.at == '\r')) toc_source_next_line(&look);
    return toc_source_left(&look) >= 8 && strncasecmp(look.at, "*KEYWORD", 8) == 0;
}

const toc_format toc_format_dyna = {
    .info = {.name = "dyna",
             .extensions = ".k .key .dyn",
             .what = "decks of LS-DYNA: all shapes, parts, thickness; text"},
    .recognise = dyna_recognise,
    .read = read_dyna,
};

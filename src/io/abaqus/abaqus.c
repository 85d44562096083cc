// SPDX-License-Identifier: Apache-2.0
// Input of Abaqus and CalculiX: nodes, elements of all solid, shell, membrane, plane and beam types by their corners,
// sets of elements as groups, sections as thickness, parts placed by instances, included files.
//
// Elements may precede their nodes: corners stay labels until the end. If a node is then missing, a second pass finds
// the line. Keywords that generate nodes or elements are refused, since bodies would be missing; keywords that do not
// concern the mesh are skipped. One pass, O(n).
// After the Abaqus Keywords Reference and the CalculiX CrunchiX manual.
#include "io/abaqus/abaqus.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "io/core/card.h"
#include "io/core/format.h"
#include "io/core/include.h"
#include "mesh/shape.h"

enum { KEYWORD_SIZE = 64, MOST_NODES = 27 };

typedef struct abaqus_reader {
    toc_abaqus model;
    toc_include *file;
    toc_source *source;
    toc_include_list included;
    bool checking; // the second time: all labels are known
    bool repeated; // label of a file that was included again
    int seen;      // the number of times that a repeated label was seen
    bool assembling;
    size_t part, part_count; // the part being read, and the number of parts begun
    char keyword[KEYWORD_SIZE];
    toc_text parameters; // of the keyword, behind its name
} abaqus_reader;

static toc_abaqus_part *this_part(abaqus_reader *reader) { return &reader->model.parts.at[reader->part]; }

static toc_status abaqus_add_part(abaqus_reader *reader) {
    toc_abaqus *model = &reader->model;
    TOC_TRY(toc_array_reserve(&model->allocator, &model->parts, 1));
    toc_abaqus_part part = {.nodes = toc_labels_begin(&model->allocator),
                            .elements = toc_labels_begin(&model->allocator)};
    model->parts.at[model->parts.count++] = part;
    return TOC_OK;
}

static bool at_comment(const toc_source *source) { return source->at[0] == '*' && source->at[1] == '*'; }

/// The next line with data; false at the next keyword. Comments and blank lines are passed over.
static bool take_line(abaqus_reader *reader, toc_card *line) {
    toc_source *source = reader->source;
    while (source->at < source->end && (*source->at != '*' || at_comment(source))) {
        const bool comment = *source->at == '*';
        toc_card_take(source, line);
        line->free = true;
        toc_card look = *line;
        if (!comment && (toc_card_field(&look, 0).count > 0 || look.at < look.end)) return true;
    }
    return false;
}

/// The next field, on this line or, after a comma at its end, on the next line.
static bool abaqus_take_field(abaqus_reader *reader, toc_card *line, toc_text *out) {
    if (line->at == line->end && !(line->end > line->begin && line->end[-1] == ',' && take_line(reader, line)))
        return false;
    *out = toc_card_field(line, 0);
    return true;
}

/// The value of a parameter of the keyword, without quotes; false if it has no such parameter.
static bool abaqus_find_parameter(const abaqus_reader *reader, const char *name, toc_text *out) {
    toc_card line = {
        .at = reader->parameters.at, .end = reader->parameters.at + reader->parameters.count, .free = true};
    line.begin = line.at;
    while (line.at < line.end) {
        toc_text field = toc_card_field(&line, 0);
        for (; field.count > 0 && (*field.at == '\n' || toc_is_blank(*field.at)); field.count--) field.at++;
        const char *sign = memchr(field.at, '=', field.count);
        toc_card value = {.begin = sign, .at = sign ? sign + 1 : NULL, .end = field.at + field.count, .free = true};
        size_t length = sign ? (size_t)(sign - field.at) : field.count;
        while (length > 0 && toc_is_blank(field.at[length - 1])) length--;
        if (length != strlen(name) || strncasecmp(field.at, name, length) != 0) continue;
        *out = sign ? toc_card_field(&value, 0) : (toc_text){field.at, 0};
        if (out->count >= 2 && out->at[0] == '"' && out->at[out->count - 1] == '"')
            *out = (toc_text){out->at + 1, out->count - 2};
        return true;
    }
    return false;
}

static void copy_name(toc_abaqus_name to, toc_text text) {
    const size_t count = text.count < TOC_ABAQUS_NAME ? text.count : TOC_ABAQUS_NAME;
    memcpy(to, text.at, count);
    to[count] = 0;
}

static toc_status take_label(abaqus_reader *reader, toc_text field, int64_t *out) {
    if (toc_field_integer(field, out) && *out > 0 && *out < UINT32_MAX) return TOC_OK;
    return toc_field_fail(reader->source, field, "the number of a node or an element");
}

static toc_status take_real(abaqus_reader *reader, toc_card *line, double *out) {
    const toc_text field = toc_card_field(line, 0);
    *out = 0;
    if (field.count == 0) return TOC_OK;
    if (!toc_field_real(field, out)) return toc_field_fail(reader->source, field, "a number");
    return isfinite(*out) ? TOC_OK : toc_field_fail(reader->source, field, "a finite number");
}

/// The second pass searches for the repeated label.
static toc_status check_label(abaqus_reader *reader, const toc_card *line, const toc_labels *labels, int64_t label,
                              const char *what) {
    if (!reader->checking || !labels->repeated || label != labels->twice || ++reader->seen < 2) return TOC_OK;
    reader->source->at = line->begin;
    return toc_source_fail(reader->source, "%s %lld is there twice", what, (long long)label);
}

static int count_fields(toc_card line) {
    int count = 0;
    for (; line.at < line.end; count++) toc_card_field(&line, 0);
    return count;
}

/// Coordinates that are left out are 0, but not where the file ends within a line that is shorter than the others.
static toc_status check_whole(abaqus_reader *reader, const toc_card *line, int fields) {
    const toc_source *source = reader->source;
    if (source->at < source->end || source->end[-1] == '\n' || count_fields(*line) >= fields) return TOC_OK;
    return toc_source_fail(source, "the file ends within the coordinates of a node");
}

static toc_status abaqus_read_nodes(abaqus_reader *reader) {
    toc_text system;
    int fields = 0; // of the first line
    if (abaqus_find_parameter(reader, "SYSTEM", &system) &&
        !(system.count == 1 && toupper((unsigned char)*system.at) == 'R'))
        return toc_field_fail(reader->source, system, "a rectangular system");
    for (toc_card line; take_line(reader, &line);) {
        toc_abaqus_part *part = this_part(reader);
        int64_t label;
        double x[3];
        if (fields == 0) fields = count_fields(line);
        TOC_TRY(check_whole(reader, &line, fields));
        TOC_TRY(take_label(reader, toc_card_field(&line, 0), &label));
        TOC_TRY(check_label(reader, &line, &part->nodes, label, "node"));
        if (reader->checking) continue;
        for (int k = 0; k < 3; k++) TOC_TRY(take_real(reader, &line, &x[k]));
        TOC_TRY(toc_labels_add(&part->nodes, label));
        TOC_TRY(toc_array_reserve(&reader->model.allocator, &part->content.positions, 3));
        memcpy(part->content.positions.at + part->content.positions.count, x, sizeof x);
        part->content.positions.count += 3;
    }
    return TOC_OK;
}

typedef struct abaqus_type {
    toc_shape shape;
    int nodes;
    bool ignored; // no body: a mass, a spring, a connector
} abaqus_type;

/// Prefixes of type names and their dimension; the digits behind give the number of nodes. Longer prefixes first.
static const struct family {
    const char *stem;
    int dimension;
} families[] = {
    {"DCC3D", 3}, {"DC3D", 3}, {"AC3D", 3},  {"COH3D", 3}, {"EC3D", 3}, {"Q3D", 3},   {"C3D", 3},  {"CSS", 3},
    {"SC", 3},    {"STRI", 2}, {"SFM3D", 2}, {"M3D", 2},   {"R3D", 2},  {"CPS", 2},   {"CPEG", 2}, {"CPE", 2},
    {"CGAX", 2},  {"CAX", 2},  {"DC2D", 2},  {"AC2D", 2},  {"DS", 2},   {"FRAME", 1}, {"PIPE", 1}, {"RB3D", 1},
    {"RB2D", 1},  {"R2D", 1},  {"T3D", 1},   {"T2D", 1},   {"B", 1},    {"S", 2},
};

static const char *const bodiless[] = {"MASS", "ROTARYI", "SPRING", "DASHPOT", "CONN",
                                       "GAP",  "ITS",     "DCOUP",  "HEATCAP"};

static toc_shape abaqus_shape_of(int dimension, int nodes) {
    static const toc_shape solids[MOST_NODES + 1] = {
        [4] = TOC_TET,      [5] = TOC_PYRAMID, [6] = TOC_WEDGE, [8] = TOC_HEX, [10] = TOC_TET,
        [13] = TOC_PYRAMID, [15] = TOC_WEDGE,  [20] = TOC_HEX,  [27] = TOC_HEX};
    static const toc_shape faces[10] = {
        [3] = TOC_TRIANGLE, [4] = TOC_QUAD, [6] = TOC_TRIANGLE, [8] = TOC_QUAD, [9] = TOC_QUAD};
    if (dimension == 3) return nodes >= 0 && nodes <= MOST_NODES ? solids[nodes] : TOC_REMOVED;
    if (dimension == 2) return nodes >= 0 && nodes < 10 ? faces[nodes] : TOC_REMOVED;
    return nodes == 2 || nodes == 3 ? TOC_EDGE : TOC_REMOVED;
}

/// B31 has two nodes and B32 three, T3D2 two and T3D3 three, PIPE31 two: the last digit gives the order, but cubic
/// beams have two.
static int line_nodes(const char *stem, const char *digits) {
    if (stem[0] == 'F') return 2;
    if (stem[0] == 'B' || stem[0] == 'P') return digits[0] && digits[1] == '2' ? 3 : 2;
    return digits[0] - '0';
}

static int node_count(const struct family *f, const char *digits) {
    if (f->dimension == 1) return line_nodes(f->stem, digits);
    if (strncmp(digits, "65", 2) == 0) return 6; // STRI65
    int count = 0;
    for (; isdigit((unsigned char)*digits) && count < 100; digits++) count = 10 * count + (*digits - '0');
    return count;
}

static bool abaqus_begins(const char *name, const char *stem) { return strncmp(name, stem, strlen(stem)) == 0; }

static abaqus_type type_of(const char *name) {
    for (size_t i = 0; i < sizeof bodiless / sizeof *bodiless; i++)
        if (abaqus_begins(name, bodiless[i])) return (abaqus_type){.ignored = true};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (!abaqus_begins(name, families[i].stem)) continue;
        const int nodes = node_count(&families[i], name + strlen(families[i].stem));
        const toc_shape shape = abaqus_shape_of(families[i].dimension, nodes);
        if (shape != TOC_REMOVED) return (abaqus_type){.shape = shape, .nodes = nodes};
    }
    return (abaqus_type){.shape = TOC_REMOVED};
}

static toc_status abaqus_find_type(abaqus_reader *reader, abaqus_type *out) {
    toc_abaqus_name name = "";
    toc_text text = reader->parameters;
    if (abaqus_find_parameter(reader, "TYPE", &text)) copy_name(name, text);
    for (char *c = name; *c; c++) *c = (char)toupper((unsigned char)*c);
    *out = type_of(name);
    if (out->ignored || out->shape != TOC_REMOVED) return TOC_OK;
    reader->source->at = text.at;
    return toc_source_fail(reader->source, "elements of type \"%s\" are not read", name);
}

/// Whether a node is missing; known in the second pass only.
static bool abaqus_is_missing(abaqus_reader *reader, int64_t label) {
    const toc_labels *nodes = &this_part(reader)->nodes;
    return reader->checking && !nodes->repeated && toc_labels_find(nodes, label) == TOC_LABEL_MISSING;
}

/// The number of an element and its nodes, on as many lines as they take.
static toc_status abaqus_take_element(abaqus_reader *reader, toc_card *line, const abaqus_type *type, int64_t *label,
                                      uint32_t *nodes) {
    toc_text field;
    TOC_TRY(take_label(reader, toc_card_field(line, 0), label));
    TOC_TRY(check_label(reader, line, &this_part(reader)->elements, *label, "element"));
    assert(type->nodes <= MOST_NODES);
    for (int i = 0; i < type->nodes; i++) {
        int64_t node;
        if (!abaqus_take_field(reader, line, &field) &&
            !(take_line(reader, line) && abaqus_take_field(reader, line, &field))) {
            return toc_source_fail(reader->source, "element %lld has %d nodes, but needs %d", (long long)*label, i,
                                   type->nodes);
        }
        TOC_TRY(take_label(reader, field, &node));
        if (abaqus_is_missing(reader, node)) {
            reader->source->at = field.at;
            return toc_source_fail(reader->source, "node %lld is used, but is not there", (long long)node);
        }
        nodes[i] = (uint32_t)node;
    }
    return TOC_OK;
}

static toc_status abaqus_add_element(abaqus_reader *reader, const abaqus_type *type, int64_t label,
                                     const uint32_t *nodes, int32_t group) {
    toc_abaqus_part *part = this_part(reader);
    uint32_t corners[8];
    const int count = toc_shape_count_corners(type->shape);
    assert(count > 0 && count <= 8 && count <= type->nodes);
    if (reader->checking) return TOC_OK;
    for (int i = 0; i < count; i++) corners[i] = nodes[type->shape == TOC_WEDGE ? toc_wedge_turn[i] : i];
    part->higher_order += type->nodes > count;
    TOC_TRY(toc_labels_add(&part->elements, label));
    return toc_parts_add(&part->content, &reader->model.allocator, type->shape, corners, group);
}

static toc_status abaqus_read_elements(abaqus_reader *reader) {
    abaqus_type type;
    toc_abaqus_name name = "";
    toc_text text;
    size_t set = 0;
    TOC_TRY(abaqus_find_type(reader, &type));
    if (type.ignored) return TOC_OK;
    const bool named = abaqus_find_parameter(reader, "ELSET", &text);
    if (named) {
        copy_name(name, text);
        TOC_TRY(toc_abaqus_find_set(&reader->model, this_part(reader), name, &set));
    }
    for (toc_card line; take_line(reader, &line);) {
        int64_t label;
        uint32_t nodes[MOST_NODES];
        TOC_TRY(abaqus_take_element(reader, &line, &type, &label, nodes));
        TOC_TRY(abaqus_add_element(reader, &type, label, nodes, named ? (int32_t)set + 1 : 0));
    }
    return TOC_OK;
}

static toc_status add_range(abaqus_reader *reader, toc_abaqus_range range) {
    toc_abaqus_part *part = this_part(reader);
    if (reader->checking) return TOC_OK;
    TOC_TRY(toc_array_reserve(&reader->model.allocator, &part->ranges, 1));
    assert(range.set < part->sets.count);
    toc_abaqus_set *set = &part->sets.at[range.set];
    range.next = TOC_ABAQUS_NONE;
    if (set->last_range == TOC_ABAQUS_NONE)
        set->first_range = part->ranges.count;
    else
        part->ranges.at[set->last_range].next = part->ranges.count;
    set->last_range = part->ranges.count;
    part->ranges.at[part->ranges.count++] = range;
    return TOC_OK;
}

/// All elements of another set.
static toc_status add_set(abaqus_reader *reader, size_t set, toc_text field) {
    toc_abaqus_name name;
    toc_abaqus_range range = {.set = set};
    copy_name(name, field);
    TOC_TRY(toc_abaqus_find_set(&reader->model, this_part(reader), name, &range.other));
    return add_range(reader, range);
}

/// first, last, step: no more of them than there can be labels.
static toc_status read_generated(abaqus_reader *reader, toc_card *line, size_t set) {
    toc_abaqus_range range = {.set = set, .step = 1, .other = TOC_ABAQUS_NONE};
    TOC_TRY(take_label(reader, toc_card_field(line, 0), &range.first));
    TOC_TRY(take_label(reader, toc_card_field(line, 0), &range.last));
    const toc_text step = toc_card_field(line, 0);
    if (step.count > 0) TOC_TRY(take_label(reader, step, &range.step));
    return add_range(reader, range);
}

static toc_status read_set(abaqus_reader *reader) {
    toc_abaqus_name name;
    toc_text text;
    size_t set;
    if (reader->assembling || !abaqus_find_parameter(reader, "ELSET", &text)) return TOC_OK;
    copy_name(name, text);
    TOC_TRY(toc_abaqus_find_set(&reader->model, this_part(reader), name, &set));
    const bool generated = abaqus_find_parameter(reader, "GENERATE", &text);
    for (toc_card line; take_line(reader, &line);) {
        if (generated) {
            TOC_TRY(read_generated(reader, &line, set));
            continue;
        }
        while (line.at < line.end) {
            const toc_text field = toc_card_field(&line, 0);
            int64_t label;
            if (toc_field_integer(field, &label)) {
                TOC_TRY(add_range(reader, (toc_abaqus_range){set, label, label, 1, TOC_ABAQUS_NONE, 0}));
            } else if (field.count > 0) {
                TOC_TRY(add_set(reader, set, field));
            }
        }
    }
    return TOC_OK;
}

/// The first number of the first line; of layers, which have a line each, the sum.
static toc_status abaqus_read_section(abaqus_reader *reader) {
    toc_abaqus_name name;
    toc_text text;
    size_t set;
    double sum = 0;
    if (!abaqus_find_parameter(reader, "ELSET", &text)) return TOC_OK;
    copy_name(name, text);
    TOC_TRY(toc_abaqus_find_set(&reader->model, this_part(reader), name, &set));
    const bool layered = abaqus_find_parameter(reader, "COMPOSITE", &text);
    for (toc_card line; take_line(reader, &line);) {
        double thickness;
        TOC_TRY(take_real(reader, &line, &thickness));
        if (thickness < 0) {
            reader->source->at = line.begin;
            return toc_source_fail(reader->source, "a thickness of %g cannot be", thickness);
        }
        sum += thickness;
        if (!layered) break;
    }
    if (isfinite(sum)) this_part(reader)->sets.at[set].thickness = sum;
    return TOC_OK;
}

static toc_status begin_part(abaqus_reader *reader) {
    toc_text text;
    if (!reader->checking) TOC_TRY(abaqus_add_part(reader));
    reader->part = ++reader->part_count;
    if (abaqus_find_parameter(reader, "NAME", &text)) copy_name(this_part(reader)->name, text);
    return TOC_OK;
}

static toc_status end_part(abaqus_reader *reader) {
    reader->part = 0;
    return TOC_OK;
}

static toc_status begin_assembly(abaqus_reader *reader) {
    reader->assembling = true;
    return TOC_OK;
}

static toc_status end_assembly(abaqus_reader *reader) {
    reader->assembling = false;
    return TOC_OK;
}

static toc_status find_part(const abaqus_reader *reader, toc_text name, size_t *out) {
    for (size_t i = 1; i < reader->model.parts.count; i++) {
        const char *known = reader->model.parts.at[i].name;
        if (strlen(known) != name.count || strncasecmp(known, name.at, name.count) != 0) continue;
        *out = i;
        return TOC_OK;
    }
    reader->source->at = name.at;
    return toc_source_fail(reader->source, "there is no part \"%.*s\"", name.count < 80 ? (int)name.count : 80,
                           name.at);
}

static toc_status abaqus_read_placing(abaqus_reader *reader, toc_abaqus_instance *instance) {
    toc_card line;
    if (!take_line(reader, &line)) return TOC_OK;
    for (int k = 0; k < 3; k++) TOC_TRY(take_real(reader, &line, &instance->shift[k]));
    if (!take_line(reader, &line)) return TOC_OK;
    for (int k = 0; k < 3; k++) TOC_TRY(take_real(reader, &line, &instance->from[k]));
    for (int k = 0; k < 3; k++) TOC_TRY(take_real(reader, &line, &instance->to[k]));
    return take_real(reader, &line, &instance->angle);
}

static toc_status read_instance(abaqus_reader *reader) {
    toc_abaqus_instance instance = {.angle = 0};
    toc_text text = reader->parameters;
    if (abaqus_find_parameter(reader, "NAME", &text)) copy_name(instance.name, text);
    if (!abaqus_find_parameter(reader, "PART", &text)) return toc_field_fail(reader->source, text, "PART=");
    TOC_TRY(find_part(reader, text, &instance.part));
    TOC_TRY(abaqus_read_placing(reader, &instance));
    if (reader->checking) return TOC_OK;
    TOC_TRY(toc_array_reserve(&reader->model.allocator, &reader->model.instances, 1));
    reader->model.instances.at[reader->model.instances.count++] = instance;
    return TOC_OK;
}

static toc_status abaqus_read_file(abaqus_reader *reader, toc_include *file, toc_status (*read)(abaqus_reader *reader));

/// A file included twice in one part repeats its labels. This is refused at once, not when all of
/// them are in memory.
static toc_status check_again(abaqus_reader *reader) {
    toc_abaqus_part *part = this_part(reader);
    if (reader->checking) return TOC_OK;
    toc_status status = toc_labels_check(&part->nodes);
    if (status == TOC_OK) status = toc_labels_check(&part->elements);
    reader->repeated = part->nodes.repeated || part->elements.repeated;
    return status;
}

static toc_status abaqus_read_included(abaqus_reader *reader, toc_include *next,
                                       toc_status (*read)(abaqus_reader *reader)) {
    bool again;
    TOC_TRY(toc_include_note(&reader->included, reader->file, next, &again));
    TOC_TRY(abaqus_read_file(reader, next, read));
    return again ? check_again(reader) : TOC_OK;
}

/// Read a file in the place of these lines: all its keywords, or only lines of data for the current one.
static toc_status abaqus_include(abaqus_reader *reader, toc_text name, toc_status (*read)(abaqus_reader *reader)) {
    toc_include next, *before = reader->file;
    TOC_TRY(toc_include_open(before, name, &next));
    const toc_text parameters = reader->parameters;
    const toc_status status = toc_include_close(&next, abaqus_read_included(reader, &next, read));
    reader->file = before;
    reader->source = &before->source;
    reader->parameters = parameters;
    return status;
}

static toc_status refuse(abaqus_reader *reader) {
    reader->source->at = reader->parameters.at;
    return toc_source_fail(reader->source, "*%s is not read: nodes or elements would be missing", reader->keyword);
}

static toc_status read_include(abaqus_reader *reader) {
    toc_text name;
    if (!abaqus_find_parameter(reader, "INPUT", &name))
        return toc_field_fail(reader->source, reader->parameters, "INPUT=");
    return abaqus_include(reader, name, NULL);
}

static const struct keyword {
    const char *name;
    toc_status (*read)(abaqus_reader *reader);
    bool has_data; // which may be in a file of its own
} keywords[] = {
    {"NODE", abaqus_read_nodes, true},
    {"ELEMENT", abaqus_read_elements, true},
    {"ELSET", read_set, true},
    {"SHELL SECTION", abaqus_read_section, false},
    {"SHELL GENERAL SECTION", abaqus_read_section, false},
    {"MEMBRANE SECTION", abaqus_read_section, false},
    {"PART", begin_part, false},
    {"END PART", end_part, false},
    {"ASSEMBLY", begin_assembly, false},
    {"END ASSEMBLY", end_assembly, false},
    {"INSTANCE", read_instance, false},
    {"INCLUDE", read_include, false},
    {"SYSTEM", refuse, false},
    {"NGEN", refuse, false},
    {"NFILL", refuse, false},
    {"NCOPY", refuse, false},
    {"NMAP", refuse, false},
    {"ELGEN", refuse, false},
    {"ELCOPY", refuse, false},
    {"SYMMETRIC MODEL GENERATION", refuse, false},
};

/// The name of a keyword in capitals, with single blanks between its words. Its parameters follow; a comma at the end
/// of the line continues them on the next.
static void take_keyword(abaqus_reader *reader) {
    toc_source *source = reader->source;
    toc_card line;
    toc_card_take(source, &line);
    const char *at = line.begin + 1;
    size_t count = 0;
    for (; at < line.end && *at != ','; at++) {
        const bool blank = toc_is_blank(*at);
        if (count < KEYWORD_SIZE - 1 && !(blank && (count == 0 || reader->keyword[count - 1] == ' ')))
            reader->keyword[count++] = blank ? ' ' : (char)toupper((unsigned char)*at);
    }
    while (count > 0 && reader->keyword[count - 1] == ' ') count--;
    reader->keyword[count] = 0;
    if (at < line.end) at++;
    while (line.end > at && line.end[-1] == ',' && source->at < source->end && *source->at != '*')
        toc_card_take(source, &line);
    reader->parameters = (toc_text){at, (size_t)(line.end - at)};
}

static toc_status abaqus_read_keyword(abaqus_reader *reader) {
    take_keyword(reader);
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        toc_text name;
        if (strcmp(reader->keyword, keywords[i].name) != 0) continue;
        if (keywords[i].has_data && abaqus_find_parameter(reader, "INPUT", &name))
            TOC_TRY(abaqus_include(reader, name, keywords[i].read));
        return keywords[i].read(reader);
    }
    return TOC_OK;
}

static toc_status abaqus_read_file(abaqus_reader *reader, toc_include *file,
                                   toc_status (*read)(abaqus_reader *reader)) {
    toc_source *source = &file->source;
    reader->file = file;
    reader->source = source;
    if (read) return read(reader);
    while (source->at < source->end) {
        if (*source->at == '*' && !at_comment(source)) {
            TOC_TRY(abaqus_read_keyword(reader));
        } else {
            toc_source_next_line(source);
        }
    }
    return TOC_OK;
}

static toc_status read_model(abaqus_reader *reader, toc_source *source) {
    toc_include first = toc_include_begin(source);
    reader->included.files.count = 0;
    reader->assembling = false;
    reader->part = reader->part_count = 0;
    return abaqus_read_file(reader, &first, NULL);
}

static toc_status abaqus_build(abaqus_reader *reader, toc_source *source, toc_mesh *mesh) {
    bool lines = false;
    TOC_TRY(abaqus_add_part(reader));
    toc_status status = read_model(reader, source);
    lines = reader->repeated;
    if (status == TOC_OK) status = toc_abaqus_build(&reader->model, source->path, mesh, &lines);
    if (!lines) return status;
    reader->checking = true;
    TOC_TRY(read_model(reader, source));
    return toc_fail(TOC_BAD_INPUT, "%s: changed while it was read", source->path); // the included files, that is
}

static toc_status read_abaqus(toc_source *source, toc_mesh *mesh) {
    abaqus_reader reader = {.model.allocator = source->allocator};
    const toc_status status = abaqus_build(&reader, source, mesh);
    toc_array_free(&reader.model.allocator, &reader.included.files);
    toc_abaqus_free(&reader.model);
    return status;
}

/// A model begins with a heading, or with nodes and a parameter; *NODE alone may be LS-DYNA's, too.
static bool abaqus_recognise(const toc_source *source) {
    static const char *const first[] = {"*HEADING", "*NODE,"};
    toc_source look = *source;
    look.at = look.begin;
    while (look.at < look.end && (at_comment(&look) || *look.at == '\n' || *look.at == '\r'))
        toc_source_next_line(&look);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (toc_source_left(&look) > 8 && strncasecmp(look.at, first[i], strlen(first[i])) == 0) return true;
    return false;
}

const toc_format toc_format_abaqus = {
    .info = {.name = "abaqus",
             .extensions = ".inp",
             .what = "models of Abaqus and CalculiX: all shapes, sets, thickness; text"},
    .recognise = abaqus_recognise,
    .read = read_abaqus,
};

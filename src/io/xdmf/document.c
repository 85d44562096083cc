// SPDX-License-Identifier: Apache-2.0
// Grids of an XDMF document, versions 2 and 3. A collection in time has a grid for each step. Collections of several
// functions over the same steps, as FEniCSx writes them, are taken together step by step. A grid beside the collections
// is the mesh of steps without cells or points of their own: programs say so by inclusion.
#include "io/xdmf/document.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "base/platform/platform.h"
#include "io/core/card.h"
#include "io/core/xml.h"
#include "io/vtk/cells.h"

typedef struct cell_name {
    const char *name;
    int number; // in a list of mixed ones
    uint8_t type;
    uint8_t nodes; // 0: any number
} cell_name;

static const cell_name cell_names[] = {
    {"polyvertex", 1, 2, 0},        {"polyline", 2, 4, 0},
    {"polygon", 3, 7, 0},           {"triangle", 4, 5, 3},
    {"quadrilateral", 5, 9, 4},     {"tetrahedron", 6, 10, 4},
    {"pyramid", 7, 14, 5},          {"wedge", 8, 13, 6},
    {"hexahedron", 9, 12, 8},       {"edge_3", 34, 21, 3},
    {"quadrilateral_9", 35, 28, 9}, {"quad_9", 35, 28, 9},
    {"triangle_6", 36, 22, 6},      {"tri_6", 36, 22, 6},
    {"quadrilateral_8", 37, 23, 8}, {"quad_8", 37, 23, 8},
    {"tetrahedron_10", 38, 24, 10}, {"tet_10", 38, 24, 10},
    {"pyramid_13", 39, 27, 13},     {"wedge_15", 40, 26, 15},
    {"wedge_18", 41, 32, 18},       {"hexahedron_20", 48, 25, 20},
    {"hex_20", 48, 25, 20},         {"hexahedron_24", 49, 33, 24},
    {"hex_24", 49, 33, 24},         {"hexahedron_27", 50, 29, 27},
    {"hex_27", 50, 29, 27},
};

enum { CELL_NAMES = sizeof cell_names / sizeof *cell_names };

bool toc_xdmf_mixed(int64_t number, uint8_t *type, uint64_t *nodes) {
    for (size_t i = 0; i < CELL_NAMES; i++) {
        if (cell_names[i].number != number) continue;
        *type = cell_names[i].type;
        *nodes = cell_names[i].nodes;
        return true;
    }
    return false;
}

typedef struct xdmf_reader {
    toc_source *source;
    toc_xdmf_document *document;
    toc_xdmf_frame mesh; // beside the steps
    toc_xdmf_frame step; // the present one
    bool in_grid, has_time, is_mesh;
    int collections;              // around
    size_t passed, of_collection; // collections before, and steps in the present one
    toc_xdmf_item *item;          // that takes the next numbers
    toc_xdmf_item *open;
} xdmf_reader;

static toc_status xdmf_fail(xdmf_reader *r, toc_xml *xml, const char *what) {
    r->source->at = toc_xml_tag(xml);
    return toc_source_fail(r->source, "%s", what);
}

/// An attribute under one of two names, in lower case; empty where there is none.
static void xdmf_read_word(const char **attributes, const char *name, const char *other, char out[32]) {
    const char *value = toc_xml_attribute(attributes, name);
    if (!value) value = toc_xml_attribute(attributes, other);
    memset(out, 0, 32);
    for (size_t i = 0; value && value[i] && i < 31; i++) out[i] = (char)tolower((unsigned char)value[i]);
}

static toc_status xdmf_begin_grid(xdmf_reader *r, toc_xml *xml, const char **attributes) {
    char type[32], kind[32];
    xdmf_read_word(attributes, "GridType", "", type);
    xdmf_read_word(attributes, "CollectionType", "", kind);
    if (strcmp(type, "collection") == 0 && !r->in_grid) {
        if (strcmp(kind, "temporal") != 0 || r->collections > 0)
            return xdmf_fail(r, xml, "grids that are parts of another one are not read, only collections in time");
        r->collections++;
        r->of_collection = 0;
        return TOC_OK;
    }
    if (r->in_grid || (type[0] && strcmp(type, "uniform") != 0))
        return xdmf_fail(r, xml, "grids that are parts of another one are not read, only collections in time");
    r->in_grid = true;
    r->has_time = false;
    r->is_mesh = r->collections == 0;
    r->step = (toc_xdmf_frame){.time = (double)r->document->frames.count};
    return TOC_OK;
}

/// Give a step all that another one has in addition.
static void merge_step(toc_xdmf_frame *to, const toc_xdmf_frame *from) {
    if (!to->cells.tag) to->cells = from->cells;
    if (!to->points.tag) {
        to->points = from->points;
        to->is_flat = from->is_flat;
    }
    if (!to->displacement.tag) to->displacement = from->displacement;
    if (!to->velocity.tag) to->velocity = from->velocity;
    if (to->group_rank < from->group_rank) {
        to->group = from->group;
        to->group_rank = from->group_rank;
    }
}

static toc_status xdmf_end_grid(xdmf_reader *r) {
    toc_xdmf_document *d = r->document;
    if (!r->in_grid) {
        r->collections--;
        r->passed += r->of_collection > 0;
        return TOC_OK;
    }
    r->in_grid = false;
    if (r->is_mesh) { // the first one: others may be marks on parts of it
        if (!r->mesh.points.tag) r->mesh = r->step;
        return TOC_OK;
    }
    const size_t at = r->of_collection++;
    if (r->passed > 0) { // of another function: steps of other times are no frames
        if (at < d->frames.count && (!r->has_time || d->frames.at[at].time == r->step.time))
            merge_step(&d->frames.at[at], &r->step);
        return TOC_OK;
    }
    d->has_times |= r->has_time;
    TOC_TRY(toc_array_reserve(&r->source->allocator, &d->frames, 1));
    d->frames.at[d->frames.count++] = r->step;
    return TOC_OK;
}

static toc_status read_time(xdmf_reader *r, toc_xml *xml, const char **attributes) {
    const char *value = toc_xml_attribute(attributes, "Value");
    if (!r->in_grid || !value) return TOC_OK;
    if (!toc_field_real((toc_text){value, strlen(value)}, &r->step.time) || !isfinite(r->step.time))
        return xdmf_fail(r, xml, "the time of a step is no number");
    r->has_time = true;
    return TOC_OK;
}

static toc_status begin_cells(xdmf_reader *r, toc_xml *xml, const char **attributes) {
    char type[32];
    toc_xdmf_cells *cells = &r->step.cells;
    xdmf_read_word(attributes, "TopologyType", "Type", type);
    *cells = (toc_xdmf_cells){.tag = toc_xml_tag(xml)};
    r->item = &cells->numbers;
    if (strcmp(type, "mixed") == 0) return TOC_OK;
    for (size_t i = 0; i < CELL_NAMES; i++) {
        if (strcmp(type, cell_names[i].name) != 0) continue;
        cells->type = cell_names[i].type;
        cells->nodes = cell_names[i].nodes;
        const char *nodes = toc_xml_attribute(attributes, "NodesPerElement");
        int64_t count;
        if (nodes && cells->nodes == 0 && toc_field_integer((toc_text){nodes, strlen(nodes)}, &count) && count > 0)
            cells->nodes = (uint64_t)count;
        if (strcmp(type, "polyvertex") == 0) cells->nodes = 1;
        return TOC_OK;
    }
    r->source->at = cells->tag;
    return toc_source_fail(r->source, "cells of the type \"%s\" are not read", type);
}

static toc_status begin_points(xdmf_reader *r, toc_xml *xml, const char **attributes) {
    char type[32];
    xdmf_read_word(attributes, "GeometryType", "Type", type);
    r->step.is_flat = strcmp(type, "xy") == 0;
    r->item = &r->step.points;
    if (type[0] == 0 || r->step.is_flat || strcmp(type, "xyz") == 0) return TOC_OK;
    return xdmf_fail(r, xml, "points are read as XYZ or XY, not in another geometry");
}

static void begin_attribute(xdmf_reader *r, const char **attributes) {
    static const char *const names[] = {"displacement", "displacements", "displ", "disp", "u"};
    char name[32], type[32], center[32];
    xdmf_read_word(attributes, "Name", "", name);
    xdmf_read_word(attributes, "AttributeType", "Type", type);
    xdmf_read_word(attributes, "Center", "", center);
    r->item = NULL;
    const bool of_points = center[0] == 0 || strcmp(center, "node") == 0;
    if (of_points && strcmp(type, "vector") == 0) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strcmp(name, names[i]) == 0 && !r->step.displacement.tag) r->item = &r->step.displacement;
        if (toc_vtk_is_velocity(name, strlen(name), 3)) r->item = &r->step.velocity;
    }
    if (strcmp(center, "cell") != 0 || (type[0] && strcmp(type, "scalar") != 0)) return;
    const toc_vtk_cell_data what = toc_vtk_cell_data_of(name, strlen(name), TOC_INT64, 1);
    if ((what != TOC_CELL_GROUP && what != TOC_CELL_MATERIAL) || (int)what <= r->step.group_rank) return;
    r->step.group_rank = (int)what;
    r->step.group = (toc_xdmf_item){.tag = NULL};
    r->item = &r->step.group;
}

static toc_status begin_item(xdmf_reader *r, toc_xml *xml, const char **attributes) {
    char format[32], type[32], kind[32];
    const char *shape = toc_xml_attribute(attributes, "Dimensions");
    if (!r->item || r->item->tag) return TOC_OK;
    xdmf_read_word(attributes, "Format", "", format);
    xdmf_read_word(attributes, "NumberType", "DataType", type);
    xdmf_read_word(attributes, "ItemType", "", kind);
    toc_xdmf_item *item = r->item;
    *item = (toc_xdmf_item){.tag = toc_xml_tag(xml), .text = toc_xml_behind_tag(xml), .type = TOC_FLOAT64};
    item->format = strcmp(format, "hdf") == 0                     ? TOC_XDMF_HDF
                   : format[0] == 0 || strcmp(format, "xml") == 0 ? TOC_XDMF_TEXT
                                                                  : TOC_XDMF_OTHER;
    if (item->format == TOC_XDMF_OTHER)
        return xdmf_fail(r, xml, "numbers are read from the XML or from an HDF5 file, not from another one");
    if ((kind[0] && strcmp(kind, "uniform") != 0) || toc_xml_attribute(attributes, "Reference"))
        return xdmf_fail(r, xml, "numbers that are computed from others, or refer to them, are not read");
    if (strcmp(type, "int") == 0 || strcmp(type, "uint") == 0 || strcmp(type, "uchar") == 0) item->type = TOC_INT64;
    for (toc_text word; shape && *shape; shape = word.at + word.count) {
        while (*shape == ' ') shape++;
        word = (toc_text){shape, strcspn(shape, " ")};
        int64_t length;
        if (word.count == 0) break;
        if (item->rank == TOC_XDMF_RANK || !toc_field_integer(word, &length) || length < 0)
            return xdmf_fail(r, xml, "the dimensions of these numbers cannot be");
        item->shape[item->rank++] = (uint64_t)length;
    }
    r->open = item;
    return TOC_OK;
}

static toc_status xdmf_on_begin(toc_xml *xml, const char *name, const char **attributes) {
    xdmf_reader *r = xml->user;
    if (xml->depth == 1 && strcmp(name, "Xdmf") != 0) return xdmf_fail(r, xml, "the outermost element is not Xdmf");
    if (r->open) return xdmf_fail(r, xml, "there is an element within numbers");
    if (strcmp(name, "Grid") == 0) return xdmf_begin_grid(r, xml, attributes);
    if (strcmp(name, "Time") == 0) return read_time(r, xml, attributes);
    if (!r->in_grid) return TOC_OK;
    if (strcmp(name, "Topology") == 0) return begin_cells(r, xml, attributes);
    if (strcmp(name, "Geometry") == 0) return begin_points(r, xml, attributes);
    if (strcmp(name, "Attribute") == 0) begin_attribute(r, attributes);
    return strcmp(name, "DataItem") == 0 ? begin_item(r, xml, attributes) : TOC_OK;
}

static toc_status xdmf_on_end(toc_xml *xml, const char *name) {
    xdmf_reader *r = xml->user;
    if (r->open) {
        r->open->end = toc_xml_tag(xml);
        r->open = NULL;
    } else if (strcmp(name, "Grid") == 0) {
        return xdmf_end_grid(r);
    } else if (strcmp(name, "Topology") == 0 || strcmp(name, "Geometry") == 0 || strcmp(name, "Attribute") == 0) {
        r->item = NULL;
    }
    return TOC_OK;
}

static toc_status check_frame(const xdmf_reader *r, const toc_xdmf_frame *f) {
    const char *missing = !f->points.tag ? "points" : !f->cells.tag || !f->cells.numbers.tag ? "cells" : NULL;
    if (!missing) return TOC_OK;
    r->source->at = r->source->end;
    return toc_source_fail(r->source, "a grid has no %s, and there is none beside the steps with them", missing);
}

toc_status toc_xdmf_parse(toc_source *source, toc_xdmf_document *out) {
    xdmf_reader r = {.source = source, .document = out};
    toc_xml xml = {.source = source,
                   .user = &r,
                   .begin = xdmf_on_begin,
                   .end = xdmf_on_end,
                   .texts = "<DataItem",
                   .takes_type = true};
    *out = (toc_xdmf_document){.has_times = false};
    TOC_TRY(toc_xml_parse(&xml, source->end));
    if (out->frames.count == 0) {
        TOC_TRY(toc_array_reserve(&source->allocator, &out->frames, 1));
        out->frames.at[out->frames.count++] = r.mesh;
    }
    for (size_t i = 0; i < out->frames.count; i++) {
        merge_step(&out->frames.at[i], &r.mesh);
        TOC_TRY(check_frame(&r, &out->frames.at[i]));
    }
    return TOC_OK;
}

// SPDX-License-Identifier: Apache-2.0
// Contacts as files: CSV for tables, JSON lines for scripts, VTP for ParaView. Doubles survive bit for bit in all
// three. One pass over the contacts for each column at most; nothing is allocated beside the sink.
#include <math.h>

#include "io/core/format.h"
#include "io/vtk/appended.h"

static const char *kind_name(toc_kind kind) { return kind == TOC_VF ? "vf" : "ee"; }

static const char *verdict_name(toc_verdict verdict) { return verdict == TOC_HIT ? "hit" : "undecided"; }

/// The numbers of a contact in the order of the columns; the kind precedes them, the verdict follows.
static const char *const integer_names[] = {"v0", "v1", "v2", "v3", "body0", "body1"};
static const char *const real_names[] = {"w0", "w1", "w2", "w3", "x", "y", "z", "nx", "ny", "nz"};

enum { INTEGERS = 6, VERTICES = 4, REALS = 10 };

static void list_numbers(const toc_contact *contact, uint32_t integers[INTEGERS], double reals[REALS]) {
    memcpy(integers, contact->v, sizeof contact->v);
    memcpy(integers + VERTICES, contact->body, sizeof contact->body);
    memcpy(reals, contact->weights, sizeof contact->weights);
    memcpy(reals + 4, contact->point, sizeof contact->point);
    memcpy(reals + 7, contact->normal, sizeof contact->normal);
}

static void write_csv_row(toc_sink *sink, const toc_contact *contact) {
    uint32_t integers[INTEGERS];
    double reals[REALS];
    list_numbers(contact, integers, reals);
    toc_sink_text(sink, kind_name(contact->kind));
    for (int i = 0; i < INTEGERS; i++) {
        if (i == VERTICES) {
            toc_sink_text(sink, ",");
            toc_sink_double(sink, contact->toc);
        }
        toc_sink_text(sink, ",");
        toc_sink_integer(sink, integers[i]);
    }
    for (int i = 0; i < REALS; i++) {
        toc_sink_text(sink, ",");
        toc_sink_double(sink, reals[i]);
    }
    toc_sink_text(sink, ",");
    toc_sink_text(sink, verdict_name(contact->verdict));
    toc_sink_text(sink, "\n");
}

static void write_csv(toc_sink *sink, const toc_contacts *contacts) {
    toc_sink_text(sink, "kind,v0,v1,v2,v3,toc,body0,body1,w0,w1,w2,w3,x,y,z,nx,ny,nz,verdict\n");
    for (size_t i = 0; i < contacts->count; i++) write_csv_row(sink, &contacts->contacts[i]);
}

static void write_json_key(toc_sink *sink, const char *name) {
    toc_sink_text(sink, ",\"");
    toc_sink_text(sink, name);
    toc_sink_text(sink, "\":");
}

/// JSON has no infinity and no NaN.
static void write_json_real(toc_sink *sink, const char *name, double x) {
    write_json_key(sink, name);
    if (isfinite(x))
        toc_sink_double(sink, x);
    else
        toc_sink_text(sink, "null");
}

static void write_json_line(toc_sink *sink, const toc_contact *contact) {
    uint32_t integers[INTEGERS];
    double reals[REALS];
    list_numbers(contact, integers, reals);
    toc_sink_text(sink, "{\"kind\":\"");
    toc_sink_text(sink, kind_name(contact->kind));
    toc_sink_text(sink, "\"");
    for (int i = 0; i < INTEGERS; i++) {
        if (i == VERTICES) write_json_real(sink, "toc", contact->toc);
        write_json_key(sink, integer_names[i]);
        toc_sink_integer(sink, integers[i]);
    }
    for (int i = 0; i < REALS; i++) write_json_real(sink, real_names[i], reals[i]);
    write_json_key(sink, "verdict");
    toc_sink_text(sink, "\"");
    toc_sink_text(sink, verdict_name(contact->verdict));
    toc_sink_text(sink, "\"}\n");
}

static void write_json(toc_sink *sink, const toc_contacts *contacts) {
    for (size_t i = 0; i < contacts->count; i++) write_json_line(sink, &contacts->contacts[i]);
}

// VTP: a point at each contact, which is a cell of its own, with the rest as point data.

typedef struct vtp_array {
    const char *type, *name;
    int components;
    size_t size; // bytes a contact
    void (*put)(toc_sink *sink, const toc_contact *contact);
} vtp_array;

static void put_toc(toc_sink *sink, const toc_contact *c) { toc_sink_write(sink, &c->toc, sizeof c->toc); }
static void put_normal(toc_sink *sink, const toc_contact *c) { toc_sink_write(sink, c->normal, sizeof c->normal); }
static void put_kind(toc_sink *sink, const toc_contact *c) { toc_sink_write(sink, &(uint8_t){(uint8_t)c->kind}, 1); }
static void put_verdict(toc_sink *sink, const toc_contact *c) {
    toc_sink_write(sink, &(uint8_t){(uint8_t)c->verdict}, 1);
}
static void put_vertices(toc_sink *sink, const toc_contact *c) { toc_sink_write(sink, c->v, sizeof c->v); }
static void put_bodies(toc_sink *sink, const toc_contact *c) { toc_sink_write(sink, c->body, sizeof c->body); }
static void put_weights(toc_sink *sink, const toc_contact *c) { toc_sink_write(sink, c->weights, sizeof c->weights); }
static void put_point(toc_sink *sink, const toc_contact *c) { toc_sink_write(sink, c->point, sizeof c->point); }

static const vtp_array point_data[] = {
    {"Float64", "toc", 1, 8, put_toc},           {"Float64", "normal", 3, 24, put_normal},
    {"UInt8", "kind", 1, 1, put_kind},           {"UInt8", "verdict", 1, 1, put_verdict},
    {"UInt32", "vertices", 4, 16, put_vertices}, {"UInt32", "bodies", 2, 8, put_bodies},
    {"Float64", "weights", 4, 32, put_weights},
};
static const vtp_array points = {"Float64", "Points", 3, 24, put_point};

enum { POINT_DATA = sizeof point_data / sizeof *point_data };

static void declare(toc_appended *file, const vtp_array *array, size_t count) {
    toc_appended_declare(file, array->type, array->name, array->components, array->size * count);
}

static void write_array(toc_appended *file, const vtp_array *array, const toc_contacts *contacts) {
    toc_appended_begin_array(file, array->size * contacts->count);
    for (size_t i = 0; i < contacts->count; i++) array->put(file->sink, &contacts->contacts[i]);
}

/// first, first + 1, ...: the connectivity and the offsets of cells of one point each.
static void write_count(toc_appended *file, int64_t first, size_t count) {
    toc_appended_begin_array(file, sizeof first * count);
    for (size_t i = 0; i < count; i++, first++) toc_sink_write(file->sink, &first, sizeof first);
}

static void write_vtp(toc_sink *sink, const toc_contacts *contacts) {
    const size_t count = contacts->count;
    toc_appended file = toc_appended_begin(sink, "PolyData");
    toc_sink_print(sink, "<PolyData>\n<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\"", count, count);
    toc_sink_text(sink, " NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n");
    toc_sink_text(sink, "<PointData Scalars=\"toc\" Normals=\"normal\">\n");
    for (int i = 0; i < POINT_DATA; i++) declare(&file, &point_data[i], count);
    toc_sink_text(sink, "</PointData>\n<Points>\n");
    declare(&file, &points, count);
    toc_sink_text(sink, "</Points>\n<Verts>\n");
    toc_appended_declare(&file, "Int64", "connectivity", 1, sizeof(int64_t) * count);
    toc_appended_declare(&file, "Int64", "offsets", 1, sizeof(int64_t) * count);
    toc_sink_text(sink, "</Verts>\n</Piece>\n</PolyData>\n");
    toc_appended_begin_data(&file);
    for (int i = 0; i < POINT_DATA; i++) write_array(&file, &point_data[i], contacts);
    write_array(&file, &points, contacts);
    write_count(&file, 0, count);
    write_count(&file, 1, count);
    toc_appended_end(&file);
}

toc_status toc_contacts_write(const char *path, const toc_contacts *contacts) {
    TOC_NEED(path);
    TOC_NEED(contacts);
    void (*write)(toc_sink * sink, const toc_contacts *contacts) = NULL;
    if (!path || !contacts)
        return toc_fail(TOC_BAD_INPUT, "toc_contacts_write: %s is NULL", path ? "contacts" : "path");
    if (toc_path_has_extension(path, ".csv")) write = write_csv;
    if (toc_path_has_extension(path, ".json") || toc_path_has_extension(path, ".jsonl")) write = write_json;
    if (toc_path_has_extension(path, ".vtp")) write = write_vtp;
    if (!write) return toc_fail(TOC_BAD_INPUT, "%s: contacts are written as .csv, .json or .vtp", path);
    toc_sink *sink;
    TOC_TRY(toc_sink_open(path, NULL, &sink));
    write(sink, contacts);
    return toc_sink_commit(sink);
}

// SPDX-License-Identifier: Apache-2.0
// Contacts, overlaps and near pairs as files: CSV for tables, JSON lines for scripts, VTP for ParaView. Doubles survive
// bit for bit in all three. One pass over the items for each column at most.
#include "io/core/format.h"
#include "io/pairs/row.h"
#include "io/pairs/table.h"

static const char *kind_name(toc_kind kind) { return kind == TOC_VF ? "vf" : "ee"; }

static const char *verdict_name(toc_verdict verdict) { return verdict == TOC_HIT ? "hit" : "undecided"; }

static void put_vector(toc_row *row, const char *const names[3], const double x[3]) {
    for (int k = 0; k < 3; k++) toc_row_real(row, names[k], x[k]);
}

static const char *const vertex_names[] = {"v0", "v1", "v2", "v3"}, *const body_names[] = {"body0", "body1"};
static const char *const weight_names[] = {"w0", "w1", "w2", "w3"}, *const point_names[] = {"x", "y", "z"};
static const char *const normal_names[] = {"nx", "ny", "nz"};

// ---- rows

static void put_contact(toc_row *row, const void *items, size_t i) {
    const toc_contact *c = (const toc_contact *)items + i;
    toc_row_text(row, "kind", kind_name(c->kind));
    for (int k = 0; k < 4; k++) toc_row_integer(row, vertex_names[k], c->v[k]);
    toc_row_real(row, "toc", c->toc);
    for (int k = 0; k < 2; k++) toc_row_integer(row, body_names[k], c->body[k]);
    for (int k = 0; k < 4; k++) toc_row_real(row, weight_names[k], c->weights[k]);
    put_vector(row, point_names, c->point);
    put_vector(row, normal_names, c->normal);
    toc_row_text(row, "verdict", verdict_name(c->verdict));
}

static void put_near_pair(toc_row *row, const void *items, size_t i) {
    static const char *const second[] = {"x1", "y1", "z1"};
    const toc_near_pair *p = (const toc_near_pair *)items + i;
    toc_row_text(row, "kind", kind_name(p->kind));
    for (int k = 0; k < 4; k++) toc_row_integer(row, vertex_names[k], p->v[k]);
    toc_row_real(row, "distance", p->distance);
    for (int k = 0; k < 2; k++) toc_row_integer(row, body_names[k], p->body[k]);
    for (int k = 0; k < 4; k++) toc_row_real(row, weight_names[k], p->weights[k]);
    put_vector(row, point_names, p->points[0]);
    put_vector(row, second, p->points[1]);
    put_vector(row, normal_names, p->normal);
    toc_row_real(row, "thickness", p->thickness);
}

static void put_overlap_pair(toc_row *row, const void *items, size_t i) {
    static const char *const corners[] = {"a0", "a1", "a2", "b0", "b1", "b2"};
    const toc_overlap_pair *p = (const toc_overlap_pair *)items + i;
    const bool faces = p->v[0][0] != UINT32_MAX;
    toc_row_text(row, "kind", faces ? "face" : "element");
    for (int k = 0; k < 6; k++) {
        if (faces)
            toc_row_integer(row, corners[k], p->v[k / 3][k % 3]);
        else
            toc_row_blank(row, corners[k]);
    }
    toc_row_real(row, "depth", p->depth);
    for (int k = 0; k < 2; k++) toc_row_integer(row, body_names[k], p->body[k]);
    put_vector(row, point_names, p->point);
    put_vector(row, normal_names, p->normal);
}
// ---- files

/// A kind of items, and how it is written.
typedef struct pair_layout {
    const char *what;
    void (*put)(toc_row *row, const void *items, size_t i);
    int corners;
    const toc_point_layout *points;
    const void *none; // an item, for the names of the columns
} pair_layout;

static const pair_layout contact_layout = {"contacts", put_contact, 4, &toc_contact_points,
                                           &(const toc_contact){.toc = 0}};
static const pair_layout overlap_layout = {"overlaps", put_overlap_pair, 6, &toc_overlap_points,
                                           &(const toc_overlap_pair){.depth = 0}};
static const pair_layout near_layout = {"near pairs", put_near_pair, 4, &toc_near_points,
                                        &(const toc_near_pair){.distance = 0}};

typedef struct row_pass {
    const pair_layout *layout;
    toc_row row;
} row_pass;

static toc_status put_rows(void *user, const toc_point_table *table) {
    row_pass *pass = user;
    for (size_t i = 0; i < table->count; i++) {
        pass->layout->put(&pass->row, table->items, i);
        if (table->places) toc_row_place(&pass->row, &table->places[i], pass->layout->corners);
        toc_row_end(&pass->row);
    }
    return TOC_OK;
}

static void write_column_names(toc_sink *sink, const pair_layout *layout, bool has_places) {
    static const toc_place no_place;
    toc_row row = {.sink = sink, .form = TOC_ROW_HEAD};
    layout->put(&row, layout->none, 0);
    if (has_places) toc_row_place(&row, &no_place, layout->corners);
    toc_row_end(&row);
}

static toc_status write_rows(toc_sink *sink, const pair_layout *layout, const toc_point_table *table,
                             toc_row_form form) {
    row_pass pass = {layout, {.sink = sink, .form = form}};
    if (form == TOC_ROW_CSV) write_column_names(sink, layout, toc_table_has_places(table));
    return toc_table_pass(table, true, put_rows, &pass);
}

static toc_status write_items(toc_sink *sink, const char *path, const pair_layout *layout,
                              const toc_point_table *table) {
    if (toc_path_has_extension(path, ".vtp")) return toc_points_write(sink, table, layout->points);
    return write_rows(sink, layout, table, toc_path_has_extension(path, ".csv") ? TOC_ROW_CSV : TOC_ROW_JSON);
}

static toc_status write_pairs(const char *path, const pair_layout *layout, const toc_point_table *table) {
    static const char *const extensions[] = {".csv", ".json", ".jsonl", ".vtp"};
    bool known = false;
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        known = known || toc_path_has_extension(path, extensions[i]);
    if (!known) return toc_fail(TOC_BAD_INPUT, "%s: %s are written as .csv, .json or .vtp", path, layout->what);
    toc_sink *sink;
    TOC_TRY(toc_sink_open(path, NULL, &sink));
    const toc_status status = write_items(sink, path, layout, table);
    if (status == TOC_OK) return toc_sink_commit(sink);
    toc_sink_cancel(sink);
    return status;
}

toc_status toc_contacts_write_places(const char *path, const toc_contacts *contacts, const toc_place *places) {
    TOC_NEED(path);
    TOC_NEED(contacts);
    return write_pairs(path, &contact_layout, &(toc_point_table){contacts->count, contacts->contacts, places, 4, NULL});
}

toc_status toc_contacts_write_source(const char *path, const toc_contact_source *source) {
    TOC_NEED(path);
    TOC_NEED(source);
    TOC_NEED(source->get);
    return write_pairs(path, &contact_layout,
                       &(toc_point_table){.count = source->count, .corners = 4, .source = source});
}

toc_status toc_contacts_write(const char *path, const toc_contacts *contacts) {
    return toc_contacts_write_places(path, contacts, NULL);
}

toc_status toc_overlaps_write(const char *path, size_t count, const toc_overlap_pair *pairs, const toc_place *places) {
    TOC_NEED(path);
    if (count > 0) TOC_NEED(pairs);
    return write_pairs(path, &overlap_layout, &(toc_point_table){count, pairs, places, 6, NULL});
}

toc_status toc_near_write(const char *path, size_t count, const toc_near_pair *pairs, const toc_place *places) {
    TOC_NEED(path);
    if (count > 0) TOC_NEED(pairs);
    return write_pairs(path, &near_layout, &(toc_point_table){count, pairs, places, 4, NULL});
}

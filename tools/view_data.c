// SPDX-License-Identifier: Apache-2.0
// Positions are floats relative to the centre of the first frame: half the digits of a double, but none of them spent
// on the distance from the origin. A surface is stored once for all steps in which the elements stay.
#include "tools/view_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tool_view {
    tool_page *page;
    cJSON *object, *frames, *surfaces, *steps; // the last three belong to the object
    const toc_sequence *sequence;
    double centre[3];
    tool_bodies bodies;
    toc_features *features;
    uint64_t revision;
    size_t frame_count, surface_count, vertex_count; // vertices of the last frame
};

static cJSON *numbers(const double *x, int count) {
    cJSON *array = cJSON_CreateArray();
    for (int k = 0; k < count; k++) cJSON_AddItemToArray(array, cJSON_CreateRaw(tool_double_text(x[k])));
    return array;
}

static void find_centre(tool_view *view, const toc_mesh *mesh) {
    const double *x = toc_mesh_get_x0(mesh);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * toc_mesh_get_vertex_count(mesh); i++) {
        low[i % 3] = fmin(low[i % 3], x[i]);
        high[i % 3] = fmax(high[i % 3], x[i]);
    }
    for (int k = 0; k < 3; k++) {
        view->centre[k] = low[k] <= high[k] ? low[k] + 0.5 * (high[k] - low[k]) : 0;
    }
}

// Points at a stride of bytes as one block, relative to the centre.
static toc_status add_points(tool_view *view, cJSON *to, const char *name, size_t count, const void *first,
                             size_t stride) {
    float *out = calloc(3 * count + 1, sizeof *out);
    if (!out) return tool_fail_memory();
    for (size_t i = 0; i < count; i++) {
        double x[3];
        memcpy(x, (const char *)first + i * stride, sizeof x);
        for (int k = 0; k < 3; k++) out[3 * i + (size_t)k] = (float)(x[k] - view->centre[k]);
    }
    cJSON_AddItemToObject(to, name, tool_page_block(view->page, TOOL_F32, 3 * count, out));
    free(out);
    return TOC_OK;
}

static toc_status add_frame(tool_view *view, const toc_mesh *mesh, const double *x) {
    cJSON *frame = cJSON_CreateObject();
    const char *path = toc_sequence_get_path(view->sequence, view->frame_count);
    const double time = toc_sequence_get_time(view->sequence, view->frame_count);
    cJSON_AddItemToArray(view->frames, frame);
    cJSON_AddStringToObject(frame, "name", path ? tool_path_name(path) : "");
    tool_json_double(frame, "time", time);
    view->frame_count++;
    view->vertex_count = toc_mesh_get_vertex_count(mesh);
    return add_points(view, frame, "positions", view->vertex_count, x, 3 * sizeof *x);
}

static void add_parts(tool_view *view, const toc_mesh *mesh) {
    cJSON *parts = cJSON_AddArrayToObject(view->object, "parts");
    for (size_t i = 0; i < view->bodies.part_count; i++) {
        const int32_t group = view->bodies.by_group ? view->bodies.groups[i] : 0;
        const char *given = view->bodies.by_group ? toc_mesh_get_group_name(mesh, group) : NULL;
        char name[40];
        snprintf(name, sizeof name, view->bodies.by_group ? "group %d" : "part %d",
                 view->bodies.by_group ? (int)group : (int)i + 1);
        cJSON_AddItemToArray(parts, cJSON_CreateString(given ? given : name));
    }
}

static toc_status add_surface(tool_view *view, const toc_mesh *mesh) {
    tool_skin skin = {0};
    const toc_status status = tool_skin_make(mesh, view->features, &view->bodies, &skin);
    if (status == TOC_OK) {
        cJSON *surface = cJSON_CreateObject();
        cJSON_AddItemToArray(view->surfaces, surface);
        tool_json_count(surface, "boundary", skin.boundary_count);
        cJSON_AddItemToObject(surface, "faces", tool_page_block(view->page, TOOL_U32, 4 * skin.face_count, skin.faces));
        cJSON_AddItemToObject(
            surface, "vertexParts",
            tool_page_block(view->page, TOOL_U32, view->bodies.vertex_count, view->bodies.vertex_parts));
        if (skin.owners) {
            cJSON_AddItemToObject(surface, "owners",
                                  tool_page_block(view->page, TOOL_U32, 2 * skin.face_count, skin.owners));
            cJSON_AddItemToObject(
                surface, "elementParts",
                tool_page_block(view->page, TOOL_U32, view->bodies.element_count, view->bodies.element_parts));
        }
        view->surface_count++;
    }
    tool_skin_free(&skin);
    return status;
}

toc_status tool_view_follow(tool_view *view, const toc_mesh *mesh, const toc_features **out) {
    const uint64_t revision = toc_mesh_get_revision(mesh);
    if (!view->features || view->revision != revision) {
        toc_features_destroy(view->features);
        view->features = NULL;
        toc_status status = toc_mesh_find_features(mesh, &view->features);
        if (status == TOC_OK) status = tool_bodies_update(&view->bodies, mesh);
        if (status == TOC_OK) status = add_surface(view, mesh);
        if (status != TOC_OK) return status;
        view->revision = revision;
    }
    if (out) *out = view->features;
    return TOC_OK;
}

static toc_status begin_object(tool_view *view, const toc_mesh *mesh, int up) {
    static const char *const axes[] = {"x", "y", "z"};
    view->object = tool_json_start();
    cJSON_AddNumberToObject(view->object, "layout", 1);
    cJSON_AddStringToObject(view->object, "version", toc_version_get());
    cJSON_AddStringToObject(view->object, "up", axes[up]);
    find_centre(view, mesh);
    cJSON_AddItemToObject(view->object, "centre", numbers(view->centre, 3));
    view->frames = cJSON_AddArrayToObject(view->object, "frames");
    view->surfaces = cJSON_AddArrayToObject(view->object, "surfaces");
    view->steps = cJSON_AddArrayToObject(view->object, "steps");
    if (!view->frames || !view->surfaces || !view->steps) return tool_fail_memory();
    toc_status status = add_frame(view, mesh, toc_mesh_get_x0(mesh));
    if (status == TOC_OK) status = tool_view_follow(view, mesh, NULL);
    if (status == TOC_OK) add_parts(view, mesh);
    return status;
}

toc_status tool_view_begin(tool_page *page, const toc_sequence *frames, const toc_mesh *mesh, int up, tool_view **out) {
    tool_view *view = calloc(1, sizeof *view);
    if (!view) return tool_fail_memory();
    view->page = page;
    view->sequence = frames;
    const toc_status status = begin_object(view, mesh, up);
    if (status == TOC_OK) {
        *out = view;
    } else {
        tool_view_destroy(view);
    }
    return status;
}

// Columns of the contacts, copied together before they go into blocks.
typedef struct contact_columns {
    uint8_t *kinds; // bit 0: edge-edge; bit 1: undecided
    uint32_t *vertices, *bodies;
    double *times; // distances for contacts of a simulation
    float *normals;
    bool several_bodies;
} contact_columns;

static void free_columns(contact_columns *c) {
    free(c->kinds);
    free(c->vertices);
    free(c->bodies);
    free(c->times);
    free(c->normals);
}

static bool make_columns(contact_columns *c, size_t count) {
    *c = (contact_columns){.kinds = calloc(count + 1, 1),
                           .vertices = calloc(4 * count + 1, sizeof *c->vertices),
                           .bodies = calloc(2 * count + 1, sizeof *c->bodies),
                           .times = calloc(count + 1, sizeof *c->times),
                           .normals = calloc(3 * count + 1, sizeof *c->normals)};
    return c->kinds && c->vertices && c->bodies && c->times && c->normals;
}

static void fill_columns(contact_columns *c, size_t count, const toc_contact *contacts) {
    for (size_t i = 0; i < count; i++) {
        const toc_contact *from = &contacts[i];
        c->kinds[i] = (uint8_t)((from->kind == TOC_EE ? 1 : 0) | (from->verdict == TOC_UNDECIDED ? 2 : 0));
        memcpy(&c->vertices[4 * i], from->v, sizeof from->v);
        memcpy(&c->bodies[2 * i], from->body, sizeof from->body);
        c->several_bodies |= from->body[0] || from->body[1];
        c->times[i] = from->toc;
        for (int k = 0; k < 3; k++) c->normals[3 * i + (size_t)k] = (float)from->normal[k];
    }
}

static toc_status add_contacts(tool_view *view, cJSON *step, size_t count, const toc_contact *contacts) {
    contact_columns c;
    cJSON *to = cJSON_AddObjectToObject(step, "contacts");
    tool_json_count(to, "count", count);
    if (!make_columns(&c, count)) {
        free_columns(&c);
        return tool_fail_memory();
    }
    fill_columns(&c, count, contacts);
    cJSON_AddItemToObject(to, "kinds", tool_page_block(view->page, TOOL_U8, count, c.kinds));
    cJSON_AddItemToObject(to, "vertices", tool_page_block(view->page, TOOL_U32, 4 * count, c.vertices));
    cJSON_AddItemToObject(to, "times", tool_page_block(view->page, TOOL_F64, count, c.times));
    cJSON_AddItemToObject(to, "normals", tool_page_block(view->page, TOOL_F32, 3 * count, c.normals));
    if (c.several_bodies)
        cJSON_AddItemToObject(to, "bodies", tool_page_block(view->page, TOOL_U32, 2 * count, c.bodies));
    free_columns(&c);
    return add_points(view, to, "points", count, count ? contacts->point : NULL, sizeof *contacts);
}

static void fill_near_columns(contact_columns *c, float *weights, size_t count, const toc_near_pair *pairs) {
    for (size_t i = 0; i < count; i++) {
        const toc_near_pair *from = &pairs[i];
        c->kinds[i] = from->kind == TOC_EE;
        memcpy(&c->vertices[4 * i], from->v, sizeof from->v);
        c->times[i] = from->distance;
        for (int k = 0; k < 3; k++) c->normals[3 * i + (size_t)k] = (float)from->normal[k];
        for (int k = 0; k < 4; k++) weights[4 * i + (size_t)k] = (float)from->weights[k];
    }
}

toc_status tool_view_add_frame_contacts(tool_view *view, size_t count, const toc_near_pair *pairs) {
    contact_columns c;
    float *weights = calloc(4 * count + 1, sizeof *weights);
    if (!make_columns(&c, count) || !weights) {
        free_columns(&c);
        free(weights);
        return tool_fail_memory();
    }
    fill_near_columns(&c, weights, count, pairs);
    cJSON *frame = cJSON_GetArrayItem(view->frames, (int)view->frame_count - 1);
    cJSON *to = cJSON_AddObjectToObject(frame, "contacts");
    tool_json_count(to, "count", count);
    cJSON_AddItemToObject(to, "kinds", tool_page_block(view->page, TOOL_U8, count, c.kinds));
    cJSON_AddItemToObject(to, "vertices", tool_page_block(view->page, TOOL_U32, 4 * count, c.vertices));
    cJSON_AddItemToObject(to, "weights", tool_page_block(view->page, TOOL_F32, 4 * count, weights));
    cJSON_AddItemToObject(to, "distances", tool_page_block(view->page, TOOL_F64, count, c.times));
    cJSON_AddItemToObject(to, "normals", tool_page_block(view->page, TOOL_F32, 3 * count, c.normals));
    free_columns(&c);
    free(weights);
    return add_points(view, to, "points", count, count ? pairs->points[0] : NULL, sizeof *pairs);
}

static void add_stages(cJSON *step, const toc_contacts *result) {
    cJSON_AddStringToObject(step, "preset", result->preset);
    cJSON_AddStringToObject(step, "chosen", result->chosen);
    tool_json_double(step, "ms", 1e3 * result->seconds);
    cJSON *stages = cJSON_AddArrayToObject(step, "stages");
    for (size_t i = 0; i < result->stage_count; i++) {
        cJSON *stage = cJSON_CreateObject();
        cJSON_AddItemToArray(stages, stage);
        cJSON_AddStringToObject(stage, "name", result->stages[i].name);
        tool_json_count(stage, "in", result->stages[i].in);
        tool_json_count(stage, "out", result->stages[i].out);
        tool_json_double(stage, "ms", 1e3 * result->stages[i].seconds);
    }
}

// Two ends of a line for each near pair; a point for each overlap.
static toc_status add_layers(tool_view *view, cJSON *step, const tool_extras *extras) {
    toc_status status = TOC_OK;
    if (extras->overlaps) {
        const toc_overlaps *o = extras->overlaps;
        cJSON *layer = cJSON_AddObjectToObject(step, "overlaps");
        tool_json_count(layer, "count", o->count);
        status = add_points(view, layer, "points", o->count, o->count ? o->pairs->point : NULL, sizeof *o->pairs);
    }
    if (extras->near && status == TOC_OK) {
        const toc_near *n = extras->near;
        cJSON *layer = cJSON_AddObjectToObject(step, "near");
        tool_json_count(layer, "count", n->count);
        tool_json_double(layer, "distance", extras->thickness);
        status = add_points(view, layer, "from", n->count, n->count ? n->pairs->points[0] : NULL, sizeof *n->pairs);
        if (status == TOC_OK)
            status = add_points(view, layer, "to", n->count, n->count ? n->pairs->points[1] : NULL, sizeof *n->pairs);
    }
    return status;
}

toc_status tool_view_add_step(tool_view *view, const toc_mesh *mesh, size_t count, const toc_contact *contacts,
                              const toc_contacts *result, const tool_extras *extras) {
    const size_t vertices = toc_mesh_get_vertex_count(mesh), before = view->vertex_count;
    cJSON *step = cJSON_CreateObject();
    cJSON_AddItemToArray(view->steps, step);
    toc_status status = tool_view_follow(view, mesh, NULL);
    tool_json_count(step, "surface", view->surface_count - 1);
    // Vertices added by a tear have a start of their own.
    if (status == TOC_OK && vertices != before)
        status = add_points(view, step, "start", vertices, toc_mesh_get_x0(mesh), 3 * sizeof(double));
    if (status == TOC_OK) status = add_frame(view, mesh, toc_mesh_get_x1(mesh));
    if (status == TOC_OK) status = add_contacts(view, step, count, contacts);
    if (status == TOC_OK && extras) status = add_layers(view, step, extras);
    if (status == TOC_OK && result) add_stages(step, result);
    return status;
}

cJSON *tool_view_finish(tool_view *view) {
    cJSON *object = view->object;
    view->object = NULL;
    return object;
}

void tool_view_destroy(tool_view *view) {
    if (!view) return;
    cJSON_Delete(view->object);
    toc_features_destroy(view->features);
    tool_bodies_free(&view->bodies);
    free(view);
}

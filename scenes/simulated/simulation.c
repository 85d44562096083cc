// SPDX-License-Identifier: Apache-2.0
// Simulations from their descriptions.
#include "scenes/simulated/simulation.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/builder.h"
#include "scenes/simulated/shapes.h"

enum { LARGEST_FILE = 16 << 20, MOST_REPEATS = 100000 };

// ---- materials

static const struct {
    const char *key;
    size_t offset;
} material_numbers[] = {
    {"density", offsetof(toc_sim_material, density)},
    {"area_density", offsetof(toc_sim_material, area_density)},
    {"line_density", offsetof(toc_sim_material, line_density)},
    {"young", offsetof(toc_sim_material, young)},
    {"poisson", offsetof(toc_sim_material, poisson)},
    {"stretch", offsetof(toc_sim_material, stretch)},
    {"bend", offsetof(toc_sim_material, bend)},
    {"lattice", offsetof(toc_sim_material, lattice)},
    {"lattice_stiffness", offsetof(toc_sim_material, lattice_stiffness)},
    {"inflation", offsetof(toc_sim_material, inflation)},
    {"inflation_stiffness", offsetof(toc_sim_material, inflation_stiffness)},
    {"failure", offsetof(toc_sim_material, failure)},
    {"erosion", offsetof(toc_sim_material, erosion)},
    {"damping", offsetof(toc_sim_material, damping)},
    {"friction", offsetof(toc_sim_material, friction)},
    {"thickness", offsetof(toc_sim_material, thickness)},
    {"adhesion", offsetof(toc_sim_material, adhesion)},
    {"yield", offsetof(toc_sim_material, yield)},
    {"bend_yield", offsetof(toc_sim_material, bend_yield)},
    {"cut", offsetof(toc_sim_material, cut)},
    {"adhesion_strength", offsetof(toc_sim_material, adhesion_strength)},
    {"adhesion_force", offsetof(toc_sim_material, adhesion_force)},
    {"restitution", offsetof(toc_sim_material, restitution)},
};

/// The description and the simulation under construction.
typedef struct maker {
    reader reader;
    const cJSON *root;
    toc_sim *sim;
    uint64_t seed, bodies; // bodies: made so far, for random numbers
} maker;

static toc_status read_material(const maker *m, const char *name, const char *from, toc_sim_material *out,
                                char path[READER_PATH]) {
    const reader *r = &m->reader;
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(m->root, "materials");
    const cJSON *json = all ? cJSON_GetObjectItemCaseSensitive(all, name) : NULL;
    if (!json) return reader_fail(r, from, "there is no material \"%.60s\"", name);
    reader_path(path, "materials", name);
    READER_TRY(reader_keys(
        r, json, path,
        "motion density area_density line_density young poisson stretch bend lattice "
        "lattice_stiffness inflation inflation_stiffness forces failure erosion damping friction "
        "restitution thickness adhesion adhesion_strength adhesion_force yield bend_yield sharp cut carve"));
    *out = toc_sim_material_default();
    for (size_t i = 0; i < sizeof material_numbers / sizeof *material_numbers; i++) {
        double *to = (double *)(void *)((char *)out + material_numbers[i].offset);
        READER_TRY(reader_number(r, json, path, material_numbers[i].key, to));
    }
    READER_TRY(reader_bool(r, json, path, "forces", &out->forces));
    READER_TRY(reader_bool(r, json, path, "sharp", &out->sharp));
    READER_TRY(reader_bool(r, json, path, "carve", &out->carve));
    const char *motion = "soft";
    READER_TRY(reader_text(r, json, path, "motion", &motion));
    static const char *const motions[] = {"soft", "rigid", "guided"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(motion, motions[i]) != 0) continue;
        out->motion = (toc_sim_motion)i;
        return TOC_OK;
    }
    return reader_fail(r, path, "motion is \"%.40s\"; it can be soft, rigid or guided", motion);
}

// ---- bodies

static toc_status set_motion(maker *m, const cJSON *json, const char *path, uint32_t body) {
    const reader *r = &m->reader;
    double velocity[3] = {0, 0, 0}, angular[3] = {0, 0, 0}, point[3] = {0, 0, 0}, scatter = 0;
    READER_TRY(reader_vector(r, json, path, "velocity", velocity));
    READER_TRY(reader_vector(r, json, path, "angular", angular));
    READER_TRY(reader_vector(r, json, path, "point", point));
    READER_TRY(reader_number(r, json, path, "scatter", &scatter));
    for (uint64_t k = 0; k < 3 && scatter != 0; k++)
        velocity[k] += scene_random(m->seed + k, m->bodies, -scatter, scatter);
    const toc_status status = toc_sim_set_velocity(m->sim, body, velocity, angular, point);
    return status == TOC_OK ? TOC_OK : reader_fail_in(r, path, status);
}

/// An explosion: velocities away from a centre that grow with the distance and fade beyond the radius.
typedef struct blast {
    double centre[3], speed, radius;
} blast;

static void add_blast(const blast *b, const double x[3], double v[3]) {
    const double away[3] = {x[0] - b->centre[0], x[1] - b->centre[1], x[2] - b->centre[2]};
    const double square = away[0] * away[0] + away[1] * away[1] + away[2] * away[2];
    const double scale = b->speed / b->radius * exp(-square / (b->radius * b->radius));
    for (int k = 0; k < 3; k++) v[k] += scale * away[k];
}

static toc_status blast_body(maker *m, const cJSON *json, const char *path, uint32_t body) {
    const cJSON *object = cJSON_GetObjectItemCaseSensitive(json, "blast");
    char at[READER_PATH];
    blast b = {.speed = 10, .radius = 1};
    if (!object) return TOC_OK;
    reader_path(at, path, "blast");
    READER_TRY(reader_keys(&m->reader, object, at, "centre speed radius"));
    READER_TRY(reader_vector(&m->reader, object, at, "centre", b.centre));
    READER_TRY(reader_number(&m->reader, object, at, "speed", &b.speed));
    READER_TRY(reader_number(&m->reader, object, at, "radius", &b.radius));
    if (!(b.radius > 0)) return reader_fail(&m->reader, at, "the radius is %g; it must be above 0", b.radius);
    const size_t count = toc_mesh_get_vertex_count(toc_scene_get_mesh(toc_sim_get_scene(m->sim), body));
    double *v = malloc(3 * count * sizeof *v + 1);
    if (!v) return toc_message_set(TOC_OUT_OF_MEMORY, "out of memory");
    memcpy(v, toc_sim_get_velocities(m->sim, body), 3 * count * sizeof *v);
    for (size_t i = 0; i < count; i++) add_blast(&b, toc_sim_get_positions(m->sim, body) + 3 * i, v + 3 * i);
    const toc_status status = toc_sim_set_velocities(m->sim, body, count, v);
    free(v);
    return status == TOC_OK ? TOC_OK : reader_fail_in(&m->reader, at, status);
}

static toc_status pin_box(maker *m, const cJSON *pin, const char *at, uint32_t body) {
    double low[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, high[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    READER_TRY(reader_keys(&m->reader, pin, at, "low high"));
    READER_TRY(reader_vector(&m->reader, pin, at, "low", low));
    READER_TRY(reader_vector(&m->reader, pin, at, "high", high));
    for (int k = 0; k < 3; k++)
        if (low[k] > high[k])
            return reader_fail(&m->reader, at, "low is %g and high is %g on axis %c", low[k], high[k], "xyz"[k]);
    const toc_mesh *mesh = toc_scene_get_mesh(toc_sim_get_scene(m->sim), body);
    for (uint32_t v = 0; v < toc_mesh_get_vertex_count(mesh); v++) {
        const double *x = toc_sim_get_positions(m->sim, body) + 3 * (size_t)v;
        bool inside = true;
        for (int k = 0; k < 3; k++) inside = inside && x[k] >= low[k] && x[k] <= high[k];
        if (!inside) continue;
        const toc_status status = toc_sim_pin_vertex(m->sim, body, v);
        if (status != TOC_OK) return reader_fail_in(&m->reader, at, status);
    }
    return TOC_OK;
}

// One box, or an array of them.
static toc_status pin_body(maker *m, const cJSON *json, const char *path, uint32_t body) {
    const cJSON *pin = cJSON_GetObjectItemCaseSensitive(json, "pin"), *box;
    char at[READER_PATH];
    reader_path(at, path, "pin");
    if (!pin) return TOC_OK;
    if (!cJSON_IsArray(pin)) return pin_box(m, pin, at, body);
    cJSON_ArrayForEach(box, pin) READER_TRY(pin_box(m, box, at, body));
    return TOC_OK;
}

// Takes the mesh over.
static toc_status add_one(maker *m, const cJSON *json, const char *path, const char *material, toc_mesh *mesh) {
    toc_sim_material made;
    char at[READER_PATH], both[2 * READER_PATH + 2];
    uint32_t body;
    toc_status status = read_material(m, material, path, &made, at);
    if (status == TOC_OK) {
        status = toc_sim_add_body(m->sim, mesh, &made, &body);
        snprintf(both, sizeof both, "%s, %s", path, at);
        if (status != TOC_OK) reader_fail_in(&m->reader, both, status);
    }
    if (status != TOC_OK) {
        toc_mesh_destroy(mesh);
        return status;
    }
    m->bodies++;
    READER_TRY(set_motion(m, json, path, body));
    READER_TRY(pin_body(m, json, path, body));
    return blast_body(m, json, path, body);
}

// The material of a group: "groups": {"1": "cloth"}, else "material".
static toc_status group_material(const maker *m, const cJSON *json, const char *path, int32_t group, const char **out) {
    const cJSON *by_group = cJSON_GetObjectItemCaseSensitive(json, "groups");
    char number[16], at[READER_PATH];
    *out = NULL;
    READER_TRY(reader_text(&m->reader, json, path, "material", out));
    reader_path(at, path, "groups");
    if (by_group && !cJSON_IsObject(by_group)) return reader_fail(&m->reader, at, "an object is expected here");
    snprintf(number, sizeof number, "%d", group);
    if (by_group) READER_TRY(reader_text(&m->reader, by_group, at, number, out));
    if (*out) return TOC_OK;
    return reader_fail(&m->reader, path, "group %d has no material: give \"material\" or \"groups\"", group);
}

// Destroys the mesh on failure.
static toc_status spread_part(toc_mesh *part, double spread) {
    const toc_status status = shape_spread(part, spread);
    if (status != TOC_OK) toc_mesh_destroy(part);
    return status;
}

static toc_status add_groups(maker *m, const cJSON *json, const char *path, const toc_mesh *mesh) {
    int32_t *groups;
    double only = NAN, spread = 1;
    READER_TRY(reader_number(&m->reader, json, path, "group", &only));
    READER_TRY(reader_number(&m->reader, json, path, "spread", &spread));
    const size_t count = shape_groups(mesh, &groups);
    const uint64_t before = m->bodies;
    toc_status status = groups ? TOC_OK : toc_message_set(TOC_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; i < count && status == TOC_OK; i++) {
        const char *material;
        toc_mesh *part;
        if (!isnan(only) && only != groups[i]) continue;
        status = group_material(m, json, path, groups[i], &material);
        if (status == TOC_OK) status = shape_take_group(mesh, groups[i], &part);
        if (status == TOC_OK) status = spread_part(part, spread);
        if (status == TOC_OK) status = add_one(m, json, path, material, part);
    }
    free(groups);
    if (status == TOC_OK && !isnan(only) && m->bodies == before)
        return reader_fail(&m->reader, path, "the shape has no group %g", only);
    return status;
}

static toc_status add_copies(maker *m, const cJSON *json, const char *path, const toc_mesh *mesh) {
    const cJSON *repeat = cJSON_GetObjectItemCaseSensitive(json, "repeat");
    uint32_t counts[3] = {1, 1, 1};
    double spacing[3] = {1, 1, 1}, jitter = 0;
    char at[READER_PATH];
    reader_path(at, path, "repeat");
    if (repeat) {
        READER_TRY(reader_keys(&m->reader, repeat, at, "counts spacing jitter"));
        READER_TRY(reader_counts(&m->reader, repeat, at, "counts", 3, counts));
        READER_TRY(reader_vector(&m->reader, repeat, at, "spacing", spacing));
        READER_TRY(reader_number(&m->reader, repeat, at, "jitter", &jitter));
    }
    const uint64_t count = (uint64_t)counts[0] * counts[1] * counts[2];
    if (count > MOST_REPEATS) return reader_fail(&m->reader, at, "more than %d copies", MOST_REPEATS);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t place[3] = {i % counts[0], i / counts[0] % counts[1], i / counts[0] / counts[1]};
        double move[3];
        for (uint64_t k = 0; k < 3; k++)
            move[k] =
                (double)place[k] * spacing[k] + (jitter != 0 ? scene_random(m->seed + 7 + k, i, -jitter, jitter) : 0);
        toc_mesh *copy;
        READER_TRY(shape_copy(mesh, move, &copy));
        toc_status status = add_groups(m, json, path, copy);
        toc_mesh_destroy(copy);
        READER_TRY(status);
    }
    return TOC_OK;
}

static toc_status add_body(maker *m, const cJSON *json, const char *path) {
    READER_TRY(reader_keys(&m->reader, json, path,
                           SHAPE_KEYS " material group groups spread velocity angular point scatter pin blast repeat"));
    toc_mesh *mesh;
    READER_TRY(shape_make(&m->reader, json, path, &mesh));
    const toc_status status = add_copies(m, json, path, mesh);
    toc_mesh_destroy(mesh);
    return status;
}

static toc_status add_bodies(maker *m) {
    const cJSON *bodies = cJSON_GetObjectItemCaseSensitive(m->root, "bodies"), *body;
    size_t i = 0;
    if (!cJSON_IsArray(bodies) || !bodies->child)
        return reader_fail(&m->reader, "bodies", "an array of one body at least is expected here");
    cJSON_ArrayForEach(body, bodies) {
        char path[READER_PATH];
        snprintf(path, sizeof path, "bodies[%zu]", i++);
        READER_TRY(add_body(m, body, path));
    }
    return TOC_OK;
}

// ---- joints between bodies

static int compare_pairs(const void *a, const void *b) {
    const toc_vertex_pair *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    for (int k = 0; k < 2; k++) {
        if (x->body[k] != y->body[k]) return x->body[k] < y->body[k] ? -1 : 1;
        if (x->v[k] != y->v[k]) return x->v[k] < y->v[k] ? -1 : 1;
    }
    return 0;
}

// The nearest pairs first; `used` has one flag a vertex, those of a body from `first` on.
static toc_status join_pairs(maker *m, const toc_vertex_pair *pairs, size_t count, double stiffness,
                             const size_t *first, bool *used) {
    for (size_t i = 0; i < count; i++) {
        const toc_vertex_pair *p = &pairs[i];
        bool *a = &used[first[p->body[0]] + p->v[0]], *b = &used[first[p->body[1]] + p->v[1]];
        if (p->body[0] == p->body[1] || *a || *b) continue;
        READER_TRY(toc_sim_join_vertices(m->sim, p->body, p->v, stiffness));
        *a = *b = true;
    }
    return TOC_OK;
}

static toc_status join_near(maker *m, const toc_vertex_pairs *near, double stiffness) {
    const toc_scene *scene = toc_sim_get_scene(m->sim);
    const size_t bodies = toc_scene_get_body_count(scene);
    size_t *first = calloc(bodies + 1, sizeof *first);
    for (uint32_t b = 0; b < bodies && first; b++)
        first[b + 1] = first[b] + toc_mesh_get_vertex_count(toc_scene_get_mesh(scene, b));
    bool *used = first ? calloc(first[bodies] + 1, sizeof *used) : NULL;
    toc_vertex_pair *pairs = malloc(near->count * sizeof *pairs + 1);
    toc_status status = used && pairs ? TOC_OK : toc_message_set(TOC_OUT_OF_MEMORY, "out of memory");
    if (status == TOC_OK && near->count > 0) {
        memcpy(pairs, near->pairs, near->count * sizeof *pairs);
        qsort(pairs, near->count, sizeof *pairs, compare_pairs);
        status = join_pairs(m, pairs, near->count, stiffness, first, used);
    }
    free(first);
    free(used);
    free(pairs);
    return status;
}

static toc_status add_joints(maker *m) {
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(m->root, "joints");
    double distance = 0, stiffness = HUGE_VAL;
    if (!json) return TOC_OK;
    READER_TRY(reader_keys(&m->reader, json, "joints", "distance stiffness"));
    READER_TRY(reader_number(&m->reader, json, "joints", "distance", &distance));
    READER_TRY(reader_number(&m->reader, json, "joints", "stiffness", &stiffness));
    if (!(distance > 0)) return reader_fail(&m->reader, "joints", "distance is %g; it must be above 0", distance);
    if (!(stiffness > 0)) return reader_fail(&m->reader, "joints", "stiffness is %g; it must be above 0", stiffness);
    toc_query query = toc_query_default();
    query.surface_only = true;
    query.thin = true;
    toc_near_query asked = toc_near_query_default();
    asked.time = TOC_NEAR_AT_END;
    asked.distance = distance;
    toc_vertex_pairs *near;
    toc_status status = toc_scene_find_near_vertices(toc_sim_get_scene(m->sim), &query, &asked, &near);
    if (status != TOC_OK) return reader_fail_in(&m->reader, "joints", status);
    status = join_near(m, near, stiffness);
    toc_vertex_pairs_destroy(near);
    return status == TOC_OK ? TOC_OK : reader_fail_in(&m->reader, "joints", status);
}

// ---- the whole

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return hash;
}

static bool is_preset(const char *name) {
    for (size_t i = 0; toc_preset_get(i).name; i++)
        if (strcmp(toc_preset_get(i).name, name) == 0) return true;
    return false;
}

static toc_status read_settings(const maker *m, const simulation_options *options, toc_sim_settings *settings,
                                simulation *out) {
    const reader *r = &m->reader;
    double seed = 1;
    size_t substeps = settings->substeps, rounds = settings->rounds, pushes = settings->pushes;
    const char *what = "";
    READER_TRY(reader_text(r, m->root, "", "what", &what));
    snprintf(out->what, sizeof out->what, "%s", what);
    READER_TRY(reader_vector(r, m->root, "", "gravity", settings->gravity));
    READER_TRY(reader_number(r, m->root, "", "step", &settings->step));
    if (!(settings->step > 0)) return reader_fail(r, "step", "it is %g; it must be above 0", settings->step);
    READER_TRY(reader_count(r, m->root, "", "substeps", 1, 1000, &substeps));
    READER_TRY(reader_count(r, m->root, "", "rounds", 1, 1000, &rounds));
    READER_TRY(reader_count(r, m->root, "", "pushes", 0, 10000, &pushes));
    READER_TRY(reader_text(r, m->root, "", "preset", &settings->preset));
    READER_TRY(reader_bool(r, m->root, "", "surface_only", &settings->surface_only));
    READER_TRY(reader_count(r, m->root, "", "frames", 1, 1000000, &out->frames));
    READER_TRY(reader_number(r, m->root, "", "seed", &seed));
    out->frame_time = settings->step;
    READER_TRY(reader_number(r, m->root, "", "frame_time", &out->frame_time));
    if (!(out->frame_time > 0)) return reader_fail(r, "frame_time", "it is %g; it must be above 0", out->frame_time);
    settings->substeps = (uint32_t)substeps;
    settings->rounds = (uint32_t)rounds;
    settings->pushes = (uint32_t)pushes;
    if (options->preset) settings->preset = options->preset;
    if (!is_preset(settings->preset)) return reader_fail(r, "preset", "there is no preset \"%.60s\"", settings->preset);
    if (options->surface_only) settings->surface_only = true;
    settings->continuous = !options->careless;
    settings->threads = options->threads;
    settings->tasks = options->tasks;
    ((maker *)m)->seed = (uint64_t)llround(fabs(seed)) * 1000;
    return TOC_OK;
}

static toc_status make_simulation(maker *m, const simulation_options *options, simulation *out) {
    size_t size = 0;
    READER_TRY(reader_keys(
        &m->reader, m->root, "",
        "what gravity step substeps rounds pushes preset surface_only frames frame_time size seed materials "
        "bodies joints"));
    READER_TRY(reader_count(&m->reader, m->root, "", "size", 1, 1000000, &size));
    m->reader.size = out->size = options->size ? options->size : size;
    toc_sim_settings settings = toc_sim_settings_default();
    READER_TRY(read_settings(m, options, &settings, out));
    const toc_status status = toc_sim_create(&settings, NULL, &m->sim);
    if (status != TOC_OK) return reader_fail_in(&m->reader, "", status);
    out->hash = hash_bytes(out->hash, &out->size, sizeof out->size);
    out->hash = hash_bytes(out->hash, settings.preset, strlen(settings.preset));
    out->hash = hash_bytes(out->hash, &settings.surface_only, sizeof settings.surface_only);
    READER_TRY(add_bodies(m));
    return add_joints(m);
}

static toc_status open_text(const char *file, const char *text, const simulation_options *options, simulation *out) {
    maker m = {.reader.file = file};
    cJSON *root;
    READER_TRY(reader_parse(&m.reader, text, &root));
    m.root = root;
    out->hash = hash_bytes(1469598103934665603u, text, strlen(text));
    out->frames = 60;
    const toc_status status = make_simulation(&m, options, out);
    cJSON_Delete(root);
    if (status == TOC_OK) {
        out->sim = m.sim;
    } else {
        toc_sim_destroy(m.sim);
    }
    return status;
}

// The text of a file, for free(); NULL with a message.
static char *read_text(const char *path, toc_status *status) {
    const reader r = {.file = path};
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(LARGEST_FILE + 1) : NULL;
    *status = TOC_OK;
    if (!file) {
        *status = reader_fail(&r, "", "cannot be opened: %s", strerror(errno));
    } else if (!text) {
        *status = toc_message_set(TOC_OUT_OF_MEMORY, "out of memory");
    } else {
        const size_t count = fread(text, 1, LARGEST_FILE + 1, file);
        if (ferror(file)) *status = reader_fail(&r, "", "cannot be read: %s", strerror(errno));
        if (count > LARGEST_FILE) *status = reader_fail(&r, "", "more than %d bytes", LARGEST_FILE);
        text[count <= LARGEST_FILE ? count : 0] = '\0';
    }
    if (file) fclose(file);
    if (*status == TOC_OK) return text;
    free(text);
    return NULL;
}

static void take_name(const char *path, simulation *out) {
    const char *slash = strrchr(path, '/');
    snprintf(out->name, sizeof out->name, "%.60s", slash ? slash + 1 : path);
    char *dot = strrchr(out->name, '.');
    if (dot && dot > out->name) *dot = '\0';
}

toc_status simulation_open(const char *name, const simulation_options *options, simulation *out) {
    simulation made = {.frames = 0};
    take_name(name, &made);
    toc_status status = TOC_OK;
    const char *built_in = simulation_text(name);
    char *text = built_in ? NULL : read_text(name, &status);
    if (status == TOC_OK) status = open_text(name, built_in ? built_in : text, options, &made);
    free(text);
    if (status == TOC_OK) *out = made;
    return status;
}

void simulation_close(simulation *s) {
    toc_sim_destroy(s->sim);
    s->sim = NULL;
}

toc_status simulation_advance(simulation *s, size_t frame, toc_sim_report *sum) {
    // Rounding must not add a step.
    const double end = (double)frame * s->frame_time - 1e-6 * s->frame_time;
    while (toc_sim_get_time(s->sim) < end) {
        toc_sim_report report;
        READER_TRY(toc_sim_step(s->sim, &report));
        if (!sum) continue;
        sum->time = report.time;
        sum->fraction += report.fraction;
        sum->contacts += report.contacts;
        sum->impacts += report.impacts;
        sum->rounds += report.rounds;
        sum->zones += report.zones;
        sum->splits += report.splits;
        sum->eroded += report.eroded;
        sum->pushed += report.pushed;
        sum->glued += report.glued;
        sum->unglued += report.unglued;
        sum->unsplit += report.unsplit;
        sum->divided += report.divided;
        sum->dynamics_seconds += report.dynamics_seconds;
        sum->detection_seconds += report.detection_seconds;
    }
    return TOC_OK;
}

// SPDX-License-Identifier: Apache-2.0
// Scenes of the swarm: a few triangles in some bodies, moved and edited in steps. All pairs of a step are decided once;
// some images of the scene, each with search structures of its own, are asked about it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/swarm_scene.h"
#include "toccata/toccata.h"

// ---- the scene on the lattice

static void random_place(swarm_scene *s, int x[3]) {
    for (int k = 0; k < 3; k++) x[k] = (int)trial_below(&s->random, (uint32_t)(2 * s->size + 1)) - s->size;
}

static void add_triangle(swarm_scene *s, swarm_body *b) {
    uint32_t *v = b->triangles[b->triangle_count];
    if (b->triangle_count == SWARM_TRIANGLES) return;
    for (int i = 0; i < 3; i++) {
        bool again = true;
        while (again) {
            v[i] = trial_below(&s->random, b->vertex_count);
            again = (i > 0 && v[i] == v[0]) || (i > 1 && v[i] == v[1]);
        }
    }
    b->alive[b->triangle_count++] = true;
}

static void move_lattice_body(swarm_scene *s, swarm_body *b) {
    const uint32_t how = b->is_world ? 0 : trial_below(&s->random, 5);
    int shift[3];
    random_place(s, shift);
    for (uint32_t v = 0; v < b->vertex_count; v++) {
        memcpy(b->x1[v], b->x0[v], sizeof b->x1[v]);
        if (how == 1 || how == 2 || (how == 3 && trial_chance(&s->random, 0.4))) random_place(s, b->x1[v]);
        if (how == 4) {
            for (int k = 0; k < 3; k++) b->x1[v][k] += shift[k];
            for (int k = 0; k < 3; k++)
                b->x1[v][k] = b->x1[v][k] > LATTICE_MOST    ? LATTICE_MOST
                              : b->x1[v][k] < -LATTICE_MOST ? -LATTICE_MOST
                                                            : b->x1[v][k];
        }
    }
}

static void make_lattice_scene(swarm_scene *s) {
    static const int sizes[] = {1, 2, 2, 3, 4, 6};
    s->size = sizes[trial_below(&s->random, 6)];
    s->body_count = 1 + trial_below(&s->random, SWARM_BODIES);
    for (uint32_t i = 0; i < s->body_count; i++) {
        swarm_body *b = &s->bodies[i];
        const uint32_t triangles = 1 + trial_below(&s->random, 7);
        b->is_world = i > 0 && i + 1 == s->body_count && trial_chance(&s->random, 0.25);
        b->is_shared = !b->is_world && trial_chance(&s->random, 0.2);
        b->vertex_count = 3 + trial_below(&s->random, 2 * triangles);
        for (uint32_t v = 0; v < b->vertex_count; v++) random_place(s, b->x0[v]);
        for (uint32_t t = 0; t < triangles; t++) add_triangle(s, b);
        move_lattice_body(s, b);
    }
}

// ---- features and pairs

static void sort_ids(uint32_t *v, int count) {
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && v[j] < v[j - 1]; j--) {
            const uint32_t swapped = v[j];
            v[j] = v[j - 1];
            v[j - 1] = swapped;
        }
}

static void add_feature(swarm_scene *s, uint32_t body, int size, const uint32_t *v) {
    swarm_feature f = {.body = body, .size = size};
    memcpy(f.v, v, (size_t)size * sizeof *v);
    sort_ids(f.v, size);
    for (uint32_t i = 0; i < s->feature_count; i++)
        if (s->features[i].body == body && s->features[i].size == size &&
            memcmp(s->features[i].v, f.v, (size_t)size * sizeof *v) == 0)
            return;
    s->features[s->feature_count++] = f;
}

static void list_features(swarm_scene *s) {
    s->feature_count = 0;
    for (uint32_t i = 0; i < s->body_count; i++)
        for (uint32_t t = 0; t < s->bodies[i].triangle_count; t++) {
            const uint32_t *v = s->bodies[i].triangles[t];
            if (!s->bodies[i].alive[t]) continue;
            add_feature(s, i, 3, v);
            for (int k = 0; k < 3; k++) {
                add_feature(s, i, 1, &v[k]);
                add_feature(s, i, 2, (const uint32_t[]){v[k], v[(k + 1) % 3]});
            }
        }
}

static bool is_before(const swarm_feature *a, const swarm_feature *b) {
    if (a->body != b->body) return a->body < b->body;
    return a->v[0] != b->v[0] ? a->v[0] < b->v[0] : a->v[1] < b->v[1];
}

static bool makes_pair(const swarm_scene *s, const swarm_feature *a, const swarm_feature *b) {
    if (!(a->size == 1 && b->size == 3) && !(a->size == 2 && b->size == 2 && is_before(a, b))) return false;
    if (a->body != b->body) return true;
    if (s->bodies[a->body].is_world) return false;
    for (int i = 0; i < a->size; i++)
        for (int j = 0; j < b->size; j++)
            if (a->v[i] == b->v[j]) return false;
    return true;
}

static void decide_pair(swarm_scene *s, const swarm_feature *a, const swarm_feature *b) {
    swarm_pair *p = &s->pairs[s->pair_count++];
    lattice_pair at;
    *p = (swarm_pair){.kind = a->size == 1 ? TOC_VF : TOC_EE, .body = {a->body, b->body}};
    memcpy(p->v, a->v, (size_t)a->size * sizeof *p->v);
    memcpy(p->v + a->size, b->v, (size_t)b->size * sizeof *p->v);
    for (int i = 0; i < 4; i++) {
        const swarm_body *body = &s->bodies[i < a->size ? a->body : b->body];
        memcpy(at.x0[i], body->x0[p->v[i]], sizeof at.x0[i]);
        memcpy(at.x1[i], body->x1[p->v[i]], sizeof at.x1[i]);
    }
    swarm_decide(s->counts, p->kind, &at, &p->truth);
}

static void decide_step(swarm_scene *s) {
    list_features(s);
    s->pair_count = 0;
    for (uint32_t i = 0; i < s->feature_count; i++)
        for (uint32_t j = 0; j < s->feature_count; j++)
            if (makes_pair(s, &s->features[i], &s->features[j])) decide_pair(s, &s->features[i], &s->features[j]);
}

swarm_pair *swarm_find_pair(swarm_scene *s, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    const int first = kind == TOC_VF ? 1 : 2;
    swarm_feature a = {.body = body[0], .size = first}, b = {.body = body[1], .size = 4 - first};
    memcpy(a.v, v, (size_t)first * sizeof *v);
    memcpy(b.v, v + first, (size_t)(4 - first) * sizeof *v);
    sort_ids(a.v, a.size);
    sort_ids(b.v, b.size);
    const bool turned = kind == TOC_EE && !is_before(&a, &b);
    const swarm_feature *x = turned ? &b : &a, *y = turned ? &a : &b;
    for (uint32_t i = 0; i < s->pair_count; i++) {
        swarm_pair *p = &s->pairs[i];
        if (p->kind == kind && p->body[0] == x->body && p->body[1] == y->body &&
            memcmp(p->v, x->v, (size_t)x->size * sizeof *v) == 0 &&
            memcmp(p->v + x->size, y->v, (size_t)y->size * sizeof *v) == 0)
            return p;
    }
    return NULL;
}

// ---- images

static void map_body(const swarm_map *map, const swarm_body *b, double (*x0)[3], double (*x1)[3]) {
    for (uint32_t v = 0; v < b->vertex_count; v++) {
        swarm_map_point(map, b->x0[v], 0, x0[v]);
        swarm_map_point(map, b->x1[v], 1, x1[v]);
    }
}

// Worlds rest: their images have no common motion.
static bool has_world(const swarm_scene *s) { return s->bodies[s->body_count - 1].is_world; }

static toc_status make_image_body(const swarm_scene *s, swarm_image *image, uint32_t number) {
    const swarm_body *b = &s->bodies[number];
    toc_mesh *mesh;
    map_body(&image->map, b, image->x0[number], image->x1[number]);
    TOC_TRY_(toc_mesh_create(NULL, &mesh));
    TOC_TRY_(toc_mesh_add_vertices(mesh, b->vertex_count, image->x0[number][0], NULL));
    TOC_TRY_(toc_mesh_add_elements(mesh, TOC_TRIANGLE, b->triangle_count, b->triangles[0], NULL));
    if (!b->is_world) return toc_scene_add_body(image->scene, mesh, NULL);
    toc_world *world;
    TOC_TRY_(toc_world_create(NULL, mesh, &world));
    const toc_status status = toc_scene_add_world(image->scene, world, NULL);
    toc_world_destroy(world);
    return status;
}

static toc_status move_image(const swarm_scene *s, swarm_image *image) {
    for (uint32_t i = 0; i < s->body_count; i++) {
        const swarm_body *b = &s->bodies[i];
        if (b->is_world) continue;
        double(*x0)[3] = image->x0[i], (*x1)[3] = image->x1[i];
        map_body(&image->map, b, x0, x1);
        const toc_shared_positions start = {.at = x0}, end = {.at = x1};
        TOC_TRY_(b->is_shared
                     ? toc_scene_share_positions(image->scene, i, b->vertex_count, &start, &end)
                     : toc_mesh_set_motion(toc_scene_edit_mesh(image->scene, i), b->vertex_count, x0[0], x1[0]));
    }
    return TOC_OK;
}

static void check_status(swarm_scene *s, toc_status status) {
    if (status != TOC_OK) swarm_fail(s->counts, s->seed, "status %d: %s", (int)status, toc_message_get());
}

static void make_image(swarm_scene *s, swarm_image *image) {
    image->map = swarm_map_make(&s->random);
    if (has_world(s)) memset(image->map.drift, 0, sizeof image->map.drift);
    check_status(s, toc_scene_create(NULL, &image->scene));
    for (uint32_t i = 0; i < s->body_count; i++) check_status(s, make_image_body(s, image, i));
}

// ---- steps

// The end becomes the start, and some triangles are removed or added.
static void edit_step(swarm_scene *s, swarm_image *images) {
    for (uint32_t i = 0; i < s->body_count; i++) {
        swarm_body *b = &s->bodies[i];
        if (b->is_world) continue;
        memcpy(b->x0, b->x1, sizeof b->x0);
        if (trial_chance(&s->random, 0.3)) {
            const uint32_t t = trial_below(&s->random, b->triangle_count);
            for (int k = 0; k < SWARM_IMAGES && b->alive[t]; k++)
                check_status(s, toc_mesh_remove_element(toc_scene_edit_mesh(images[k].scene, i), t));
            b->alive[t] = false;
        }
        if (trial_chance(&s->random, 0.2) && b->triangle_count < SWARM_TRIANGLES) {
            add_triangle(s, b);
            for (int k = 0; k < SWARM_IMAGES; k++)
                check_status(s, toc_mesh_add_elements(toc_scene_edit_mesh(images[k].scene, i), TOC_TRIANGLE, 1,
                                                      b->triangles[b->triangle_count - 1], NULL));
        }
        move_lattice_body(s, b);
    }
}

void swarm_scenes(uint64_t seed, swarm_counts *counts) {
    static swarm_scene s;
    static swarm_image images[SWARM_IMAGES];
    enum { STEPS = 3, QUESTIONS = 5 };
    memset(&s, 0, sizeof s);
    s.seed = seed;
    s.random = (trial_random){trial_hash(seed, 0x7363656e)};
    s.counts = counts;
    make_lattice_scene(&s);
    if (seed % 4 == 0) swarm_ask_potential(&s);
    for (int k = 0; k < SWARM_IMAGES; k++) make_image(&s, &images[k]);
    for (int step = 0; step < STEPS; step++) {
        if (step > 0) edit_step(&s, images);
        decide_step(&s);
        for (int k = 0; k < SWARM_IMAGES; k++) {
            check_status(&s, move_image(&s, &images[k]));
            for (int i = 0; i < QUESTIONS; i++) swarm_ask(&s, &images[k]);
        }
    }
    for (int k = 0; k < SWARM_IMAGES; k++) toc_scene_destroy(images[k].scene);
}

// ---- scenes for other programs

static void write_points(const swarm_body *b, const int (*x)[3], const char *name, FILE *to) {
    fprintf(to, "\"%s\": [", name);
    for (uint32_t v = 0; v < b->vertex_count; v++)
        fprintf(to, "%s[%d, %d, %d]", v ? ", " : "", x[v][0], x[v][1], x[v][2]);
    fprintf(to, "], ");
}

static void write_body_of_scene(const swarm_body *b, FILE *to) {
    fputc('{', to);
    write_points(b, (const int(*)[3])b->x0, "x0", to);
    write_points(b, (const int(*)[3])b->x1, "x1", to);
    fprintf(to, "\"triangles\": [");
    for (uint32_t t = 0; t < b->triangle_count; t++)
        fprintf(to, "%s[%u, %u, %u]", t ? ", " : "", b->triangles[t][0], b->triangles[t][1], b->triangles[t][2]);
    fprintf(to, "], \"world\": %s}", b->is_world ? "true" : "false");
}

void swarm_write_scene(uint64_t seed, FILE *to) {
    static swarm_scene s;
    swarm_counts counts = {0};
    const char *between = "";
    memset(&s, 0, sizeof s);
    s.random = (trial_random){trial_hash(seed, 0x7363656e)};
    s.counts = &counts;
    make_lattice_scene(&s);
    decide_step(&s);
    fprintf(to, "{\"seed\": %llu, \"bodies\": [", (unsigned long long)seed);
    for (uint32_t i = 0; i < s.body_count; i++) {
        if (i > 0) fprintf(to, ", ");
        write_body_of_scene(&s.bodies[i], to);
    }
    fprintf(to, "], \"contacts\": [");
    for (uint32_t i = 0; i < s.pair_count; i++) {
        const swarm_pair *p = &s.pairs[i];
        if (!p->truth.touches) continue;
        fprintf(to, "%s[%d, %u, %u, %u, %u, %u, %u, %.17g, %.17g]", between, p->kind, p->body[0], p->body[1], p->v[0],
                p->v[1], p->v[2], p->v[3], p->truth.low, p->truth.high);
        between = ", ";
    }
    fprintf(to, "]}\n");
}

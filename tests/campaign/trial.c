// SPDX-License-Identifier: Apache-2.0
// Trials as data: operations in memory, as text, as a C program.
#include "campaign/trial.h"

#include <stdlib.h>
#include <string.h>

static const char *const verb_names[TRIAL_VERB_COUNT] = {
    "body",  "move",  "motion",    "accelerate",     "vertices", "element", "remove", "remove-vertex", "split",
    "merge", "group", "thickness", "body-thickness", "filter",   "self",    "groups", "remove-body",   "ask",
};

static const char *const ask_names[TRIAL_ASK_COUNT] = {
    "all",      "first",     "any",        "safe-step", "near",    "near-in-step", "overlaps",   "element-overlaps",
    "features", "room-step", "candidates", "touches",   "closest", "hits",         "containing", "containments",
    "conflict", "changes",
};

const char *trial_ask_name(trial_ask ask) { return ask_names[ask]; }

bool trial_has(const trial *t, const char *name) {
    for (size_t i = 0; i < t->count; i++) {
        const trial_op *op = &t->ops[i];
        if (strcmp(verb_names[op->verb], name) == 0) return true;
        if (op->verb == TRIAL_QUESTION && strcmp(ask_names[op->question.ask], name) == 0) return true;
    }
    return false;
}

static void *copy_of(const void *from, size_t count, size_t size) {
    void *to = malloc(count * size + 1);
    if (!to) abort();
    if (count) memcpy(to, from, count * size);
    return to;
}

trial_op *trial_add(trial *t, trial_verb verb, uint32_t body, size_t number_count, const double *numbers,
                    size_t id_count, const uint32_t *ids) {
    if (t->count == t->capacity) {
        t->capacity = 2 * t->capacity + 16;
        t->ops = realloc(t->ops, t->capacity * sizeof *t->ops);
        if (!t->ops) abort();
    }
    trial_op *op = &t->ops[t->count++];
    *op = (trial_op){.verb = verb, .body = body, .number_count = number_count, .id_count = id_count};
    op->numbers = copy_of(numbers, number_count, sizeof *numbers);
    op->ids = copy_of(ids, id_count, sizeof *ids);
    return op;
}

trial trial_copy(const trial *t, const bool *keep) {
    trial copy = {.seed = t->seed, .family = t->family};
    for (size_t i = 0; i < t->count; i++) {
        const trial_op *op = &t->ops[i];
        if (keep && !keep[i]) continue;
        trial_add(&copy, op->verb, op->body, op->number_count, op->numbers, op->id_count, op->ids)->question =
            op->question;
    }
    return copy;
}

void trial_free(trial *t) {
    for (size_t i = 0; i < t->count; i++) {
        free(t->ops[i].numbers);
        free(t->ops[i].ids);
    }
    free(t->ops);
    *t = (trial){0};
}

// ---- text

static void write_question(const trial_question *q, FILE *to) {
    const char *preset = toc_preset_get((size_t)q->preset).name;
    fprintf(to, " %s %s %d %d %d %a %a %a %a %d %d %u %u %u %u %d %u %u", ask_names[q->ask], preset ? preset : "none",
            q->method, q->threads, q->end, q->separation, q->thickness, q->from, q->to, q->surface_only, q->fresh,
            q->skip, q->filter, q->fail_at, q->stop_at, q->thin, q->image, q->salt);
}

void trial_write(const trial *t, FILE *to) {
    fprintf(to, "trial %llu %s\n", (unsigned long long)t->seed, t->family);
    for (size_t i = 0; i < t->count; i++) {
        const trial_op *op = &t->ops[i];
        fprintf(to, "%s %u", verb_names[op->verb], op->body);
        if (op->verb == TRIAL_QUESTION) write_question(&op->question, to);
        fprintf(to, " %zu", op->id_count);
        for (size_t j = 0; j < op->id_count; j++) fprintf(to, " %u", op->ids[j]);
        fprintf(to, " %zu", op->number_count);
        for (size_t j = 0; j < op->number_count; j++) fprintf(to, " %a", op->numbers[j]);
        fputc('\n', to);
    }
}

static int index_of(const char *const *names, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

static int preset_index(const char *name) {
    const char *known;
    for (int i = 0; (known = toc_preset_get((size_t)i).name) != NULL; i++)
        if (strcmp(known, name) == 0) return i;
    return 0;
}

static bool read_question(trial_question *q, FILE *from) {
    char ask[32], preset[32];
    int surface_only, fresh, thin;
    if (fscanf(from, "%31s %31s %d %d %d %la %la %la %la %d %d %u %u %u %u %d %u %u", ask, preset, &q->method,
               &q->threads, &q->end, &q->separation, &q->thickness, &q->from, &q->to, &surface_only, &fresh, &q->skip,
               &q->filter, &q->fail_at, &q->stop_at, &thin, &q->image, &q->salt) != 18)
        return false;
    const int which = index_of(ask_names, TRIAL_ASK_COUNT, ask);
    if (which < 0) return false;
    q->ask = (trial_ask)which;
    q->preset = preset_index(preset);
    q->surface_only = surface_only;
    q->fresh = fresh;
    q->thin = thin;
    return true;
}

enum { MOST_ITEMS = 1 << 20 };

static bool read_arrays(trial *t, int verb, uint32_t body, const trial_question *q, FILE *from) {
    size_t id_count, number_count;
    if (fscanf(from, "%zu", &id_count) != 1 || id_count > MOST_ITEMS) return false;
    uint32_t *ids = calloc(id_count + 1, sizeof *ids);
    bool good = ids != NULL;
    for (size_t i = 0; good && i < id_count; i++) good = fscanf(from, "%u", &ids[i]) == 1;
    good = good && fscanf(from, "%zu", &number_count) == 1 && number_count <= MOST_ITEMS;
    double *numbers = good ? calloc(number_count + 1, sizeof *numbers) : NULL;
    good = good && numbers;
    for (size_t i = 0; good && i < number_count; i++) good = fscanf(from, "%la", &numbers[i]) == 1;
    if (good) trial_add(t, (trial_verb)verb, body, number_count, numbers, id_count, ids)->question = *q;
    free(ids);
    free(numbers);
    return good;
}

bool trial_read(trial *t, FILE *from) {
    unsigned long long seed;
    char word[32];
    *t = (trial){.family = "file"};
    if (fscanf(from, "trial %llu %31s", &seed, word) != 2) return false;
    t->seed = seed;
    uint32_t body;
    while (fscanf(from, "%31s %u", word, &body) == 2) {
        const int verb = index_of(verb_names, TRIAL_VERB_COUNT, word);
        trial_question q = {0};
        if (verb < 0 || (verb == TRIAL_QUESTION && !read_question(&q, from)) || !read_arrays(t, verb, body, &q, from))
            return false;
    }
    return true;
}

// ---- random numbers

uint64_t trial_bits(trial_random *r) {
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint32_t trial_below(trial_random *r, uint32_t count) { return (uint32_t)((trial_bits(r) >> 32) * count >> 32); }

double trial_between(trial_random *r, double low, double high) {
    return low + (high - low) * ((double)(trial_bits(r) >> 11) * 0x1p-53);
}

bool trial_chance(trial_random *r, double share) { return trial_between(r, 0, 1) < share; }

uint64_t trial_hash(uint64_t a, uint64_t b) {
    trial_random r = {a ^ (b * 0xd6e8feb86659fd93u)};
    return trial_bits(&r);
}

// ---- a C program

static void write_numbers(const char *name, const trial_op *op, FILE *to) {
    fprintf(to, "    static const double %s[] = {", name);
    for (size_t i = 0; i < op->number_count; i++) fprintf(to, "%s%.17g", i ? ", " : "", op->numbers[i]);
    fprintf(to, "};\n");
}

static void write_ids(const char *name, const uint32_t *ids, size_t count, FILE *to) {
    fprintf(to, "    static const uint32_t %s[] = {", name);
    for (size_t i = 0; i < count; i++) fprintf(to, "%s%u", i ? ", " : "", ids[i]);
    fprintf(to, "};\n");
}

static void write_body(const trial_op *op, size_t n, FILE *to) {
    char name[32];
    snprintf(name, sizeof name, "x%zu", n);
    write_numbers(name, op, to);
    fprintf(to, "    toc_mesh_create(NULL, &mesh);\n    toc_mesh_add_vertices(mesh, %zu, x%zu, NULL);\n",
            op->number_count / 3, n);
    for (size_t at = 0, i = 0; at < op->id_count; i++) {
        const toc_shape shape = (toc_shape)op->ids[at];
        snprintf(name, sizeof name, "e%zu_%zu", n, i);
        write_ids(name, op->ids + at + 1, (size_t)toc_shape_count_corners(shape), to);
        fprintf(to, "    toc_mesh_add_elements(mesh, (toc_shape)%d, 1, %s, NULL); // %s\n", (int)shape, name,
                toc_shape_get_name(shape));
        at += 1 + (size_t)toc_shape_count_corners(shape);
    }
    fprintf(to, "    toc_scene_add_body(scene, mesh, NULL);\n");
}

static void write_motion(const trial_op *op, size_t n, FILE *to) {
    char name[32];
    snprintf(name, sizeof name, "x%zu", n);
    write_numbers(name, op, to);
    if (op->verb == TRIAL_MOVE)
        fprintf(to, "    toc_mesh_move(toc_scene_edit_mesh(scene, %u), %zu, %s);\n", op->body, op->number_count / 3,
                name);
    else if (op->verb == TRIAL_SET_MOTION)
        fprintf(to, "    toc_mesh_set_motion(toc_scene_edit_mesh(scene, %u), %zu, %s, %s + %zu);\n", op->body,
                op->number_count / 6, name, name, op->number_count / 2);
    else if (op->verb == TRIAL_ACCELERATE)
        fprintf(to, "    toc_mesh_set_acceleration(toc_scene_edit_mesh(scene, %u), %zu, %s);\n", op->body,
                op->number_count / 3, name);
    else
        fprintf(to, "    toc_mesh_add_vertices(toc_scene_edit_mesh(scene, %u), %zu, %s, NULL);\n", op->body,
                op->number_count / 3, name);
}

static void write_edit(const trial_op *op, size_t n, FILE *to) {
    const uint32_t *i = op->ids;
    const double x = op->number_count ? op->numbers[0] : 0;
    char name[32];
    snprintf(name, sizeof name, "e%zu", n);
    if (op->verb == TRIAL_SPLIT || op->verb == TRIAL_ADD_ELEMENT) write_ids(name, i + 1, op->id_count - 1, to);
    fprintf(to, "    mesh = toc_scene_edit_mesh(scene, %u);\n    ", op->body);
    switch (op->verb) {
    case TRIAL_ADD_ELEMENT:
        fprintf(to, "toc_mesh_add_elements(mesh, (toc_shape)%u, 1, %s, NULL)", i[0], name);
        break;
    case TRIAL_REMOVE_ELEMENT:
        fprintf(to, "toc_mesh_remove_element(mesh, %u)", i[0]);
        break;
    case TRIAL_REMOVE_VERTEX:
        fprintf(to, "toc_mesh_remove_vertex(mesh, %u)", i[0]);
        break;
    case TRIAL_SPLIT:
        fprintf(to, "toc_mesh_split_vertex(mesh, %u, %zu, %s, NULL)", i[0], op->id_count - 1, name);
        break;
    case TRIAL_MERGE:
        fprintf(to, "toc_mesh_merge_vertices(mesh, %u, %u)", i[0], i[1]);
        break;
    case TRIAL_GROUP:
        fprintf(to, "toc_mesh_set_group(mesh, %u, %d)", i[0], (int)i[1]);
        break;
    case TRIAL_THICKNESS:
        fprintf(to, "toc_mesh_set_thickness(mesh, %u, %.17g)", i[0], x);
        break;
    case TRIAL_BODY_THICKNESS:
        fprintf(to, "toc_scene_set_body_thickness(scene, %u, %.17g)", op->body, x);
        break;
    case TRIAL_BODY_FILTER:
        fprintf(to, "toc_scene_set_body_layers(scene, %u, %u, %u)", op->body, i[0], i[1]);
        break;
    case TRIAL_SELF_CONTACT:
        fprintf(to, "toc_scene_set_self_contact(scene, %u, %u)", op->body, i[0]);
        break;
    case TRIAL_REMOVE_BODY:
        fprintf(to, "toc_scene_remove_body(scene, %u, NULL)", op->body);
        break;
    case TRIAL_GROUP_CONTACT:
        fprintf(to, "toc_scene_set_group_contact(scene, %d, %d, %u)", (int)i[0], (int)i[1], i[2]);
        break;
    default:
        break;
    }
    fprintf(to, ";\n");
}

// The calls of include/toccata/solver.h; their settings, such as probes, are derived from the salt of the question.
static void write_solver_call(const trial_question *q, FILE *to) {
    const char *const end = q->end ? "TOC_AT_END" : "TOC_AT_START";
    fprintf(to, "    // %s: its settings follow from the salt %u (tests/campaign/solver.c, tests/campaign/probe.c)\n",
            ask_names[q->ask], q->salt);
    if (q->ask == TRIAL_ROOM_STEP)
        fprintf(to,
                "    toc_room room = toc_room_default();\n    room.most = %.17g;\n    toc_room_step step;\n"
                "    status = toc_scene_find_room_step(scene, &query, &room, &step);\n"
                "    if (status == TOC_OK) printf(\"fraction %%.17g\\n\", step.fraction);\n",
                q->thickness);
    else if (q->ask == TRIAL_CONFLICT)
        fprintf(to, "    toc_conflict conflict;\n    status = toc_scene_find_conflict(scene, &query, &conflict);\n"
                    "    if (status == TOC_OK) printf(\"conflict %%d\\n\", (int)conflict.kind);\n");
    else if (q->ask == TRIAL_CONTAINMENTS)
        fprintf(to,
                "    toc_containments *inside;\n    status = toc_scene_find_containments(scene, &query, %s, &inside);\n"
                "    if (status == TOC_OK) printf(\"%%zu containments\\n\", inside->count);\n",
                end);
}

static void write_call(const trial_question *q, FILE *to) {
    const char *const show_contacts =
        "    if (status == TOC_OK)\n        for (size_t i = 0; i < contacts->count; i++) {\n"
        "            const toc_contact *c = &contacts->contacts[i];\n"
        "            printf(\"%s %u %u: %u %u %u %u at %.17g\\n\", c->kind ? \"EE\" : \"VF\", c->body[0], c->body[1],\n"
        "                   c->v[0], c->v[1], c->v[2], c->v[3], c->toc);\n        }\n";
    const char *const end = q->end ? "TOC_AT_END" : "TOC_AT_START";
    switch (q->ask) {
    case TRIAL_SAFE_STEP:
        fprintf(to, "    double fraction = -1;\n    status = toc_scene_find_safe_step(scene, &query, &fraction);\n"
                    "    printf(\"fraction %%.17g\\n\", fraction);\n");
        break;
    case TRIAL_NEAR:
    case TRIAL_NEAR_IN_STEP:
        fprintf(to,
                "    toc_near_query asked = toc_near_query_default();\n    asked.time = %s;\n"
                "    asked.distance = %.17g;\n    toc_near *near;\n"
                "    status = toc_scene_find_near(scene, &query, &asked, NULL, &near);\n",
                q->ask == TRIAL_NEAR_IN_STEP ? "TOC_NEAR_IN_STEP"
                : q->end                     ? "TOC_NEAR_AT_END"
                                             : "TOC_NEAR_AT_START",
                q->thickness);
        break;
    case TRIAL_OVERLAPS:
    case TRIAL_ELEMENT_OVERLAPS:
        fprintf(to,
                "    toc_overlaps *overlaps;\n    status = toc_scene_find_%s(scene, &query, %s, NULL, &overlaps);\n",
                q->ask == TRIAL_OVERLAPS ? "overlaps" : "element_overlaps", end);
        break;
    case TRIAL_ALL:
    case TRIAL_FIRST:
    case TRIAL_ANY:
    case TRIAL_TOUCHES:
    case TRIAL_CHANGES:
        fprintf(to, "    status = toc_scene_find_contacts(scene, &query, NULL, &contacts);\n%s", show_contacts);
        break;
    default:
        break;
    }
    if (q->ask > TRIAL_FEATURES) write_solver_call(q, to);
    fprintf(to, "    printf(\"status %%d %%s\\n\", status, status ? toc_message_get() : \"\");\n    }\n");
}

static void write_query(const trial_question *q, FILE *to) {
    fprintf(to, "    {\n    toc_query query = toc_query_default();\n    query.preset = \"%s\";\n",
            toc_preset_get((size_t)q->preset).name);
    if (q->ask == TRIAL_FIRST || q->ask == TRIAL_ANY)
        fprintf(to, "    query.answer = %s;\n", q->ask == TRIAL_FIRST ? "TOC_ANSWER_FIRST" : "TOC_ANSWER_ANY");
    fprintf(to, "    query.test.method = (toc_method)%d;\n    query.threads = %d;\n", q->method, q->threads);
    if (q->separation != 0) fprintf(to, "    query.test.separation = %.17g;\n", q->separation);
    if (q->from != 0 || q->to != 1)
        fprintf(to, "    query.test.from = %.17g;\n    query.test.to = %.17g;\n", q->from, q->to);
    if (q->surface_only) fprintf(to, "    query.surface_only = true;\n");
    if (q->thin) fprintf(to, "    query.thin = true;\n");
    if (q->image)
        fprintf(to, "    // The campaign also asks an image of the scene, number %u (tests/campaign/image.h).\n",
                q->image);
    if (q->skip) fprintf(to, "    query.research = &(toc_research){.skip = %u};\n", q->skip);
    if (q->filter) fprintf(to, "    // a callback that refuses a third of the pairs, number %u\n", q->filter);
    if (q->fail_at) fprintf(to, "    // allocation %u of the question fails\n", q->fail_at);
    if (q->stop_at) fprintf(to, "    // report %u of progress says stop\n", q->stop_at);
    write_call(q, to);
}

void trial_write_program(const trial *t, const char *what, FILE *to) {
    fprintf(to, "// Seed %llu: %s\n// cc -I include FILE.c build/libtoccata.so\n#include <stdio.h>\n\n",
            (unsigned long long)t->seed, what);
    fprintf(to, "#include <toccata/toccata.h>\n\nint main(void) {\n    toc_scene *scene;\n    toc_mesh *mesh;\n"
                "    toc_contacts *contacts;\n    toc_status status = toc_scene_create(NULL, &scene);\n");
    for (size_t n = 0; n < t->count; n++) {
        const trial_op *op = &t->ops[n];
        if (op->verb == TRIAL_BODY)
            write_body(op, n, to);
        else if (op->verb == TRIAL_QUESTION)
            write_query(&op->question, to);
        else if (op->verb <= TRIAL_ADD_VERTICES)
            write_motion(op, n, to);
        else
            write_edit(op, n, to);
    }
    fprintf(to, "    toc_scene_destroy(scene);\n    (void)contacts;\n    return status;\n}\n");
}

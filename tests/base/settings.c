// SPDX-License-Identifier: Apache-2.0
// Settings of callers that were compiled with another version, and the layouts that such callers rely on.
#include <string.h>

#include "support/test.h"
#include "toccata/character.h"
#include "toccata/io.h"
#include "toccata/research.h"
#include "toccata/sim.h"
#include "toccata/solver.h"

// A newer library must not write beyond the structure that an older caller has on its stack.
static void an_older_structure_is_not_overrun(void **state) {
    (void)state;
    struct {
        toc_query query;
        unsigned char behind[64];
    } room;
    const size_t older = offsetof(toc_query, research);
    memset(&room, 0xa5, sizeof room);
    assert_ok(toc_query_init(&room.query, older));
    assert_int_equal(room.query.size, older);
    for (size_t i = older; i < sizeof room; i++) assert_int_equal(((unsigned char *)&room)[i], 0xa5);
}

static toc_status find_in_nothing(const void *query) {
    toc_scene *scene;
    toc_contacts *contacts = NULL;
    assert_ok(toc_scene_create(NULL, &scene));
    const toc_status status = toc_scene_find_contacts(scene, query, NULL, &contacts);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(scene);
    return status;
}

// The fields that an older caller does not have take their defaults: the bytes behind its structure are not read.
static void an_older_query_is_accepted(void **state) {
    (void)state;
    toc_query query;
    memset(&query, 0xff, sizeof query);
    assert_ok(toc_query_init(&query, offsetof(toc_query, research)));
    assert_ok(find_in_nothing(&query));
    assert_non_null(query.research); // it would have been read
}

typedef struct newer_query {
    toc_query known;
    uint64_t added;
} newer_query;

static void a_newer_query_is_accepted_only_with_zeros(void **state) {
    (void)state;
    newer_query query;
    assert_ok(toc_query_init(&query.known, sizeof query));
    assert_int_equal(query.known.size, sizeof query);
    assert_int_equal(query.added, 0);
    assert_ok(find_in_nothing(&query));
    query.added = 1;
    assert_fails(find_in_nothing(&query), TOC_BAD_INPUT, "must be 0");
}

static void a_size_that_no_initialiser_wrote_is_refused(void **state) {
    (void)state;
    toc_query query = toc_query_default();
    query.size = 0;
    assert_fails(find_in_nothing(&query), TOC_BAD_INPUT, "toc_query_init");
    query.size = UINT32_MAX;
    assert_fails(find_in_nothing(&query), TOC_BAD_INPUT, "toc_query_init");
    assert_fails(find_in_nothing(NULL), TOC_BAD_INPUT, "toc_query_init");
    assert_fails(toc_query_init(NULL, sizeof query), TOC_BAD_INPUT, "NULL");
    assert_fails(toc_query_init(&query, 4), TOC_BAD_INPUT, "4 bytes");
}

static void tests_of_other_versions(void **state) {
    (void)state;
    struct {
        toc_pair_test known;
        double added;
    } newer;
    toc_pair_test older;
    const toc_pair pair = {.x0 = {{0, 0, 1}, {-1, -1, 0}, {1, -1, 0}, {0, 1, 0}},
                           .x1 = {{0, 0, -1}, {-1, -1, 0}, {1, -1, 0}, {0, 1, 0}}};
    toc_hit hit;
    memset(&older, 0xff, sizeof older);
    assert_ok(toc_pair_test_init(&older, offsetof(toc_pair_test, reserved)));
    assert_ok(toc_pair_find(TOC_VF, &pair, &older, &hit));
    assert_int_equal(hit.verdict, TOC_HIT);
    assert_ok(toc_pair_test_init(&newer.known, sizeof newer));
    assert_ok(toc_pair_find(TOC_VF, &pair, &newer.known, &hit));
    newer.added = 1;
    assert_fails(toc_pair_find(TOC_VF, &pair, &newer.known, &hit), TOC_BAD_INPUT, "must be 0");
    newer.added = 0;
    newer.known.reserved[3] = 1;
    assert_fails(toc_pair_find(TOC_VF, &pair, &newer.known, &hit), TOC_BAD_INPUT, "reserved");
}

// Settings of simulations and characters grow as those of questions do.
static void simulations_take_settings_of_other_versions(void **state) {
    (void)state;
    struct {
        toc_sim_settings known;
        double added;
    } newer;
    toc_sim *sim;
    assert_ok(toc_sim_settings_init(&newer.known, sizeof newer));
    assert_int_equal(newer.known.size, sizeof newer);
    assert_ok(toc_sim_create(&newer.known, NULL, &sim));
    struct {
        toc_sim_material known;
        double added;
    } material;
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 3, (const double[]){0, 0, 0, 1, 0, 0, 0, 1, 0}, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, (const uint32_t[]){0, 1, 2}, NULL));
    assert_ok(toc_sim_material_init(&material.known, sizeof material));
    material.added = 1;
    assert_fails(toc_sim_add_body(sim, mesh, &material.known, NULL), TOC_BAD_INPUT, "must be 0");
    material.added = 0;
    assert_ok(toc_sim_add_body(sim, mesh, &material.known, NULL));
    toc_sim_destroy(sim);
    newer.added = 1;
    assert_fails(toc_sim_create(&newer.known, NULL, &sim), TOC_BAD_INPUT, "must be 0");
    toc_character_settings character;
    assert_fails(toc_character_settings_init(&character, 4), TOC_BAD_INPUT, "toc_character_settings_init");
    toc_cage_settings cage;
    assert_fails(toc_cage_settings_init(NULL, sizeof cage), TOC_BAD_INPUT, "NULL");
}

// One function serves a family: it refuses what no typed function of the headers asks for.
static void kinds_that_do_not_exist_are_refused(void **state) {
    (void)state;
    char room[4096];
    assert_fails(toc_defaults_write((toc_defaults)77, room, sizeof room), TOC_BAD_INPUT, "kind 77");
    assert_fails(toc_sim_defaults_write((toc_sim_defaults)-1, room, sizeof room), TOC_BAD_INPUT, "kind -1");
    toc_answer_destroy(NULL);
    toc_mesh *mesh;
    toc_scene *scene;
    toc_overlaps *overlaps = NULL;
    const toc_query query = toc_query_default();
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_fails(toc_mesh_set_labels(mesh, (toc_mesh_item)2, 0, NULL), TOC_BAD_INPUT, "not of item 2");
    assert_false(toc_mesh_get_label(mesh, (toc_mesh_item)2, 0, NULL));
    toc_mesh_destroy(mesh);
    assert_ok(toc_scene_create(NULL, &scene));
    assert_fails(toc_scene_find_overlaps_of(scene, &query, TOC_AT_START, (toc_overlaps_of)5, NULL, &overlaps),
                 TOC_BAD_INPUT, "not of item 5");
    assert_null(overlaps);
    toc_scene_destroy(scene);
}

// A report of an older caller receives the fields that it has, of a newer one zeros for the rest.
static void reports_have_the_size_of_the_caller(void **state) {
    (void)state;
    struct {
        toc_mesh_report known;
        uint64_t added;
    } newer = {.added = 7};
    toc_mesh_report older;
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 1, (const double[]){0, 0, 0}, NULL));
    assert_ok(toc_mesh_inspect_sized(mesh, &newer.known, sizeof newer));
    assert_int_equal(newer.added, 0);
    assert_int_equal(newer.known.vertices, 1);
    memset(&older, 0xff, sizeof older);
    assert_ok(toc_mesh_inspect_sized(mesh, &older, offsetof(toc_mesh_report, elements)));
    assert_int_equal(older.vertices, 1);
    assert_true(older.elements == SIZE_MAX);
    toc_mesh_destroy(mesh);
}

// Sizes on machines with 64 bits. A structure may change only together with the SONAME, but for new fields at the end
// of those that base.h names under "Growth".
static const struct {
    const char *name;
    size_t is, was;
} sizes[] = {
#define SIZE(type, bytes) \
    { #type, sizeof(type), (bytes) }
    SIZE(toc_allocator, 16),
    SIZE(toc_progress, 16),
    SIZE(toc_pair_filter, 16),
    SIZE(toc_element, 32),
    SIZE(toc_event, 24),
    SIZE(toc_lists, 24),
    SIZE(toc_features, 168),
    SIZE(toc_mesh_report, 232),
    SIZE(toc_mesh_info, 48),
    SIZE(toc_pair_test, 80),
    SIZE(toc_hit, 96),
    SIZE(toc_pair, 192),
    SIZE(toc_pair_batch, 264),
    SIZE(toc_hull, 32),
    SIZE(toc_convex_hit, 192),
    SIZE(toc_quadratic_pair, 288),
    SIZE(toc_overlap, 72),
    SIZE(toc_distance, 88),
    SIZE(toc_inside, 72),
    SIZE(toc_research, 24),
    SIZE(toc_query, 224),
    SIZE(toc_device_info, 112),
    SIZE(toc_contact, 120),
    SIZE(toc_shared_positions, 24),
    SIZE(toc_stage, 32),
    SIZE(toc_contacts, 64),
    SIZE(toc_body_pair, 16),
    SIZE(toc_overlap_pair, 96),
    SIZE(toc_overlaps, 24),
    SIZE(toc_near_pair, 160),
    SIZE(toc_near, 24),
    SIZE(toc_near_query, 16),
    SIZE(toc_format_info, 32),
    SIZE(toc_read_options, 40),
    SIZE(toc_triangle_pair, 296),
    SIZE(toc_triangle_hit, 152),
    SIZE(toc_room, 24),
    SIZE(toc_room_step, 56),
    SIZE(toc_touch, 24),
    SIZE(toc_touches, 776),
    SIZE(toc_probe, 32),
    SIZE(toc_scene_point, 72),
    SIZE(toc_segment_hit, 96),
    SIZE(toc_containment, 12),
    SIZE(toc_containments, 24),
    SIZE(toc_conflict, 24),
    SIZE(toc_touching_pair, 48),
    SIZE(toc_touching, 24),
    SIZE(toc_pair_change, 56),
    SIZE(toc_pair_changes, 40),
    SIZE(toc_character_settings, 88),
    SIZE(toc_character_def, 56),
    SIZE(toc_character_contact, 48),
    SIZE(toc_character_report, 136),
    SIZE(toc_character_frame, 40),
    SIZE(toc_sequence_info, 40),
    SIZE(toc_rig_joint, 112),
    SIZE(toc_rig_weight, 16),
#undef SIZE
};

static void layouts_stay(void **state) {
    (void)state;
    if (sizeof(void *) != 8) skip();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i].is != sizes[i].was)
            print_error("%s has %zu bytes, not %zu\n", sizes[i].name, sizes[i].is, sizes[i].was);
        assert_int_equal(sizes[i].is, sizes[i].was);
    }
    assert_int_equal(offsetof(toc_query, test), 24);
    assert_int_equal(offsetof(toc_query, progress), 112);
    assert_int_equal(offsetof(toc_contacts, chosen), 48);
}

// The values of enumerations are part of the interface: compiled callers and bindings of other languages hold them. New
// values go to the end.
static void enumerations_stay(void **state) {
    (void)state;
    const int statuses[] = {TOC_OK,      TOC_BAD_INPUT, TOC_INTERNAL, TOC_OUT_OF_MEMORY, TOC_DISK_FULL,
                            TOC_STOPPED, TOC_BUSY,      TOC_STALE,    TOC_UNSTABLE,      TOC_NO_DEVICE};
    const int shapes[] = {TOC_REMOVED, TOC_POINT,   TOC_EDGE,  TOC_TRIANGLE, TOC_QUAD,
                          TOC_TET,     TOC_PYRAMID, TOC_WEDGE, TOC_HEX};
    const int methods[] = {TOC_METHOD_EXACT,       TOC_METHOD_CERTIFIED, TOC_METHOD_CUBIC,     TOC_METHOD_CA_FEATURE,
                           TOC_METHOD_CA_TRIANGLE, TOC_METHOD_CULLING,   TOC_METHOD_INCLUSION, TOC_METHOD_ADDITIVE};
    const int events[] = {TOC_EVENT_VERTICES_ADDED, TOC_EVENT_ELEMENTS_ADDED, TOC_EVENT_ELEMENT_REMOVED,
                          TOC_EVENT_VERTEX_REMOVED, TOC_EVENT_CORNER_CHANGED};
    const int steps[] = {TOC_TRIANGLE_STEP_PLANE,  TOC_TRIANGLE_STEP_THREE,       TOC_TRIANGLE_STEP_TWO,
                         TOC_TRIANGLE_STEP_LINES,  TOC_TRIANGLE_STEP_LINES_THIRD, TOC_TRIANGLE_STEP_CIRCLE,
                         TOC_TRIANGLE_STEP_CIRCLES};
    const int ends[] = {TOC_AT_START, TOC_AT_END}, kinds[] = {TOC_VF, TOC_EE};
    const int verdicts[] = {TOC_APART, TOC_HIT, TOC_UNDECIDED};
    const int answers[] = {TOC_ANSWER_ALL, TOC_ANSWER_FIRST, TOC_ANSWER_ANY};
    const int motions[] = {TOC_SIM_SOFT, TOC_SIM_RIGID, TOC_SIM_GUIDED};
    const int conflicts[] = {TOC_CONFLICT_NONE, TOC_CONFLICT_CONTACT, TOC_CONFLICT_CONTAINMENT, TOC_CONFLICT_OVERLAP};
    const int levels[] = {TOC_LEVEL_BODIES, TOC_LEVEL_GROUPS, TOC_LEVEL_FEATURES};
    const int changes[] = {TOC_CHANGE_BEGAN, TOC_CHANGE_PERSISTS, TOC_CHANGE_ENDED};
    const int potentials[] = {TOC_POTENTIAL_BARRIER, TOC_POTENTIAL_FRICTION};
    const int orders[] = {TOC_ENERGY, TOC_GRADIENT, TOC_HESSIAN};
    const int classes[] = {TOC_VERTEX_VERTEX, TOC_EDGE_VERTEX, TOC_EDGE_EDGE, TOC_FACE_VERTEX};
    const struct {
        const char *name;
        const int *at;
        size_t count;
    } lists[] = {
#define LIST(list) {#list, list, sizeof list / sizeof *list}
        LIST(statuses), LIST(shapes),     LIST(methods), LIST(events),  LIST(steps),     LIST(ends),
        LIST(kinds),    LIST(verdicts),   LIST(answers), LIST(motions), LIST(conflicts), LIST(levels),
        LIST(changes),  LIST(potentials), LIST(orders),  LIST(classes),
#undef LIST
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (size_t j = 0; j < lists[i].count; j++) {
            if (lists[i].at[j] != (int)j) print_error("%s: value %zu is %d\n", lists[i].name, j, lists[i].at[j]);
            assert_int_equal(lists[i].at[j], j);
        }
    assert_int_equal(TOC_METHOD_OF_PRESET, -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_structure_is_not_overrun),
        cmocka_unit_test(an_older_query_is_accepted),
        cmocka_unit_test(a_newer_query_is_accepted_only_with_zeros),
        cmocka_unit_test(a_size_that_no_initialiser_wrote_is_refused),
        cmocka_unit_test(tests_of_other_versions),
        cmocka_unit_test(simulations_take_settings_of_other_versions),
        cmocka_unit_test(kinds_that_do_not_exist_are_refused),
        cmocka_unit_test(reports_have_the_size_of_the_caller),
        cmocka_unit_test(layouts_stay),
        cmocka_unit_test(enumerations_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

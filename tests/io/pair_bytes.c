// SPDX-License-Identifier: Apache-2.0
// The bytes of written contacts, near pairs and overlaps, of every format: readers of other programs rely on them. Each
// file is compared by the hash of its bytes. A change of a file on purpose changes its hash here, too.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/core/source.h"
#include "support/reading.h"

enum { MOST = 300, LISTS = 4 };

static const size_t list_counts[LISTS] = {0, 1, 7, MOST}; // items of each list

static toc_contact contacts[MOST];
static toc_near_pair near_pairs[MOST];
static toc_overlap_pair overlaps[MOST];
static toc_place places[MOST];

// FNV-1a.
static uint64_t hash_of(const char *bytes, size_t count) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++) hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return hash;
}

static void check_file(const char *path, uint64_t wanted) {
    size_t count;
    char *bytes = test_file_read(path, &count);
    const uint64_t got = hash_of(bytes, count);
    free(bytes);
    if (got != wanted) fail_msg("%s has the hash 0x%016" PRIx64 ", not 0x%016" PRIx64, path, got, wanted);
}

// Any double that is a number, in a text; one of moderate size for a .glb, which holds floats.
static double some_double(test_random *random, bool wild) {
    static const double special[] = {0, -0.0, 1, 5e-324, 0x1p-1022, 1e300, 1.0 / 3, 0.1};
    const uint32_t choice = wild ? test_random_below(random, 16) : 16;
    return choice < 8 ? special[choice] : test_random_between(random, -1000, 1000) / 3;
}

static void fill_doubles(test_random *random, bool wild, size_t count, double *x) {
    for (size_t i = 0; i < count; i++) x[i] = some_double(random, wild);
}

// Bits of any number: the order of two calls in one expression is the compiler's.
static uint64_t some_bits(test_random *random, uint32_t most) {
    const uint64_t bits = test_random_bits(random);
    return bits >> (64 - 1 - test_random_below(random, most));
}

static void fill_ids(test_random *random, size_t count, uint32_t *ids) {
    for (size_t i = 0; i < count; i++) ids[i] = (uint32_t)some_bits(random, 32);
}

static void fill_contacts(test_random *random, bool wild) {
    for (size_t i = 0; i < MOST; i++) {
        toc_contact *c = &contacts[i];
        memset(c, 0, sizeof *c);
        c->kind = test_random_below(random, 2) ? TOC_EE : TOC_VF;
        c->verdict = test_random_below(random, 2) ? TOC_HIT : TOC_UNDECIDED;
        fill_ids(random, 2, c->body);
        fill_ids(random, 4, c->v);
        c->toc = test_random_between(random, 0, 1);
        fill_doubles(random, wild, 4, c->weights);
        fill_doubles(random, wild, 3, c->point);
        fill_doubles(random, wild, 3, c->normal);
    }
}

static void fill_near_pairs(test_random *random) {
    for (size_t i = 0; i < MOST; i++) {
        toc_near_pair *p = &near_pairs[i];
        memset(p, 0, sizeof *p);
        p->kind = test_random_below(random, 2) ? TOC_EE : TOC_VF;
        fill_ids(random, 2, p->body);
        fill_ids(random, 4, p->v);
        fill_doubles(random, true, 1, &p->distance);
        fill_doubles(random, true, 4, p->weights);
        fill_doubles(random, true, 3, p->points[0]);
        fill_doubles(random, true, 3, p->points[1]);
        fill_doubles(random, true, 3, p->normal);
        fill_doubles(random, true, 1, &p->time);
        fill_doubles(random, true, 1, &p->thickness);
    }
}

// Of faces and of elements, which have no corners.
static void fill_overlaps(test_random *random) {
    for (size_t i = 0; i < MOST; i++) {
        toc_overlap_pair *p = &overlaps[i];
        memset(p, 0, sizeof *p);
        fill_ids(random, 2, p->body);
        fill_ids(random, 2, p->element);
        memset(p->v, 0xff, sizeof p->v);
        if (test_random_below(random, 2)) {
            fill_ids(random, 3, p->v[0]);
            fill_ids(random, 3, p->v[1]);
        }
        fill_doubles(random, true, 1, &p->depth);
        fill_doubles(random, true, 3, p->normal);
        fill_doubles(random, true, 3, p->point);
    }
}

static void fill_places(test_random *random) {
    static const char *const names[] = {NULL, "", "wall", "a, \"b\"", "back\\slash", "\xc3\xa4"};
    for (size_t i = 0; i < MOST; i++) {
        toc_place *p = &places[i];
        memset(p, 0, sizeof *p);
        fill_ids(random, 2, p->element);
        for (int k = 0; k < 2; k++) {
            p->element_label[k] = (int64_t)some_bits(random, 64);
            p->part[k] = (int32_t)test_random_below(random, 9) - 4;
            p->part_name[k] = names[test_random_below(random, 6)];
        }
        for (int k = 0; k < 6; k++) p->vertex_label[k] = (int64_t)some_bits(random, 64);
        p->time = test_random_between(random, 0, 10);
    }
}

typedef toc_status list_writer(const char *path, size_t count, const toc_place *of);

static toc_status write_contact_list(const char *path, size_t count, const toc_place *of) {
    return toc_contacts_write(path, &(toc_contacts){.count = count, .contacts = contacts}, of);
}

static toc_status write_near_list(const char *path, size_t count, const toc_place *of) {
    return toc_answer_write(path, TOC_ITEM_NEAR, count, near_pairs, of);
}

static toc_status write_overlap_list(const char *path, size_t count, const toc_place *of) {
    return toc_answer_write(path, TOC_ITEM_OVERLAP, count, overlaps, of);
}

static toc_status write_step_list(const char *path, size_t count, const toc_place *of) {
    static const double x0[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, x1[] = {0, 0, 1, 1, 0, 1, 0, 1, 1};
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 3, x0, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, (const uint32_t[]){0, 1, 2}, NULL));
    assert_ok(test_mesh_move(mesh, x1));
    const toc_status status = toc_step_write(path, mesh, &(toc_contacts){.count = count, .contacts = contacts}, of);
    toc_mesh_destroy(mesh);
    return status;
}

// Every list without places, then with them.
static void check_lists(const char *name, list_writer *write, const uint64_t wanted[2 * LISTS]) {
    const char *path = test_path(test_folder, name);
    if (TOC_BIG_ENDIAN_HOST) skip(); // a .vtp has the bytes of the machine
    for (int i = 0; i < 2 * LISTS; i++) {
        assert_ok(write(path, list_counts[i % LISTS], i < LISTS ? NULL : places));
        check_file(path, wanted[i]);
    }
}

static int fill_lists(void **state) {
    test_random random = test_random_make(1);
    fill_contacts(&random, true);
    fill_near_pairs(&random);
    fill_overlaps(&random);
    fill_places(&random);
    return test_folder_begin(state);
}

static void bytes_of_contacts(void **state) {
    (void)state;
    check_lists("c.csv", write_contact_list,
                (const uint64_t[]){0xcd3c2f9ab6cc2e25, 0x7c874545b8abd08d, 0x2fe08f68579e72ff, 0x728fda3790f2a0ec,
                                   0x9cd822a2f5d9968a, 0x14b6f09d590d70c3, 0x59a8f00f09b9c1c4, 0x06e8e1a96ed27592});
    check_lists("c.json", write_contact_list,
                (const uint64_t[]){0xcbf29ce484222325, 0xbcc0d19ac3a0e6f1, 0xadb263c19565933b, 0x101431ccde8c3e64,
                                   0xcbf29ce484222325, 0x50cf4a7826b18163, 0x99a5ad7fb9944752, 0x34709515f63e0f39});
    check_lists("c.vtp", write_contact_list,
                (const uint64_t[]){0xb538f0ff1363d3c1, 0x785024d7c57d821d, 0x09d56c8eb45715e8, 0x168ec3a83713953a,
                                   0x5c33861213e29b25, 0x3e6490bba22d71ca, 0xd5b38d51a582498f, 0x87f6d00a59e8c5d2});
}

static void bytes_of_near_pairs(void **state) {
    (void)state;
    check_lists("n.csv", write_near_list,
                (const uint64_t[]){0xd585242325bad847, 0xb4e59d84c23a26e7, 0x7676109a5cef8e84, 0xf073aea36a5c56a9,
                                   0x64304ba5f3cdfbe8, 0x786ed80c78a23925, 0xb92142926ebbb8dd, 0x3d63d8c690779a71});
    check_lists("n.json", write_near_list,
                (const uint64_t[]){0xcbf29ce484222325, 0x24f3f5cf3e3932b5, 0x6d11016c0e905992, 0x8b684fa465dffd77,
                                   0xcbf29ce484222325, 0x1090e9d259aac5df, 0x2a8c5f60c754a2f3, 0x33b31fc9324dfc4c});
    check_lists("n.vtp", write_near_list,
                (const uint64_t[]){0x6415b8731128bd8a, 0xa00f4f9e3507fdd2, 0x19842f6db4c501d4, 0x499ece87c47a8e3c,
                                   0x113166552c4da9c8, 0x9c879407a625d423, 0xcebec2873afa10d5, 0xe3209dab4e45bca6});
}

static void bytes_of_overlaps(void **state) {
    (void)state;
    check_lists("o.csv", write_overlap_list,
                (const uint64_t[]){0x261cb23221f9ff7c, 0x3c56f16373b0034a, 0x9deebcaf7f46a275, 0x1baec5a4adc071bf,
                                   0xfe933070230f2136, 0x0ecb9719ecc31b67, 0x590ac12b6f6e6264, 0xbbc2f50d5333647d});
    check_lists("o.json", write_overlap_list,
                (const uint64_t[]){0xcbf29ce484222325, 0x4be17ba42c21e620, 0x954a98414aa83781, 0xf64cad6b689ded6e,
                                   0xcbf29ce484222325, 0x199231d52650bd0f, 0xc24df185366963ca, 0x22b0cd9f8209eefe});
    check_lists("o.vtp", write_overlap_list,
                (const uint64_t[]){0x16d7d2ec1bd796fc, 0xed4268a0a2c77a34, 0x9ff5c40cf98eac28, 0x603547f277c8c2ad,
                                   0xccf316fc016e45c0, 0x2c9c81240eb07691, 0xeb0a688038afd090, 0x56411e2cfc0c07a9});
}

static void bytes_of_a_step_with_contacts(void **state) {
    (void)state;
    test_random random = test_random_make(1);
    fill_contacts(&random, false);
    check_lists("c.glb", write_step_list,
                (const uint64_t[]){0x7cc78bdb7017314d, 0x5e418318491b7e75, 0x321a1e9568e709ff, 0xab709afd2242a881,
                                   0x7cc78bdb7017314d, 0xa202e941d0efcda6, 0xabfd08913708f4a2, 0x5f4741fed2879293});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_contacts),
        cmocka_unit_test(bytes_of_near_pairs),
        cmocka_unit_test(bytes_of_overlaps),
        cmocka_unit_test(bytes_of_a_step_with_contacts),
    };
    return cmocka_run_group_tests(tests, fill_lists, test_folder_end);
}

// SPDX-License-Identifier: Apache-2.0
// glTF: the visible scene becomes one mesh, for any way in which the file stores it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/glb.h"
#include "support/reading.h"

static toc_mesh *read_glb(const char *json, const void *bytes, size_t byte_count) {
    size_t count;
    char *glb = test_glb_make(json, bytes, byte_count, &count);
    toc_mesh *mesh = test_read("a.glb", glb, count);
    free(glb);
    return mesh;
}

static void refuse_glb(const char *json, const void *bytes, size_t byte_count, const char *words) {
    size_t count;
    char *glb = test_glb_make(json, bytes, byte_count, &count);
    test_read_refused("a.glb", glb, count, words);
    free(glb);
}

// Five vertices at different places.
static const float five[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 2, 2};

#define VIEW(OFFSET, LENGTH) "{\"buffer\":0,\"byteOffset\":" #OFFSET ",\"byteLength\":" #LENGTH "}"
#define FIVE "{\"bufferView\":0,\"componentType\":5126,\"count\":5,\"type\":\"VEC3\"}"
#define STORED ",\"bufferViews\":[" VIEW(0, 60) "],\"accessors\":[" FIVE "]"

static void every_mode_makes_its_elements(void **state) {
    (void)state;
    static const struct {
        int mode;
        toc_shape shape;
        uint32_t count, corners[5][3];
    } modes[] = {
        {0, TOC_POINT, 5, {{0}, {1}, {2}, {3}, {4}}},
        {2, TOC_EDGE, 5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}}},
        {3, TOC_EDGE, 4, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}},
        {5, TOC_TRIANGLE, 3, {{0, 1, 2}, {2, 1, 3}, {2, 3, 4}}},
        {6, TOC_TRIANGLE, 3, {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}},
    };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        char json[512];
        snprintf(json, sizeof json,
                 STORED ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":%d}]}]",
                 modes[i].mode);
        toc_mesh *mesh = read_glb(json, five, sizeof five);
        assert_int_equal(toc_mesh_get_vertex_count(mesh), 5);
        assert_int_equal(toc_mesh_get_element_count(mesh), modes[i].count);
        for (uint32_t k = 0; k < modes[i].count; k++)
            assert_element_(mesh, k, modes[i].shape, (size_t)toc_shape_count_corners(modes[i].shape),
                            modes[i].corners[k], __FILE__, __LINE__);
        assert_vertex(mesh, 4, 2, 2, 2);
        toc_mesh_destroy(mesh);
    }
}

static void indices_of_every_type(void **state) {
    (void)state;
    static const int types[] = {5121, 5123, 5125}, sizes[] = {1, 2, 4};
    for (int i = 0; i < 3; i++) {
        char bytes[60 + 24] = {0}, json[1024];
        memcpy(bytes, five, sizeof five);
        static const int corners[6] = {4, 3, 2, 0, 1, 2};
        for (int k = 0; k < 6; k++) bytes[60 + sizes[i] * k] = (char)corners[k];
        snprintf(
            json, sizeof json,
            ",\"bufferViews\":[" VIEW(0, 60) "," VIEW(
                60,
                24) "],\"accessors\":[" FIVE ",{\"bufferView\":1,\"componentType\":%d,\"count\":6,\"type\":\"SCALAR\"}]"
                    ",\"meshes\":[{\"primitives\":"
                    "[{\"attributes\":{\"POSITION\":0},\"indices\":1},{\"attributes\":{\"POSITION\":0},\"indices\":1,"
                    "\"mode\":1}]}]",
            types[i]);
        toc_mesh *mesh = read_glb(json, bytes, sizeof bytes);
        assert_int_equal(toc_mesh_get_vertex_count(mesh), 5); // both primitives share them
        assert_int_equal(toc_mesh_get_element_count(mesh), 5);
        assert_element(mesh, 0, TOC_TRIANGLE, 4, 3, 2);
        assert_element(mesh, 1, TOC_TRIANGLE, 0, 1, 2);
        assert_element(mesh, 4, TOC_EDGE, 1, 2);
        assert_int_equal(toc_mesh_get_element(mesh, 0).group, 0);
        assert_int_equal(toc_mesh_get_element(mesh, 4).group, 1);
        toc_mesh_destroy(mesh);
    }
}

// Integers in place of floats (KHR_mesh_quantization), as they are or standing for 0 .. 1 and -1 .. 1.
static void positions_of_every_type(void **state) {
    (void)state;
    static const struct {
        int type, size;
        const char *normalized;
        double first, second;
    } cases[] = {
        {5120, 1, "false", -128, 127},     {5120, 1, "true", -1, 1},
        {5121, 1, "false", 128, 127},      {5121, 1, "true", 128.0 / 255, 127.0 / 255},
        {5122, 2, "false", -32768, 32767}, {5122, 2, "true", -1, 1},
        {5123, 2, "false", 32768, 32767},  {5123, 2, "true", 32768.0 / 65535, 32767.0 / 65535},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char bytes[24] = {0};
        char json[1024];
        const int size = cases[i].size;
        static const unsigned char lowest[2][2] = {{0x80, 0}, {0, 0x80}}, highest[2][2] = {{0x7f, 0}, {0xff, 0x7f}};
        memcpy(bytes, lowest[size - 1], 2);
        memcpy(bytes + 4 * size, highest[size - 1], 2);
        snprintf(json, sizeof json,
                 ",\"extensionsRequired\":[\"KHR_mesh_quantization\"],\"bufferViews\":[{\"buffer\":0,\"byteLength\":24,"
                 "\"byteStride\":%d}],\"accessors\":[{\"bufferView\":0,\"componentType\":%d,\"normalized\":%s,"
                 "\"count\":2,\"type\":\"VEC3\"}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},"
                 "\"mode\":1}]}]",
                 4 * size, cases[i].type, cases[i].normalized);
        toc_mesh *mesh = read_glb(json, bytes, sizeof bytes);
        assert_vertex(mesh, 0, cases[i].first, 0, 0);
        assert_vertex(mesh, 1, cases[i].second, 0, 0);
        toc_mesh_destroy(mesh);
    }
}

static void interleaved_and_sparse_arrays(void **state) {
    (void)state;
    // Position and normal of three vertices side by side; then the vertices 0 and 2 anew.
    struct {
        float vertices[3][6];
        uint16_t places[2];
        float values[2][3];
    } bytes = {{{1, 2, 3, 9, 9, 9}, {4, 5, 6, 9, 9, 9}, {7, 8, 9, 9, 9, 9}}, {0, 2}, {{-1, -2, -3}, {-7, -8, -9}}};
    static const char json[] =
        ",\"bufferViews\":[{\"buffer\":0,\"byteLength\":72,\"byteStride\":24}," VIEW(72, 4) "," VIEW(
            76, 24) "],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
                    "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":{\"count\":2,"
                    "\"indices\":{\"bufferView\":1,\"componentType\":5123},\"values\":{\"bufferView\":2}}},"
                    "{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":{\"count\":2,"
                    "\"indices\":{\"bufferView\":1,\"componentType\":5123},\"values\":{\"bufferView\":2}}}],"
                    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}},{\"attributes\":{\"POSITION\":1}},"
                    "{\"attributes\":{\"POSITION\":2}}]}]";
    toc_mesh *mesh = read_glb(json, &bytes, sizeof bytes);
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 9);
    assert_vertex(mesh, 1, 4, 5, 6);
    assert_vertex(mesh, 3, -1, -2, -3);
    assert_vertex(mesh, 4, 4, 5, 6);
    assert_vertex(mesh, 5, -7, -8, -9);
    assert_vertex(mesh, 7, 0, 0, 0);
    assert_vertex(mesh, 8, -7, -8, -9);
    assert_element(mesh, 1, TOC_TRIANGLE, 3, 1, 5); // vertex 4 is where 1 is, and both are of one node
    toc_mesh_destroy(mesh);
}

// Where buffers may be: base64 in the JSON, with escapes too, or a file beside, whose name may be written with %20.
static void buffers_in_text_and_beside(void **state) {
    (void)state;
    static const char form[] =
        "\xef\xbb\xbf{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"%s\"}],"
        "\"bufferViews\":[" VIEW(
            0, 36) "],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,"
                   "\"type\":\"VEC3\"}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}";
    // 0 0 0, 1 0 0, 0 1 0 and a slash among the letters: the last float is 1.5 in one of them.
    static const char *const uris[] = {
        "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA",
        "data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA",
        "data:application\\/gltf-buffer;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA",
        "the%20bytes.bin",
        "./the bytes.bin",
    };
    char *folder = test_folder_make(), text[1024];
    test_file_write(test_path(folder, "the bytes.bin"), five, 36);
    for (size_t i = 0; i < sizeof uris / sizeof *uris; i++) {
        toc_mesh *mesh;
        const char *path = test_path(folder, "a.gltf");
        snprintf(text, sizeof text, form, uris[i]);
        test_file_write(path, text, strlen(text));
        assert_ok(toc_mesh_read(path, NULL, &mesh));
        assert_vertex(mesh, 1, 1, 0, 0);
        assert_vertex(mesh, 2, 0, 1, 0);
        toc_mesh_destroy(mesh);
    }
    static const char *const bad[][2] = {
        {"none.bin", "none.bin: cannot be opened"},
        {"/etc/passwd", "no file beside this one"},
        {"https://example.org/a.bin", "no file beside this one"},
        {"data:;base64,AAAA", "only 4 letters"},
        {"data:;base64,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA**", "has other letters"},
        {"data:text,AAAA", "not in base64"},
        {"short.bin", "has 20 bytes, but 36 are needed"},
    };
    test_file_write(test_path(folder, "short.bin"), five, 20);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        toc_mesh *mesh;
        const char *path = test_path(folder, "a.gltf");
        snprintf(text, sizeof text, form, bad[i][0]);
        test_file_write(path, text, strlen(text));
        assert_fails(toc_mesh_read(path, NULL, &mesh), TOC_BAD_INPUT, bad[i][1]);
        assert_non_null(strstr(toc_message_get(), "a.gltf:1: "));
    }
    test_folder_remove(folder);
}

#define TRIANGLE "\"meshes\":[{\"name\":\"m\",\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":0}]}]"

static void assert_near_vertex(const toc_mesh *mesh, uint32_t vertex, double x, double y, double z) {
    const double *p = toc_mesh_get_x0(mesh) + 3 * (size_t)vertex;
    assert_double_near(p[0], x, 1e-12);
    assert_double_near(p[1], y, 1e-12);
    assert_double_near(p[2], z, 1e-12);
}

// A parent with a matrix (moved by 10 along x, stored by columns), a child turned by 90 degrees around z, then scaled.
static void nodes_place_what_they_carry(void **state) {
    (void)state;
    static const char json[] =
        STORED "," TRIANGLE ",\"scenes\":[{\"nodes\":[]},{\"nodes\":[1,2]}],\"scene\":1,\"nodes\":["
               "{\"name\":\"child\",\"mesh\":0,\"rotation\":[0,0,0.7071067811865476,0.7071067811865476],"
               "\"scale\":[2,3,4],\"translation\":[0,0,5]},"
               "{\"children\":[0],\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,10,0,0,1]},{\"mesh\":0},{\"mesh\":0}]";
    toc_mesh *mesh = read_glb(json, five, sizeof five);
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 10); // node 3 is in no scene
    assert_vertex(mesh, 1, 1, 0, 0);                       // breadth first: node 2, then the child of node 1
    assert_near_vertex(mesh, 5, 10, 0, 5);
    assert_near_vertex(mesh, 6, 10, 2, 5);
    assert_near_vertex(mesh, 7, 7, 0, 5);
    assert_near_vertex(mesh, 8, 10, 0, 9);
    assert_int_equal(toc_mesh_get_element(mesh, 4).group, 0);
    assert_int_equal(toc_mesh_get_element(mesh, 5).group, 1);
    assert_string_equal(toc_mesh_get_group_name(mesh, 0), "m");
    assert_string_equal(toc_mesh_get_group_name(mesh, 1), "child");
    toc_mesh_destroy(mesh);
}

static void without_scenes_all_nodes_are_shown(void **state) {
    (void)state;
    toc_mesh *mesh =
        read_glb(STORED "," TRIANGLE ",\"nodes\":[{\"mesh\":0},{\"children\":[0]},{\"mesh\":0}]", five, sizeof five);
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 10);
    toc_mesh_destroy(mesh);
}

// Two triangles that meet along a seam, where the file has vertices twice; with a morph target that tears one end.
static const float seam[2][6][3] = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {-0.0f, 1, 0}, {1, 1, 0}},
                                    {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 2}, {0, 0, 1}, {0, 0, 1}}};
#define SIX(VIEW_INDEX) "{\"bufferView\":" #VIEW_INDEX ",\"componentType\":5126,\"count\":6,\"type\":\"VEC3\"}"
#define SEAM ",\"bufferViews\":[" VIEW(0, 72) "," VIEW(72, 72) "],\"accessors\":[" SIX(0) "," SIX(1) "]"

static void seams_are_closed_where_nothing_tears_them(void **state) {
    (void)state;
    toc_mesh *mesh =
        read_glb(SEAM ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]", seam, sizeof seam);
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 6);
    assert_element(mesh, 1, TOC_TRIANGLE, 1, 2, 5);
    toc_mesh_destroy(mesh);
    mesh = read_glb(SEAM ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"targets\":[{\"POSITION\":1}]"
                         "}]}]",
                    seam, sizeof seam);
    assert_element(mesh, 1, TOC_TRIANGLE, 3, 2, 5);
    toc_mesh_destroy(mesh);
    mesh = read_glb(SEAM ",\"meshes\":[{\"extras\":{\"weld\":false},\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}"
                         "]",
                    seam, sizeof seam);
    assert_element(mesh, 1, TOC_TRIANGLE, 3, 4, 5);
    toc_mesh_destroy(mesh);
    // Bodies that touch are not one: each node is for itself.
    mesh = read_glb(SEAM ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0},"
                         "{\"mesh\":0}]",
                    seam, sizeof seam);
    assert_element(mesh, 2, TOC_TRIANGLE, 6, 7, 8);
    toc_mesh_destroy(mesh);
}

static void weights_at_rest_move_vertices(void **state) {
    (void)state;
    static const char form[] = SEAM ",\"meshes\":[{\"weights\":[0.5],\"primitives\":[{\"attributes\":{\"POSITION\":0},"
                                    "\"targets\":[{\"POSITION\":1}]}]}],\"nodes\":[{\"mesh\":0%s}]";
    char json[1024];
    snprintf(json, sizeof json, form, "");
    toc_mesh *mesh = read_glb(json, seam, sizeof seam);
    assert_vertex(mesh, 3, 1, 0, 1);
    toc_mesh_destroy(mesh);
    snprintf(json, sizeof json, form, ",\"weights\":[-1]");
    mesh = read_glb(json, seam, sizeof seam);
    assert_vertex(mesh, 3, 1, 0, -2);
    toc_mesh_destroy(mesh);
    snprintf(json, sizeof json, form, ",\"weights\":[1,2]");
    refuse_glb(json, seam, sizeof seam, "\"weights\" has not the 1 numbers");
}

static void what_is_wrong_is_told(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"{}", "no \"asset\""},
        {"{\"asset\":{\"version\":\"1.0\"}}", "glTF of version \"1.0\""},
        {",\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]", "\"KHR_draco_mesh_compression\" is needed"},
        {STORED, "holds no elements"},
        {STORED ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":3}}]}]",
         "\"POSITION\" is 3, but there are 1"},
        {STORED ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":7}]}]", "unknown mode"},
        {STORED ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":1}]}]",
         "5 corners are no whole"},
        {STORED ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":0}]}]",
         "takes 1 components"},
        {STORED "," TRIANGLE ",\"nodes\":[{\"mesh\":0,\"children\":[0]}],\"scenes\":[{\"nodes\":[0]}]",
         "node 0 is in the scene twice"},
        {STORED "," TRIANGLE ",\"nodes\":[{\"mesh\":0}],\"scenes\":[{\"nodes\":[4]}]", "node 4, but there are 1"},
        {STORED "," TRIANGLE ",\"nodes\":[{\"mesh\":2}]", "\"mesh\" is 2"},
        {STORED "," TRIANGLE ",\"nodes\":[{\"mesh\":0,\"matrix\":[1]}]", "16 numbers"},
        {STORED "," TRIANGLE ",\"nodes\":[{\"mesh\":0}],\"scenes\":[{\"nodes\":[0]}],\"scene\":1", "no scene"},
        {STORED "," TRIANGLE ",\"nodes\":[{\"mesh\":0,\"extensions\":{\"EXT_mesh_gpu_instancing\":{}}}]", "INSTANCING"},
        {",\"bufferViews\":[" VIEW(4, 60) "],\"accessors\":[" FIVE "]," TRIANGLE, "beyond its buffer"},
        {",\"bufferViews\":[" VIEW(0, 48) "],\"accessors\":[" FIVE "]," TRIANGLE, "5 items do not fit into the 48"},
        {",\"bufferViews\":[{\"buffer\":0,\"byteLength\":60,\"byteStride\":8}],\"accessors\":[" FIVE "]," TRIANGLE,
         "less than an item"},
        {",\"bufferViews\":[{\"buffer\":1,\"byteLength\":60}],\"accessors\":[" FIVE "]," TRIANGLE, "without a buffer"},
        {",\"accessors\":[{\"bufferView\":0,\"componentType\":5130,\"count\":5,\"type\":\"VEC3\"}]," TRIANGLE,
         "unknown type"},
        {",\"accessors\":[{\"componentType\":5126,\"count\":4000000000,\"type\":\"VEC3\"}]," TRIANGLE,
         "4000000000 vertices without any bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *words = strcmp(cases[i][1], "INSTANCING") == 0 ? "EXT_mesh_gpu_instancing" : cases[i][1];
        refuse_glb(cases[i][0], five, sizeof five, words);
    }
}

// Other programs may keep any data among the extras.
static void extras_of_others_do_no_harm(void **state) {
    (void)state;
    static const char *const groups[] = {"\"left\"", "3e9", "1.5", "1e999", "null", "[1]"};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        char json[1024];
        snprintf(json, sizeof json,
                 STORED ",\"meshes\":[{\"extras\":7,\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":0,"
                        "\"extras\":{\"group\":%s,\"name\":[]}}]}]",
                 groups[i]);
        toc_mesh *mesh = read_glb(json, five, sizeof five);
        assert_int_equal(toc_mesh_get_element(mesh, 0).group, 0);
        toc_mesh_destroy(mesh);
    }
}

static void numbers_that_are_none_name_their_byte(void **state) {
    (void)state;
    float bytes[15];
    memcpy(bytes, five, sizeof five);
    bytes[7] = NAN;
    size_t count;
    char *glb = test_glb_make(STORED "," TRIANGLE, bytes, sizeof bytes, &count), words[128];
    snprintf(words, sizeof words, "byte %zu: a coordinate is not a finite number", count - 60 + 24);
    test_read_refused("a.glb", glb, count, words);
    free(glb);
}

static void containers_that_lie(void **state) {
    (void)state;
    size_t count;
    char *glb = test_glb_make(STORED "," TRIANGLE, five, sizeof five, &count);
    static const struct {
        int at;
        uint32_t value;
        const char *words;
    } lies[] = {{4, 1, "byte 4: glTF of version 1"},
                {8, 1 << 20, "bytes are promised, but the file has"},
                {8, 15, "ends before a chunk"},
                {12, 1 << 20, "a chunk of 1048576 bytes"},
                {16, 7, "the first chunk is not JSON"}};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        char *copy = malloc(count);
        memcpy(copy, glb, count);
        memcpy(copy + lies[i].at, &lies[i].value, 4);
        test_read_refused("a.glb", copy, count, lies[i].words);
        free(copy);
    }
    free(glb);
}

static void cut_garbled_and_starved(void **state) {
    (void)state;
    size_t count;
    static const char json[] =
        SEAM ",\"meshes\":[{\"name\":\"a\",\"weights\":[0.5],\"primitives\":[{\"attributes\":{\"POSITION\":0},"
             "\"targets\":[{\"POSITION\":1}]}]}],\"nodes\":[{\"mesh\":0},{\"mesh\":0,\"children\":[0]}]";
    char *glb = test_glb_make(json, seam, sizeof seam, &count);
    assert_int_equal(test_read_cut("a.glb", glb, count), 0);
    test_read_garbled("a.glb", glb, count, 3000);
    test_read_starved("a.glb", glb, count);
    free(glb);
}

// Floats come back bit for bit, groups by number and name; elements by groups.
static void round_trips(void **state) {
    (void)state;
    toc_mesh *mesh, *again;
    assert_ok(toc_mesh_create(NULL, &mesh));
    static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0.5, 0, 0, 0, 0x1p-126, -1e10, 3};
    assert_ok(toc_mesh_add_vertices(mesh, 6, x, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, (uint32_t[]){0, 1, 2, 3, 4, 5}, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_QUAD, 1, (uint32_t[]){3, 1, 0, 2}, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_EDGE, 1, (uint32_t[]){4, 0}, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_POINT, 1, (uint32_t[]){5}, NULL));
    assert_ok(toc_mesh_set_group(mesh, 0, 7));
    assert_ok(toc_mesh_set_group(mesh, 1, INT32_MIN));
    assert_ok(toc_mesh_set_group(mesh, 2, 7));
    assert_ok(toc_mesh_set_group_name(mesh, 7, "front \"left\\right\" \xc3\xa4"));
    char *folder = test_folder_make();
    const char *path = test_path(folder, "a.glb");
    assert_ok(toc_mesh_write(path, mesh, TOC_AT_START));
    assert_ok(toc_mesh_read(path, NULL, &again));
    assert_memory_equal(toc_mesh_get_x0(again), x, sizeof x);
    assert_int_equal(toc_mesh_get_element_count(again), 6);
    assert_element(again, 0, TOC_TRIANGLE, 3, 4, 5);
    assert_element(again, 1, TOC_TRIANGLE, 0, 1, 2);
    assert_element(again, 2, TOC_TRIANGLE, 0, 2, 3); // the quad, along the diagonal through its lowest vertex
    assert_element(again, 3, TOC_TRIANGLE, 0, 3, 1);
    assert_element(again, 4, TOC_EDGE, 4, 0);
    assert_element(again, 5, TOC_POINT, 5);
    assert_int_equal(toc_mesh_get_element(again, 0).group, INT32_MIN);
    assert_int_equal(toc_mesh_get_element(again, 3).group, 7);
    assert_int_equal(toc_mesh_get_element(again, 5).group, 0);
    assert_string_equal(toc_mesh_get_group_name(again, 7), "front \"left\\right\" \xc3\xa4");
    toc_mesh_destroy(again);
    assert_ok(test_mesh_set_motion(mesh, x, (double[18]){1e39}));
    assert_fails(toc_mesh_write(path, mesh, TOC_AT_END), TOC_BAD_INPUT, "more than a float can hold");
    toc_mesh_destroy(mesh);
    test_folder_remove(folder);
}

static toc_status write_and_destroy(const toc_allocator *allocator, void *path) {
    toc_mesh *mesh;
    toc_status status = toc_mesh_create(allocator, &mesh);
    if (status != TOC_OK) return status;
    status = toc_mesh_add_vertices(mesh, 3, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0}, NULL);
    if (status == TOC_OK) status = toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, (uint32_t[]){0, 1, 2}, NULL);
    if (status == TOC_OK) status = toc_mesh_write(path, mesh, TOC_AT_START);
    toc_mesh_destroy(mesh);
    return status;
}

static void writing_starved_of_memory(void **state) {
    (void)state;
    char *folder = test_folder_make(), path[1024];
    snprintf(path, sizeof path, "%s/a.glb", folder);
    assert_true(test_every_allocation(write_and_destroy, path) > 5);
    test_folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mode_makes_its_elements),
        cmocka_unit_test(indices_of_every_type),
        cmocka_unit_test(positions_of_every_type),
        cmocka_unit_test(interleaved_and_sparse_arrays),
        cmocka_unit_test(buffers_in_text_and_beside),
        cmocka_unit_test(nodes_place_what_they_carry),
        cmocka_unit_test(without_scenes_all_nodes_are_shown),
        cmocka_unit_test(seams_are_closed_where_nothing_tears_them),
        cmocka_unit_test(weights_at_rest_move_vertices),
        cmocka_unit_test(what_is_wrong_is_told),
        cmocka_unit_test(extras_of_others_do_no_harm),
        cmocka_unit_test(numbers_that_are_none_name_their_byte),
        cmocka_unit_test(containers_that_lie),
        cmocka_unit_test(cut_garbled_and_starved),
        cmocka_unit_test(round_trips),
        cmocka_unit_test(writing_starved_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// VTK's XML files: every encoding, pieces, PolyData, and broken files.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/reading.h"

/// A file of the corpus, which holds the same small mesh in every encoding that VTK and meshio write.
static char *corpus(const char *name, size_t *count) {
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/vtu/%s", TOC_SOURCE_DIR, name);
    return test_file_read(path, count);
}

static const char *const encodings[] = {
    "text.vtu",        "inline-32.vtu", "inline-64-big.vtu",   "raw.vtu",
    "raw-big.vtu",     "base64.vtu",    "meshio-inline.vtu",
#ifdef TOC_HAVE_ZLIB
    "inline-zlib.vtu", "raw-zlib.vtu",  "base64-zlib-big.vtu", "meshio-zlib.vtu",
#endif
};
enum { ENCODINGS = sizeof encodings / sizeof *encodings };

static void every_encoding_gives_the_same_mesh(void **state) {
    (void)state;
    for (size_t i = 0; i < ENCODINGS; i++) {
        size_t count;
        char *bytes = corpus(encodings[i], &count);
        toc_mesh *mesh = test_read(encodings[i], bytes, count);
        assert_int_equal(toc_mesh_get_vertex_count(mesh), 5);
        assert_int_equal(toc_mesh_get_element_count(mesh), 2);
        assert_vertex(mesh, 3, 0, 0, 1);
        assert_vertex(mesh, 4, 0.1, 1.0 / 3, -2);
        assert_element(mesh, 0, TOC_TET, 0, 1, 2, 3);
        assert_element(mesh, 1, TOC_TRIANGLE, 1, 2, 4);
        assert_int_equal(toc_mesh_get_element(mesh, 0).group, 7);
        assert_int_equal(toc_mesh_get_element(mesh, 1).group, -3);
        assert_double_same(toc_mesh_get_element(mesh, 1).thickness, 0.25);
        toc_mesh_destroy(mesh);
        free(bytes);
    }
}

static void cut_anywhere(void **state) {
    (void)state;
    for (size_t i = 0; i < ENCODINGS; i++) {
        size_t count;
        char *bytes = corpus(encodings[i], &count);
        test_read_cut(encodings[i], bytes, count);
        free(bytes);
    }
}

static void garbled_anywhere(void **state) {
    (void)state;
    for (size_t i = 0; i < ENCODINGS; i++) {
        size_t count;
        char *bytes = corpus(encodings[i], &count);
        test_read_garbled(encodings[i], bytes, count, 300);
        free(bytes);
    }
}

static void out_of_memory_anywhere(void **state) {
    (void)state;
    for (size_t i = 0; i < ENCODINGS; i++) {
        size_t count;
        char *bytes = corpus(encodings[i], &count);
        test_read_starved(encodings[i], bytes, count);
        free(bytes);
    }
}

#define FILE_OF(type, inside) \
    "<?xml version=\"1.0\"?>\n<VTKFile type=\"" type "\">\n<" type ">\n" inside "</" type "></VTKFile>"
#define ARRAY(type, name, more, text) "<DataArray type=\"" type "\" Name=\"" name "\" " more ">" text "</DataArray>\n"
#define POINTS(text) \
    "<Points>\n" ARRAY("Float32", "Points", "NumberOfComponents=\"3\" format=\"ascii\"", text) "</Points>\n"
#define CORNERS(corners, ends) \
    ARRAY("Int32", "connectivity", "format=\"ascii\"", corners) ARRAY("Int32", "offsets", "format=\"ascii\"", ends)
#define CELLS(corners, ends, types) \
    "<Cells>\n" CORNERS(corners, ends) ARRAY("UInt8", "types", "format=\"ascii\"", types) "</Cells>\n"
#define PIECE(points, cells, inside) \
    "<Piece NumberOfPoints=\"" points "\" NumberOfCells=\"" cells "\">\n" inside "</Piece>\n"
#define GRID(inside) FILE_OF("UnstructuredGrid", inside)
#define THREE_POINTS POINTS("0 0 0 1 0 0 0 1 0")
#define TRIANGLE PIECE("3", "1", THREE_POINTS CELLS("0 1 2", "3", "5"))

static void refused(const char *text, const char *words) { test_read_refused("a.vtu", text, strlen(text), words); }

static void triangle_in_text(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of("a.vtu", GRID(TRIANGLE));
    assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2);
    toc_mesh_destroy(mesh);
    // Recognised by its content under any name, and with a comment before it.
    mesh = test_mesh_of("a.xml", "<!-- <VTKFile> -->"
                                 "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>" TRIANGLE
                                 "</UnstructuredGrid></VTKFile>");
    assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2);
    toc_mesh_destroy(mesh);
}

// The corners of a piece count from its own first point, and a piece without groups has group 0.
static void pieces_are_put_together(void **state) {
    (void)state;
    toc_mesh *mesh =
        test_mesh_of("a.vtu", GRID(TRIANGLE PIECE("0", "0", "") PIECE(
                                  "3", "1",
                                  THREE_POINTS CELLS("2 1 0", "3", "5") "<CellData>\n" ARRAY(
                                      "Int32", "material", "format=\"ascii\"", "4") "</CellData>\n") TRIANGLE));
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 9);
    assert_int_equal(toc_mesh_get_element_count(mesh), 3);
    assert_element(mesh, 1, TOC_TRIANGLE, 5, 4, 3);
    assert_element(mesh, 2, TOC_TRIANGLE, 6, 7, 8);
    assert_int_equal(toc_mesh_get_element(mesh, 0).group, 0);
    assert_int_equal(toc_mesh_get_element(mesh, 1).group, 4);
    assert_int_equal(toc_mesh_get_element(mesh, 2).group, 0);
    toc_mesh_destroy(mesh);
    mesh = test_mesh_of("a.vtu", GRID(TRIANGLE PIECE("3", "0", THREE_POINTS)));
    assert_int_equal(toc_mesh_get_element_count(mesh), 1); // points of a piece without cells are not loose points
    toc_mesh_destroy(mesh);
    mesh = test_mesh_of("a.vtu", GRID(PIECE("3", "0", THREE_POINTS)));
    assert_int_equal(toc_mesh_get_element_count(mesh), 3); // unless there is nothing else
    toc_mesh_destroy(mesh);
    refused(GRID(TRIANGLE PIECE("3", "1", THREE_POINTS CELLS("0 1 3", "3", "5"))),
            "a.vtu:19: cell 0, corner 2: there is no point 3, only 3 points");
}

// VTK puts notes into an array, behind the text or before it.
static void notes_inside_an_array(void **state) {
    (void)state;
#define NOTE "<InformationKey name=\"L2\"><Value index=\"0\">8</Value></InformationKey>"
    toc_mesh *mesh = test_mesh_of(
        "a.vtu",
        GRID(PIECE("3", "1", POINTS(NOTE " " NOTE "0 0 0 1 0 0 0 1 0" NOTE) CELLS("0 1 2" NOTE, NOTE "3", "5"))));
    assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2);
    toc_mesh_destroy(mesh);
}

// The text of an array is not parsed as XML: text that looks like an array must not hide other arrays.
static void what_looks_like_an_array(void **state) {
    (void)state;
#define LIKE "<!-- <DataArray> 1 <2 <DataArray a=\"> --><DataArrays x=\"/>>\">1 2</DataArrays><DataArray Name=\"<\"/>"
#define LIKES LIKE LIKE LIKE LIKE
    refused(GRID(PIECE("3", "1", LIKE)), "a.vtu:5: not well-formed"); // a < in an attribute
#undef LIKE
#define LIKE "<!-- <DataArray> 1 <2 <DataArray a=\"> --><DataArrays x=\"/>>\">1 2</DataArrays><DataArray Name=\">\"/>"
    toc_mesh *mesh = test_mesh_of(
        "a.vtu", GRID(PIECE("3", "1", LIKES LIKES LIKES LIKES THREE_POINTS LIKES CELLS("0 1 2", "3", "5")) LIKES));
    assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2);
    toc_mesh_destroy(mesh);
    refused(GRID(PIECE("3", "1", THREE_POINTS CELLS("0 1 2", "3", "5 <"))), ": not well-formed");
    refused(GRID(PIECE("3", "1", THREE_POINTS CELLS("0 1 2", "3", "5 &"))), "there are more than the 1 numbers");
}

static void group_goes_before_material(void **state) {
    (void)state;
#define DATA                                                                            \
    "<CellData>" ARRAY("Float32", "group", "", "9") ARRAY("Int32", "material", "", "4") \
        ARRAY("Int8", "group", "", "5") ARRAY("Int32", "MaterialIds", "", "6")          \
            ARRAY("Float32", "thickness", "", "0.5") "</CellData>"
    toc_mesh *mesh = test_mesh_of("a.vtu", GRID(PIECE("3", "1", DATA THREE_POINTS CELLS("0 1 2", "3", "5"))));
    assert_int_equal(toc_mesh_get_element(mesh, 0).group, 5);
    assert_double_same(toc_mesh_get_element(mesh, 0).thickness, 0.5);
    toc_mesh_destroy(mesh);
}

#define COUNTS "NumberOfPoints=\"4\" NumberOfVerts=\"1\" NumberOfLines=\"1\" NumberOfStrips=\"1\" NumberOfPolys=\"2\""
#define FOUR_POINTS POINTS("0 0 0 1 0 0 0 1 0 1 1 0")
#define VERTS "<Verts>" CORNERS("3 2", "2") "</Verts>"
#define LINES "<Lines>" CORNERS("0 1 2", "3") "</Lines>"
#define STRIPS "<Strips>" CORNERS("0 1 2 3", "4") "</Strips>"
#define POLYS "<Polys>" CORNERS("0 1 2 0 1 3 2", "3 7") "</Polys>"
#define FIVE_GROUPS "<CellData>" ARRAY("Int32", "group", "", "1 2 3 4 5") "</CellData>"
#define SURFACE "<Piece " COUNTS ">" FOUR_POINTS VERTS LINES STRIPS POLYS FIVE_GROUPS "</Piece>"

// Cell data counts the cells as verts, lines, polys, strips, while the file has the strips before the polys.
static void sections_of_polydata(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of("a.vtp", FILE_OF("PolyData", SURFACE));
    static const toc_shape shapes[] = {TOC_POINT,    TOC_POINT, TOC_EDGE,     TOC_EDGE,
                                       TOC_TRIANGLE, TOC_QUAD,  TOC_TRIANGLE, TOC_TRIANGLE};
    static const int32_t groups[] = {1, 1, 2, 2, 3, 4, 5, 5};
    assert_int_equal(toc_mesh_get_element_count(mesh), 8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(toc_mesh_get_element(mesh, i).shape, shapes[i]);
        assert_int_equal(toc_mesh_get_element(mesh, i).group, groups[i]);
    }
    toc_mesh_destroy(mesh);
    size_t count;
    char *bytes = corpus("poly.vtp", &count);
    mesh = test_read("poly.vtp", bytes, count);
    assert_int_equal(toc_mesh_get_element_count(mesh), 9);
    toc_mesh_destroy(mesh);
    free(bytes);
}

static void counts_that_lie(void **state) {
    (void)state;
    refused(GRID(PIECE("4000000000", "1", THREE_POINTS CELLS("0 1 2", "3", "5"))),
            "a.vtu:6: 12000000000 numbers are promised");
    refused(GRID(PIECE("99999999999999", "1", THREE_POINTS CELLS("0 1 2", "3", "5"))), "so many points cannot be");
    refused(GRID(PIECE("99999999999999999999", "1", "")), "NumberOfPoints=\"99999999999999999999\" is not a count");
    refused(GRID(PIECE("-3", "1", "")), "NumberOfPoints=\"-3\" is not a count");
    refused(GRID("<Piece/>"), "a Piece without NumberOfPoints");
    refused(GRID(PIECE("4", "1", THREE_POINTS CELLS("0 1 2", "3", "5"))), "12 numbers are promised");
    refused(GRID(PIECE("2", "1", THREE_POINTS CELLS("0 1 2", "3", "5"))), "there are more than the 6 numbers");
    refused(GRID(PIECE("3", "2", THREE_POINTS CELLS("0 1 2", "3", "5"))), "2 numbers are promised");
    refused(GRID(PIECE("3", "1", THREE_POINTS CELLS("0 1 2", "4000000000000", "5"))),
            "4000000000000 numbers are promised");
    refused(GRID(PIECE("3", "1", THREE_POINTS CELLS("0 1 2", "-3", "5"))), "the last offset is negative");
    refused(GRID(PIECE("3", "2", THREE_POINTS CELLS("0 1 2 0", "9 4", "5 5"))), "cell 0: its corners end at 9");
    refused(GRID(PIECE("3", "1", THREE_POINTS CELLS("0 00001", "3", "5"))), "an integer is missing here");
    refused(GRID(PIECE("3", "1", THREE_POINTS CELLS("0 1 2", "3", "5 5"))), "there are more than the 1 numbers");
    refused(GRID(PIECE("3", "1", THREE_POINTS CELLS("0 1 2", "3", "42"))), "cell 0: unknown type 42");
    refused(GRID(PIECE("3", "1", THREE_POINTS CELLS("0 1 2", "3", "10"))),
            "cell 0 of type 10: 3 corners, but it takes 4");
    refused(GRID(PIECE("3", "1", THREE_POINTS "<Cells>" CORNERS("0 1 2", "3") "</Cells>")),
            "the array of types is missing");
    refused(GRID(PIECE("3", "1", THREE_POINTS)), "the array of offsets is missing");
    refused(GRID(PIECE("3", "0", "")), "the array of points is missing");
    refused(GRID(PIECE("1", "0", "<Points>" ARRAY("Float32", "Points", "NumberOfComponents=\"2\"", "0 0") "</Points>")),
            "points have three components");
    refused(
        GRID(PIECE("1", "0", "<Points>" ARRAY("String", "Points", "NumberOfComponents=\"3\"", "0 0 0") "</Points>")),
        "no numbers of a known type");
}

/// A file with one array of points as given: base64 inline, or appended.
static void points_refused(const char *attributes, const char *array, const char *text, const char *behind,
                           const char *words) {
    char file[2048];
    const int n = snprintf(file, sizeof file,
                           "<VTKFile type=\"PolyData\" %s><PolyData><Piece NumberOfPoints=\"1\"><Points>\n<DataArray "
                           "type=\"Float64\" NumberOfComponents=\"3\" %s>%s</DataArray></Points></Piece></PolyData>%s",
                           attributes, array, text, behind);
    test_read_refused("p.vtp", file, (size_t)n, words);
}

#define ZLIB "compressor=\"vtkZLibDataCompressor\""

static void payloads_that_lie(void **state) {
    (void)state;
    // The heads say: 24 bytes; 16; 4 GB.
    points_refused("", "format=\"binary\"", "GAAAAA==", "</VTKFile>", "p.vtp:2: the file ends within this array");
    points_refused("", "format=\"binary\"", "EAAAAA==", "</VTKFile>",
                   "this array has 16 bytes, but 3 numbers of 8 bytes");
    points_refused("", "format=\"binary\"", "/////w==", "</VTKFile>", "this array has 4294967295 bytes");
    points_refused("", "format=\"binary\"", "GA", "</VTKFile>", "there is only room for 0");
    points_refused("", "format=\"binary\"", "G!AAAA==", "</VTKFile>", "4 bytes in base64 were expected");
    points_refused("", "format=\"binary\"", "", "</VTKFile>", "this array is empty");
    points_refused("", "format=\"binary\"", "GAAAAA==AAAAAAAAAAAAAAAAAAAAAA==============", "</VTKFile>",
                   "28 bytes in base64 were expected");
    points_refused("", "format=\"appended\" offset=\"0\"", "", "</VTKFile>", "there is no appended data");
    points_refused("", "format=\"appended\" offset=\"9\"", "", "<AppendedData encoding=\"raw\">_12345678",
                   "offset is behind");
    points_refused("", "format=\"appended\" offset=\"0\"", "", "<AppendedData encoding=\"raw\">_\x18\1\1\1 1234",
                   "bytes, but 3 numbers");
    points_refused("", "format=\"appended\"", "", "<AppendedData encoding=\"raw\">",
                   "the file ends before the appended data");
    points_refused("", "format=\"appended\"", "",
                   "<AppendedData encoding=\"base64\">_GAAAAA==", "the file ends within the appended");
    points_refused("compressor=\"vtkLZ4DataCompressor\"", "format=\"binary\"", "", "",
                   "only vtkZLibDataCompressor is known");
}

#ifdef TOC_HAVE_ZLIB
// The heads say: one block of 24 bytes in 8; in 2^32-1; 2^31 blocks; one of 2 GB in 8; none.
static void compressed_payloads_that_lie(void **state) {
    (void)state;
    points_refused(ZLIB, "format=\"binary\"", "AQAAABgAAAAYAAAACAAAAA==AAAAAAAAAAA=", "</VTKFile>",
                   "a compressed block is broken");
    points_refused(ZLIB, "format=\"binary\"", "AQAAABgAAAAYAAAA/////w==", "</VTKFile>",
                   "the file ends within this array");
    points_refused(ZLIB, "format=\"binary\"", "AAAAgBgAAAAYAAAACAAAAA==", "</VTKFile>", "is to have 2147483648 blocks");
    points_refused(ZLIB, "format=\"binary\"", "AQAAAAAAAIAAAAAACAAAAA==AAAAAAAAAAA=", "</VTKFile>",
                   "claims 2147483648 bytes out of 8 compressed ones");
    points_refused(ZLIB, "format=\"binary\"", "AAAAAA==", "</VTKFile>", "this array has 0 bytes");
}
#endif

static void files_of_another_kind(void **state) {
    (void)state;
    refused("", "is empty");
    refused("<VTKFile type=\"Collection\"/>", "a.vtu:1: a VTKFile of this type is not read");
    refused("<VTKFile type=\"RectilinearGrid\"/>", "only UnstructuredGrid and PolyData");
    refused("<a><VTKFile/></a>", "the outermost element is not VTKFile");
    refused(GRID("<Piece"), "a.vtu:4: ");
    refused("<VTKFile type=\"PolyData\"></PolyData>", "mismatched tag");
    refused(GRID(""), "holds no elements");
}

// Entities could grow a small file to any size; no document type, no entities.
static void billion_laughs(void **state) {
    (void)state;
    refused("<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">"
            "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">]>\n<VTKFile type=\"PolyData\">&c;</VTKFile>",
            "a.vtu:2: a document type (<!DOCTYPE) is not accepted");
    refused("<VTKFile type=\"PolyData\">&c;</VTKFile>", "undefined entity");
}

static void nested_without_end(void **state) {
    (void)state;
    refused(test_nested_xml("<VTKFile type=\"PolyData\">"), "nested too deeply");
}

static void round_trip_bit_for_bit(void **state) {
    (void)state;
    for (int data = 0; data < 2; data++) {
        toc_mesh *mesh = test_every_shape(data);
        test_round_trip(mesh, "all.vtu");
        toc_mesh_destroy(mesh);
    }
}

// Vertices keep their ids in the file, and removed elements are gone.
static void names_of_groups_survive(void **state) {
    (void)state;
    char *folder = test_folder_make();
    const char *path = test_path(folder, "named.vtu");
    toc_mesh *mesh, *again;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 3, (const double[]){0, 0, 0, 1, 0, 0, 0, 1, 0}, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, (const uint32_t[]){0, 1, 2}, NULL));
    assert_ok(toc_mesh_set_group(mesh, 0, -7));
    assert_ok(toc_mesh_set_group_name(mesh, -7, "Longeron (front) <&> L\xc3\xa4ngs"));
    assert_ok(toc_mesh_set_group_name(mesh, 12, "Plate"));
    assert_ok(toc_mesh_write(path, mesh, TOC_AT_END));
    assert_ok(toc_mesh_read(path, NULL, &again));
    assert_int_equal(toc_mesh_get_element(again, 0).group, -7);
    assert_string_equal(toc_mesh_get_group_name(again, -7), "Longeron (front) <&> L\xc3\xa4ngs");
    assert_string_equal(toc_mesh_get_group_name(again, 12), "Plate");
    toc_mesh_destroy(again);
    toc_mesh_destroy(mesh);
    test_folder_remove(folder);
}

static void labels_survive_in(const char *name) {
    static const int64_t nodes[] = {101, 7, INT64_MAX, 109}, elements[] = {7001, 8001};
    char *folder = test_folder_make();
    const char *path = test_path(folder, name);
    toc_mesh *mesh, *again;
    int64_t label;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 4, (const double[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, (const uint32_t[]){0, 1, 2, 1, 3, 2}, NULL));
    assert_ok(toc_mesh_set_vertex_labels(mesh, 4, nodes));
    assert_ok(toc_mesh_set_element_labels(mesh, 2, elements));
    assert_ok(toc_mesh_remove_element(mesh, 0));
    assert_ok(toc_mesh_write(path, mesh, TOC_AT_END));
    assert_ok(toc_mesh_read(path, NULL, &again));
    for (uint32_t v = 0; v < 4; v++) assert_true(toc_mesh_get_vertex_label(again, v, &label) && label == nodes[v]);
    assert_true(toc_mesh_get_element_label(again, 0, &label) && label == 8001);
    toc_mesh_destroy(again);
    toc_mesh_destroy(mesh);
    test_folder_remove(folder);
}

// Frames of a simulation in .vtk had no numbers: a torn mesh was followed wrongly.
static void labels_survive(void **state) {
    (void)state;
    labels_survive_in("labels.vtu");
    labels_survive_in("labels.vtk");
}

static void removed_elements_are_not_written(void **state) {
    (void)state;
    static const char *const names[] = {"a.vtu", "a.vtk"};
    for (int i = 0; i < 2; i++) {
        toc_mesh *mesh = test_every_shape(true), *again;
        assert_ok(toc_mesh_remove_element(mesh, 3));
        char *folder = test_folder_make();
        const char *path = test_path(folder, names[i]);
        assert_ok(toc_mesh_write(path, mesh, TOC_AT_END));
        assert_ok(toc_mesh_read(path, NULL, &again));
        assert_int_equal(toc_mesh_get_vertex_count(again), toc_mesh_get_vertex_count(mesh));
        assert_int_equal(toc_mesh_get_element_count(again), toc_mesh_get_element_count(mesh) - 1);
        assert_int_equal(toc_mesh_get_element(again, 3).shape, toc_mesh_get_element(mesh, 4).shape);
        toc_mesh_destroy(again);
        toc_mesh_destroy(mesh);
        test_folder_remove(folder);
    }
}

// An end position is written when asked for.
static void either_end_of_the_step(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of("a.vtu", GRID(TRIANGLE)), *again;
    assert_ok(test_mesh_move(mesh, (double[]){0, 0, 5, 1, 0, 5, 0, 1, 5}));
    char *folder = test_folder_make();
    const char *path = test_path(folder, "a.vtu");
    assert_ok(toc_mesh_write(path, mesh, TOC_AT_END));
    assert_ok(toc_mesh_read(path, NULL, &again));
    assert_vertex(again, 0, 0, 0, 5);
    toc_mesh_destroy(again);
    toc_mesh_destroy(mesh);
    test_folder_remove(folder);
}

// Our files in another program: meshio, if it is installed.
static void meshio_reads_what_is_written(void **state) {
    (void)state;
    static const char script[] =
        "import sys, numpy, meshio\n"
        "x = numpy.fromfile(sys.argv[1] + '/points').reshape(-1, 3)\n"
        "a, b = (meshio.read(sys.argv[1] + '/mesh.' + e) for e in ('vtu', 'vtk'))\n"
        "assert (a.points == x).all() and (b.points == x).all()\n"
        "ids = [sorted(map(str, sum((c.data.tolist() for c in m.cells), []))) for m in (a, b)]\n"
        "assert ids[0] == ids[1] and len(ids[0]) == 24\n"
        "for name in 'group', 'thickness':\n"
        "    p, q = (numpy.sort(numpy.concatenate(m.cell_data[name]).ravel()) for m in (a, b))\n"
        "    assert (p == q).all() and len(p) == 24 and p.any()\n";
    if (system("/usr/bin/python3 -c 'import meshio' 2>/dev/null") != 0) {
        print_message("skipped: no meshio\n");
        skip();
    }
    toc_mesh *mesh = test_every_shape(true);
    char *folder = test_folder_make(), command[8192];
    assert_ok(toc_mesh_write(test_path(folder, "mesh.vtu"), mesh, TOC_AT_START));
    assert_ok(toc_mesh_write(test_path(folder, "mesh.vtk"), mesh, TOC_AT_START));
    test_file_write(test_path(folder, "points"), toc_mesh_get_x0(mesh),
                    toc_mesh_get_vertex_count(mesh) * 3 * sizeof(double));
    test_file_write(test_path(folder, "check.py"), script, strlen(script));
    snprintf(command, sizeof command, "/usr/bin/python3 '%s' '%s'", test_path(folder, "check.py"), folder);
    assert_int_equal(system(command), 0);
    toc_mesh_destroy(mesh);
    test_folder_remove(folder);
}

static void real_data_through_both_formats(void **state) {
    (void)state;
    test_need_data("volumes/hexa.vtk");
    toc_mesh *mesh;
    assert_ok(toc_mesh_read(test_data("volumes/hexa.vtk"), NULL, &mesh));
    test_round_trip(mesh, "hexa.vtu");
    toc_mesh_destroy(mesh);
}

int main(void) {
#ifndef TOC_HAVE_EXPAT
    print_message("skipped: no expat\n");
    return 0;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_encoding_gives_the_same_mesh),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(garbled_anywhere),
        cmocka_unit_test(out_of_memory_anywhere),
        cmocka_unit_test(triangle_in_text),
        cmocka_unit_test(pieces_are_put_together),
        cmocka_unit_test(notes_inside_an_array),
        cmocka_unit_test(what_looks_like_an_array),
        cmocka_unit_test(group_goes_before_material),
        cmocka_unit_test(sections_of_polydata),
        cmocka_unit_test(counts_that_lie),
        cmocka_unit_test(payloads_that_lie),
#ifdef TOC_HAVE_ZLIB
        cmocka_unit_test(compressed_payloads_that_lie),
#endif
        cmocka_unit_test(files_of_another_kind),
        cmocka_unit_test(billion_laughs),
        cmocka_unit_test(nested_without_end),
        cmocka_unit_test(round_trip_bit_for_bit),
        cmocka_unit_test(names_of_groups_survive),
        cmocka_unit_test(labels_survive),
        cmocka_unit_test(removed_elements_are_not_written),
        cmocka_unit_test(either_end_of_the_step),
        cmocka_unit_test(meshio_reads_what_is_written),
        cmocka_unit_test(real_data_through_both_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

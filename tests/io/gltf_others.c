// SPDX-License-Identifier: Apache-2.0
// Other programs on the same glTF files: Assimp reads the same mesh, and Khronos' validator accepts our files. Each is
// skipped if it is not installed (libassimp-dev; gltf-validator of npm, found through NODE_PATH).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TOC_HAVE_ASSIMP
#include <assimp/cimport.h>
#include <assimp/scene.h>
#endif

#include "support/glb.h"
#include "support/grid.h"
#include "support/reading.h"

static const char *const characters[] = {"characters/CesiumMan.glb", "characters/RiggedFigure.glb",
                                         "characters/RiggedSimple.glb", "characters/mannequiny.glb",
                                         "characters/Fox.glb"};

#ifdef TOC_HAVE_ASSIMP

/// Compare the triangles of a node's meshes with ours, which come in the same order; returns the next of ours.
static uint32_t compare_node(const struct aiScene *scene, const struct aiNode *node, struct aiMatrix4x4 above,
                             const toc_mesh *mesh, uint32_t element) {
    aiMultiplyMatrix4(&above, &node->mTransformation);
    for (unsigned i = 0; i < node->mNumMeshes; i++) {
        const struct aiMesh *part = scene->mMeshes[node->mMeshes[i]];
        for (unsigned f = 0; f < part->mNumFaces; f++, element++) {
            const toc_element ours = toc_mesh_get_element(mesh, element);
            assert_int_equal(ours.corner_count, part->mFaces[f].mNumIndices);
            for (int c = 0; c < ours.corner_count; c++) {
                struct aiVector3D p = part->mVertices[part->mFaces[f].mIndices[c]];
                if (part->mNumBones == 0) aiTransformVecByMatrix4(&p, &above);
                const double *x = toc_mesh_get_x0(mesh) + 3 * (size_t)ours.corners[c];
                assert_double_near(x[0], (double)p.x, 1e-5);
                assert_double_near(x[1], (double)p.y, 1e-5);
                assert_double_near(x[2], (double)p.z, 1e-5);
            }
        }
    }
    for (unsigned i = 0; i < node->mNumChildren; i++)
        element = compare_node(scene, node->mChildren[i], above, mesh, element);
    return element;
}

static void compare_file(const char *path) {
    const struct aiScene *scene = aiImportFile(path, 0);
    if (!scene) fail_msg("%s: %s", path, aiGetErrorString());
    toc_mesh *mesh;
    assert_ok(toc_mesh_read(path, NULL, &mesh));
    struct aiMatrix4x4 identity;
    aiIdentityMatrix4(&identity);
    assert_int_equal(compare_node(scene, scene->mRootNode, identity, mesh, 0), toc_mesh_get_element_count(mesh));
    toc_mesh_destroy(mesh);
    aiReleaseImport(scene);
}

static void assimp_sees_the_same_characters(void **state) {
    (void)state;
    test_need_data(characters[0]);
    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++) compare_file(test_data("%s", characters[i]));
}

// Nodes within nodes, a matrix, a turn that is no quarter, scales, a strip and a fan.
static void assimp_places_nodes_likewise(void **state) {
    (void)state;
    static const char json[] =
        ",\"bufferViews\":[{\"buffer\":0,\"byteLength\":60}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
        "\"count\":5,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[2,2,2]}],\"meshes\":[{\"primitives\":[{\"attributes\":"
        "{\"POSITION\":0},\"mode\":5}]},{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":6}]}],"
        "\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0,\"children\":[1],\"matrix\":"
        "[0,2,0,0,-1,0,0,0,0,0,3,0,10,20,30,1]},{\"children\":[2],\"rotation\":[0.1825741858,0.3651483717,"
        "0.5477225575,0.7302967433],\"translation\":[1,2,3]},{\"mesh\":1,\"scale\":[1,2,-3]}]";
    static const float five[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 2, 2};
    char *folder = test_folder_make();
    const char *path = test_path(folder, "nodes.glb");
    size_t count;
    char *glb = test_glb_make(json, five, sizeof five, &count);
    test_file_write(path, glb, count);
    free(glb);
    compare_file(path);
    test_folder_remove(folder);
}

#endif

static void write_sheet(const char *path, double height) {
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    const double x[] = {0, 0, 0, 1, 0, height, 0.1, 1, 0, 1, 1, 0.5, 3, 3, 3};
    assert_ok(toc_mesh_add_vertices(mesh, 5, x, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_QUAD, 1, (uint32_t[]){0, 1, 3, 2}, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_EDGE, 1, (uint32_t[]){0, 1}, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_POINT, 1, (uint32_t[]){4}, NULL));
    assert_ok(toc_mesh_set_group_name(mesh, 0, "a \"name\""));
    assert_ok(toc_mesh_write(path, mesh, TOC_AT_START));
    toc_mesh_destroy(mesh);
}

/// Ask Khronos' validator: no error, warning or hint.
static void validate(const char *path) {
    char command[4096];
    snprintf(command, sizeof command,
             "node -e \"require('gltf-validator').validateBytes(new Uint8Array(require('fs').readFileSync('%s')))"
             ".then(r => { const i = r.issues; if (i.numErrors + i.numWarnings + i.numInfos + i.numHints) {"
             " console.log(JSON.stringify(i)); process.exit(1) } })\"",
             path);
    assert_int_equal(system(command), 0);
}

// A sheet that loses an element in its second step.
static void write_cut(const char *path) {
    toc_mesh *mesh = test_grid_sheet(TOC_TRIANGLE, 3, 3);
    toc_animation *animation;
    assert_ok(toc_animation_create(path, mesh, 10, &animation));
    assert_ok(toc_animation_add(animation, mesh, &(toc_contacts){.count = 0}, NULL));
    assert_ok(toc_mesh_remove_element(mesh, 3));
    assert_ok(toc_animation_add(animation, mesh, &(toc_contacts){.count = 0}, NULL));
    assert_ok(toc_animation_write(animation));
    toc_animation_destroy(animation);
    toc_mesh_destroy(mesh);
}

static void the_validator_finds_no_fault(void **state) {
    (void)state;
    if (system("node -e \"require('gltf-validator')\" >/dev/null 2>&1") != 0) {
        print_message("skipped: no gltf-validator\n");
        skip();
    }
    char *folder = test_folder_make();
    char names[4][1024];
    const char *frames[3] = {names[0], names[1], names[2]};
    for (int i = 0; i < 3; i++) {
        snprintf(names[i], sizeof names[i], "%s/%d.glb", folder, i);
        write_sheet(names[i], 0.3 * i);
    }
    validate(frames[1]);
    snprintf(names[3], sizeof names[3], "%s/all.glb", folder);
    toc_sequence *sequence;
    assert_ok(toc_sequence_open(3, frames, NULL, &sequence));
    assert_ok(toc_sequence_write(names[3], sequence));
    toc_sequence_close(sequence);
    validate(names[3]);
    write_cut(names[3]);
    validate(names[3]);
    test_folder_remove(folder);
}

// Skins and textures aside, seams are all that opens these surfaces.
static void characters_are_closed(void **state) {
    (void)state;
    test_need_data(characters[0]);
    for (int i = 0; i < 5; i++) {
        toc_mesh *mesh;
        toc_mesh_report report;
        assert_ok(toc_mesh_read(test_data("%s", characters[i]), NULL, &mesh));
        assert_ok(toc_mesh_inspect(mesh, &report));
        assert_int_equal(report.boundary_edges, i == 3 ? 230 : 0); // the mannequin's eyes are open
        assert_int_equal(report.skinned_vertices, toc_mesh_get_vertex_count(mesh));
        toc_mesh_destroy(mesh);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
#ifdef TOC_HAVE_ASSIMP
        cmocka_unit_test(assimp_sees_the_same_characters),
        cmocka_unit_test(assimp_places_nodes_likewise),
#endif
        cmocka_unit_test(the_validator_finds_no_fault),
        cmocka_unit_test(characters_are_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

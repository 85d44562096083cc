// SPDX-License-Identifier: Apache-2.0
// Hints. O(n) for the motion; the vertices are sorted, O(n log n), only if contacts begin at the start.
#include "tools/hints.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output.h"

// A hint that is given once is not repeated in later steps.
__attribute__((format(printf, 2, 3))) static void add_hint(tool_hints *hints, const char *format, ...) {
    char text[TOOL_HINT_SIZE];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    for (size_t i = 0; i < hints->count; i++)
        if (strncmp(hints->text[i], text, 16) == 0) return;
    if (hints->count < TOOL_MOST_HINTS) memcpy(hints->text[hints->count++], text, sizeof text);
}

// The diagonal of the bounds of all bodies at one end.
static double scene_size(const toc_scene *scene, toc_end end) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t b = 0; b < toc_scene_get_body_count(scene); b++) {
        const toc_mesh *mesh = toc_scene_get_mesh(scene, b);
        const double *x = end == TOC_AT_START ? toc_mesh_get_x0(mesh) : toc_mesh_get_x1(mesh);
        for (size_t i = 0; i < 3 * toc_mesh_get_vertex_count(mesh); i++) {
            low[i % 3] = fmin(low[i % 3], x[i]);
            high[i % 3] = fmax(high[i % 3], x[i]);
        }
    }
    const double size = hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    return isfinite(size) ? size : 0;
}

static bool rests(const toc_scene *scene) {
    for (uint32_t b = 0; b < toc_scene_get_body_count(scene); b++) {
        const toc_mesh *mesh = toc_scene_get_mesh(scene, b);
        const size_t bytes = 3 * toc_mesh_get_vertex_count(mesh) * sizeof(double);
        if (toc_mesh_get_acceleration(mesh)) return false;
        if (bytes && memcmp(toc_mesh_get_x0(mesh), toc_mesh_get_x1(mesh), bytes) != 0) return false;
    }
    return true;
}

void tool_hints_on_motion(tool_hints *hints, const toc_scene *scene, bool sequence) {
    enum { SUSPECT = 100 };
    const double start = scene_size(scene, TOC_AT_START), end = scene_size(scene, TOC_AT_END);
    if (start > 0 && end > 0 && (end / start >= SUSPECT || start / end >= SUSPECT))
        add_hint(hints, "the %s is %.4g times as large as the %s: are both files in the same unit of length?",
                 end > start ? "end" : "start", end > start ? end / start : start / end, end > start ? "start" : "end");
    if (!sequence && rests(scene))
        add_hint(hints, "start and end are identical: nothing moves. toccata overlaps finds what crosses already, "
                        "toccata near what is close");
}

typedef struct position {
    double x[6]; // at both ends
} position;

static int compare_positions(const void *a, const void *b) { return memcmp(a, b, sizeof(position)); }

// Vertices in use that are at the place of another one at both ends.
static size_t count_coincident(position *at, size_t count) {
    size_t same = 0;
    if (count) qsort(at, count, sizeof *at, compare_positions);
    for (size_t i = 1; i < count; i++) same += compare_positions(&at[i - 1], &at[i]) == 0;
    return same;
}

static size_t list_positions(const toc_mesh *mesh, uint8_t *used, position *at) {
    const size_t vertices = toc_mesh_get_vertex_count(mesh);
    const double *x0 = toc_mesh_get_x0(mesh), *x1 = toc_mesh_get_x1(mesh);
    size_t count = 0;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
        const toc_element element = toc_mesh_get_element(mesh, e);
        for (int k = 0; k < element.corner_count; k++) used[element.corners[k]] = 1;
    }
    for (size_t v = 0; v < vertices; v++) {
        if (!used[v]) continue;
        for (size_t k = 0; k < 3; k++) {
            at[count].x[k] = x0[3 * v + k] + 0.0; // -0 becomes 0
            at[count].x[k + 3] = x1[3 * v + k] + 0.0;
        }
        count++;
    }
    return count;
}

static toc_status find_coincident(const toc_mesh *mesh, size_t *count) {
    const size_t vertices = toc_mesh_get_vertex_count(mesh);
    uint8_t *used = calloc(vertices + 1, 1);
    position *at = calloc(vertices + 1, sizeof *at);
    const toc_status status = used && at ? TOC_OK : tool_fail_memory();
    if (status == TOC_OK) *count = count_coincident(at, list_positions(mesh, used, at));
    free(used);
    free(at);
    return status;
}

toc_status tool_hints_on_contacts(tool_hints *hints, const toc_scene *scene, size_t early, size_t count,
                                  bool sequence) {
    assert(early <= count);
    toc_status status = TOC_OK;
    if (early == 0) return TOC_OK;
    for (uint32_t b = 0; b < toc_scene_get_body_count(scene) && status == TOC_OK; b++) {
        size_t same = 0;
        status = find_coincident(toc_scene_get_mesh(scene, b), &same);
        if (same > 0)
            add_hint(hints,
                     "%zu vertices are at the place of another one, but not joined: they touch at t = 0. --weld "
                     "joins them",
                     same);
    }
    if (early == count && !sequence)
        add_hint(hints, "all contacts are at t = 0: the bodies touch at the start. toccata overlaps shows the crossing "
                        "faces, --thin leaves out the thickness of shells");
    return status;
}

void tool_hints_on_overlaps(tool_hints *hints, size_t overlaps) {
    if (overlaps > 0)
        add_hint(hints,
                 "%zu pairs of faces cross at the start already; contacts are those of the motion. toccata "
                 "overlaps lists them",
                 overlaps);
}

static bool has_thick_shells(const toc_scene *scene) {
    for (uint32_t b = 0; b < toc_scene_get_body_count(scene); b++) {
        const toc_mesh *mesh = toc_scene_get_mesh(scene, b);
        for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
            const toc_element element = toc_mesh_get_element(mesh, e);
            if ((element.shape == TOC_TRIANGLE || element.shape == TOC_QUAD) && element.thickness > 0) return true;
        }
    }
    return false;
}

void tool_hints_on_depth(tool_hints *hints, const toc_scene *scene, size_t overlaps, double deepest) {
    assert(overlaps > 0 || deepest == 0);
    if (overlaps > 0 && deepest == 0 && has_thick_shells(scene))
        add_hint(hints,
                 "all depths are 0, because shells are faces here. --thicken makes those with a thickness solid, "
                 "and gives the depth of their overlaps");
}

void tool_hints_print(FILE *out, const tool_hints *hints) {
    for (size_t i = 0; i < hints->count; i++) fprintf(out, "hint      %s\n", hints->text[i]);
}

void tool_hints_to_json(cJSON *object, const tool_hints *hints) {
    if (hints->count == 0) return;
    cJSON *list = cJSON_AddArrayToObject(object, "hints");
    for (size_t i = 0; i < hints->count; i++) cJSON_AddItemToArray(list, cJSON_CreateString(hints->text[i]));
}

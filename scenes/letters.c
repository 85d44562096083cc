// SPDX-License-Identifier: Apache-2.0
// Letters fall into a heap, each a soft body of 11 cells with about 800 triangles around them: very many bodies. In the
// manner of the third benchmark of Jung and Choi, which has 1,014.
#include <math.h>
#include <string.h>

#include "scenes/builder.h"
#include "scenes/heap.h"
#include "scenes/scenes.h"

enum { WIDE = 3, HIGH = 5, SPLITS = 3, CELLS = 11, LETTERS = 11, FRAMES = 60 };
enum { POINTS_X = WIDE * SPLITS + 1, POINTS_Y = HIGH * SPLITS + 1, POINTS_Z = SPLITS + 1 };

// Those that take 11 cells of 3 x 5, row by row from the top.
static const char shapes[LETTERS][WIDE * HIGH + 1] = {
    ".#.####.#####.#", // A
    "##.#.###.#.####", // B
    "####..####..###", // E
    "####..#.##.####", // G
    "#.##.#####.##.#", // H
    "####.##.##.##.#", // N
    "####.###.#.##.#", // R
    "####..###..####", // S
    "#.##.##.##.####", // U
    "#.##.##.#####.#", // W
    "###..#####..###", // Z
};

// ---- cells

static bool has_cell(uint64_t body, int x, int y) {
    return x >= 0 && x < WIDE && y >= 0 && y < HIGH && shapes[body % LETTERS][(HIGH - 1 - y) * WIDE + x] == '#';
}

// The number of a cell, counted from below.
static uint32_t cell_number(uint64_t body, int x, int y) {
    uint32_t number = 0;
    for (int i = 0; i < y * WIDE + x; i++) number += has_cell(body, i % WIDE, i / WIDE);
    return number;
}

static void letter_middle(uint64_t body, double out[3]) {
    out[0] = out[1] = 0, out[2] = 0.5;
    for (int i = 0; i < WIDE * HIGH; i++)
        if (has_cell(body, i % WIDE, i / WIDE)) out[0] += (i % WIDE + 0.5) / CELLS, out[1] += (i / WIDE + 0.5) / CELLS;
}

static void letter_ball_rest(uint64_t body, uint32_t ball, double out[3]) {
    double middle[3];
    letter_middle(body, middle);
    for (int i = 0; i < WIDE * HIGH; i++)
        if (has_cell(body, i % WIDE, i / WIDE) && cell_number(body, i % WIDE, i / WIDE) == ball)
            out[0] = i % WIDE + 0.5 - middle[0], out[1] = i / WIDE + 0.5 - middle[1], out[2] = 0;
}

static const heap_form form = {.balls = CELLS,
                               .rest = letter_ball_rest,
                               .radius = 0.5,
                               .spacing = 6.2,
                               .stiffness = 0.5,
                               .seconds = 9,
                               .frames = FRAMES,
                               .steps = 6};

// ---- the surface

// A letter under construction: the vertex at each point of the grid.
typedef struct letter {
    uint64_t body;
    heap_body at;
    double nodes[WIDE + 1][HIGH + 1][3]; // shifts of the corners of cells
    double middle[3];
    uint32_t ids[POINTS_X][POINTS_Y][POINTS_Z]; // UINT32_MAX for none yet
} letter;

// A corner is shifted as the cells around it are, on average.
static void shift_nodes(letter *l) {
    for (int x = 0; x <= WIDE; x++)
        for (int y = 0; y <= HIGH; y++) {
            double count = 0, *node = l->nodes[x][y];
            for (int c = 0; c < 4; c++) {
                const int i = x - c % 2, j = y - c / 2;
                if (!has_cell(l->body, i, j)) continue;
                for (int k = 0; k < 3; k++) node[k] += l->at.shift[cell_number(l->body, i, j)][k];
                count++;
            }
            for (int k = 0; k < 3 && count > 0; k++) node[k] /= count;
        }
}

// The position of a point of the cell (x, y): the letter's placement plus the interpolated shifts of the cell's
// corners.
static void place_letter(const letter *l, int x, int y, const int point[3], double out[3]) {
    const double u = (double)point[0] / SPLITS - x, v = (double)point[1] / SPLITS - y;
    double rest[3];
    for (int k = 0; k < 3; k++) rest[k] = (double)point[k] / SPLITS - l->middle[k];
    for (int k = 0; k < 3; k++) {
        out[k] = l->at.centre[k];
        for (int c = 0; c < 3; c++) out[k] += l->at.turn[c][k] * rest[c];
        out[k] += (1 - v) * ((1 - u) * l->nodes[x][y][k] + u * l->nodes[x + 1][y][k]) +
                  v * ((1 - u) * l->nodes[x][y + 1][k] + u * l->nodes[x + 1][y + 1][k]);
    }
}

static uint32_t lattice_vertex(scene_builder *builder, letter *l, int x, int y, const int point[3]) {
    uint32_t *id = &l->ids[point[0]][point[1]][point[2]];
    double at[3];
    if (*id != UINT32_MAX) return *id;
    place_letter(l, x, y, point, at);
    return *id = scene_vertex(builder, at[0], at[1], at[2]);
}

// A side of a cell, two triangles for each of its squares, wound outward.
static void add_side(scene_builder *builder, letter *l, int x, int y, int axis, bool far) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3, low[3] = {x * SPLITS, y * SPLITS, 0};
    for (int square = 0; square < SPLITS * SPLITS; square++) {
        uint32_t quad[4];
        for (int c = 0; c < 4; c++) {
            int point[3] = {low[0], low[1], low[2]};
            point[axis] += far ? SPLITS : 0;
            point[u] += square % SPLITS + (c == 1 || c == 2);
            point[v] += square / SPLITS + (c >= 2);
            quad[far ? c : 3 - c] = lattice_vertex(builder, l, x, y, point);
        }
        scene_element(builder, TOC_TRIANGLE, (uint32_t[3]){quad[0], quad[1], quad[2]});
        scene_element(builder, TOC_TRIANGLE, (uint32_t[3]){quad[0], quad[2], quad[3]});
    }
}

static void add_letter_cell(scene_builder *builder, letter *l, int x, int y) {
    for (int axis = 0; axis < 3; axis++)
        for (int far = 0; far < 2; far++) {
            const int step = far ? 1 : -1;
            const bool inside = axis < 2 && has_cell(l->body, x + (axis == 0 ? step : 0), y + (axis == 1 ? step : 0));
            if (!inside) add_side(builder, l, x, y, axis, far);
        }
}

// The cell itself.
static void add_box(scene_builder *builder, letter *l, int x, int y) {
    uint32_t corners[8];
    for (int c = 0; c < 8; c++) {
        const int point[3] = {(x + c % 2) * SPLITS, (y + c / 2 % 2) * SPLITS, c / 4 * SPLITS};
        corners[c] = lattice_vertex(builder, l, x, y, point);
    }
    scene_cell(builder, TOC_HEX, corners);
}

typedef void cell_adder(scene_builder *builder, letter *l, int x, int y);

static void add_letter(scene_builder *builder, const heap *letters, uint64_t body, cell_adder *add) {
    letter l = {.body = body, .at = heap_look(letters, &form, body)};
    memset(l.ids, 0xff, sizeof l.ids);
    letter_middle(body, l.middle);
    shift_nodes(&l);
    for (int i = 0; i < WIDE * HIGH; i++)
        if (has_cell(body, i % WIDE, i / WIDE)) add(builder, &l, i % WIDE, i / WIDE);
}

static void build_of(scene_builder *builder, size_t size, double time, cell_adder *add) {
    static heap letters;
    if (!heap_run(&letters, &form, size, time)) builder->status = TOC_OUT_OF_MEMORY;
    for (uint64_t i = 0; i < size && builder->status == TOC_OK; i++) {
        scene_group(builder, (int32_t)(i + 1));
        add_letter(builder, &letters, i, add);
    }
}

static void build(scene_builder *builder, size_t size, double time) { build_of(builder, size, time, add_letter_cell); }
static void build_boxes(scene_builder *builder, size_t size, double time) { build_of(builder, size, time, add_box); }

const scene scene_letters = {
    .name = "letters",
    .what = "very many soft letters fall into a heap",
    .size_what = "letters, of about 800 triangles each",
    .size = 1014,
    .frames = FRAMES,
    .largest = 1000000,
    .build = build,
};

const scene scene_lattices = {
    .name = "lattices",
    .what = "the lattices of letters fall into a heap: boxes for free-form deformation",
    .size_what = "letters, of 11 hexes each",
    .size = 1014,
    .frames = FRAMES,
    .largest = 1000000,
    .build = build_boxes,
};

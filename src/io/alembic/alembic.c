// SPDX-License-Identifier: Apache-2.0
// Alembic files (.abc, Ogawa): polygon meshes with their transformations, at the times of all samples.
//
// Frames are the times at which anything is sampled. Between samples of its own, a mesh or a transformation is
// interpolated. Where the polygons of a mesh change, the old ones are removed, and the new ones are added with vertices
// of their own, at rest in that step: nothing tells which vertex is which. Such a span of frames with the same polygons
// is an era. A frame is read on request.
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "io/alembic/ogawa.h"
#include "io/core/format.h"
#include "io/core/solid.h"

/// The contents of a file may share data: they have at most so many times its bytes. Likewise bounded are the frames of
/// all shapes, and the bytes of samples that are compared, as equal ones usually share their place.
enum { MOST_SHARING = 128, MOST_FRAMES = 16, MOST_COMPARED = 64 };
enum { MOST_PATH = 256 };

static const double same_time = 1e-9; // relative, or in seconds

typedef struct matrix {
    double m[4][4]; // points are rows in front of it
} matrix;

static const matrix identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};

typedef struct abc_node {
    size_t parent; // a transformation, or NO_NODE
    toc_text operations;
    toc_ogawa_property values, inherits;
    bool has_values, has_inherits;
} abc_node;

#define NO_NODE SIZE_MAX

typedef struct abc_shape {
    size_t node, name; // its transformation; its name in `names`
    toc_ogawa_property points, counts, corners;
    size_t era; // the last one so far
} abc_shape;

/// An object to be looked into.
typedef struct abc_object {
    toc_text metadata;
    uint64_t group;
    size_t node, name; // the transformation above; its path in `names`
} abc_object;

/// Frames of a shape with the same polygons.
typedef struct abc_era {
    size_t shape, first, last; // frames
    uint32_t counts, corners;  // samples
    size_t vertices, elements, first_vertex, first_element;
} abc_era;

typedef struct abc {
    toc_allocator allocator;
    char *path;
    size_t path_size;
    toc_source source;
    bool is_open;
    toc_ogawa file;
    TOC_ARRAY(abc_node) nodes;
    TOC_ARRAY(matrix) worlds; // of the nodes, at the frame read last
    TOC_ARRAY(double) values; // room for those of a node
    TOC_ARRAY(abc_shape) shapes;
    TOC_ARRAY(abc_object) objects;
    TOC_ARRAY(char) names;
    TOC_ARRAY(double) times;
    TOC_ARRAY(abc_era) eras; // by their first frame
    uint64_t geometry;       // bytes of all eras
    uint64_t compared;       // bytes of samples
} abc;

static toc_status abc_fail(abc *a, const char *what) {
    a->source.at = a->source.begin;
    return toc_source_fail_byte(&a->source, "%s", what);
}

// ---- samples

/// A place between the samples of a property: the last one up to a time, and the share of the next.
typedef struct moment {
    uint32_t sample;
    double share;
} moment;

static double tolerance_of(double time) { return same_time * fmax(1, fabs(time)); }

static moment find_moment(const abc *a, const toc_ogawa_property *p, double time) {
    const double late = time + tolerance_of(time);
    assert(p->count > 0);
    uint32_t low = 0, high = p->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (toc_ogawa_time(&a->file, p, middle) <= late)
            low = middle;
        else
            high = middle;
    }
    const double begin = toc_ogawa_time(&a->file, p, low);
    if (low + 1 >= p->count || time - begin <= tolerance_of(time)) return (moment){low, 0};
    const double end = toc_ogawa_time(&a->file, p, low + 1);
    return (moment){low, end > begin ? (time - begin) / (end - begin) : 0};
}

/// Numbers of a property at a time, interpolated; fails if a sample has fewer.
static toc_status read_numbers(abc *a, const toc_ogawa_property *p, moment at, size_t count, double *out) {
    const size_t size = p->type == TOC_OGAWA_F64 ? 8 : 4;
    toc_text now, next;
    assert(at.sample < p->count);
    TOC_TRY(toc_ogawa_sample(&a->file, p, at.sample, &now));
    next = now;
    if (at.share > 0) TOC_TRY(toc_ogawa_sample(&a->file, p, at.sample + 1, &next));
    if (now.count / size < count || next.count / size < count)
        return abc_fail(a, "a sample of this Alembic file has too few numbers");
    for (size_t i = 0; i < count; i++) {
        const char *from = now.at + size * i, *to = next.at + size * i;
        const double x = size == 8 ? toc_load_f64(from, false) : (double)toc_load_f32(from, false);
        const double y = size == 8 ? toc_load_f64(to, false) : (double)toc_load_f32(to, false);
        out[i] = at.share > 0 ? x + at.share * (y - x) : x;
        if (!isfinite(out[i])) return abc_fail(a, "a number of this Alembic file is not finite");
    }
    return TOC_OK;
}

// ---- transformations

enum { SCALE, TRANSLATE, ROTATE, MATRIX, ROTATE_X, ROTATE_Y, ROTATE_Z, OPERATIONS };

static const uint8_t channels_of[OPERATIONS] = {3, 3, 4, 16, 1, 1, 1};

static matrix multiply(const matrix *a, const matrix *b) {
    matrix c;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            c.m[i][k] = 0;
            for (int j = 0; j < 4; j++) c.m[i][k] += a->m[i][j] * b->m[j][k];
        }
    return c;
}

static matrix rotate_about(const double axis[3], double degrees) {
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    const double angle = degrees * (3.14159265358979323846 / 180), s = sin(angle), c = cos(angle);
    matrix m = identity;
    if (length == 0) return m;
    const double u[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) m.m[i][k] = u[i] * u[k] * (1 - c) + (i == k ? c : 0);
    for (int i = 0; i < 3; i++) { // rows are those of the transposed rotation
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        m.m[j][k] += u[i] * s;
        m.m[k][j] -= u[i] * s;
    }
    return m;
}

static matrix abc_matrix_of(int operation, const double *v) {
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    matrix m = identity;
    assert(operation >= 0 && operation < OPERATIONS);
    if (operation == ROTATE) return rotate_about(v, v[3]);
    if (operation >= ROTATE_X) return rotate_about(axes[operation - ROTATE_X], v[0]);
    if (operation == MATRIX) memcpy(m.m, v, sizeof m.m);
    for (int i = 0; i < 3 && operation == SCALE; i++) m.m[i][i] = v[i];
    for (int i = 0; i < 3 && operation == TRANSLATE; i++) m.m[3][i] = v[i];
    return m;
}

static size_t count_channels(const abc_node *node) {
    size_t sum = 0;
    for (size_t i = 0; i < node->operations.count; i++) sum += channels_of[(uint8_t)node->operations.at[i] >> 4];
    return sum;
}

/// The operations of a node, the last one first.
static toc_status abc_find_local(abc *a, const abc_node *node, double time, matrix *out) {
    *out = identity;
    if (!node->has_values) return TOC_OK;
    const moment at = find_moment(a, &node->values, time);
    TOC_TRY(read_numbers(a, &node->values, at, count_channels(node), a->values.at));
    const double *next = a->values.at;
    for (size_t i = 0; i < node->operations.count; i++) {
        const int operation = (uint8_t)node->operations.at[i] >> 4;
        const matrix m = abc_matrix_of(operation, next);
        *out = multiply(&m, out);
        next += channels_of[operation];
    }
    return TOC_OK;
}

static toc_status inherits_at(abc *a, const abc_node *node, double time, bool *out) {
    toc_text sample;
    *out = true;
    if (!node->has_inherits) return TOC_OK;
    TOC_TRY(toc_ogawa_sample(&a->file, &node->inherits, find_moment(a, &node->inherits, time).sample, &sample));
    *out = sample.count == 0 || sample.at[0] != 0;
    return TOC_OK;
}

/// All transformations at a time. A parent stands before its children.
static toc_status abc_place_nodes(abc *a, double time) {
    for (size_t i = 0; i < a->nodes.count; i++) {
        const abc_node *node = &a->nodes.at[i];
        bool inherits;
        assert(node->parent == NO_NODE || node->parent < i);
        TOC_TRY(abc_find_local(a, node, time, &a->worlds.at[i]));
        TOC_TRY(inherits_at(a, node, time, &inherits));
        if (inherits && node->parent != NO_NODE)
            a->worlds.at[i] = multiply(&a->worlds.at[i], &a->worlds.at[node->parent]);
    }
    return TOC_OK;
}

// ---- objects

static toc_status find_sampled(abc *a, uint64_t group, const char *name, toc_ogawa_property *out, bool *found) {
    TOC_TRY(toc_ogawa_find(&a->file, group, name, out, found));
    *found = *found && !out->is_compound && out->count > 0;
    return TOC_OK;
}

static toc_status check_operations(abc *a, const abc_node *node) {
    for (size_t i = 0; i < node->operations.count; i++)
        if ((uint8_t)node->operations.at[i] >> 4 >= OPERATIONS)
            return abc_fail(a, "a transformation of this Alembic file is of an unknown kind");
    if (node->operations.count > UINT8_MAX) return abc_fail(a, "a transformation has more than 255 operations");
    if (!node->has_values || node->values.type == TOC_OGAWA_F64) return TOC_OK;
    return abc_fail(a, "the values of a transformation are not doubles");
}

static toc_status abc_add_node(abc *a, abc_object *object, uint64_t properties) {
    abc_node node = {.parent = object->node};
    toc_ogawa_property own, operations;
    bool found = false, has_operations = false;
    if (properties != TOC_OGAWA_NONE) TOC_TRY(toc_ogawa_find(&a->file, properties, ".xform", &own, &found));
    if (!found || !own.is_compound) return TOC_OK;
    TOC_TRY(find_sampled(a, own.group, ".ops", &operations, &has_operations));
    if (has_operations) TOC_TRY(toc_ogawa_sample(&a->file, &operations, 0, &node.operations));
    TOC_TRY(find_sampled(a, own.group, ".vals", &node.values, &node.has_values));
    TOC_TRY(find_sampled(a, own.group, ".inherits", &node.inherits, &node.has_inherits));
    TOC_TRY(check_operations(a, &node));
    TOC_TRY(toc_array_reserve(&a->allocator, &a->values, count_channels(&node)));
    TOC_TRY(toc_array_reserve(&a->allocator, &a->nodes, 1));
    object->node = a->nodes.count;
    a->nodes.at[a->nodes.count++] = node;
    return TOC_OK;
}

static toc_status add_shape(abc *a, const abc_object *object, uint64_t properties) {
    abc_shape shape = {.node = object->node, .name = object->name, .era = SIZE_MAX};
    toc_ogawa_property own;
    bool found = false, counts = false, corners = false;
    if (properties != TOC_OGAWA_NONE) TOC_TRY(toc_ogawa_find(&a->file, properties, ".geom", &own, &found));
    if (!found || !own.is_compound) return abc_fail(a, "a mesh of this Alembic file has no geometry");
    TOC_TRY(find_sampled(a, own.group, "P", &shape.points, &found));
    TOC_TRY(find_sampled(a, own.group, ".faceCounts", &shape.counts, &counts));
    TOC_TRY(find_sampled(a, own.group, ".faceIndices", &shape.corners, &corners));
    if (!found || !counts || !corners) return TOC_OK; // it was never written
    const uint8_t type = shape.points.type;
    if ((type != TOC_OGAWA_F32 && type != TOC_OGAWA_F64) || shape.points.extent != 3 ||
        shape.counts.type != TOC_OGAWA_I32 || shape.corners.type != TOC_OGAWA_I32)
        return abc_fail(a, "points of three floats, and polygons of integers, are read from Alembic files");
    TOC_TRY(toc_array_reserve(&a->allocator, &a->shapes, 1));
    a->shapes.at[a->shapes.count++] = shape;
    return TOC_OK;
}

static toc_status refuse_instance(abc *a, uint64_t properties) {
    toc_ogawa_property source;
    bool found = false;
    if (properties != TOC_OGAWA_NONE) TOC_TRY(toc_ogawa_find(&a->file, properties, ".instanceSource", &source, &found));
    return found ? abc_fail(a, "instances of Alembic are not read: export the objects themselves") : TOC_OK;
}

/// The path of a child: that of its parent, and its name.
static toc_status abc_add_path(abc *a, size_t parent, toc_text name) {
    TOC_TRY(toc_array_reserve(&a->allocator, &a->names, MOST_PATH));
    char *to = a->names.at + a->names.count;
    const char *above = a->names.at + parent;
    size_t length = strlen(above);
    memcpy(to, above, length);
    if (length > 0 && length + 1 < MOST_PATH) to[length++] = '/';
    const size_t room = MOST_PATH - 1 - length, count = name.count < room ? name.count : room;
    memcpy(to + length, name.at, count);
    to[length + count] = 0;
    a->names.count += strlen(to) + 1;
    return TOC_OK;
}

/// The object whose children are listed.
typedef struct abc_parent {
    abc *a;
    size_t node, name;
} abc_parent;

static toc_status take_object(void *user, toc_text name, toc_text metadata, uint64_t group) {
    const abc_parent *above = user;
    abc *a = above->a;
    const abc_object object = {.metadata = metadata, .group = group, .node = above->node, .name = a->names.count};
    TOC_TRY(abc_add_path(a, above->name, name));
    TOC_TRY(toc_array_reserve(&a->allocator, &a->objects, 1));
    a->objects.at[a->objects.count++] = object;
    return TOC_OK;
}

static toc_status read_object(abc *a, abc_object *object) {
    uint64_t properties;
    TOC_TRY(toc_ogawa_properties_of(&a->file, object->group, &properties));
    TOC_TRY(refuse_instance(a, properties));
    if (toc_ogawa_has_schema(object->metadata, "AbcGeom_NuPatch_"))
        return abc_fail(a, "NURBS of Alembic are not read: export polygons");
    if (toc_ogawa_has_schema(object->metadata, "AbcGeom_Xform_")) TOC_TRY(abc_add_node(a, object, properties));
    if (toc_ogawa_has_schema(object->metadata, "AbcGeom_PolyMesh_") ||
        toc_ogawa_has_schema(object->metadata, "AbcGeom_SubD_"))
        TOC_TRY(add_shape(a, object, properties));
    return TOC_OK;
}

/// All objects: parents before their children.
static toc_status read_objects(abc *a) {
    TOC_TRY(toc_array_reserve(&a->allocator, &a->names, 1));
    a->names.at[a->names.count++] = 0; // the path of the top
    abc_parent above = {a, NO_NODE, 0};
    TOC_TRY(toc_ogawa_objects(&a->file, a->file.root, take_object, &above));
    for (size_t i = 0; i < a->objects.count; i++) {
        abc_object object = a->objects.at[i];
        TOC_TRY(read_object(a, &object));
        above = (abc_parent){a, object.node, object.name};
        TOC_TRY(toc_ogawa_objects(&a->file, object.group, take_object, &above));
    }
    return TOC_OK;
}

// ---- times

static int compare_times(const void *a, const void *b) {
    const double s = *(const double *)a, t = *(const double *)b;
    return (s > t) - (s < t);
}

static toc_status abc_add_times(abc *a, const toc_ogawa_property *p, uint32_t *known) {
    for (; known[p->sampling] < p->count; known[p->sampling]++) {
        if (a->times.count >= (size_t)(a->source.end - a->source.begin))
            return abc_fail(a, "this Alembic file has more samples than bytes");
        TOC_TRY(toc_array_reserve(&a->allocator, &a->times, 1));
        a->times.at[a->times.count++] = toc_ogawa_time(&a->file, p, known[p->sampling]);
    }
    return TOC_OK;
}

/// A property with one sample rests: it adds no time, unless all do.
static toc_status add_sampled_times(abc *a, const toc_ogawa_property *p, uint32_t least, uint32_t *known) {
    return p->count >= least ? abc_add_times(a, p, known) : TOC_OK;
}

static toc_status gather_times(abc *a, uint32_t least, uint32_t *known) {
    for (size_t i = 0; i < a->shapes.count; i++) {
        const abc_shape *s = &a->shapes.at[i];
        TOC_TRY(add_sampled_times(a, &s->points, least, known));
        TOC_TRY(add_sampled_times(a, &s->counts, least, known));
        TOC_TRY(add_sampled_times(a, &s->corners, least, known));
    }
    for (size_t i = 0; i < a->nodes.count; i++) {
        const abc_node *n = &a->nodes.at[i];
        if (n->has_values) TOC_TRY(add_sampled_times(a, &n->values, least, known));
        if (n->has_inherits) TOC_TRY(add_sampled_times(a, &n->inherits, least, known));
    }
    return TOC_OK;
}

static toc_status gather_moving(abc *a, uint32_t *known) {
    TOC_TRY(gather_times(a, 2, known));
    if (a->times.count > 0) return TOC_OK;
    TOC_TRY(gather_times(a, 1, known));
    a->times.count = a->times.count > 0;
    return TOC_OK;
}

static toc_status abc_find_times(abc *a) {
    const size_t samplings = a->file.samplings.count;
    if (a->shapes.count == 0) return abc_fail(a, "this Alembic file has no polygon mesh");
    uint32_t *known = toc_new(&a->allocator, samplings, sizeof *known);
    if (!known) return TOC_OUT_OF_MEMORY;
    const toc_status status = gather_moving(a, known);
    toc_free(&a->allocator, known, samplings, sizeof *known);
    TOC_TRY(status);
    qsort(a->times.at, a->times.count, sizeof *a->times.at, compare_times);
    size_t count = 1;
    for (size_t i = 1; i < a->times.count; i++)
        if (a->times.at[i] - a->times.at[count - 1] > tolerance_of(a->times.at[i]))
            a->times.at[count++] = a->times.at[i];
    a->times.count = count;
    return TOC_OK;
}

// ---- eras

static size_t point_size(const abc_shape *s) { return s->points.type == TOC_OGAWA_F64 ? 24 : 12; }

static toc_status same_sample(abc *a, const toc_ogawa_property *p, uint32_t one, uint32_t other, bool *same) {
    toc_text x, y;
    *same = true;
    if (one == other) return TOC_OK;
    TOC_TRY(toc_ogawa_sample(&a->file, p, one, &x));
    TOC_TRY(toc_ogawa_sample(&a->file, p, other, &y));
    *same = x.count == y.count;
    if (!*same || x.at == y.at) return TOC_OK;
    a->compared += x.count;
    if (a->compared / MOST_COMPARED > (uint64_t)(a->source.end - a->source.begin))
        return abc_fail(a, "the samples of this Alembic file repeat each other");
    *same = memcmp(x.at, y.at, x.count) == 0;
    return TOC_OK;
}

/// The polygons of an era: how many elements they become.
static toc_status count_elements(abc *a, abc_era *era) {
    const abc_shape *s = &a->shapes.at[era->shape];
    toc_text counts, corners;
    uint64_t sum = 0;
    TOC_TRY(toc_ogawa_sample(&a->file, &s->counts, era->counts, &counts));
    TOC_TRY(toc_ogawa_sample(&a->file, &s->corners, era->corners, &corners));
    for (size_t i = 0; i < counts.count / 4; i++) {
        const uint32_t n = toc_load_u32(counts.at + 4 * i, false);
        if (n > corners.count / 4) return abc_fail(a, "a polygon has more corners than its mesh");
        sum += n;
        era->elements += n == 0 ? 0 : n <= 4 ? 1 : n - 2;
    }
    if (sum != corners.count / 4) return abc_fail(a, "the corners of a mesh are not those of its polygons");
    a->geometry += (uint64_t)era->vertices * point_size(s) + counts.count + corners.count;
    if (a->geometry / MOST_SHARING <= (uint64_t)(a->source.end - a->source.begin)) return TOC_OK;
    return abc_fail(a, "the meshes of this Alembic file have more than 128 times its bytes");
}

/// Whether a shape has the polygons of its era so far.
static toc_status continues_era(abc *a, const abc_shape *s, const abc_era *next, bool *same) {
    const abc_era *era = s->era == SIZE_MAX ? NULL : &a->eras.at[s->era];
    *same = era && era->vertices == next->vertices;
    if (*same) TOC_TRY(same_sample(a, &s->counts, era->counts, next->counts, same));
    return *same ? same_sample(a, &s->corners, era->corners, next->corners, same) : TOC_OK;
}

static toc_status begin_era(abc *a, abc_shape *s, abc_era era) {
    TOC_TRY(count_elements(a, &era));
    TOC_TRY(toc_array_reserve(&a->allocator, &a->eras, 1));
    if (a->eras.count > 0) {
        const abc_era *last = &a->eras.at[a->eras.count - 1];
        era.first_vertex = last->first_vertex + last->vertices;
        era.first_element = last->first_element + last->elements;
    }
    s->era = a->eras.count;
    a->eras.at[a->eras.count++] = era;
    return TOC_OK;
}

static toc_status abc_add_frame(abc *a, size_t shape, size_t frame) {
    assert(shape < a->shapes.count && frame < a->times.count);
    abc_shape *s = &a->shapes.at[shape];
    const double time = a->times.at[frame];
    abc_era era = {.shape = shape, .first = frame, .last = frame};
    toc_text points;
    bool same;
    era.counts = find_moment(a, &s->counts, time).sample;
    era.corners = find_moment(a, &s->corners, time).sample;
    TOC_TRY(toc_ogawa_sample(&a->file, &s->points, find_moment(a, &s->points, time).sample, &points));
    era.vertices = points.count / point_size(s);
    TOC_TRY(continues_era(a, s, &era, &same));
    if (!same) return begin_era(a, s, era);
    abc_era *now = &a->eras.at[s->era];
    now->last = frame;
    now->counts = era.counts; // equal, and likely those of the next frame
    now->corners = era.corners;
    return TOC_OK;
}

static toc_status find_eras(abc *a) {
    if (a->times.count * a->shapes.count / MOST_FRAMES > (size_t)(a->source.end - a->source.begin))
        return abc_fail(a, "the meshes of this Alembic file have more frames than it has bytes");
    for (size_t frame = 0; frame < a->times.count; frame++)
        for (size_t shape = 0; shape < a->shapes.count; shape++) TOC_TRY(abc_add_frame(a, shape, frame));
    for (size_t i = 0; i < a->eras.count; i++)
        if (a->eras.at[i].elements > 0) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "%s: holds no elements", a->path);
}

/// Eras that have begun at a frame.
static size_t count_begun(const abc *a, size_t frame) {
    size_t low = 0, high = a->eras.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (a->eras.at[middle].first <= frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// ---- opening

static toc_status abc_open_file(abc *a, const char *path) {
    a->path_size = strlen(path) + 1;
    a->path = toc_new(&a->allocator, a->path_size, 1);
    if (!a->path) return TOC_OUT_OF_MEMORY;
    memcpy(a->path, path, a->path_size);
    TOC_TRY(toc_source_open_as_is(a->path, &a->allocator, &a->source));
    a->is_open = true;
    TOC_TRY(toc_ogawa_open(&a->source, &a->allocator, &a->file));
    TOC_TRY(read_objects(a));
    TOC_TRY(toc_array_reserve(&a->allocator, &a->worlds, a->nodes.count));
    TOC_TRY(abc_find_times(a));
    TOC_TRY(find_eras(a));
    return toc_source_is_settled(&a->source);
}

static void close_abc(void *frames) {
    abc *a = frames;
    const toc_allocator memory = a->allocator;
    if (a->is_open) {
        toc_ogawa_close(&a->file);
        toc_source_close(&a->source);
    }
    toc_array_free(&memory, &a->nodes);
    toc_array_free(&memory, &a->worlds);
    toc_array_free(&memory, &a->values);
    toc_array_free(&memory, &a->objects);
    toc_array_free(&memory, &a->shapes);
    toc_array_free(&memory, &a->names);
    toc_array_free(&memory, &a->times);
    toc_array_free(&memory, &a->eras);
    toc_free(&memory, a->path, a->path_size, 1);
    toc_free(&memory, a, 1, sizeof *a);
}

static toc_status open_abc(const char *path, const toc_frame_wish *wish, const toc_allocator *allocator,
                           void **frames) {
    (void)wish;
    const toc_allocator memory = toc_allocator_or_default(allocator);
    abc *a = toc_new(&memory, 1, sizeof *a);
    if (!a) return TOC_OUT_OF_MEMORY;
    a->allocator = a->file.allocator = memory;
    const toc_status status = abc_open_file(a, path);
    if (status == TOC_OK)
        *frames = a;
    else
        close_abc(a);
    return status;
}

static size_t count_abc_frames(const void *frames) { return ((const abc *)frames)->times.count; }

static double abc_time_of(const void *frames, size_t frame) { return ((const abc *)frames)->times.at[frame]; }

// ---- positions

/// The vertices of an era at a frame, or at its last one, once it is over. Transformations must be those of the frame.
static toc_status place_era(abc *a, const abc_era *era, double time, double *x) {
    assert(era->shape < a->shapes.count && era->last < a->times.count);
    const abc_shape *s = &a->shapes.at[era->shape];
    const matrix *world = s->node == NO_NODE ? &identity : &a->worlds.at[s->node];
    moment at = find_moment(a, &s->points, time);
    const double next = at.share > 0 ? toc_ogawa_time(&a->file, &s->points, at.sample + 1) : time;
    if (next > a->times.at[era->last] + tolerance_of(next)) at.share = 0; // other vertices
    TOC_TRY(read_numbers(a, &s->points, at, 3 * era->vertices, x));
    for (size_t i = 0; i < 3 * era->vertices; i += 3) {
        const double p[3] = {x[i], x[i + 1], x[i + 2]};
        for (int k = 0; k < 3; k++) {
            x[i + (size_t)k] = p[0] * world->m[0][k] + p[1] * world->m[1][k] + p[2] * world->m[2][k] + world->m[3][k];
            if (!isfinite(x[i + (size_t)k])) return abc_fail(a, "a vertex is not at a finite place");
        }
    }
    return TOC_OK;
}

/// Eras that are over stay where they were last; their vertices belong to no element.
static toc_status abc_read_positions(void *frames, size_t frame, double *x) {
    abc *a = frames;
    const size_t begun = count_begun(a, frame);
    size_t placed = SIZE_MAX;
    for (size_t i = 0; i < begun; i++) {
        const abc_era *era = &a->eras.at[i];
        const size_t at = era->last < frame ? era->last : frame;
        if (era->vertices == 0) continue; // `x` is NULL if there are none at all
        if (at != placed) TOC_TRY(abc_place_nodes(a, a->times.at[at]));
        placed = at;
        TOC_TRY(place_era(a, era, a->times.at[at], x + 3 * era->first_vertex));
    }
    return toc_source_is_settled(&a->source);
}

static toc_status abc_read_removals(void *frames, size_t frame, uint8_t *gone) {
    const abc *a = frames;
    const size_t begun = count_begun(a, frame);
    for (size_t i = 0; i < begun; i++)
        if (a->eras.at[i].last < frame && a->eras.at[i].elements > 0)
            memset(gone + a->eras.at[i].first_element, 1, a->eras.at[i].elements);
    return TOC_OK;
}

// ---- elements

static toc_status add_polygon(const abc *a, const uint32_t *corners, uint32_t count, int32_t group,
                              toc_mesh_parts *parts) {
    static const toc_shape shapes[] = {TOC_POINT, TOC_POINT, TOC_EDGE, TOC_TRIANGLE, TOC_QUAD};
    if (count == 0) return TOC_OK;
    if (count <= 4) return toc_parts_add(parts, &a->allocator, shapes[count], corners, group);
    for (uint32_t i = 1; i + 1 < count; i++)
        TOC_TRY(toc_parts_add(parts, &a->allocator, TOC_TRIANGLE,
                              (const uint32_t[]){corners[0], corners[i], corners[i + 1]}, group));
    return TOC_OK;
}

/// The elements of an era. The corners of a polygon are clockwise in the file.
static toc_status add_polygons(abc *a, const abc_era *era, toc_mesh_parts *parts) {
    const abc_shape *s = &a->shapes.at[era->shape];
    TOC_ARRAY(uint32_t) polygon = {0};
    toc_text counts, corners;
    toc_status status = toc_ogawa_sample(&a->file, &s->counts, era->counts, &counts);
    if (status == TOC_OK) status = toc_ogawa_sample(&a->file, &s->corners, era->corners, &corners);
    const char *at = status == TOC_OK ? corners.at : NULL;
    for (size_t i = 0; status == TOC_OK && i < counts.count / 4; i++) {
        const uint32_t n = toc_load_u32(counts.at + 4 * i, false);
        polygon.count = 0;
        status = toc_array_reserve(&a->allocator, &polygon, n);
        for (uint32_t k = 0; k < n && status == TOC_OK; k++) {
            const uint32_t corner = toc_load_u32(at + 4 * (k == 0 ? 0 : n - k), false);
            if (corner >= era->vertices) status = abc_fail(a, "a polygon has a corner that is no vertex of its mesh");
            polygon.at[k] = (uint32_t)(era->first_vertex + corner);
        }
        if (status == TOC_OK) status = add_polygon(a, polygon.at, n, (int32_t)era->shape + 1, parts);
        at += 4 * (size_t)n;
    }
    toc_array_free(&a->allocator, &polygon);
    return status;
}

static toc_status fill_first(abc *a, size_t begun, toc_mesh_parts *parts) {
    assert(begun > 0 && begun <= a->eras.count);
    const abc_era *last = &a->eras.at[begun - 1];
    const size_t vertices = last->first_vertex + last->vertices;
    TOC_TRY(toc_mesh_check_room("vertices", 0, vertices));
    TOC_TRY(toc_array_reserve(&a->allocator, &parts->positions, 3 * vertices));
    TOC_TRY(abc_read_positions(a, 0, parts->positions.at));
    parts->positions.count = 3 * vertices;
    for (size_t i = 0; i < begun; i++) TOC_TRY(add_polygons(a, &a->eras.at[i], parts));
    return TOC_OK;
}

static toc_status abc_read_first(void *frames, toc_mesh *mesh) {
    abc *a = frames;
    toc_mesh_parts parts = {.positions = {0}};
    toc_status status = fill_first(a, count_begun(a, 0), &parts);
    if (status == TOC_OK) status = toc_mesh_adopt(mesh, &parts);
    toc_parts_free(&parts, &a->allocator);
    for (size_t i = 0; i < a->shapes.count && status == TOC_OK; i++)
        status = toc_mesh_set_group_name(mesh, (int32_t)i + 1, a->names.at + a->shapes.at[i].name);
    return status;
}

/// Add elements behind those of the mesh, whose vertices it has.
static toc_status abc_append_elements(toc_mesh *mesh, const toc_mesh_parts *parts) {
    const uint32_t *corners = parts->corners.at;
    for (size_t i = 0; i < parts->runs.count; i++) {
        const toc_run *run = &parts->runs.at[i];
        uint32_t first;
        TOC_TRY(toc_mesh_add_elements(mesh, run->shape, run->count, corners, &first));
        for (size_t k = 0; k < run->count; k++) TOC_TRY(toc_mesh_set_group(mesh, first + (uint32_t)k, run->group));
        corners += run->count * (size_t)toc_shape_count_corners(run->shape);
    }
    return TOC_OK;
}

static toc_status append_era(abc *a, const abc_era *era, toc_mesh *mesh) {
    toc_mesh_parts parts = {.positions = {0}};
    toc_status status = toc_array_reserve(&a->allocator, &parts.positions, 3 * era->vertices);
    if (status == TOC_OK) status = abc_place_nodes(a, a->times.at[era->first]);
    if (status == TOC_OK) status = place_era(a, era, a->times.at[era->first], parts.positions.at);
    if (status == TOC_OK) status = add_polygons(a, era, &parts);
    if (status == TOC_OK && era->vertices > 0)
        status = toc_mesh_add_vertices(mesh, era->vertices, parts.positions.at, NULL);
    if (status == TOC_OK) status = abc_append_elements(mesh, &parts);
    toc_parts_free(&parts, &a->allocator);
    return status;
}

/// Add the eras that have begun since the mesh was last moved.
static toc_status abc_grow(void *frames, size_t frame, toc_mesh *mesh) {
    abc *a = frames;
    const size_t begun = count_begun(a, frame);
    assert(begun > 0);
    for (size_t i = 0; i < begun; i++) {
        const abc_era *era = &a->eras.at[i];
        if (era->first_vertex == toc_mesh_get_vertex_count(mesh) &&
            era->first_element == toc_mesh_get_element_count(mesh))
            TOC_TRY(append_era(a, era, mesh));
    }
    const abc_era *last = &a->eras.at[begun - 1];
    if (toc_mesh_get_vertex_count(mesh) == last->first_vertex + last->vertices &&
        toc_mesh_get_element_count(mesh) == last->first_element + last->elements)
        return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "%s: frame %zu has other polygons than a later one: frames are read in their order",
                    a->path, frame);
}

static const toc_frame_methods abc_methods = {
    .open = open_abc,
    .close = close_abc,
    .count = count_abc_frames,
    .time = abc_time_of,
    .first = abc_read_first,
    .grow = abc_grow,
    .positions = abc_read_positions,
    .removals = abc_read_removals,
};

const toc_format toc_format_alembic = {
    .info = {.name = "alembic", .extensions = ".abc", .what = "animation of films: polygon meshes, transformations"},
    .recognise = toc_ogawa_is,
    .frames = &abc_methods,
};

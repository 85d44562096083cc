// SPDX-License-Identifier: Apache-2.0
// The control words of an LS-DYNA d3plot, and the geometry behind them.
//
// Parts of a file are read on demand; each is checked against the size of the file before memory is allocated.
// Unsupported content (particles, SPH nodes, rigid roads, extra data of thermal and fluid solvers) is refused, because
// contacts of a missing body would be missed. After "LS-DYNA Database Binary Output Files", LSTC, and the layout of
// real results.
#include "io/dyna/d3plot.h"

#include <assert.h>
#include <errno.h>

#include "base/platform/platform.h"
#include "io/core/solid.h"

/// Places of the control words.
enum {
    FILE_TYPE = 11,
    NDIM = 15,
    NUMNP,
    ICODE,
    NGLBV,
    IT,
    IU,
    IV,
    IA,
    NEL8,
    NV3D = 27,
    NEL2,
    NV1D = 30,
    NEL4,
    NV2D = 33,
    NEIPH,
    NEIPS,
    MAXINT,
    NMSPH,
    NARBS = 39,
    NELT,
    NV3DT = 42,
    IOSHL, // four words
    IALEMAT = 47,
    NCFDV1,
    NADAPT = 50,
    NMMAT,
    NPEFG = 54,
    NEL48,
    IDTDT,
    EXTRA,
    NEL20 = 64, // only with EXTRA, from here on
    NT3D,
    NEL27,
    CONTROL_WORDS
};

enum { CHUNK = 1 << 13 }; // words read at a time

toc_status toc_d3plot_size(const toc_d3plot *plot, const char *path, uint64_t *words) {
    toc_file_facts about;
    if (!toc_path_facts(path, &about))
        return toc_fail(TOC_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    *words = about.size / plot->word_size;
    return TOC_OK;
}

toc_status toc_d3plot_load(const toc_d3plot *plot, const char *path, uint64_t first, size_t count, toc_source *out) {
    const size_t bytes = count * plot->word_size;
    TOC_TRY(toc_source_open_part(path, first * plot->word_size, bytes, &plot->allocator, out));
    if (toc_source_left(out) == bytes) return TOC_OK;
    out->at = out->end;
    const toc_status status = toc_source_fail_byte(out, "the file ends; %zu more bytes were expected",
                                                   bytes - (size_t)(out->end - out->begin));
    toc_source_close(out);
    return status;
}

toc_status toc_d3plot_reals(const toc_d3plot *plot, const char *path, uint64_t first, size_t count, double *to) {
    for (size_t i = 0; i < count; i += CHUNK) {
        const size_t some = count - i < CHUNK ? count - i : CHUNK;
        toc_source words;
        TOC_TRY(toc_d3plot_load(plot, path, first + i, some, &words));
        for (size_t k = 0; k < some; k++) to[i + k] = toc_d3plot_real(plot, words.begin + k * plot->word_size);
        toc_source_close(&words);
    }
    return TOC_OK;
}

/// Words of a file as integers.
static toc_status load_integers(const toc_d3plot *plot, const char *path, uint64_t first, size_t count, int64_t *to) {
    for (size_t i = 0; i < count; i += CHUNK) {
        const size_t some = count - i < CHUNK ? count - i : CHUNK;
        toc_source words;
        TOC_TRY(toc_d3plot_load(plot, path, first + i, some, &words));
        for (size_t k = 0; k < some; k++) to[i + k] = toc_d3plot_integer(plot, words.begin + k * plot->word_size);
        toc_source_close(&words);
    }
    return TOC_OK;
}

static int64_t control(const toc_d3plot *plot, const toc_source *head, int place) {
    return toc_d3plot_integer(plot, head->begin + (size_t)place * plot->word_size);
}

static bool is_count(int64_t x) { return x >= 0 && x < UINT32_MAX; }

/// Whether the words make sense in this size and order. A d3part is like a d3plot of some parts.
static bool makes_sense(const toc_d3plot *plot, const toc_source *head) {
    const int64_t type = control(plot, head, FILE_TYPE), dimensions = control(plot, head, NDIM);
    const int64_t code = control(plot, head, ICODE), solids = control(plot, head, NEL8);
    return (type == 1 || type == 5) && dimensions >= 2 && dimensions <= 9 && (code == 2 || code == 6) &&
           control(plot, head, NUMNP) > 0 && is_count(control(plot, head, NUMNP)) &&
           (is_count(solids) || is_count(-1 - solids)) && is_count(control(plot, head, NEL2)) &&
           is_count(control(plot, head, NEL4)) && is_count(control(plot, head, NELT)) &&
           is_count(control(plot, head, NARBS));
}

bool toc_d3plot_recognise(const toc_source *head, toc_d3plot *out) {
    for (int way = 0; way < 4; way++) {
        const toc_d3plot plot = {.word_size = way & 1 ? 8 : 4, .big_endian = way & 2};
        if ((size_t)(head->end - head->begin) < (size_t)NEL20 * plot.word_size || !makes_sense(&plot, head)) continue;
        *out = plot;
        return true;
    }
    return false;
}

typedef struct refusal {
    int place;
    int64_t most; // the largest value of the word
    const char *what;
} refusal;

static toc_status check_supported(const toc_d3plot *plot, const toc_source *head) {
    static const refusal refusals[] = {
        {NMSPH, 0, "SPH particles"}, {NPEFG, 0, "airbag particles"}, {NCFDV1, 0, "results of other solvers"}};
    const int64_t dimensions = control(plot, head, NDIM);
    if (dimensions != 4 && dimensions != 5)
        return toc_fail(TOC_BAD_INPUT, "NDIM is %lld: %s are not read", (long long)dimensions,
                        dimensions < 4 ? "flat meshes and packed connectivities" : "rigid roads and rigid body data");
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (control(plot, head, refusals[i].place) > refusals[i].most)
            return toc_fail(TOC_BAD_INPUT, "it holds %s, which are not read", refusals[i].what);
    if (control(plot, head, IU) != 1) return toc_fail(TOC_BAD_INPUT, "its states have no coordinates");
    if (control(plot, head, MAXINT) < 0 && control(plot, head, MAXINT) > -10000)
        return toc_fail(TOC_BAD_INPUT, "it tells deleted nodes instead of elements, which is not read");
    return TOC_OK;
}

/// The length of a row of words: each count times its length. None is so large that the sum overflows.
static toc_status add_words(uint64_t *sum, int64_t count, int64_t each) {
    enum { MOST_EACH = 1 << 24 };
    if (!is_count(count) || each < 0 || each > MOST_EACH)
        return toc_fail(TOC_BAD_INPUT, "its control words ask for %lld times %lld words", (long long)count,
                        (long long)each);
    *sum += (uint64_t)count * (uint64_t)each;
    return TOC_OK;
}

/// Node data beside coordinates, velocities and accelerations: temperatures, heat flux, mass scaling, residuals.
static int64_t node_extras(int64_t it, int64_t idtdt) {
    static const int64_t temperatures[10] = {[1] = 1, [2] = 4, [3] = 6};
    return temperatures[it % 10] + it / 10 % 10 + idtdt % 10 + 6 * (idtdt / 10 % 10);
}

/// Whether a word of IOSHL asks for results of solids, and of shells: 1000 for both, 999 for solids.
static bool solids_have(const toc_d3plot *plot, const toc_source *head, int i) {
    const int64_t word = control(plot, head, IOSHL + i);
    return word == 1000 || word == 999;
}
static bool shells_have(const toc_d3plot *plot, const toc_source *head, int i) {
    return control(plot, head, IOSHL + i) == 1000;
}

/// Stress, plastic strain and other words at each of `layers` points, and then `behind` words. An element with another
/// number of words has others than these, in places that are not known.
static void set_results(toc_d3_results *r, int64_t words, size_t layers, int64_t others, size_t behind) {
    r->layers = layers;
    r->layer = 6 * (size_t)r->has_stress + (size_t)r->has_plastic + (size_t)others;
    if (others >= 0 && (uint64_t)words == layers * r->layer + behind) r->each = (size_t)words;
}

/// The layout of the results of solids and shells; strains of shells are behind everything else.
static void place_results(toc_d3plot *plot, const toc_source *head) {
    const int64_t maxint = control(plot, head, MAXINT), own = maxint < 0 ? -10000 - maxint : maxint;
    const size_t layers = is_count(own) && own < 1000 ? (size_t)own : 0;
    for (int kind = 0; kind < TOC_D3_KINDS; kind++) {
        const bool is_solid = kind == TOC_D3_SOLIDS;
        plot->results[kind].has_stress = (is_solid ? solids_have : shells_have)(plot, head, 0);
        plot->results[kind].has_plastic = (is_solid ? solids_have : shells_have)(plot, head, 1);
    }
    const int64_t solids = control(plot, head, NEIPH), shells = control(plot, head, NEIPS);
    toc_d3_results *of = plot->results;
    if (is_count(solids) && solids < 1000) set_results(&of[TOC_D3_SOLIDS], control(plot, head, NV3D), 1, solids, 0);
    if (!is_count(shells) || shells >= 1000 || layers == 0) return;
    const size_t forces = shells_have(plot, head, 2) ? 8 : 0, extras = shells_have(plot, head, 3) ? 4 : 0;
    for (size_t strains = 0; strains <= 12; strains += 12) { // at the inner and the outer side, where they are there
        toc_d3_results *thick = &of[TOC_D3_THICK_SHELLS], *thin = &of[TOC_D3_SHELLS];
        if (!thick->each) set_results(thick, control(plot, head, NV3DT), layers, shells, strains);
        if (!thin->each) set_results(thin, control(plot, head, NV2D), layers, shells, forces + extras + strains);
    }
    if (extras && of[TOC_D3_SHELLS].each) of[TOC_D3_SHELLS].thickness = layers * of[TOC_D3_SHELLS].layer + forces;
}

/// Words of the results of a kind.
static toc_status add_results(toc_d3plot *plot, int kind, uint64_t *sum, size_t count, int64_t each) {
    plot->results[kind].first = *sum;
    plot->results[kind].count = count;
    return add_words(sum, (int64_t)count, each);
}

static toc_status place_state(toc_d3plot *plot, const toc_source *head, int64_t rigid_shells) {
    const size_t *count = plot->elements;
    const int64_t it = control(plot, head, IT), idtdt = control(plot, head, IDTDT);
    const int64_t thermal = control(plot, head, EXTRA) > 1 ? control(plot, head, NT3D) : 0;
    const int64_t moving = (control(plot, head, IV) != 0) + (control(plot, head, IA) != 0);
    if (it < 0 || idtdt < 0 || rigid_shells < 0 || (uint64_t)rigid_shells > count[TOC_D3_SHELLS])
        return toc_fail(TOC_BAD_INPUT, "its control words contradict each other");
    uint64_t sum = 1; // the time
    TOC_TRY(add_words(&sum, control(plot, head, NGLBV), 1));
    plot->coordinates = sum;
    plot->node_extras = plot->nodes * (uint64_t)node_extras(it, idtdt);
    plot->has_temperature = it % 10 == 1 && node_extras(it, idtdt) == 1;
    // Velocities are behind the coordinates and all other node data but accelerations, in whatever order these are.
    plot->velocities = control(plot, head, IV) != 0 ? sum + 3 * plot->nodes + plot->node_extras : 0;
    TOC_TRY(add_words(&sum, (int64_t)plot->nodes, 3 + 3 * moving + node_extras(it, idtdt)));
    plot->accelerations = control(plot, head, IA) != 0 ? sum - 3 * (uint64_t)plot->nodes : 0;
    TOC_TRY(add_words(&sum, (int64_t)count[TOC_D3_SOLIDS], thermal));
    plot->rigid_shells = (size_t)rigid_shells;
    TOC_TRY(add_results(plot, TOC_D3_SOLIDS, &sum, count[TOC_D3_SOLIDS], control(plot, head, NV3D)));
    TOC_TRY(add_results(plot, TOC_D3_THICK_SHELLS, &sum, count[TOC_D3_THICK_SHELLS], control(plot, head, NV3DT)));
    TOC_TRY(add_results(plot, TOC_D3_BEAMS, &sum, count[TOC_D3_BEAMS], control(plot, head, NV1D)));
    TOC_TRY(
        add_results(plot, TOC_D3_SHELLS, &sum, count[TOC_D3_SHELLS] - plot->rigid_shells, control(plot, head, NV2D)));
    place_results(plot, head);
    plot->deletions = sum;
    plot->deletes = control(plot, head, MAXINT) < 0;
    for (int kind = 0; kind < TOC_D3_KINDS && plot->deletes; kind++) sum += count[kind];
    plot->state_words = sum;
    return TOC_OK;
}

static const uint8_t element_words[TOC_D3_KINDS] = {9, 9, 6, 5};

/// Where the sections of the first file begin.
static toc_status place_geometry(toc_d3plot *plot, const toc_source *head, uint64_t materials) {
    const int64_t extra = control(plot, head, EXTRA);
    uint64_t sum = plot->geometry + materials;
    TOC_TRY(add_words(&sum, control(plot, head, IALEMAT), 1));
    plot->geometry = sum;
    TOC_TRY(add_words(&sum, (int64_t)plot->nodes, 3));
    for (int kind = 0; kind < TOC_D3_KINDS; kind++)
        TOC_TRY(add_words(&sum, (int64_t)plot->elements[kind], element_words[kind]));
    plot->ids = sum;
    plot->id_words = (uint64_t)control(plot, head, NARBS);
    sum += plot->id_words;
    if (control(plot, head, NEL8) < 0) TOC_TRY(add_words(&sum, (int64_t)plot->elements[TOC_D3_SOLIDS], 2));
    TOC_TRY(add_words(&sum, control(plot, head, NEL48), 5)); // nodes between corners: passed over
    if (extra > 0) TOC_TRY(add_words(&sum, control(plot, head, NEL20), 13));
    if (extra > 2) TOC_TRY(add_words(&sum, control(plot, head, NEL27), 20));
    TOC_TRY(add_words(&sum, control(plot, head, NADAPT), 2));
    plot->behind = sum;
    return TOC_OK;
}

/// The types of the materials, where NDIM is 5: how many shells are rigid and have no data, and how many types follow.
static toc_status read_materials(const toc_d3plot *plot, const toc_source *head, int64_t *rigid_shells,
                                 uint64_t *words) {
    *rigid_shells = 0;
    *words = 0;
    if (control(plot, head, NDIM) != 5) return TOC_OK;
    toc_source section;
    TOC_TRY(toc_d3plot_load(plot, plot->path, plot->geometry, 2, &section));
    *rigid_shells = toc_d3plot_integer(plot, section.begin);
    const int64_t types = toc_d3plot_integer(plot, section.begin + plot->word_size);
    toc_source_close(&section);
    *words = 2;
    return add_words(words, types, 1);
}

static toc_status parse_control(toc_d3plot *plot, const toc_source *head) {
    const int64_t solids = control(plot, head, NEL8), extra = control(plot, head, EXTRA);
    int64_t rigid_shells;
    uint64_t materials, size = 0;
    TOC_TRY(check_supported(plot, head));
    plot->nodes = (size_t)control(plot, head, NUMNP);
    plot->elements[TOC_D3_SOLIDS] = (size_t)(solids < 0 ? -solids : solids); // negative where they have ten nodes
    plot->elements[TOC_D3_THICK_SHELLS] = (size_t)control(plot, head, NELT);
    plot->elements[TOC_D3_BEAMS] = (size_t)control(plot, head, NEL2);
    plot->elements[TOC_D3_SHELLS] = (size_t)control(plot, head, NEL4);
    plot->parts = is_count(control(plot, head, NMMAT)) ? (size_t)control(plot, head, NMMAT) : 0;
    plot->geometry = NEL20;
    TOC_TRY(add_words(&plot->geometry, extra, 1));
    TOC_TRY(read_materials(plot, head, &rigid_shells, &materials));
    plot->types = plot->geometry + 2;
    plot->type_count = materials > 2 ? materials - 2 : 0;
    TOC_TRY(place_geometry(plot, head, materials));
    TOC_TRY(place_state(plot, head, rigid_shells));
    TOC_TRY(toc_d3plot_size(plot, plot->path, &size));
    if (plot->behind <= size) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "%s: byte %llu: the file ends; nodes and elements go on to byte %llu", plot->path,
                    (unsigned long long)(size * plot->word_size), (unsigned long long)(plot->behind * plot->word_size));
}

toc_status toc_d3plot_open(const char *path, const toc_allocator *allocator, toc_d3plot *out) {
    toc_source head;
    TOC_TRY(toc_source_open_part(path, 0, CONTROL_WORDS * 8, allocator, &head));
    toc_status status = TOC_BAD_INPUT;
    if (!toc_d3plot_recognise(&head, out)) {
        toc_source_fail_byte(&head, "these are no control words of a d3plot");
    } else {
        out->path = path;
        out->allocator = head.allocator;
        char words[CONTROL_WORDS * 8] = {0}; // a file as short as that has no section behind its control words
        memcpy(words, head.begin, toc_source_left(&head));
        const toc_source padded = {.begin = words, .at = words, .end = words + sizeof words};
        status = parse_control(out, &padded);
    }
    toc_source_close(&head);
    return status;
}

/// The number of each part as the user gave it; without any, parts count from 1.
static toc_status load_part_numbers(const toc_d3plot *plot, toc_source *out, size_t *count) {
    *count = 0;
    if (plot->parts == 0 || plot->id_words < 10 + 3 * (uint64_t)plot->parts) return TOC_OK;
    TOC_TRY(toc_d3plot_load(plot, plot->path, plot->ids, 1, out));
    const bool renumbered = toc_d3plot_integer(plot, out->begin) < 0;
    toc_source_close(out);
    if (!renumbered) return TOC_OK;
    const uint64_t first = plot->ids + plot->id_words - 2 * (uint64_t)plot->parts; // sorted, as given, cross-references
    TOC_TRY(toc_d3plot_load(plot, plot->path, first, plot->parts, out));
    *count = plot->parts;
    return TOC_OK;
}

typedef struct geometry_reader {
    const toc_d3plot *plot;
    toc_mesh_parts parts;
    toc_source numbers; // of the parts
    size_t number_count;
} geometry_reader;

static int32_t d3plot_group_of(const geometry_reader *reader, int64_t part) {
    int64_t number = part;
    if (part >= 1 && (uint64_t)part <= reader->number_count)
        number = toc_d3plot_integer(reader->plot, reader->numbers.begin + (size_t)(part - 1) * reader->plot->word_size);
    return number >= INT32_MIN && number <= INT32_MAX ? (int32_t)number : 0;
}

static toc_status take_nodes(const geometry_reader *reader, toc_source *words, int count, uint32_t *nodes) {
    assert(count > 0);
    for (int i = 0; i < count; i++, words->at += reader->plot->word_size) {
        const int64_t node = toc_d3plot_integer(reader->plot, words->at);
        if (node < 1 || (uint64_t)node > reader->plot->nodes)
            return toc_source_fail_byte(words, "node %lld is used, but there are %zu", (long long)node,
                                        reader->plot->nodes);
        nodes[i] = (uint32_t)(node - 1);
    }
    return TOC_OK;
}

static toc_status d3plot_take_element(geometry_reader *reader, int kind, toc_source *words) {
    static const uint8_t node_counts[TOC_D3_KINDS] = {8, 8, 2, 4};
    const toc_d3plot *plot = reader->plot;
    const char *next = words->at + (size_t)element_words[kind] * plot->word_size;
    uint32_t nodes[8], corners[8];
    TOC_TRY(take_nodes(reader, words, node_counts[kind], nodes));
    const int32_t group = d3plot_group_of(reader, toc_d3plot_integer(plot, next - plot->word_size));
    words->at = next;
    if (kind == TOC_D3_BEAMS) return toc_parts_add(&reader->parts, &plot->allocator, TOC_EDGE, nodes, group);
    if (kind == TOC_D3_SHELLS)
        return toc_parts_add(&reader->parts, &plot->allocator, toc_shell_of(nodes), nodes, group);
    const toc_shape shape = toc_solid_of(nodes, corners);
    return toc_parts_add(&reader->parts, &plot->allocator, shape, corners, group);
}

static toc_status d3plot_take_elements(geometry_reader *reader, int kind, toc_source *words, size_t count) {
    for (size_t i = 0; i < count; i++) TOC_TRY(d3plot_take_element(reader, kind, words));
    return TOC_OK;
}

static toc_status d3plot_read_elements(geometry_reader *reader, int kind, uint64_t first) {
    const size_t count = reader->plot->elements[kind], each = element_words[kind], most = CHUNK / each;
    for (size_t i = 0; i < count; i += most) {
        const size_t some = count - i < most ? count - i : most;
        toc_source words;
        TOC_TRY(toc_d3plot_load(reader->plot, reader->plot->path, first + i * each, some * each, &words));
        const toc_status status = d3plot_take_elements(reader, kind, &words, some);
        toc_source_close(&words);
        TOC_TRY(status);
    }
    return TOC_OK;
}

static toc_status d3plot_read_parts(geometry_reader *reader) {
    const toc_d3plot *plot = reader->plot;
    const size_t *count = plot->elements;
    uint64_t at = plot->geometry;
    const size_t solid_nodes = 8 * (count[TOC_D3_SOLIDS] + count[TOC_D3_THICK_SHELLS]);
    TOC_TRY(toc_array_reserve(&plot->allocator, &reader->parts.positions, 3 * plot->nodes));
    TOC_TRY(toc_array_reserve(&plot->allocator, &reader->parts.corners,
                              solid_nodes + 2 * count[TOC_D3_BEAMS] + 4 * count[TOC_D3_SHELLS]));
    TOC_TRY(toc_d3plot_reals(plot, plot->path, at, 3 * plot->nodes, reader->parts.positions.at));
    reader->parts.positions.count = 3 * plot->nodes;
    at += 3 * (uint64_t)plot->nodes;
    for (int kind = 0; kind < TOC_D3_KINDS; kind++) {
        TOC_TRY(d3plot_read_elements(reader, kind, at));
        at += (uint64_t)count[kind] * element_words[kind];
    }
    return TOC_OK;
}

enum { TITLE_BYTES = 72, RUN_TITLE = 90000, PART_TITLES, CONTACT_TITLES };

static toc_status name_part(const toc_d3plot *plot, const char *at, toc_mesh *mesh) {
    char name[TITLE_BYTES + 1] = {0};
    const int64_t part = toc_d3plot_integer(plot, at);
    memcpy(name, at + plot->word_size, TITLE_BYTES);
    size_t length = strlen(name);
    while (length > 0 && name[length - 1] == ' ') name[--length] = 0;
    if (part < INT32_MIN || part > INT32_MAX) return TOC_OK;
    return toc_mesh_set_group_name(mesh, (int32_t)part, name);
}

/// Blocks of titles, each with its type in front; an unknown type ends them, as the marker does.
static toc_status read_titles(const toc_d3plot *plot, toc_source *source, toc_mesh *mesh) {
    const size_t word = plot->word_size, each = word + TITLE_BYTES;
    while (toc_source_left(source) >= 2 * word) {
        const int64_t type = toc_d3plot_integer(plot, source->at);
        int64_t count = type == RUN_TITLE ? 1 : toc_d3plot_integer(plot, source->at + word);
        if (type < RUN_TITLE || type > CONTACT_TITLES || count < 0) return TOC_OK;
        source->at += type == RUN_TITLE ? 0 : 2 * word; // the type is in the place of the part number
        for (; count > 0 && toc_source_left(source) >= each; count--, source->at += each)
            if (type == PART_TITLES) TOC_TRY(name_part(plot, source->at, mesh));
        if (count > 0) return toc_source_fail_byte(source, "the file ends among its titles");
    }
    return TOC_OK;
}

static toc_status name_parts(const toc_d3plot *plot, toc_mesh *mesh) {
    uint64_t size = 0;
    toc_source source;
    TOC_TRY(toc_d3plot_size(plot, plot->path, &size));
    if (size == plot->behind) return TOC_OK;
    TOC_TRY(toc_d3plot_load(plot, plot->path, plot->behind, 1, &source));
    const bool titled = toc_d3plot_real(plot, source.begin) == TOC_D3_MARKER;
    toc_source_close(&source);
    if (!titled) return TOC_OK;
    TOC_TRY(toc_d3plot_load(plot, plot->path, plot->behind + 1, (size_t)(size - plot->behind - 1), &source));
    const toc_status status = read_titles(plot, &source, mesh);
    toc_source_close(&source);
    return status;
}

/// The user's numbers stand behind their head: nodes, solids, beams, shells, thick shells. The mesh has thick shells
/// second.
static toc_status read_user_numbers(const toc_d3plot *plot, uint64_t head, int64_t *nodes, int64_t *elements) {
    static const int kinds[] = {TOC_D3_SOLIDS, TOC_D3_BEAMS, TOC_D3_SHELLS, TOC_D3_THICK_SHELLS};
    const size_t *count = plot->elements;
    uint64_t at = plot->ids + head;
    TOC_TRY(load_integers(plot, plot->path, at, plot->nodes, nodes));
    at += plot->nodes;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t first = 0;
        for (int kind = 0; kind < kinds[i]; kind++) first += count[kind];
        TOC_TRY(load_integers(plot, plot->path, at, count[kinds[i]], elements + first));
        at += count[kinds[i]];
    }
    return TOC_OK;
}

static toc_status label_from_user(const toc_d3plot *plot, uint64_t head, size_t elements, toc_mesh *mesh) {
    int64_t *labels = toc_new(&plot->allocator, plot->nodes + elements, sizeof *labels);
    if (!labels) return TOC_OUT_OF_MEMORY;
    toc_status status = read_user_numbers(plot, head, labels, labels + plot->nodes);
    if (status == TOC_OK) status = toc_mesh_set_vertex_labels(mesh, plot->nodes, labels);
    if (status == TOC_OK) status = toc_mesh_set_element_labels(mesh, elements, labels + plot->nodes);
    toc_free(&plot->allocator, labels, plot->nodes + elements, sizeof *labels);
    return status;
}

/// Without numbers of the user, nodes and elements count from 1, each kind of element on its own.
static toc_status d3plot_label(const toc_d3plot *plot, toc_mesh *mesh) {
    enum { HEAD = 10, LONG_HEAD = 16 };
    const size_t elements = toc_mesh_get_element_count(mesh);
    mesh->vertex_labels.count = plot->nodes;
    mesh->vertex_labels.first = 1;
    if (plot->id_words < HEAD) return TOC_OK;
    toc_source first;
    TOC_TRY(toc_d3plot_load(plot, plot->path, plot->ids, 1, &first));
    const uint64_t head = toc_d3plot_integer(plot, first.begin) < 0 ? LONG_HEAD : HEAD;
    toc_source_close(&first);
    if (plot->id_words < head + plot->nodes + elements) return TOC_OK;
    return label_from_user(plot, head, elements, mesh);
}

toc_status toc_d3plot_geometry(const toc_d3plot *plot, toc_mesh *mesh) {
    geometry_reader reader = {.plot = plot};
    TOC_TRY(load_part_numbers(plot, &reader.numbers, &reader.number_count));
    toc_status status = d3plot_read_parts(&reader);
    if (status == TOC_OK) status = toc_mesh_adopt(mesh, &reader.parts);
    if (reader.number_count > 0) toc_source_close(&reader.numbers);
    toc_parts_free(&reader.parts, &plot->allocator);
    if (status == TOC_OK) status = d3plot_label(plot, mesh);
    return status == TOC_OK ? name_parts(plot, mesh) : status;
}

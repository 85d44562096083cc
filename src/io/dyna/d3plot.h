// SPDX-License-Identifier: Apache-2.0
// A family of d3plot files as its control words describe it: everything is counted in words of 4 or 8 bytes.
#ifndef TOC_IO_DYNA_D3PLOT_H
#define TOC_IO_DYNA_D3PLOT_H

#include "io/core/source.h"
#include "mesh/mesh.h"

/// Elements by kind, in the order of the geometry.
enum { TOC_D3_SOLIDS, TOC_D3_THICK_SHELLS, TOC_D3_BEAMS, TOC_D3_SHELLS, TOC_D3_KINDS };

/// The results of the elements of a kind, within a state.
typedef struct toc_d3_results {
    uint64_t first;   // their start
    size_t count;     // elements with results
    size_t each;      // words of an element; 0 where their meaning is not known
    size_t layers;    // points of integration, each with its words:
    size_t layer;     // of a point
    bool has_stress;  // the first 6 of a point
    bool has_plastic; // the word behind
    size_t thickness; // its place among the words of an element; 0 for none
} toc_d3_results;

typedef struct toc_d3plot {
    toc_allocator allocator;
    const char *path;   // of the first file
    unsigned word_size; // 4 or 8 bytes
    bool big_endian;
    size_t nodes, elements[TOC_D3_KINDS], parts;
    uint64_t geometry, ids, id_words; // their start in the first file, and the number of words of the user's numbers
    uint64_t types, type_count; // types of the materials, where they are there; shells of rigid ones have no results
    size_t rigid_shells;
    uint64_t behind; // the first state, or a marker and then the titles
    // Within a state:
    uint64_t coordinates, node_extras; // their start; words of other node data that may precede them
    uint64_t velocities;               // their start; 0 where there are none
    uint64_t accelerations;            // likewise
    uint64_t temperatures;             // likewise, once the coordinates have been found
    bool has_temperature;              // the one word that a node has beside coordinates
    toc_d3_results results[TOC_D3_KINDS];
    uint64_t deletions; // the start of the words that mark deleted elements
    uint64_t state_words;
    bool deletes;
} toc_d3plot;

/// Whether these are the control words of a d3plot: of either word size and byte order, which are set.
bool toc_d3plot_recognise(const toc_source *head, toc_d3plot *out);

/// Read the control words of the file at the path.
toc_status toc_d3plot_open(const char *path, const toc_allocator *allocator, toc_d3plot *out);

/// Words of a file as an array of bytes; fails where the file ends before. Close the source.
toc_status toc_d3plot_load(const toc_d3plot *plot, const char *path, uint64_t first, size_t count, toc_source *out);
/// Words of a file as numbers.
toc_status toc_d3plot_reals(const toc_d3plot *plot, const char *path, uint64_t first, size_t count, double *to);
/// A file's size in whole words.
toc_status toc_d3plot_size(const toc_d3plot *plot, const char *path, uint64_t *words);

static inline int64_t toc_d3plot_integer(const toc_d3plot *plot, const char *at) {
    return plot->word_size == 4 ? (int32_t)toc_load_u32(at, plot->big_endian)
                                : (int64_t)toc_load_u64(at, plot->big_endian);
}

static inline double toc_d3plot_real(const toc_d3plot *plot, const char *at) {
    return plot->word_size == 4 ? (double)toc_load_f32(at, plot->big_endian) : toc_load_f64(at, plot->big_endian);
}

/// Stands behind the geometry, the titles and the last state of each file.
#define TOC_D3_MARKER (-999999.0)

/// Read nodes, elements, parts and their titles into an empty mesh, as they are before the first state.
toc_status toc_d3plot_geometry(const toc_d3plot *plot, toc_mesh *mesh);

struct toc_field_list;

/// Hand over the results of a state that begins at a word of a file (io/core/fields.h).
toc_status toc_d3plot_fields(const toc_d3plot *plot, const char *path, uint64_t first, struct toc_field_list *list);

/// Where the elements of a kind begin in the mesh.
static inline size_t toc_d3plot_first_of(const toc_d3plot *plot, int kind) {
    size_t first = 0;
    for (int k = 0; k < kind; k++) first += plot->elements[k];
    return first;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// A family of d3plot files as its control words describe it: everything is counted in words of 4 or 8 bytes.
#ifndef TOC_IO_DYNA_D3PLOT_H
#define TOC_IO_DYNA_D3PLOT_H

#include "io/core/source.h"
#include "mesh/mesh.h"

/// Elements by kind, in the order of the geometry.
enum { TOC_D3_SOLIDS, TOC_D3_THICK_SHELLS, TOC_D3_BEAMS, TOC_D3_SHELLS, TOC_D3_KINDS };

typedef struct toc_d3plot {
    toc_allocator allocator;
    const char *path;   // of the first file
    unsigned word_size; // 4 or 8 bytes
    bool big_endian;
    size_t nodes, elements[TOC_D3_KINDS], parts;
    uint64_t geometry, ids, id_words; // their start in the first file, and the number of words of the user's numbers
    uint64_t behind;                  // the first state, or a marker and then the titles
    // Within a state:
    uint64_t coordinates, node_extras; // their start; words of other node data that may precede them
    uint64_t velocities;               // their start; 0 where there are none
    uint64_t deletions;                // the start of the words that mark deleted elements
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

#endif

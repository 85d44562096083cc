// SPDX-License-Identifier: Apache-2.0
// The XML part of an XDMF file: grids of each step, and where their numbers are.
#ifndef TOC_IO_XDMF_DOCUMENT_H
#define TOC_IO_XDMF_DOCUMENT_H

#include "io/core/numbers.h"

enum { TOC_XDMF_RANK = 4 };

typedef enum toc_xdmf_format { TOC_XDMF_TEXT, TOC_XDMF_HDF, TOC_XDMF_OTHER } toc_xdmf_format;

/// Numbers: in the text between two places, or in the HDF5 file that it names.
typedef struct toc_xdmf_item {
    const char *tag; // NULL for none
    const char *text, *end;
    toc_xdmf_format format;
    toc_number type; // in a text
    int rank;
    uint64_t shape[TOC_XDMF_RANK];
} toc_xdmf_item;

/// Numbers of VTK's cell types, which XDMF has under names and numbers of its own.
typedef struct toc_xdmf_cells {
    const char *tag; // NULL for none
    uint8_t type;    // 0 for mixed ones
    uint64_t nodes;  // of each; 0 where the numbers tell
    toc_xdmf_item numbers;
} toc_xdmf_cells;

typedef struct toc_xdmf_frame {
    double time;
    toc_xdmf_cells cells;
    bool is_flat; // two coordinates a point
    toc_xdmf_item points, displacement, velocity, group;
    int group_rank; // what the name of the group is worth
} toc_xdmf_frame;

typedef struct toc_xdmf_document {
    TOC_ARRAY(toc_xdmf_frame) frames;
    bool has_times;
} toc_xdmf_document;

/// Read the document, whose texts stay in the source. Every frame has cells and points: its own, or those of the grid
/// beside the steps. Free it in any case.
toc_status toc_xdmf_parse(toc_source *source, toc_xdmf_document *out);

/// VTK's number of a cell in a list of mixed ones, and its nodes, 0 where their count follows; false if unknown.
bool toc_xdmf_mixed(int64_t number, uint8_t *type, uint64_t *nodes);

#endif

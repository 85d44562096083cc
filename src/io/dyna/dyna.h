// SPDX-License-Identifier: Apache-2.0
// An LS-DYNA deck while it is read: the state that the readers of its keywords share.
#ifndef TOC_IO_DYNA_DYNA_H
#define TOC_IO_DYNA_DYNA_H

#include "io/core/card.h"
#include "io/core/include.h"
#include "io/core/labels.h"
#include "io/core/solid.h"

enum { TOC_DYNA_NAME = 80, TOC_DYNA_PARAMETER = 16 };

typedef struct toc_dyna_part {
    int64_t id, section;
    char title[TOC_DYNA_NAME + 1];
} toc_dyna_part;

typedef struct toc_dyna_section {
    int64_t id;
    double thickness;
} toc_dyna_section;

typedef struct toc_dyna_parameter {
    char name[TOC_DYNA_PARAMETER];
    double value;
} toc_dyna_parameter;

typedef struct toc_dyna {
    toc_allocator allocator;
    toc_include *file; // being read
    toc_source *source;
    toc_include_list included;
    bool checking;            // the second time: all labels are known
    int seen;                 // the number of times that the repeated label was seen
    bool ended;               // *END
    bool long_deck, ten;      // the columns that *KEYWORD selects
    size_t wide, narrow;      // columns of a coordinate and of a number beside it, for the current keyword
    size_t column;            // of a number elsewhere
    char name[TOC_DYNA_NAME]; // of the current keyword, in capitals
    toc_labels labels;        // of the nodes
    toc_labels numbers;       // of the elements, which may repeat between keywords
    toc_mesh_parts parts;     // corners are labels
    size_t elements, higher_order;
    int64_t number;                // of the element being read
    TOC_ARRAY(double) thicknesses; // of elements that have their own; as long as needed
    TOC_ARRAY(toc_dyna_part) numbered;
    TOC_ARRAY(toc_dyna_section) sections;
    TOC_ARRAY(toc_dyna_parameter) parameters;
} toc_dyna;

/// The next line of the keyword that is no comment; false at the next keyword.
bool toc_dyna_line(toc_dyna *deck, toc_card *line);
/// The same, passing over blank lines.
bool toc_dyna_card(toc_dyna *deck, toc_card *line);
/// The same for a line that must be there.
toc_status toc_dyna_need(toc_dyna *deck, toc_card *line);
toc_status toc_dyna_skip(toc_dyna *deck, int64_t count);

/// The next field of a card; 0 if it is blank. `&name` stands for a parameter.
toc_status toc_dyna_integer(toc_dyna *deck, toc_card *line, size_t width, int64_t *out);
toc_status toc_dyna_real(toc_dyna *deck, toc_card *line, size_t width, double *out);
/// Likewise; 0 for an undefined parameter.
toc_status toc_dyna_real_or_0(toc_dyna *deck, toc_card *line, size_t width, double *out);

/// Whether the keyword has an option: THICKNESS in ELEMENT_SHELL_THICKNESS_OFFSET.
bool toc_dyna_option(const toc_dyna *deck, const char *option);
/// The number of these options that it has; the list ends with NULL.
int toc_dyna_options(const toc_dyna *deck, const char *const *options);

// Readers of keywords.
toc_status toc_dyna_read_parameters(toc_dyna *deck);
toc_status toc_dyna_read_parts(toc_dyna *deck);
toc_status toc_dyna_read_sections(toc_dyna *deck);

/// At the end: names of parts, and thicknesses of shells.
toc_status toc_dyna_name_parts(toc_dyna *deck, toc_mesh *mesh);

#endif

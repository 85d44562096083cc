// SPDX-License-Identifier: Apache-2.0
// A type of answers: one description of its items, which drives results (base/result.h), their order (search/order.h)
// and files (io/pairs/).
#ifndef TOC_BASE_ANSWER_H
#define TOC_BASE_ANSWER_H

#include "toccata/base.h"

enum { TOC_ORDER_IDS = 10 };

/// The order of items: by the numbers that `ids` writes, the first one first.
typedef struct toc_order {
    size_t item_size;
    int id_count; // at most TOC_ORDER_IDS
    void (*ids)(const void *item, uint32_t ids[TOC_ORDER_IDS]);
} toc_order;

/// Compare two items: below, at or above 0 as memcmp has it.
static inline int toc_order_compare(const toc_order *order, const void *a, const void *b) {
    uint32_t x[TOC_ORDER_IDS], y[TOC_ORDER_IDS];
    order->ids(a, x);
    order->ids(b, y);
    for (int k = 0; k < order->id_count; k++)
        if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
    return 0;
}

/// The numbers of a column, in the item and in files. Arrays of a file hold kinds and verdicts as bytes.
typedef enum toc_column_type {
    TOC_COLUMN_KIND,     ///< A toc_kind: "vf" or "ee".
    TOC_COLUMN_VERDICT,  ///< A toc_verdict: "hit" or "undecided".
    TOC_COLUMN_ID,       ///< Ids of bodies or elements, uint32_t.
    TOC_COLUMN_VERTEX,   ///< Ids of vertices, uint32_t.
    TOC_COLUMN_FACES,    ///< Likewise, of two faces. Elements have none: the first id is UINT32_MAX.
    TOC_COLUMN_HAS_FACE, ///< "face" or "element": whether the ids there are any. For texts only.
    TOC_COLUMN_REAL,     ///< A finite double.
    TOC_COLUMN_LENGTH,   ///< Likewise, >= 0.
    TOC_COLUMN_TIME,     ///< A double, 0 to 1.
    TOC_COLUMN_INT32,
    TOC_COLUMN_INT64,
    TOC_COLUMN_TEXT ///< A const char *; NULL for "".
} toc_column_type;

enum { TOC_COLUMN_MOST = 6 };

/// A field of an item. Texts have a column for each of its numbers, in the order of the columns; arrays hold them
/// together.
typedef struct toc_column {
    const char *fields[TOC_COLUMN_MOST]; // the name of each number in a text
    const char *name;                    // of the array; NULL for none
    toc_column_type type;
    size_t count, offset; // of the numbers in an item
    int array;            // its place among the arrays: 1 for the points, 2 for the scalar to show; 0 for none
} toc_column;

typedef struct toc_answer_type {
    const char *name; // of many items: "near pairs"
    toc_order order;
    size_t column_count;
    const toc_column *columns;
    // The list that the caller sees: its bytes, and where its fields are. `seconds_at` is 0 for a list without a time,
    // `found_at` for one that has all items that were found.
    size_t list_size, count_at, items_at, seconds_at, found_at;
    void (*begin)(void *list);             // fill in a new list, which is all 0; NULL for nothing
    toc_status (*check)(const void *item); // refuse items of the caller that no question gives; NULL for none
} toc_answer_type;

/// The types by their items (ask/types.c). For libtoccata-io, too.
extern const toc_answer_type *const toc_answer_types[TOC_ITEM_COUNT];

/// The type of items; NULL for a number that is none.
static inline const toc_answer_type *toc_answer_type_of(toc_item item) {
    return (unsigned)item < TOC_ITEM_COUNT ? toc_answer_types[item] : NULL;
}

/// The fields of a type that has a table of columns.
#define TOC_ANSWER_COLUMNS(table) .column_count = sizeof(table) / sizeof *(table), .columns = (table)

/// The fields of a type whose lists are a structure with `count` and a pointer to items.
#define TOC_ANSWER_LIST(list, items) \
    .list_size = sizeof(list), .count_at = offsetof(list, count), .items_at = offsetof(list, items)

#endif

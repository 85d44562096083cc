// SPDX-License-Identifier: Apache-2.0
// The order in which contacts are solved. A block holds the contacts whose first node is in a short range of particles,
// or is one rigid body; a thread solves it in the order of the query. Blocks of a colour share no vertex and no rigid
// body that moves, so that threads may solve them in any order with the same bits. Guided and pinned vertices do not
// move and may be shared.
//
// Single contacts would need a colour for each contact of a vertex, which can be more than a hundred, and colours with
// a few contacts keep no threads busy.
#include <assert.h>
#include <string.h>

#include "sim/constraint/constraint.h"
#include "sim/response/contact.h"

// Particles of a block, a power of 2. Contacts of a loop that are worth waking threads for.
enum { BLOCK_SHIFT = 6, LEAST_CONTACTS = 4096, LEAST_VISITED = 64 };

/// The contacts to order.
typedef struct ordering {
    toc_sim *sim;
    const sim_contacts *contacts;
} ordering;

static uint32_t mover_of(const toc_sim *sim, uint32_t particle, uint32_t rigid) {
    if (rigid != SIM_NONE) return (uint32_t)sim->particle_count + rigid;
    return sim->w[particle] > 0 ? particle : SIM_NONE;
}

static void list_nodes(void *user, size_t first, size_t last) {
    const ordering *o = user;
    for (size_t i = first; i < last; i++) {
        const sim_contact *c = &o->contacts->at[i];
        for (int k = 0; k < 4; k++)
            o->sim->nodes.at[4 * i + (size_t)k] = mover_of(o->sim, c->v[k], c->rigid[k >= c->split]);
    }
}

static size_t particle_blocks(const toc_sim *sim) { return (sim->particle_count >> BLOCK_SHIFT) + 1; }
static size_t count_blocks(const toc_sim *sim) { return particle_blocks(sim) + sim->rigids.count; }

// The block of a contact; one behind all blocks if it moves nothing.
static size_t block_of_contact(const toc_sim *sim, size_t contact) {
    const uint32_t *nodes = sim->nodes.at + 4 * contact;
    uint32_t least = SIM_NONE;
    for (int k = 0; k < 4; k++) least = nodes[k] < least ? nodes[k] : least;
    if (least == SIM_NONE) return count_blocks(sim);
    return least < sim->particle_count ? least >> BLOCK_SHIFT : particle_blocks(sim) + least - sim->particle_count;
}

// A counting sort: blocks[b] .. blocks[b + 1] of the items, in the order of the contacts.
static void sort_by_block(const ordering *o, uint32_t *blocks, uint32_t *items) {
    const size_t count = count_blocks(o->sim);
    memset(blocks, 0, (count + 3) * sizeof *blocks);
    for (size_t i = 0; i < o->contacts->count; i++) blocks[block_of_contact(o->sim, i) + 2]++;
    for (size_t b = 0; b <= count; b++) blocks[b + 2] += blocks[b + 1];
    for (size_t i = 0; i < o->contacts->count; i++) items[blocks[block_of_contact(o->sim, i) + 1]++] = (uint32_t)i;
}

// The lowest colour that no node of the block has; its nodes have it then.
static uint8_t colour_block(toc_sim *sim, const uint32_t *items, size_t count) {
    uint64_t taken = 0;
    for (size_t i = 0; i < 4 * count; i++) {
        const uint32_t node = sim->nodes.at[4 * (size_t)items[i / 4] + i % 4];
        if (node != SIM_NONE) taken |= sim->used.at[node];
    }
    if (taken == UINT64_MAX) return SIM_COLOURS;
    const uint64_t colour = ~taken & (taken + 1);
    assert(colour != 0 && (colour & taken) == 0);
    for (size_t i = 0; i < 4 * count; i++) {
        const uint32_t node = sim->nodes.at[4 * (size_t)items[i / 4] + i % 4];
        if (node != SIM_NONE) sim->used.at[node] |= colour;
    }
    return (uint8_t)__builtin_ctzll(colour);
}

// Colour the blocks that have contacts: first[i] .. first[i + 1] of the order's items, sorted by colour.
static void colour_blocks(const ordering *o, const uint32_t *blocks, const uint32_t *items, sim_order *order) {
    toc_sim *sim = o->sim;
    size_t starts[SIM_COLOURS + 2] = {0}, filled = 0;
    const size_t count = count_blocks(sim);
    uint8_t *colour_of = sim->colour_of.at;
    memset(sim->used.at, 0, (sim->particle_count + sim->rigids.count) * sizeof *sim->used.at);
    for (size_t b = 0; b < count; b++) {
        if (blocks[b] == blocks[b + 1]) continue;
        colour_of[b] = colour_block(sim, items + blocks[b], blocks[b + 1] - blocks[b]);
        starts[colour_of[b] + 1]++;
    }
    order->items.count = 0;
    for (size_t c = 0; c <= SIM_COLOURS; c++) {
        order->colours.first.at[c] = filled;
        for (size_t b = 0; b < count && starts[c + 1] > 0; b++) {
            if (blocks[b] == blocks[b + 1] || colour_of[b] != c) continue;
            order->first.at[filled++] = (uint32_t)order->items.count;
            for (uint32_t i = blocks[b]; i < blocks[b + 1]; i++) order->items.at[order->items.count++] = items[i];
        }
    }
    order->colours.first.at[SIM_COLOURS + 1] = filled;
    order->first.at[filled] = (uint32_t)order->items.count;
}

static toc_status reserve_order(const ordering *o, sim_order *order) {
    toc_sim *sim = o->sim;
    const size_t count = o->contacts->count, blocks = count_blocks(sim);
    TOC_TRY(toc_array_room(&sim->memory, &sim->nodes, 4 * count));
    TOC_TRY(toc_array_room(&sim->memory, &sim->blocks, blocks + 3 + count)); // the sorted items behind
    TOC_TRY(toc_array_room(&sim->memory, &sim->used, sim->particle_count + sim->rigids.count));
    TOC_TRY(toc_array_room(&sim->memory, &sim->colour_of, blocks));
    TOC_TRY(toc_array_room(&sim->memory, &order->items, count));
    TOC_TRY(toc_array_room(&sim->memory, &order->first, blocks + 1));
    return toc_array_room(&sim->memory, &order->colours.first, SIM_COLOURS + 2);
}

toc_status toc_sim_contacts_order(toc_sim *sim, const sim_contacts *contacts, sim_order *order) {
    ordering o = {sim, contacts};
    order->colours.first.count = 0;
    if (contacts->count == 0) return TOC_OK;
    TOC_TRY(reserve_order(&o, order));
    uint32_t *blocks = sim->blocks.at, *items = blocks + count_blocks(sim) + 3;
    toc_sim_loop_run(sim->threads, contacts->count, LEAST_CONTACTS, list_nodes, &o);
    sort_by_block(&o, blocks, items);
    colour_blocks(&o, blocks, items, order);
    order->colours.first.count = SIM_COLOURS + 2;
    return TOC_OK;
}

/// Visits of contacts in their order.
typedef struct visiting {
    toc_sim *sim;
    sim_contacts *contacts;
    const sim_order *order;
    sim_contact_visit *visit;
    size_t first; // block of the colour
} visiting;

static void visit_blocks(void *user, size_t first, size_t last) {
    const visiting *v = user;
    const uint32_t *ends = v->order->first.at + v->first;
    for (uint32_t i = ends[first]; i < ends[last]; i++) v->visit(v->sim, &v->contacts->at[v->order->items.at[i]]);
}

void toc_sim_contacts_visit(toc_sim *sim, sim_contacts *contacts, const sim_order *order, sim_contact_visit *visit) {
    const size_t *first = order->colours.first.at;
    for (size_t c = 0; c + 1 < order->colours.first.count; c++) {
        visiting v = {sim, contacts, order, visit, first[c]};
        const size_t blocks = first[c + 1] - first[c];
        if (blocks == 0) continue;
        // The last colour has the blocks that found none.
        const size_t items = order->first.at[first[c + 1]] - order->first.at[first[c]];
        const bool few = items < LEAST_VISITED || c == SIM_COLOURS;
        toc_sim_loop_run(few ? 1 : sim->threads, blocks, 2, visit_blocks, &v);
    }
}

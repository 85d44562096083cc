// SPDX-License-Identifier: Apache-2.0
// The arrays of particles, from one table.
#include "sim/core/particles.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define FIELD(name) \
    { offsetof(toc_sim, name), sizeof *((const toc_sim *)NULL)->name }
static const struct {
    size_t offset, size;
} fields[] = {FIELD(x),    FIELD(x0),   FIELD(before), FIELD(v),      FIELD(v0),    FIELD(rest), FIELD(w),
              FIELD(mass), FIELD(thin), FIELD(owner),  FIELD(origin), FIELD(spent), FIELD(side)};
enum { FIELDS = sizeof fields / sizeof *fields };

static void *get_field(const toc_sim *sim, size_t field) {
    assert(field < FIELDS);
    void *block;
    memcpy(&block, (const char *)sim + fields[field].offset, sizeof block);
    return block;
}

static void set_field(toc_sim *sim, size_t field, void *block) {
    assert(field < FIELDS);
    memcpy((char *)sim + fields[field].offset, &block, sizeof block);
}

void toc_sim_particles_free(toc_sim *sim) {
    for (size_t i = 0; i < FIELDS; i++) {
        toc_free(&sim->memory, get_field(sim, i), sim->particle_capacity, fields[i].size);
        set_field(sim, i, NULL);
    }
    sim->particle_capacity = 0;
}

static toc_status grow_fields(toc_sim *sim, size_t room) {
    void *grown[FIELDS];
    assert(room > sim->particle_capacity && sim->particle_count <= sim->particle_capacity);
    for (size_t i = 0; i < FIELDS; i++) {
        grown[i] = toc_new(&sim->memory, room, fields[i].size);
        if (grown[i]) continue;
        while (i-- > 0) toc_free(&sim->memory, grown[i], room, fields[i].size);
        return TOC_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < FIELDS; i++)
        if (sim->particle_count > 0) memcpy(grown[i], get_field(sim, i), sim->particle_count * fields[i].size);
    toc_sim_particles_free(sim);
    for (size_t i = 0; i < FIELDS; i++) set_field(sim, i, grown[i]);
    sim->particle_capacity = room;
    return TOC_OK;
}

toc_status toc_sim_particles_reserve(toc_sim *sim, size_t count) {
    if (count <= sim->particle_capacity) return TOC_OK;
    const size_t grown = sim->particle_capacity + sim->particle_capacity / 2;
    return grow_fields(sim, count > grown ? count : grown);
}

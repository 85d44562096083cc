// SPDX-License-Identifier: Apache-2.0
// Edits of the meshes while a simulation runs, with a journal: a state holds the journal, and a simulation that takes
// the state over makes the same edits first. Every change of topology goes through these functions.
#ifndef SIM_CORE_EDIT_H
#define SIM_CORE_EDIT_H

#include "sim/core/sim.h"

/// As toc_mesh_remove_element, toc_mesh_split_vertex, toc_mesh_merge_vertices and toc_scene_merge_bodies. Particles and
/// constraints are the caller's.
toc_status toc_sim_edit_remove(toc_sim *sim, uint32_t body, uint32_t element);
toc_status toc_sim_edit_split(toc_sim *sim, uint32_t body, uint32_t vertex, size_t count, const uint32_t *elements,
                              uint32_t *made);
/// Add a copy of each of these elements, with corner 1 in place of corner 0 and corner 2 in place of corner 1.
/// @param first receives the id of the first one.
toc_status toc_sim_edit_extend(toc_sim *sim, uint32_t body, const uint32_t corners[3], size_t count,
                               const uint32_t *elements, uint32_t *first);
toc_status toc_sim_edit_merge(toc_sim *sim, uint32_t body, uint32_t kept, uint32_t gone);
toc_status toc_sim_edit_join(toc_sim *sim, uint32_t kept, uint32_t gone, uint32_t *first_vertex,
                             uint32_t *first_element);

/// The body that an element was made for, glued or not. Tets that a blade made are not known here: sim_tet has theirs.
uint32_t toc_sim_element_origin(const toc_sim *sim, uint32_t body, uint32_t element);

/// Whether numbers are a journal whose first records are the edits made so far.
toc_status toc_sim_journal_check(const toc_sim *sim, const double *records, size_t count);
/// Make the edits of a checked journal that were not made yet. A failure leaves the earlier ones.
toc_status toc_sim_journal_replay(toc_sim *sim, const double *records, size_t count);

#endif

// SPDX-License-Identifier: Apache-2.0
// Contacts of the library as constraints of the solver: a gap along a normal, with friction.
#ifndef SIM_RESPONSE_CONTACT_H
#define SIM_RESPONSE_CONTACT_H

#include "sim/core/sim.h"

/// The settings of every query of a simulation.
toc_query toc_sim_query_make(const toc_sim *sim);
/// Give the meshes of the scene the motion from x0 to `x1`.
toc_status toc_sim_scene_move(toc_sim *sim, double (*x1)[3]);
/// Give them the positions now, at rest.
toc_status toc_sim_scene_rest(toc_sim *sim);

/// Make a constraint of a contact. The normal points from the second feature to the first.
sim_contact toc_sim_contact_make(const toc_sim *sim, const toc_contact *contact, const double normal[3]);
/// The gap of a contact at given positions; `step` selects the poses of rigid bodies: 0 now, 1 at the substep's start,
/// 2 at the step's start.
double toc_sim_contact_gap(const toc_sim *sim, const sim_contact *contact, double (*x)[3], int poses);

/// Restore the gap of a contact to `goal`, and hold its tangential motion since a reference within the cone of
/// friction.
/// @param reference positions of soft vertices there; `poses` as above, 1 or 2.
/// @return whether anything moved.
bool toc_sim_contact_solve(toc_sim *sim, const sim_contact *contact, double goal, double (*reference)[3], int poses);
/// Take the approaching velocity of a contact away.
void toc_sim_contact_stop(toc_sim *sim, sim_contact *contact);
/// Find the speed with which a contact leaves, if it bounces: from the velocities now, or those at the start of the
/// step. @param time in which gravity alone does not make it bounce.
void toc_sim_contact_meet(const toc_sim *sim, sim_contact *contact, bool at_start, double time);
/// Let contacts leave with their speeds, all together.
void toc_sim_contacts_bounce(toc_sim *sim, sim_contacts *contacts, const sim_order *order);

/// Order contacts, to solve them on all threads with the same result as on one. O(n).
toc_status toc_sim_contacts_order(toc_sim *sim, const sim_contacts *contacts, sim_order *order);
/// Call a function for each contact that can move something, in the order, on all threads.
typedef void sim_contact_visit(toc_sim *sim, sim_contact *contact);
void toc_sim_contacts_visit(toc_sim *sim, sim_contacts *contacts, const sim_order *order, sim_contact_visit *visit);

/// Find the pairs within the thickness on the predicted motion of a step: sim->contacts.
toc_status toc_sim_contacts_find(toc_sim *sim, double step);
/// Before a substep: which of them bounce.
void toc_sim_contacts_meet(toc_sim *sim, double h);
/// Solve them in a substep.
void toc_sim_contacts_solve(toc_sim *sim, double h);
/// After it: those that were pushed leave.
void toc_sim_contacts_leave(toc_sim *sim);

/// Resolve the contacts of the motion from x0 to x until there is none. The meshes have the motion that was accepted.
/// @param fraction receives the share of the step that is left: less than 1 if the step was cut.
toc_status toc_sim_impacts_resolve(toc_sim *sim, double step, double *fraction);

/// Move the vertices of impacts first .. count-1 in zones, each as a whole: with its momentum, or with a guided body.
toc_status toc_sim_zones_move(toc_sim *sim, size_t first, double step);

#endif

// SPDX-License-Identifier: Apache-2.0
// Limbs of tetrahedra with a skeleton, which bend until they touch themselves: characters of our own, at the sizes of
// the arm and the leg of Abu Rumman et al. 2015.
#ifndef SCENES_LIMBS_H
#define SCENES_LIMBS_H

#include "scenes/skeleton.h"

enum { LIMB_JOINTS = 3 };

typedef enum limb_kind {
    LIMB_ARM,   ///< Bends its elbow by 165 degrees and back.
    LIMB_LEG,   ///< Thicker and shorter, bends its knee by 150 degrees.
    LIMB_TWIST, ///< The arm, whose wrist twists by 180 degrees about its own axis.
    LIMB_KINDS
} limb_kind;

typedef struct limb {
    limb_kind kind;
    toc_mesh *cage;
    skeleton skeleton;
    double heads[LIMB_JOINTS];
} limb;

/// "arm", "leg", "twist"; NULL past the last.
const char *limb_name(size_t kind);
/// Make a limb. @param across cells across it, 1 to 40, six tets each; 4 gives 4,416 tets for the arm and 4,320 for the
/// leg.
toc_status limb_make(limb_kind kind, uint32_t across, limb *out);
void limb_free(limb *l);
/// The matrices of a pose, 12 a joint; `bend` is the share of the whole motion, 0 to 1.
void limb_pose(const limb *l, double bend, double *matrices);
/// The share at a time from 0 to 1: there, a pause, and back.
double limb_bend_at(double time);
/// A box of 132 tets in the way of the forearm.
toc_status limb_prop_make(toc_mesh **out);

#endif

// SPDX-License-Identifier: Apache-2.0
/// Toccata: the parts of deforming bodies that touch between the start and the end of a time step, with time and place.
#ifndef TOCCATA_TOCCATA_H
#define TOCCATA_TOCCATA_H

#include "toccata/base.h"
#include "toccata/convex.h"
#include "toccata/device.h"
#include "toccata/io.h"
#include "toccata/mesh.h"
#include "toccata/pair.h"
#include "toccata/plane.h"
#include "toccata/potential.h"
#include "toccata/scene.h"
#include "toccata/solver.h"

#endif

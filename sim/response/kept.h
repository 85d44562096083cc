// SPDX-License-Identifier: Apache-2.0
// Pairs kept over several steps: those that come near each other while all vertices stay near a predicted motion.
// Questions about near pairs and impacts then look at these alone, and need no search.
#ifndef SIM_RESPONSE_KEPT_H
#define SIM_RESPONSE_KEPT_H

#include "sim/core/sim.h"

/// Find the near pairs of the motion from x0 to `x1`, within the reach of the simulation, which must be above 0. Pairs
/// are found anew where the kept ones do not serve.
/// @param found NULL, or the result of an earlier question, whose memory is used again.
toc_status toc_sim_kept_begin(toc_sim *sim, double (*x1)[3], toc_contacts **found);
/// Find the contacts of the motion from x0 to `x1` within a separation: among the kept pairs where they serve. The same
/// contacts as without them, bit for bit. The meshes of the scene have the motion then.
toc_status toc_sim_kept_ask(toc_sim *sim, double (*x1)[3], double separation, toc_contacts **found);
/// The step is made: the kept pairs are one step older.
void toc_sim_kept_advance(toc_sim *sim);
void toc_sim_kept_free(toc_sim *sim);

#endif

// SPDX-License-Identifier: Apache-2.0
// The adapter with the headers of the IPC Toolkit itself: no function is left to define.
#include "toccata_ipctk.hpp"

toccata::ipctk::BroadPhase test_broad_phase();
toccata::ipctk::BroadPhase test_broad_phase() { return {}; }
toccata::ipctk::NarrowPhaseCCD test_narrow_phase();
toccata::ipctk::NarrowPhaseCCD test_narrow_phase() { return {}; }

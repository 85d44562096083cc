// SPDX-License-Identifier: Apache-2.0
// The settings of this library, of this version or another (base/settings.h): one row for each type.
#ifndef SIM_CORE_DEFAULTS_H
#define SIM_CORE_DEFAULTS_H

#include "base/settings.h"

extern const toc_settings toc_sim_simulation_kind, toc_sim_material_kind, toc_character_kind, toc_cage_kind;

#endif

// SPDX-License-Identifier: Apache-2.0
// Defaults of all settings of the library: the row of each type.
#include "sim/core/defaults.h"

#include "toccata/sim.h"

toc_status toc_sim_defaults_write(toc_sim_defaults kind, void *settings, size_t size) {
    static const toc_settings *const kinds[] = {
        [TOC_SIM_DEFAULTS_SIMULATION] = &toc_sim_simulation_kind,
        [TOC_SIM_DEFAULTS_MATERIAL] = &toc_sim_material_kind,
        [TOC_SIM_DEFAULTS_CHARACTER] = &toc_character_kind,
        [TOC_SIM_DEFAULTS_CAGE] = &toc_cage_kind,
    };
    if ((size_t)kind >= sizeof kinds / sizeof *kinds)
        return toc_fail(TOC_BAD_INPUT, "there are no settings of kind %d", (int)kind);
    return toc_settings_init(kinds[kind], settings, size);
}

// SPDX-License-Identifier: Apache-2.0
// Defaults of all settings of the library: the function of each type. Here, since the last module may know all others.
#include "ask/near.h"
#include "ask/query.h"
#include "ask/room.h"
#include "base/status.h"
#include "pair/pair.h"
#include "potential/potential.h"

toc_status toc_defaults_write(toc_defaults kind, void *settings, size_t size) {
    static toc_status (*const writers[])(void *settings, size_t size) = {
        [TOC_DEFAULTS_PAIR_TEST] = toc_pair_test_begin,   [TOC_DEFAULTS_QUERY] = toc_query_begin,
        [TOC_DEFAULTS_NEAR_QUERY] = toc_near_query_begin, [TOC_DEFAULTS_ROOM] = toc_room_begin,
        [TOC_DEFAULTS_POTENTIAL] = toc_potential_begin,
    };
    if ((size_t)kind >= sizeof writers / sizeof *writers)
        return toc_fail(TOC_BAD_INPUT, "there are no settings of kind %d", (int)kind);
    return writers[kind](settings, size);
}

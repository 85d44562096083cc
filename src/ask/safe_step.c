// SPDX-License-Identifier: Apache-2.0
// How far all bodies can move together before anything touches.
//
// The first time of contact is an upper bound; what counts is where the vertices come to stand, rounded. So the shorter
// step is itself searched for contacts, with the positions that a caller will have, and shortened until it has none:
// almost always at the first try. A step of 0 moves nothing, so this ends.
#include <math.h>

#include "ask/query.h"
#include "base/threads.h"
#include "scene/scene.h"
#include "search/search.h"

void toc_positions_interpolate(double fraction, size_t count, const double *x0, const double *x1, double *x) {
    for (size_t i = 0; i < count; i++) {
        const double way = x1[i] - x0[i], moved = x0[i] + fraction * way; // what rests stays where it is
        x[i] = fraction == 1 ? x1[i] : isfinite(way) ? moved : (1 - fraction) * x0[i] + fraction * x1[i];
    }
}

// The first time of contact on the way to a fraction of the step, as a fraction of that way; 2 where there is none.
static toc_status first_time(const toc_preset *preset, toc_scene *scene, const toc_query *query, double fraction,
                             double *time) {
    toc_contacts *contacts;
    toc_choice choice;
    TOC_TRY(toc_search_prepare(scene, query, preset, &choice));
    toc_step *step = &scene->step;
    toc_positions_interpolate(fraction, 3 * step->vertex_count, step->x0, step->x1, step->x1);
    TOC_TRY(toc_search_run(scene, query, preset, choice, &contacts));
    *time = contacts->count ? contacts->contacts[0].toc : 2;
    toc_contacts_destroy(contacts);
    return TOC_OK;
}

toc_status toc_scene_find_safe_step(toc_scene *scene, const toc_query *query, double *fraction) {
    const toc_preset *preset;
    toc_query first;
    TOC_USE_SCENE(scene);
    TOC_NEED(fraction);
    TOC_TRY(toc_query_take(query, &first, &preset));
    TOC_TRY(toc_scene_need_straight(scene));
    first.answer = TOC_ANSWER_FIRST;
    first.test.from = 0;
    first.test.to = 1;
    double safe = 1, time = 2, less = 0x1p-52;
    TOC_TRY(first_time(preset, scene, &first, safe, &time));
    while (time <= 1 && safe > 0) {
        safe *= time * (1 - less);
        less = less < 0.5 ? 4 * less : 0.5;
        TOC_TRY(first_time(preset, scene, &first, safe, &time));
    }
    *fraction = safe;
    return TOC_OK;
}

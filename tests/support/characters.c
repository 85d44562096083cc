// SPDX-License-Identifier: Apache-2.0
// The truth about characters: every vertex against every tet.
#include "support/characters.h"

#include <string.h>

#include "toccata/convex.h"

size_t test_count_every_pair(const toc_character *c, size_t *inverted) {
    size_t count = 0;
    *inverted = 0;
    for (size_t i = 0; i < c->boundary.count; i++)
        for (size_t t = 0; t < c->tets.count; t++) {
            const character_tet *tet = &c->tets.at[t];
            const uint32_t v = c->boundary.at[i];
            const double *p = c->x.at + 3 * (size_t)v;
            const bool own = tet->v[0] == v || tet->v[1] == v || tet->v[2] == v || tet->v[3] == v;
            double corners[12];
            toc_inside inside;
            const character_box box = character_tet_box(c->x.at, tet->v);
            if (own || !character_box_has(&box, p) || (tet->body > 0 && tet->part == c->part_of.at[v])) continue;
            for (int k = 0; k < 4; k++) memcpy(corners + 3 * k, c->x.at + 3 * (size_t)tet->v[k], 24);
            assert_ok(toc_inside_find(TOC_TET, corners, p, &inside));
            const bool upright = toc_character_tet_is_upright(c->x.at, tet->v);
            if (inside.verdict == TOC_HIT) upright ? count++ : ++*inverted;
        }
    return count;
}

toc_status test_character_step(toc_character *c, const double *matrices, toc_character_report *report) {
    return toc_character_step(c, c->joint_count, matrices, report);
}

bool test_contacts_are_equal(const toc_character *a, const toc_character *b) {
    size_t n, m;
    const toc_character_contact *p = toc_character_get_contacts(a, &n), *q = toc_character_get_contacts(b, &m);
    return n == m && (n == 0 || memcmp(p, q, n * sizeof *p) == 0);
}

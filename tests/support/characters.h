// SPDX-License-Identifier: Apache-2.0
// The truth about characters: every vertex against every tet.
#ifndef TOC_TEST_CHARACTERS_H
#define TOC_TEST_CHARACTERS_H

#include "sim/character/character.h"
#include "support/test.h"

/// Every boundary vertex against every tet, decided by the exact test of the library. @return the contacts.
/// @param inverted receives the vertices in inverted tets.
size_t test_count_every_pair(const toc_character *c, size_t *inverted);
/// A frame, with a matrix for every joint of the character.
toc_status test_character_step(toc_character *c, const double *matrices, toc_character_report *report);
/// Whether two characters have the same contacts, bit for bit.
bool test_contacts_are_equal(const toc_character *a, const toc_character *b);

#endif

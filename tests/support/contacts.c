// SPDX-License-Identifier: Apache-2.0
// Contacts to write and to read.
#include "support/contacts.h"

const toc_contact test_two_contacts[2] = {
    {.kind = TOC_VF,
     .verdict = TOC_HIT,
     .body = {0, 1},
     .v = {10, 11, 12, 4294967295u},
     .toc = 0.1,
     .weights = {1, 0.25, 0.5, 0.25},
     .point = {1.0 / 3, -0.0, 1e300},
     .normal = {0, 0, 1}},
    {.kind = TOC_EE,
     .verdict = TOC_UNDECIDED,
     .body = {2, 2},
     .v = {1, 2, 3, 4},
     .toc = 1,
     .weights = {0.5, 0.5, 0.1, 0.9},
     .point = {2.5e-300, 2, 3},
     .normal = {-1, 0, 0}},
};

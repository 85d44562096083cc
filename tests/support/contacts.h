// SPDX-License-Identifier: Apache-2.0
// Contacts to write and to read.
#ifndef TEST_CONTACTS_H
#define TEST_CONTACTS_H

#include "toccata/scene.h"

/// A vertex and a face that touch, and two edges that are undecided: with extreme ids and coordinates.
extern const toc_contact test_two_contacts[2];

#endif

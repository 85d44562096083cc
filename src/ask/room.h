// SPDX-License-Identifier: Apache-2.0
// The settings of steps that leave room.
#ifndef TOC_ASK_ROOM_H
#define TOC_ASK_ROOM_H

#include "toccata/solver.h"

/// Write the defaults into a caller's settings of `size` bytes.
toc_status toc_room_begin(void *room, size_t size);

#endif

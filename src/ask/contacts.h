// SPDX-License-Identifier: Apache-2.0
// The contacts of a step, where some may stay on a device.
#ifndef TOC_ASK_CONTACTS_H
#define TOC_ASK_CONTACTS_H

#include "search/request.h"

/// toc_scene_find_contacts.
/// @param there NULL; or receives contacts that stay on the device, in order, until the scene's next question: the
/// result then has the others only, in order, too.
toc_status toc_contacts_ask(toc_scene *scene, const toc_query *query, toc_contacts_there *there, toc_contacts *reuse,
                            toc_contacts **out);

#endif

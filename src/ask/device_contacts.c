// SPDX-License-Identifier: Apache-2.0
// Contacts in memory of the device: those of toc_scene_find_contacts, in the same order, with the same bytes.
//
// Those that the device found complete stay there. Those of pairs in doubt, which the processor decides, are sent, and
// both lists are joined. The contacts of the question before stay until those of the next one are there.
#include "ask/contacts.h"
#include "base/arithmetic.h"
#include "base/result.h"
#include "device/answer.h"
#include "device/device.h"
#include "scene/scene.h"
#include "search/contacts.h"

typedef struct list_there {
    toc_device_contacts list; // the first field: a pointer to one is a pointer to the other
    toc_allocator allocator;
    const toc_device *device;
    void *queue, *at, *few;    // contacts, and room for those that the processor decided
    size_t room, few_room;     // contacts
    bool is_there;             // all contacts are on the device, and some are not in `here`
    toc_contacts *here, *next; // of this question, and memory for the next one
} list_there;

void toc_device_contacts_destroy(toc_device_contacts *contacts) {
    list_there *l = (list_there *)contacts;
    if (!l) return;
    const toc_allocator allocator = l->allocator;
    const bool entered = l->device->enter() == TOC_OK;
    l->device->release(l->at, l->room * sizeof(toc_contact));
    l->device->release(l->few, l->few_room * sizeof(toc_contact));
    l->device->close(l->queue);
    if (entered) l->device->leave();
    toc_contacts_destroy(l->here);
    toc_contacts_destroy(l->next);
    toc_free(&allocator, l, 1, sizeof *l);
}

static toc_status make_list_there(const toc_allocator *allocator, list_there **out) {
    const toc_device *device;
    TOC_TRY(toc_device_open(&device));
    list_there *l = toc_new(allocator, 1, sizeof *l);
    if (!l) return TOC_OUT_OF_MEMORY;
    *l = (list_there){.allocator = *allocator, .device = device};
    *out = l;
    return TOC_OK;
}

static toc_status need_room_there(const toc_device *device, size_t count, void **array, size_t *has) {
    const size_t room = count + count / 4;
    void *at = NULL;
    if (*has >= count) return TOC_OK;
    TOC_TRY(device->allocate(room * sizeof(toc_contact), &at));
    device->release(*array, *has * sizeof(toc_contact));
    *array = at, *has = room;
    return TOC_OK;
}

static toc_status join_lists_there(list_there *l, const toc_contacts_there *there, const toc_contacts *few) {
    TOC_TRY(need_room_there(l->device, few->count, &l->few, &l->few_room));
    TOC_TRY(l->device->copy(l->queue, l->few, few->contacts, few->count * sizeof(toc_contact)));
    const toc_device_joining work = {.many = there->at,
                                     .few = l->few,
                                     .to = l->at,
                                     .many_count = (uint32_t)there->count,
                                     .few_count = (uint32_t)few->count};
    return toc_device_launch(l->device, l->queue, TOC_DEVICE_KERNEL_join, &work, sizeof work);
}

// Readers on the stream have the contacts of before; those that it is given later have these.
static toc_status put_contacts_there(list_there *l, const toc_contacts_there *there, const toc_contacts *contacts,
                                     void *stream) {
    const toc_device *d = l->device;
    const size_t count = there->count + contacts->count;
    if (stream) TOC_TRY(d->order(stream, l->queue));
    if (l->room < count) TOC_TRY(d->wait(l->queue));
    TOC_TRY(need_room_there(d, count, &l->at, &l->room));
    TOC_TRY(there->count ? join_lists_there(l, there, contacts)
                         : d->copy(l->queue, l->at, contacts->contacts, count * sizeof(toc_contact)));
    return d->wait(l->queue);
}

static toc_status begin_list_there(list_there *l, void *stream) {
    TOC_TRY(l->device->enter());
    toc_status status = stream ? l->device->check_stream(stream) : TOC_OK;
    if (status == TOC_OK && !l->queue) status = l->device->open(&l->queue);
    l->device->leave();
    return status;
}

static void show_list_there(list_there *l, const toc_contacts_there *there) {
    toc_contacts *before = l->here;
    l->here = l->next;
    l->next = before;
    l->is_there = there->count > 0;
    l->list.count = there->count + l->here->count;
    l->list.contacts = l->list.count ? l->at : NULL;
    l->list.seconds = l->here->seconds;
}

static toc_status fill_list_there(list_there *l, toc_scene *scene, const toc_query *query, void *stream) {
    TOC_TRY(begin_list_there(l, stream));
    toc_contacts_there there = {0};
    TOC_TRY(toc_contacts_ask(scene, query, &there, l->next, &l->next));
    TOC_TRY(l->device->enter());
    const toc_status status = put_contacts_there(l, &there, l->next, stream);
    l->device->leave();
    if (status == TOC_OK) show_list_there(l, &there);
    return status;
}

toc_status toc_scene_find_contacts_on_device(toc_scene *scene, const toc_query *query, void *stream,
                                             toc_device_contacts *reuse, toc_device_contacts **out) {
    TOC_SCOPED_ARITHMETIC;
    list_there *l = (list_there *)reuse;
    TOC_NEED(scene);
    TOC_NEED(query);
    TOC_NEED(out);
    if (query->sink.take) return toc_fail(TOC_BAD_INPUT, "a sink takes the contacts in memory of the processor");
    if (!l) TOC_TRY(make_list_there(&scene->allocator, &l));
    const toc_status status = fill_list_there(l, scene, query, stream);
    if (status != TOC_OK) {
        if (!reuse) toc_device_contacts_destroy(&l->list);
        return status;
    }
    *out = &l->list;
    return TOC_OK;
}

// The list of the processor is as it was where the copy fails: it has fewer contacts than are there.
static toc_status fetch_list(list_there *l) {
    const size_t few = l->here->count;
    TOC_TRY(l->device->enter());
    toc_contact *to = toc_contacts_extend(l->here, l->list.count);
    toc_status status = to ? l->device->copy(l->queue, to, l->at, l->list.count * sizeof *to) : TOC_OUT_OF_MEMORY;
    if (status == TOC_OK) status = l->device->wait(l->queue);
    if (to && status != TOC_OK) toc_contacts_extend(l->here, few);
    l->device->leave();
    l->is_there = status != TOC_OK;
    return status;
}

const toc_contacts *toc_device_contacts_get(const toc_device_contacts *contacts) {
    list_there *l = (list_there *)(uintptr_t)contacts; // its memory is not constant
    if (!l || (l->is_there && fetch_list(l) != TOC_OK)) return NULL;
    return l->here;
}

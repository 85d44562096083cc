// SPDX-License-Identifier: Apache-2.0
// Contacts in memory of the device: those of toc_scene_find_contacts, in the same order, with the same bytes.
//
// The processor decides pairs in doubt and puts their contacts in order, so the list is made there, and copied once.
// The contacts of the question before stay until those of the next one are there.
#include "base/arithmetic.h"
#include "base/result.h"
#include "device/device.h"
#include "scene/scene.h"

typedef struct list_there {
    toc_device_contacts list; // the first field: a pointer to one is a pointer to the other
    toc_allocator allocator;
    const toc_device *device;
    void *queue, *at;
    size_t room;               // contacts
    toc_contacts *here, *next; // of this question, and memory for the next one
} list_there;

void toc_device_contacts_destroy(toc_device_contacts *contacts) {
    list_there *l = (list_there *)contacts;
    if (!l) return;
    const toc_allocator allocator = l->allocator;
    const bool entered = l->device->enter() == TOC_OK;
    l->device->release(l->at, l->room * sizeof(toc_contact));
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

static toc_status need_room_there(list_there *l, size_t count) {
    const size_t room = count + count / 4;
    void *at = NULL;
    if (l->room >= count) return TOC_OK;
    TOC_TRY(l->device->allocate(room * sizeof(toc_contact), &at));
    l->device->release(l->at, l->room * sizeof(toc_contact));
    l->at = at, l->room = room;
    return TOC_OK;
}

// Readers on the stream have the contacts of before; those that it is given later have these.
static toc_status put_contacts_there(list_there *l, const toc_contacts *contacts, void *stream) {
    const toc_device *d = l->device;
    if (stream) TOC_TRY(d->order(stream, l->queue));
    if (l->room < contacts->count) TOC_TRY(d->wait(l->queue));
    TOC_TRY(need_room_there(l, contacts->count));
    TOC_TRY(d->copy(l->queue, l->at, contacts->contacts, contacts->count * sizeof(toc_contact)));
    return d->wait(l->queue);
}

static toc_status begin_list_there(list_there *l, void *stream) {
    TOC_TRY(l->device->enter());
    toc_status status = stream ? l->device->check_stream(stream) : TOC_OK;
    if (status == TOC_OK && !l->queue) status = l->device->open(&l->queue);
    l->device->leave();
    return status;
}

static toc_status fill_list_there(list_there *l, toc_scene *scene, const toc_query *query, void *stream) {
    TOC_TRY(begin_list_there(l, stream));
    TOC_TRY(toc_scene_find_contacts(scene, query, l->next, &l->next));
    TOC_TRY(l->device->enter());
    const toc_status status = put_contacts_there(l, l->next, stream);
    l->device->leave();
    return status;
}

static void show_list_there(list_there *l) {
    toc_contacts *before = l->here;
    l->here = l->next;
    l->next = before;
    l->list.count = l->here->count;
    l->list.contacts = l->here->count ? l->at : NULL;
    l->list.seconds = l->here->seconds;
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
    show_list_there(l);
    *out = &l->list;
    return TOC_OK;
}

const toc_contacts *toc_device_contacts_get(const toc_device_contacts *contacts) {
    return contacts ? ((const list_there *)contacts)->here : NULL;
}

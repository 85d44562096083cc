// SPDX-License-Identifier: Apache-2.0
// Contacts of all ranks: to their owners, to one rank, or in order over all ranks.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "mpi/scene.h"

typedef struct contacts_result {
    toc_mpi_contacts contacts; // the first field: a pointer to one is a pointer to the other
    toc_allocator memory;
    size_t capacity;
} contacts_result;

static toc_status make_contacts(const dist_link *link, dist_items *items, contacts_result **out) {
    contacts_result *r = toc_dist_new(&link->memory, 1, sizeof *r);
    if (!r) return TOC_OUT_OF_MEMORY;
    r->memory = link->memory;
    r->capacity = items->capacity;
    r->contacts.count = items->count;
    r->contacts.contacts = (const toc_mpi_contact *)items->at;
    items->at = NULL;
    *out = r;
    return TOC_OK;
}

void toc_mpi_contacts_destroy(toc_mpi_contacts *contacts) {
    if (!contacts) return;
    contacts_result *r = (contacts_result *)contacts;
    const toc_allocator memory = r->memory;
    toc_dist_free(&memory, (void *)contacts->contacts, r->capacity, sizeof *contacts->contacts);
    toc_dist_free(&memory, r, 1, sizeof *r);
}

static void count_of_all_ranks(dist_link *link, toc_mpi_contacts *contacts) {
    double earliest = INFINITY;
    uint64_t total = contacts->count;
    for (size_t i = 0; i < contacts->count; i++) earliest = fmin(earliest, contacts->contacts[i].toc);
    earliest = -earliest;
    toc_dist_most(link, 1, &earliest);
    toc_dist_sum_counts(link, 1, &total);
    contacts->first = -earliest;
    contacts->total = total;
}

// ---- finding

static toc_status name_contacts(const dist_question *q, const toc_contacts *contacts, bool all_own, dist_items *out) {
    toc_mpi_scene *scene = q->scene;
    DIST_TRY(toc_dist_items_reserve(&scene->link, out, contacts->count));
    for (size_t i = 0; i < contacts->count; i++) {
        const toc_contact *c = &contacts->contacts[i];
        toc_mpi_contact named;
        if (!all_own && !toc_dist_is_own_pair(q, c->kind, c->body, c->v)) {
            scene->work.turned_down++;
            continue;
        }
        const int rank = toc_dist_name_contact(scene, c, &named);
        DIST_TRY(toc_dist_items_add(&scene->link, out, &named, rank));
    }
    return TOC_OK;
}

// A filter looks at every pair. To drop contacts that another rank reports, too, costs less: few pairs are tested
// twice. The first contact needs the filter: a feature without some of its elements can touch before all others.
static bool needs_filter(const toc_mpi_scene *scene, const dist_question *q) {
    return q->query.answer != TOC_ANSWER_ALL || scene->filter.wants || dist_partition_needs_counts(&scene->partition);
}

// The pairs of the elementary test; stages behind it have contacts.
static uint64_t count_tested(const toc_contacts *contacts) {
    uint64_t sum = 0;
    for (size_t i = 0; i < contacts->stage_count; i++) {
        const toc_stage *stage = &contacts->stages[i];
        if (strcmp(stage->name, toc_method_get_name(TOC_METHOD_CERTIFIED)) == 0 ||
            strcmp(stage->name, toc_method_get_name(TOC_METHOD_EXACT)) == 0)
            sum += stage->in;
    }
    return sum;
}

static toc_status search_locally(toc_mpi_scene *scene, dist_question *q, dist_items *out) {
    toc_contacts *contacts;
    const double begun = MPI_Wtime();
    const bool filtered = needs_filter(scene, q);
    if (filtered) toc_dist_use_filter(q);
    DIST_TRY(toc_scene_find_contacts(scene->work.scene, &q->query, &contacts));
    scene->report.local_seconds = MPI_Wtime() - begun;
    if (!filtered) scene->work.decided = count_tested(contacts);
    const toc_status status = name_contacts(q, contacts, filtered || scene->partition.is_whole, out);
    toc_contacts_destroy(contacts);
    return status;
}

// The order of TOC_ANSWER_FIRST.
static bool comes_before(const toc_mpi_contact *a, const toc_mpi_contact *b) {
    if (a->toc != b->toc) return a->toc < b->toc;
    for (int c = 0; c < 3; c++)
        if (a->point[c] != b->point[c]) return a->point[c] < b->point[c];
    return toc_dist_compare_contacts(a, b) < 0;
}

// Keep the contact of this rank only if it is the first of all ranks.
static toc_status keep_first(dist_link *link, toc_status mine, dist_items *items) {
    toc_mpi_contact own, *all = NULL;
    memset(&own, 0, sizeof own);
    own.toc = INFINITY;
    if (mine == TOC_OK && items->count) memcpy(&own, items->at, sizeof own);
    if (mine == TOC_OK) {
        all = toc_dist_new(&link->memory, (size_t)link->size, sizeof *all);
        if (!all) mine = TOC_OUT_OF_MEMORY;
    }
    const toc_status status = toc_dist_agree(link, mine);
    if (status == TOC_OK) {
        link->rounds++;
        MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own, MPI_BYTE, link->comm);
        for (int r = 0; r < link->size; r++)
            if (comes_before(&all[r], &own)) items->count = 0;
    }
    toc_dist_free(&link->memory, all, (size_t)link->size, sizeof *all);
    return status;
}

static toc_status find_on_ranks(toc_mpi_scene *scene, dist_question *q, contacts_result **out) {
    dist_link *link = &scene->link;
    const dist_items empty = {.item = sizeof(toc_mpi_contact), .compare = toc_dist_compare_contacts};
    dist_items found = empty, own = empty;
    toc_status mine = search_locally(scene, q, &found);
    toc_status status = q->query.answer == TOC_ANSWER_ALL ? TOC_OK : keep_first(link, mine, &found);
    if (status == TOC_OK) status = toc_dist_items_send(link, mine, &found, &own);
    toc_dist_items_free(link, &found);
    if (status == TOC_OK) status = toc_dist_agree(link, make_contacts(link, &own, out));
    toc_dist_items_free(link, &own);
    return status;
}

toc_status toc_mpi_scene_find_contacts(toc_mpi_scene *scene, const toc_query *query, toc_mpi_contacts **out) {
    DIST_NEED(scene);
    dist_question q = {.span = DIST_STEP, .question = 1};
    toc_status mine = toc_dist_take_query(query, &q.query);
    if (mine == TOC_OK && !out) mine = toc_dist_fail(TOC_BAD_INPUT, "out is NULL");
    if (mine == TOC_OK) {
        q.distance = q.query.test.separation;
        q.thin = q.query.thin;
    }
    DIST_TRY(toc_dist_begin(scene, mine, &q));
    contacts_result *r = NULL;
    const toc_status status = find_on_ranks(scene, &q, &r);
    if (status != TOC_OK) {
        toc_mpi_contacts_destroy(r ? &r->contacts : NULL);
        return status;
    }
    count_of_all_ranks(&scene->link, &r->contacts);
    toc_dist_end(scene);
    r->contacts.report = scene->report;
    *out = &r->contacts;
    return TOC_OK;
}

// ---- spreading anew

// Send each contact to a rank that `rank_of` names. Collective.
typedef int contact_target(const void *user, const toc_mpi_contact *contact);

static toc_status spread_contacts(toc_mpi_scene *scene, toc_status mine, const toc_mpi_contacts *contacts,
                                  contact_target *target, const void *user, toc_mpi_contacts **out) {
    dist_link *link = &scene->link;
    const dist_items empty = {.item = sizeof(toc_mpi_contact), .compare = toc_dist_compare_contacts};
    dist_items packed = empty, own = empty;
    contacts_result *r = NULL;
    for (size_t i = 0; mine == TOC_OK && i < contacts->count; i++)
        mine = toc_dist_items_add(link, &packed, &contacts->contacts[i], target(user, &contacts->contacts[i]));
    toc_status status = toc_dist_items_send(link, mine, &packed, &own);
    toc_dist_items_free(link, &packed);
    if (status == TOC_OK) status = toc_dist_agree(link, make_contacts(link, &own, &r));
    toc_dist_items_free(link, &own);
    if (status != TOC_OK) {
        toc_mpi_contacts_destroy(r ? &r->contacts : NULL);
        return status;
    }
    r->contacts.total = contacts->total;
    r->contacts.first = contacts->first;
    r->contacts.report = contacts->report;
    *out = &r->contacts;
    return TOC_OK;
}

static int target_root(const void *user, const toc_mpi_contact *contact) {
    (void)contact;
    return *(const int *)user;
}

static toc_status check_spread(const toc_mpi_contacts *contacts, toc_mpi_contacts *const *out) {
    DIST_NEED(contacts);
    DIST_NEED(out);
    return TOC_OK;
}

toc_status toc_mpi_contacts_gather(toc_mpi_scene *scene, const toc_mpi_contacts *contacts, int root,
                                   toc_mpi_contacts **out) {
    DIST_NEED(scene);
    toc_status mine = check_spread(contacts, out);
    if (mine == TOC_OK && (root < 0 || root >= scene->link.size))
        mine = toc_dist_fail(TOC_BAD_INPUT, "there is no rank %d; there are %d", root, scene->link.size);
    return spread_contacts(scene, mine, contacts, target_root, &root, out);
}

// ---- in order over all ranks

enum { SAMPLES = 32 }; // contacts of each rank that the ranges are chosen from

typedef struct contact_ranges {
    toc_mpi_contact *samples; // of all ranks, sorted
    toc_mpi_contact *first;   // of the range of each rank but the first
    int count;                // ranges - 1
} contact_ranges;

static int target_range(const void *user, const toc_mpi_contact *contact) {
    const contact_ranges *ranges = user;
    int low = 0, high = ranges->count; // the number of first contacts that are not after this one
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (toc_dist_compare_contacts(&ranges->first[middle], contact) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Samples at even distances; the last contact stands for those that are missing, `kind` above all for an empty list.
static void take_samples(const toc_mpi_contacts *contacts, toc_mpi_contact *samples) {
    for (size_t i = 0; i < SAMPLES; i++) {
        memset(&samples[i], 0, sizeof samples[i]);
        samples[i].body[0] = UINT32_MAX;
        samples[i].kind = TOC_EE;
        if (contacts->count) samples[i] = contacts->contacts[contacts->count * i / SAMPLES];
    }
}

static size_t range_room(const dist_link *link) { return (size_t)link->size * (SAMPLES + 1); }

// Sort samples of all ranks, without those of empty ranks, and choose the ranges.
static toc_status choose_ranges(dist_link *link, toc_status mine, const toc_mpi_contacts *contacts,
                                contact_ranges *ranges) {
    const size_t count = (size_t)link->size * SAMPLES;
    toc_mpi_contact own[SAMPLES];
    if (mine == TOC_OK) {
        ranges->samples = toc_dist_new(&link->memory, range_room(link), sizeof *ranges->samples);
        if (!ranges->samples) mine = TOC_OUT_OF_MEMORY;
    }
    DIST_TRY(toc_dist_agree(link, mine));
    take_samples(contacts, own);
    link->rounds++;
    MPI_Allgather(own, (int)sizeof own, MPI_BYTE, ranges->samples, (int)sizeof own, MPI_BYTE, link->comm);
    DIST_TRY(toc_dist_agree(link, toc_dist_sort(&link->memory, ranges->samples, count, sizeof *ranges->samples,
                                                toc_dist_compare_contacts)));
    size_t real = 0;
    while (real < count && ranges->samples[real].body[0] != UINT32_MAX) real++;
    ranges->first = ranges->samples + count;
    ranges->count = link->size - 1;
    for (int r = 1; r < link->size; r++) ranges->first[r - 1] = ranges->samples[real * (size_t)r / (size_t)link->size];
    return TOC_OK;
}

toc_status toc_mpi_contacts_sort(toc_mpi_scene *scene, const toc_mpi_contacts *contacts, toc_mpi_contacts **out) {
    DIST_NEED(scene);
    contact_ranges ranges = {0};
    toc_status status = choose_ranges(&scene->link, check_spread(contacts, out), contacts, &ranges);
    if (status == TOC_OK) status = spread_contacts(scene, TOC_OK, contacts, target_range, &ranges, out);
    toc_dist_free(&scene->link.memory, ranges.samples, range_room(&scene->link), sizeof *ranges.samples);
    return status;
}

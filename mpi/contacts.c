// SPDX-License-Identifier: Apache-2.0
// Contacts of all ranks: to their owners, to one rank, or in order over all ranks.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "mpi/scene.h"

int toc_dist_compare_contacts(const void *a, const void *b) {
    const toc_mpi_contact *x = a, *y = b;
    return dist_compare_pairs((const toc_kind[]){x->kind, y->kind}, (const uint32_t *const[]){x->body, y->body},
                              (const uint64_t *const[]){x->v, y->v});
}

int toc_dist_name_contact(const toc_mpi_scene *scene, const toc_contact *c, toc_mpi_contact *out) {
    *out = (toc_mpi_contact){.kind = c->kind, .verdict = c->verdict, .body = {c->body[0], c->body[1]}, .toc = c->toc};
    memcpy(out->weights, c->weights, sizeof out->weights);
    memcpy(out->point, c->point, sizeof out->point);
    memcpy(out->normal, c->normal, sizeof out->normal);
    return toc_dist_name_pair(scene, c->kind, c->body, c->v, out->v);
}

static void find_first_of_all_ranks(dist_link *link, void *list) {
    toc_mpi_contacts *contacts = list;
    double earliest = INFINITY;
    for (size_t i = 0; i < contacts->count; i++) earliest = fmin(earliest, contacts->contacts[i].toc);
    earliest = -earliest;
    toc_dist_most(link, 1, &earliest);
    contacts->first = -earliest;
}

// ---- finding

static toc_status name_contacts(const dist_question *q, const toc_contacts *contacts, bool all_own, dist_items *out) {
    toc_mpi_scene *scene = q->scene;
    TOC_TRY(toc_dist_items_reserve(&scene->link, out, contacts->count));
    for (size_t i = 0; i < contacts->count; i++) {
        const toc_contact *c = &contacts->contacts[i];
        toc_mpi_contact named;
        if (!all_own && !toc_dist_is_own_pair(q, c->kind, c->body, c->v)) {
            scene->work.turned_down++;
            continue;
        }
        const int rank = toc_dist_name_contact(scene, c, &named);
        TOC_TRY(toc_dist_items_add(&scene->link, out, &named, rank));
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
        if (strcmp(stage->name, toc_method_get(TOC_METHOD_CERTIFIED).name) == 0 ||
            strcmp(stage->name, toc_method_get(TOC_METHOD_EXACT).name) == 0)
            sum += stage->in;
    }
    return sum;
}

static toc_status search_locally(dist_question *q, dist_items *out) {
    toc_mpi_scene *scene = q->scene;
    toc_contacts *contacts;
    const double begun = MPI_Wtime();
    const bool filtered = needs_filter(scene, q);
    if (filtered) toc_dist_use_filter(q);
    TOC_TRY(toc_scene_find_contacts(scene->work.scene, &q->query, NULL, &contacts));
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

// Where the query wants one contact, keep that of this rank only if it is the first of all ranks.
static toc_status keep_first(dist_question *q, toc_status mine, dist_items *items) {
    dist_link *link = &q->scene->link;
    toc_mpi_contact own, *all = NULL;
    if (q->query.answer == TOC_ANSWER_ALL) return TOC_OK;
    memset(&own, 0, sizeof own);
    own.toc = INFINITY;
    if (mine == TOC_OK && items->count) memcpy(&own, items->at, sizeof own);
    if (mine == TOC_OK) {
        all = toc_new(&link->memory, (size_t)link->size, sizeof *all);
        if (!all) mine = TOC_OUT_OF_MEMORY;
    }
    const toc_status status = toc_dist_agree(link, mine);
    if (status == TOC_OK) {
        link->rounds++;
        MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own, MPI_BYTE, link->comm);
        for (int r = 0; r < link->size; r++)
            if (comes_before(&all[r], &own)) items->count = 0;
    }
    toc_free(&link->memory, all, (size_t)link->size, sizeof *all);
    return status;
}

static const dist_answer_type contact_type = {
    .list = {.order.item_size = sizeof(toc_mpi_contact), TOC_ANSWER_LIST(toc_mpi_contacts, contacts)},
    .compare = toc_dist_compare_contacts,
    .total_at = offsetof(toc_mpi_contacts, total),
    .report_at = offsetof(toc_mpi_contacts, report),
    .search = search_locally,
    .choose = keep_first,
    .complete = find_first_of_all_ranks};

toc_status toc_mpi_scene_find_contacts(toc_mpi_scene *scene, const toc_query *query, toc_mpi_contacts **out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(scene);
    dist_question q = {.span = DIST_STEP, .question = 1};
    toc_status mine = toc_dist_take_query(query, &q.query);
    if (mine == TOC_OK && !out) mine = toc_fail(TOC_BAD_INPUT, "out is NULL");
    if (mine == TOC_OK) {
        q.distance = q.query.test.separation;
        q.thin = q.query.thin;
    }
    void *list;
    TOC_TRY(toc_dist_answer_ask(scene, mine, &contact_type, &q, &list));
    *out = list;
    return TOC_OK;
}

// ---- spreading anew

// Send each contact to a rank that `rank_of` names. Collective.
typedef int contact_target(const void *user, const toc_mpi_contact *contact);

static toc_status spread_contacts(toc_mpi_scene *scene, toc_status mine, const toc_mpi_contacts *contacts,
                                  contact_target *target, const void *user, toc_mpi_contacts **out) {
    dist_link *link = &scene->link;
    dist_items packed = toc_dist_items_of(&contact_type);
    void *list;
    for (size_t i = 0; mine == TOC_OK && i < contacts->count; i++)
        mine = toc_dist_items_add(link, &packed, &contacts->contacts[i], target(user, &contacts->contacts[i]));
    const toc_status status = toc_dist_answer_send(link, mine, &contact_type, &packed, &list);
    toc_dist_items_free(link, &packed);
    TOC_TRY(status);
    toc_mpi_contacts *spread = list;
    spread->total = contacts->total;
    spread->first = contacts->first;
    spread->report = contacts->report;
    *out = spread;
    return TOC_OK;
}

static int target_root(const void *user, const toc_mpi_contact *contact) {
    (void)contact;
    return *(const int *)user;
}

static toc_status check_spread(const toc_mpi_contacts *contacts, toc_mpi_contacts *const *out) {
    TOC_NEED(contacts);
    TOC_NEED(out);
    return TOC_OK;
}

toc_status toc_mpi_contacts_gather(toc_mpi_scene *scene, const toc_mpi_contacts *contacts, int root,
                                   toc_mpi_contacts **out) {
    TOC_NEED(scene);
    toc_status mine = check_spread(contacts, out);
    if (mine == TOC_OK && (root < 0 || root >= scene->link.size))
        mine = toc_fail(TOC_BAD_INPUT, "there is no rank %d; there are %d", root, scene->link.size);
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
        ranges->samples = toc_new(&link->memory, range_room(link), sizeof *ranges->samples);
        if (!ranges->samples) mine = TOC_OUT_OF_MEMORY;
    }
    TOC_TRY(toc_dist_agree(link, mine));
    take_samples(contacts, own);
    link->rounds++;
    MPI_Allgather(own, (int)sizeof own, MPI_BYTE, ranges->samples, (int)sizeof own, MPI_BYTE, link->comm);
    TOC_TRY(toc_dist_agree(link, toc_dist_sort(&link->memory, ranges->samples, count, sizeof *ranges->samples,
                                               toc_dist_compare_contacts)));
    size_t real = 0;
    while (real < count && ranges->samples[real].body[0] != UINT32_MAX) real++;
    ranges->first = ranges->samples + count;
    ranges->count = link->size - 1;
    for (int r = 1; r < link->size; r++) ranges->first[r - 1] = ranges->samples[real * (size_t)r / (size_t)link->size];
    return TOC_OK;
}

toc_status toc_mpi_contacts_sort(toc_mpi_scene *scene, const toc_mpi_contacts *contacts, toc_mpi_contacts **out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(scene);
    contact_ranges ranges = {0};
    toc_status status = choose_ranges(&scene->link, check_spread(contacts, out), contacts, &ranges);
    if (status == TOC_OK) status = spread_contacts(scene, TOC_OK, contacts, target_range, &ranges, out);
    toc_free(&scene->link.memory, ranges.samples, range_room(&scene->link), sizeof *ranges.samples);
    return status;
}

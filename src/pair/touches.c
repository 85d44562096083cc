// SPDX-License-Identifier: Apache-2.0
// All times of a step at which two features touch: entries and exits, in exact order.
//
// The times of touching are a union of closed intervals whose ends are roots of a few polynomials. Features that are in
// one plane at some times only touch at roots of the coplanarity polynomial: instants. In flat motion, touching begins
// and ends when a vertex is on an edge; with a separation, when the squared distance of one of the pairs of nearest
// points equals its square. These are the polynomials of exact.c and separation.c. Between two neighbouring roots
// nothing changes, so one look in between decides. Roots are compared exactly: by dyadic numbers between them, and by a
// common divisor where they are equal (docs/guarantees.md, G18). Tens of microseconds, hundreds with a separation, some
// milliseconds with a separation on parabolas.
#include "pair/touches.h"
#include "base/arithmetic.h"

#include <assert.h>
#include <limits.h>
#include <math.h>

#include "pair/exact.h"
#include "pair/pair.h"
#include "pair/separation.h"
#include "toccata/solver.h"

// Roots of two edges with a separation: 12 + 4 * 8 + 4 * 4 on parabolas, half of it on straight paths; and both ends.
enum { EVENTS_MOST = 96 };

typedef struct touch_search {
    toc_number_scope *numbers;
    const toc_question *question; // without a separation
    toc_distance_case *cases;     // with a separation
    int case_count;               // else 0
    toc_root *events;
    int event_count;
} touch_search;

// ---- order of roots

// The polynomial 2^depth t - place, whose root is place / 2^depth.
static toc_polynomial dyadic_line(toc_number_scope *numbers, toc_integer place, uint32_t depth) {
    const toc_integer one = toc_integer_small(numbers, 1);
    const toc_integer c[2] = {toc_integer_negate(place), toc_integer_shift(numbers, one, depth)};
    return toc_polynomial_of(1, c);
}

// The sign of root - place / 2^depth.
static int compare_dyadic(toc_number_scope *numbers, toc_root *root, toc_integer place, uint32_t depth) {
    const toc_polynomial line = dyadic_line(numbers, place, depth);
    return toc_root_sign(numbers, root, &line);
}

// The sign of a - b for two roots within the same dyadic interval, not both of one root.
static int compare_by_halving(toc_number_scope *numbers, toc_root *a, toc_root *b, toc_integer place, uint32_t depth) {
    const toc_integer one = toc_integer_small(numbers, 1);
    while (!numbers->failed) {
        const toc_integer doubled = toc_integer_shift(numbers, place, 1);
        const toc_integer middle = toc_integer_add(numbers, doubled, one);
        depth++;
        const int of_a = compare_dyadic(numbers, a, middle, depth), of_b = compare_dyadic(numbers, b, middle, depth);
        if (of_a != of_b) return of_a < of_b ? -1 : 1;
        place = of_a < 0 ? doubled : middle;
    }
    return 0;
}

// The sign of a - b.
static int compare_roots(toc_number_scope *numbers, toc_root *a, toc_root *b) {
    if (b->exact) return compare_dyadic(numbers, a, b->place, b->depth);
    if (a->exact) return -compare_dyadic(numbers, b, a->place, a->depth);
    const toc_integer place = b->place, next = toc_integer_add(numbers, place, toc_integer_small(numbers, 1));
    const uint32_t depth = b->depth;
    if (compare_dyadic(numbers, a, place, depth) <= 0) return -1;
    if (compare_dyadic(numbers, a, next, depth) >= 0) return 1;
    // b is the only root of its polynomial in this interval.
    if (toc_root_sign(numbers, a, &b->of) == 0) return 0;
    return compare_by_halving(numbers, a, b, place, depth);
}

// A dyadic number between two different roots, the lower one first.
static toc_root time_between(toc_number_scope *numbers, toc_root *low, toc_root *high) {
    const toc_integer one = toc_integer_small(numbers, 1);
    toc_root middle = toc_root_zero();
    toc_integer place = {0};
    while (!numbers->failed) {
        const toc_integer doubled = toc_integer_shift(numbers, place, 1);
        middle.place = toc_integer_add(numbers, doubled, one);
        middle.depth++;
        const bool above_low = compare_dyadic(numbers, low, middle.place, middle.depth) < 0;
        if (above_low && compare_dyadic(numbers, high, middle.place, middle.depth) > 0) break;
        place = above_low ? doubled : middle.place;
    }
    return middle;
}

// ---- events

// Insert a time where it belongs, unless it is there already.
static void add_event(touch_search *s, toc_root *time) {
    int at = s->event_count;
    while (at > 0) {
        const int sign = compare_roots(s->numbers, time, &s->events[at - 1]);
        if (sign == 0) return;
        if (sign > 0) break;
        at--;
    }
    assert(s->event_count < EVENTS_MOST);
    for (int i = s->event_count++; i > at; i--) s->events[i] = s->events[i - 1];
    s->events[at] = *time;
}

static void add_events_of(touch_search *s, const toc_polynomial *p) {
    toc_root times[TOC_DEGREE_MAX];
    const int count = p->degree < 1 ? 0 : toc_polynomial_roots(s->numbers, p, times);
    for (int i = 0; i < count; i++) add_event(s, &times[i]);
}

static void add_ends(touch_search *s) {
    toc_root start = toc_root_zero(), end = toc_root_zero();
    end.place = toc_integer_small(s->numbers, 1);
    add_event(s, &start);
    add_event(s, &end);
}

static void add_flat_events(touch_search *s) {
    int count;
    const toc_corner_case *corners = toc_corner_cases(s->question->kind, &count);
    for (int i = 0; i < count; i++) {
        const toc_polynomial when = toc_corner_times(s->numbers, s->question->p, corners[i]);
        add_events_of(s, &when);
    }
    add_ends(s);
}

// ---- intervals

static bool touches_at(touch_search *s, toc_root *time) {
    if (s->case_count == 0) return toc_question_touches(s->numbers, s->question, time);
    for (int i = 0; i < s->case_count; i++)
        if (toc_distance_case_holds(s->numbers, &s->cases[i], time)) return true;
    return false;
}

// The largest double that is not later than a root.
static double time_before(toc_number_scope *numbers, toc_root *root) {
    const toc_part whole = toc_part_of(numbers, 0, 1);
    double time = toc_part_time(numbers, &whole, root);
    for (;;) {
        const double next = nextafter(time, 2);
        const int bit = toc_double_lowest_bit(next);
        const uint32_t depth = bit < 0 ? (uint32_t)-bit : 0;
        if (next > 1 || compare_dyadic(numbers, root, toc_integer_scaled(numbers, next, bit < 0 ? bit : 0), depth) < 0)
            return time;
        if (numbers->failed) return time;
        time = next;
    }
}

// The smallest double that is not earlier.
static double time_after(toc_number_scope *numbers, toc_root *root) {
    const double before = time_before(numbers, root);
    if (before == 0) return compare_dyadic(numbers, root, (toc_integer){0}, 0) == 0 ? 0 : nextafter(0, 1);
    const int bit = toc_double_lowest_bit(before);
    const toc_integer place = toc_integer_scaled(numbers, before, bit < 0 ? bit : 0);
    const bool same = compare_dyadic(numbers, root, place, bit < 0 ? (uint32_t)-bit : 0) == 0;
    return same ? before : nextafter(before, 2);
}

static void add_touch(touch_search *s, toc_root *enter, toc_root *leave, toc_touches *out) {
    assert(out->count < TOC_TOUCHES_MOST);
    if (s->numbers->failed || out->count == TOC_TOUCHES_MOST) return;
    out->at[out->count++] = (toc_touch){
        .enter = time_before(s->numbers, enter), .leave = time_after(s->numbers, leave), .is_instant = enter == leave};
}

// Join events and the stretches between them. In motion that is not flat, nothing touches between events.
static void list_intervals(touch_search *s, bool stretches, toc_touches *out) {
    toc_root *enter = NULL;
    for (int i = 0; i < s->event_count && !s->numbers->failed; i++) {
        toc_root *event = &s->events[i];
        if (!enter && !touches_at(s, event)) continue;
        if (!enter) enter = event;
        bool goes_on = false;
        if (stretches && i + 1 < s->event_count) {
            toc_root middle = time_between(s->numbers, event, event + 1);
            goes_on = touches_at(s, &middle);
        }
        if (goes_on) continue;
        add_touch(s, enter, event, out);
        enter = NULL;
    }
}

static void find_touches(touch_search *s, toc_kind kind, const toc_path paths[4], toc_integer separation,
                         toc_touches *out) {
    toc_question question;
    if (separation.sign > 0) {
        s->case_count = toc_distance_cases(s->numbers, kind, paths, separation, s->cases);
        for (int i = 0; i < s->case_count; i++) add_events_of(s, &s->cases[i].excess);
        add_ends(s);
        list_intervals(s, true, out);
        return;
    }
    question = toc_question_of(s->numbers, kind, paths);
    s->question = &question;
    const bool flat = question.coplanar.degree < 0;
    if (flat)
        add_flat_events(s);
    else
        add_events_of(s, &question.coplanar);
    list_intervals(s, flat, out);
}

static toc_status search_touches(toc_kind kind, const toc_course *course, double separation, toc_arena *scratch,
                                 toc_touches *out) {
    toc_number_scope numbers = {.arena = scratch};
    const toc_part whole = toc_part_of(&numbers, 0, 1);
    int exponent = toc_lowest_bit(toc_lowest_bit(INT_MAX, 12, course->x0), 12, course->x1);
    if (course->control) exponent = toc_lowest_bit(exponent, 12, course->control);
    exponent = toc_lowest_bit(exponent, 1, &separation);
    if (exponent == INT_MAX) exponent = 0;
    toc_path paths[4];
    touch_search s = {.numbers = &numbers,
                      .cases = toc_arena_new(scratch, TOC_DISTANCE_CASES, sizeof *s.cases),
                      .events = toc_arena_new(scratch, EVENTS_MOST, sizeof *s.events)};
    if (!s.cases || !s.events) return TOC_OUT_OF_MEMORY;
    toc_paths_make(&numbers, course, exponent, course->control ? 2 : 1, &whole, paths);
    find_touches(&s, kind, paths, toc_integer_scaled(&numbers, separation, exponent), out);
    return numbers.failed ? TOC_OUT_OF_MEMORY : TOC_OK;
}

static toc_status check_coordinates(const double *x, const char *name) {
    for (int i = 0; i < 12; i++)
        if (!isfinite(x[i]))
            return toc_fail(TOC_BAD_INPUT, "coordinate %c of %s of vertex %d is %g", "xyz"[i % 3], name, i / 3, x[i]);
    return TOC_OK;
}

static toc_status check_separation(double separation) {
    if (separation >= 0 && isfinite(separation)) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "the separation is %g; it must be a number that is not negative", separation);
}

toc_status toc_touches_find(toc_kind kind, const toc_course *course, double separation, toc_arena *scratch,
                            toc_touches *out) {
    const toc_arena_mark mark = toc_arena_here(scratch);
    toc_touches found = {.count = 0};
    const toc_status status = search_touches(kind, course, separation, scratch, &found);
    toc_arena_back(scratch, mark);
    if (status == TOC_OK) *out = found;
    return status;
}

static toc_status run_touches(toc_kind kind, const toc_course *course, double separation, toc_touches *out) {
    toc_arena scratch = toc_arena_make(NULL);
    const toc_status status = toc_touches_find(kind, course, separation, &scratch, out);
    toc_arena_free(&scratch);
    return status;
}

toc_status toc_pair_find_touches(toc_kind kind, const toc_pair *pair, double separation, toc_touches *out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(pair);
    TOC_NEED(out);
    TOC_TRY(toc_kind_check(kind));
    TOC_TRY(check_coordinates(pair->x0[0], "x0"));
    TOC_TRY(check_coordinates(pair->x1[0], "x1"));
    TOC_TRY(check_separation(separation));
    return run_touches(kind, &(toc_course){.count = 4, .x0 = pair->x0[0], .x1 = pair->x1[0]}, separation, out);
}

toc_status toc_quadratic_find_touches(toc_kind kind, const toc_quadratic_pair *pair, double separation,
                                      toc_touches *out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(pair);
    TOC_NEED(out);
    TOC_TRY(toc_kind_check(kind));
    TOC_TRY(check_coordinates(pair->x0[0], "x0"));
    TOC_TRY(check_coordinates(pair->control[0], "control"));
    TOC_TRY(check_coordinates(pair->x1[0], "x1"));
    TOC_TRY(check_separation(separation));
    const toc_course course = {.count = 4, .x0 = pair->x0[0], .control = pair->control[0], .x1 = pair->x1[0]};
    return run_touches(kind, &course, separation, out);
}

// SPDX-License-Identifier: Apache-2.0
// Follow the vertices of a scene. One pass over the positions, no allocation.
#include "scene/motion.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/threads.h"
#include "base/vec.h"

enum { ROUND = 1024 };                // vertices; fixed, so that rounds are the same for any number of threads
static const double NEAREST = 0x1p-4; // the least distance of the farthest vertex from the origin of the frame at which
                                      // the frame is kept

static size_t rounds_of(size_t count) { return (count + ROUND - 1) / ROUND; }

toc_status toc_motion_make(toc_arena *arena, size_t vertex_count, toc_motion *out) {
    toc_motion m = {.count = vertex_count};
    m.packed = toc_arena_new(arena, vertex_count, sizeof *m.packed);
    m.seen = toc_arena_new(arena, vertex_count, 3 * sizeof *m.seen);
    m.rests = toc_arena_new(arena, vertex_count, sizeof *m.rests);
    m.farthest = toc_arena_new(arena, rounds_of(vertex_count), sizeof *m.farthest);
    if (!m.packed || !m.seen || !m.rests || !m.farthest) return TOC_OUT_OF_MEMORY;
    toc_motion_forget(&m);
    *out = m;
    return TOC_OK;
}

void toc_motion_forget(toc_motion *motion) {
    memset(motion->rests, 0, motion->count);
    memset(motion->farthest, 0, rounds_of(motion->count) * sizeof *motion->farthest);
}

// The data that the rounds of a step share.
typedef struct following {
    toc_motion *motion;
    const toc_step *step;
    const toc_motion_follower *follower;
    atomic_size_t resting;
} following;

static inline bool is_same(const double a[3], const double b[3]) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// Bring a vertex up to date. @return whether it rests.
static inline bool update(toc_motion *m, const toc_step *step, size_t v) {
    const double *x0 = step->x0 + 3 * v;
    double *seen = m->seen + 3 * v;
    const bool still = is_same(x0, step->x1 + 3 * v), rests = still && m->rests[v] && is_same(x0, seen);
    m->rests[v] = (uint8_t)(still + rests);
    if (still && !rests) memcpy(seen, x0, 3 * sizeof *seen);
    return rests;
}

// Report and pack a run of vertices that do not rest. @return their largest distance from the origin of the frame.
static double take_run(const following *f, size_t first, size_t last) {
    if (first == last) return 0;
    f->follower->moved(f->follower->user, first, last);
    return toc_packed_set(&f->motion->frame, last - first, f->step->x0 + 3 * first, f->step->x1 + 3 * first,
                          f->motion->packed + first);
}

// The distances of single resting vertices are not kept, so the distance of the round stays.
static toc_status follow_round(void *user, size_t index, int thread) {
    (void)thread;
    following *f = user;
    toc_motion *m = f->motion;
    const size_t first = index * ROUND, last = first + ROUND < m->count ? first + ROUND : m->count;
    double far = 0;
    size_t run = first, resting = 0;
    for (size_t v = first; v < last; v++) {
        if (!update(m, f->step, v)) continue;
        far = toc_larger(far, take_run(f, run, v));
        run = v + 1;
        resting++;
    }
    far = toc_larger(far, take_run(f, run, last));
    atomic_fetch_add(&f->resting, resting);
    m->farthest[index] = resting ? toc_larger(far, m->farthest[index]) : far;
    return TOC_OK;
}

// @return the largest distance of a vertex.
static double follow_all(following *f, int threads) {
    const size_t rounds = rounds_of(f->motion->count);
    double far = 0;
    f->resting = 0;
    toc_loop_run(&(toc_loop){.count = rounds, .threads = threads, .round = follow_round, .user = f});
    for (size_t i = 0; i < rounds; i++) far = toc_larger(far, f->motion->farthest[i]);
    return far;
}

// The frame has twice the size of the scene, so that the scene does not outgrow it soon.
static toc_frame new_frame(const toc_step *step, int threads) {
    toc_frame frame = toc_frame_around(step->vertex_count, step->x0, step->x1, threads);
    frame.scale /= 2;
    return frame;
}

bool toc_motion_follow(toc_motion *motion, const toc_step *step, const toc_motion_follower *follower, int threads) {
    assert(motion->count == step->vertex_count);
    following f = {.motion = motion, .step = step, .follower = follower};
    motion->steps++;
    const bool is_first = motion->frame.scale == 0;
    if (is_first) motion->frame = new_frame(step, threads);
    double far = follow_all(&f, threads);
    const bool again = !is_first && !(far <= 1 && far >= NEAREST) && motion->count > 0;
    if (again) {
        motion->frame = new_frame(step, threads);
        toc_motion_forget(motion);
        far = follow_all(&f, threads);
    }
    motion->resting = f.resting;
    motion->far = far;
    motion->fits = far <= 1;
    return is_first || again;
}

// SPDX-License-Identifier: Apache-2.0
#include "tools/mpi/bodies.h"

#include <assert.h>
#include <math.h>

#include "base/status.h"
#include "tools/output.h"

// ---- opening

static bool is_filter(const tool_part_filter *f) {
    return f->no_self || f->parts.count + f->between.count + f->ignore.count > 0;
}

static toc_status open_with(const rank_bodies_wish *wish, rank_bodies *bodies) {
    for (size_t i = 0; i < wish->with->count; i++) {
        const char *const *paths = wish->with->at[i];
        rank_file *f = &bodies->files[bodies->count];
        bodies->wishes[bodies->count] =
            (rank_file_wish){.count = paths[1] ? 2 : 1, .paths = paths, .memory = wish->frames.memory};
        TOC_TRY(file_open(&bodies->wishes[bodies->count++], f));
        if (f->frame_count != 1 && f->frame_count != bodies->files[0].frame_count)
            TOC_TRY(team_fail(TOC_BAD_INPUT,
                              "--with %s has %zu frames, but there are %zu to check; give one frame, or as many",
                              paths[0], f->frame_count, bodies->files[0].frame_count));
    }
    return TOC_OK;
}

// The same on every rank: rank 0 has the frames.
static void choose_rank_paths(const rank_bodies_wish *wish, rank_bodies *bodies) {
    const rank_file *f = &bodies->files[0];
    if (team_rank() == 0)
        bodies->paths = tool_paths_choose(f->frames, f->frame_count, wish->parabolas, wish->velocities, wish->dt);
    team_share_bytes(&bodies->paths, sizeof bodies->paths);
    bodies->one_frame = f->frame_count == 1 && !bodies->paths.by_velocity;
}

static toc_status check_paths(const rank_bodies_wish *wish, const rank_bodies *bodies) {
    if (bodies->one_frame) return TOC_OK;
    if (wish->dt >= 0 && !bodies->paths.by_velocity)
        return team_fail(TOC_BAD_INPUT, "--dt is the time of a step along velocities; give --velocities, too");
    if (wish->dt == 0) return team_fail(TOC_BAD_INPUT, "--dt 0: the time of a step must be above 0");
    for (size_t i = 1; i < bodies->count; i++)
        if (bodies->files[i].frame_count > 1 && (bodies->paths.by_velocity || bodies->paths.middles))
            return team_fail(TOC_BAD_INPUT, "--%s takes obstacles at rest: one file for each --with",
                             wish->velocities ? "velocities" : "parabolas");
    return TOC_OK;
}

static toc_status read_first_frames(rank_bodies *bodies) {
    TOC_TRY(where_open(&bodies->where));
    for (size_t i = 0; i < bodies->count; i++) {
        TOC_TRY(file_read_first(&bodies->files[i], i == 0 && bodies->paths.by_velocity));
        TOC_TRY(where_add(&bodies->where, &bodies->files[i]));
    }
    return TOC_OK;
}

toc_status bodies_open(const rank_bodies_wish *wish, rank_bodies *out) {
    out->count = 1;
    out->is_filtered = is_filter(wish->filter);
    out->wishes[0] = wish->frames;
    TOC_TRY(file_open(&wish->frames, &out->files[0]));
    TOC_TRY(open_with(wish, out));
    choose_rank_paths(wish, out);
    TOC_TRY(check_paths(wish, out));
    TOC_TRY(read_first_frames(out));
    return team_agree(tool_places_select(out->where.places, wish->filter));
}

void bodies_close(rank_bodies *bodies) {
    toc_mpi_scene_destroy(bodies->scene);
    for (size_t i = 0; i < bodies->count; i++) file_close(&bodies->files[i]);
    where_close(&bodies->where);
}

// ---- steps

static toc_status read_rank_frame(void *user, size_t frame) {
    rank_file *f = user;
    return toc_sequence_advance(f->frames, frame, f->mesh);
}

static toc_status advance_file(rank_bodies *bodies, size_t i, size_t step) {
    assert(i < bodies->count);
    rank_file *f = &bodies->files[i];
    if (!f->mesh || (i > 0 && f->frame_count == 1)) return TOC_OK;
    if (i > 0) return read_rank_frame(f, step + 1);
    return tool_paths_advance(&(tool_mover){&bodies->paths, f->frames, f->mesh, read_rank_frame, f}, step);
}

// Shares go on by themselves as long as all of them can. Collective.
static toc_status advance_share(rank_bodies *bodies, size_t i, size_t step) {
    assert(i < bodies->count && bodies->files[i].is_shared);
    rank_file *f = &bodies->files[i];
    const toc_status mine = advance_file(bodies, i, step);
    int stops = mine == TOC_BAD_INPUT || (mine == TOC_OK && !file_can_go_on(f));
    MPI_Allreduce(MPI_IN_PLACE, &stops, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (!stops) return team_agree(mine);
    const size_t frame = i > 0 ? step : tool_paths_frame(&bodies->paths, step);
    toc_status status = file_read_whole(f, &bodies->wishes[i], i == 0 && bodies->paths.by_velocity, frame);
    if (status != TOC_OK) return status;
    if (f->mesh) status = where_regroup(&bodies->where, (uint32_t)i, f->mesh);
    if (status == TOC_OK) status = advance_file(bodies, i, step);
    return team_agree(status);
}

static toc_status advance_files(rank_bodies *bodies, size_t step) {
    toc_status status = TOC_OK;
    for (size_t i = 0; i < bodies->count && status == TOC_OK; i++) {
        const bool moves = i == 0 || bodies->files[i].frame_count > 1;
        if (bodies->files[i].is_shared && moves)
            status = advance_share(bodies, i, step);
        else
            status = team_agree(advance_file(bodies, i, step));
    }
    return status;
}

static void share_times(rank_bodies *bodies, size_t step) {
    double times[2] = {0, 0};
    for (int k = 0; k < 2 && team_rank() == 0; k++)
        times[k] = tool_paths_time(&bodies->paths, bodies->files[0].frames, step, k);
    team_share_bytes(times, sizeof times);
    bodies->start = times[0];
    bodies->end = times[1];
}

// A new scene with all bodies. Parts may have come with the frame.
static toc_status make_scene(rank_bodies *bodies) {
    const bool follows = bodies->scene != NULL;
    toc_mpi_scene_destroy(bodies->scene);
    bodies->scene = NULL;
    TOC_TRY(toc_mpi_scene_create(MPI_COMM_WORLD, NULL, &bodies->scene));
    for (uint32_t i = 0; i < bodies->count; i++) {
        TOC_TRY(file_add(&bodies->files[i], bodies->scene));
        if (follows) TOC_TRY(where_follow(&bodies->where, i, &bodies->files[i]));
    }
    if (bodies->is_filtered) TOC_TRY(team_agree(where_apply(&bodies->where, bodies->scene)));
    return TOC_OK;
}

static toc_status hand_in(rank_bodies *bodies) {
    int anew = !bodies->scene;
    for (size_t i = 0; i < bodies->count; i++) anew |= !file_is_handed_in(&bodies->files[i]);
    MPI_Allreduce(MPI_IN_PLACE, &anew, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    TOC_TRY(anew ? make_scene(bodies) : TOC_OK);
    for (size_t i = 0; i < bodies->count; i++) TOC_TRY(file_move(&bodies->files[i], bodies->scene));
    return TOC_OK;
}

toc_status bodies_advance(rank_bodies *bodies, size_t step) {
    TOC_TRY(bodies->one_frame ? TOC_OK : advance_files(bodies, step));
    share_times(bodies, step);
    return hand_in(bodies);
}

rank_step bodies_step(const rank_bodies *bodies) {
    return (rank_step){bodies->files, bodies->count, &bodies->where, bodies->start, bodies->end};
}

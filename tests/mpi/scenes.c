// SPDX-License-Identifier: Apache-2.0
// The scenes of the benchmarks, in small sizes: contacts bit for bit those of one machine, in every distribution, with
// one thread and with two, while the scene moves.
#include <stdlib.h>
#include <string.h>

#include "mpi/spread.h"
#include "scenes/scenes.h"

static toc_scene *make_scene(const scene *s, size_t size, size_t frame) {
    toc_scene *bodies;
    toc_mesh *mesh;
    check_ok(scene_step(s, size, frame, &mesh));
    check_ok(toc_scene_create(NULL, &bodies));
    check_ok(toc_scene_add_body(bodies, mesh, NULL));
    return bodies;
}

static void compare(toc_scene *one, toc_mpi_scene *many, const spread_options *o, int threads) {
    toc_query query = toc_query_default();
    toc_contacts *wanted = NULL;
    toc_mpi_contacts *got;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    query.threads = threads;
    check_ok(toc_mpi_scene_find_contacts(many, &query, &got));
    if (rank == 0) check_ok(toc_scene_find_contacts(one, &query, NULL, &wanted));
    check_same_contacts(many, MPI_COMM_WORLD, got, wanted, o);
    toc_contacts_destroy(wanted);
    toc_mpi_contacts_destroy(got);
}

// Two steps that follow each other: the second one sends positions alone, or the elements that moved too far.
static void check_scene(const scene *s, size_t size, size_t frame, spread_kind kind) {
    const spread_options o = {kind, 11 + frame, (uint64_t)5 << 32, 2};
    toc_scene *first = make_scene(s, size, frame), *second = s->happen ? NULL : make_scene(s, size, frame + 1);
    toc_mpi_scene *many;
    check_ok(toc_mpi_scene_create(MPI_COMM_WORLD, NULL, &many));
    spread_scene(first, MPI_COMM_WORLD, &o, many);
    compare(first, many, &o, 1);
    compare(first, many, &o, 2);
    if (second) {
        spread_motion(first, second, MPI_COMM_WORLD, &o, many);
        compare(second, many, &o, 2);
    }
    toc_mpi_scene_destroy(many);
    toc_scene_destroy(first);
    toc_scene_destroy(second);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int kind = 0, rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; scene_list(i); i++, kind++) {
        const scene *s = scene_list(i);
        const size_t small = s->size / 6 > 2 ? s->size / 6 : 2;
        if ((i + (size_t)size) % (size > 4 ? 4 : size > 2 ? 2 : 1) != 0)
            continue; // many ranks on few cores: fewer scenes
        check_scene(s, small, s->frames / 2, (spread_kind)(kind % SPREAD_COUNT));
        if (argc > 1 && rank == 0) printf("%s\n", s->name);
    }
    MPI_Finalize();
    return 0;
}

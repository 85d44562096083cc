// SPDX-License-Identifier: Apache-2.0
#include "tools/mpi/team.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

enum { PIECE = 1 << 20 }; // bytes of a message

int team_rank(void) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int team_size(void) {
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

toc_status team_fail(toc_status status, const char *format, ...) {
    char text[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return toc_message_set(status, text);
}

typedef struct team_note {
    int status;
    char text[1024];
} team_note;

toc_status team_agree(toc_status mine) {
    int first = mine == TOC_OK ? INT_MAX : team_rank();
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == INT_MAX) return TOC_OK;
    team_note note = {.status = (int)mine};
    snprintf(note.text, sizeof note.text, "%s", toc_message_get());
    MPI_Bcast(&note, (int)sizeof note, MPI_BYTE, first, MPI_COMM_WORLD);
    return toc_message_set((toc_status)note.status, note.text);
}

void team_send(const void *bytes, size_t count, int rank) {
    assert(bytes || count == 0);
    const char *at = bytes;
    for (; count > 0; count -= count < PIECE ? count : PIECE, at += PIECE)
        MPI_Send(at, (int)(count < PIECE ? count : PIECE), MPI_BYTE, rank, 1, MPI_COMM_WORLD);
}

void team_receive(void *bytes, size_t count) { team_receive_from(bytes, count, 0); }

void team_receive_from(void *bytes, size_t count, int rank) {
    static char nowhere[PIECE];
    char *at = bytes;
    for (; count > 0; count -= count < PIECE ? count : PIECE, at += at ? PIECE : 0)
        MPI_Recv(at ? at : nowhere, (int)(count < PIECE ? count : PIECE), MPI_BYTE, rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

uint64_t team_share(uint64_t number) {
    MPI_Bcast(&number, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return number;
}

void team_share_bytes(void *bytes, size_t count) {
    char *at = bytes;
    for (; count > 0; count -= count < PIECE ? count : PIECE, at += PIECE)
        MPI_Bcast(at, (int)(count < PIECE ? count : PIECE), MPI_BYTE, 0, MPI_COMM_WORLD);
}

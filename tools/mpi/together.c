// SPDX-License-Identifier: Apache-2.0
// Each rank lets toc_contacts_write make the bytes of its range of the contacts, in a file of its own beside the path.
// These files are then copied into one: each rank writes at the sum of the sizes before it.
#include "tools/mpi/together.h"

#include "base/status.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 4096, COPY = 1 << 24 };

static toc_status name_file(char *out, const char *path, const char *middle, int rank, const char *extension) {
    assert(out && path && extension);
    const size_t stem = strlen(path) - strlen(strrchr(path, '.'));
    const int length = rank < 0 ? snprintf(out, ROOM, "%.*s%s%s", (int)stem, path, middle, extension)
                                : snprintf(out, ROOM, "%.*s%s%d%s", (int)stem, path, middle, rank, extension);
    return length > 0 && length < ROOM ? TOC_OK : team_fail(TOC_BAD_INPUT, "%.200s: the path is too long", path);
}

// Contacts with the 32-bit ids of files.
static toc_status narrow_contacts(const toc_mpi_contacts *contacts, toc_contact **out) {
    *out = calloc(contacts->count + 1, sizeof **out);
    if (!*out) return team_fail(TOC_OUT_OF_MEMORY, "out of memory for %zu contacts", contacts->count);
    for (size_t i = 0; i < contacts->count; i++) {
        const toc_mpi_contact *c = &contacts->contacts[i];
        toc_contact *to = &(*out)[i];
        to->kind = c->kind;
        to->verdict = c->verdict;
        memcpy(to->body, c->body, sizeof to->body);
        for (int k = 0; k < 4; k++) {
            if (c->v[k] >= UINT32_MAX)
                return team_fail(TOC_BAD_INPUT, "files of contacts have ids of 32 bits; vertex %llu is above them",
                                 (unsigned long long)c->v[k]);
            to->v[k] = (uint32_t)c->v[k];
        }
        to->toc = c->toc;
        memcpy(to->weights, c->weights, sizeof to->weights);
        memcpy(to->point, c->point, sizeof to->point);
        memcpy(to->normal, c->normal, sizeof to->normal);
    }
    return TOC_OK;
}

// The contacts of this rank as they are written.
typedef struct own_contacts {
    toc_contacts contacts;
    toc_contact *narrow;
    toc_place *places;
} own_contacts;

static void free_own(own_contacts *own) {
    free(own->narrow);
    free(own->places);
}

// Collective.
static toc_status make_own(const toc_mpi_contacts *ordered, const rank_step *step, own_contacts *out) {
    *out = (own_contacts){0};
    TOC_TRY(team_agree(narrow_contacts(ordered, &out->narrow)));
    out->contacts = (toc_contacts){.count = ordered->count, .contacts = out->narrow};
    return around_find(step, ordered->count, out->narrow, &out->places);
}

static toc_status write_own(const char *path, const own_contacts *own) {
    return toc_contacts_write(path, &own->contacts, own->places);
}

// ---- one file of all

typedef struct own_part {
    FILE *file;
    uint64_t skip, size; // the heading, which only rank 0 writes; bytes behind it
} own_part;

static toc_status open_part(const char *path, bool has_heading, own_part *out) {
    *out = (own_part){.file = fopen(path, "rb")};
    if (!out->file) return team_fail(TOC_BAD_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    int c = 0;
    while (has_heading && team_rank() > 0 && c != '\n' && (c = fgetc(out->file)) != EOF) out->skip++;
    if (fseeko(out->file, 0, SEEK_END) != 0)
        return team_fail(TOC_BAD_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    out->size = (uint64_t)ftello(out->file) - out->skip;
    return fseeko(out->file, (off_t)out->skip, SEEK_SET) == 0 ? TOC_OK
                                                              : team_fail(TOC_BAD_INPUT, "%s: cannot be read", path);
}

static toc_status fail_file(int code, const char *path) {
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length;
    MPI_Error_string(code, text, &length);
    return team_fail(TOC_DISK_FULL, "%s: cannot be written: %s", path, text);
}

// A full disk may be told by the count of written bytes alone.
static toc_status write_bytes(MPI_File file, uint64_t at, const char *bytes, size_t count, const char *path) {
    MPI_Status done;
    int written = 0;
    const int code = MPI_File_write_at(file, (MPI_Offset)at, bytes, (int)count, MPI_BYTE, &done);
    if (code != MPI_SUCCESS) return fail_file(code, path);
    MPI_Get_count(&done, MPI_BYTE, &written);
    if (written == (int)count) return TOC_OK;
    return team_fail(TOC_DISK_FULL, "%s: cannot be written: %d of %zu bytes; is the disk full?", path, written, count);
}

static toc_status copy_part(own_part *part, MPI_File file, uint64_t at, const char *path) {
    assert(part->file && path);
    char *bytes = malloc(COPY);
    if (!bytes) return team_fail(TOC_OUT_OF_MEMORY, "out of memory to write %s", path);
    toc_status status = TOC_OK;
    for (uint64_t done = 0; done < part->size && status == TOC_OK;) {
        const size_t count = fread(bytes, 1, COPY, part->file);
        if (count == 0) status = team_fail(TOC_BAD_INPUT, "%s: a part of it cannot be read", path);
        if (status == TOC_OK) status = write_bytes(file, at + done, bytes, count, path);
        done += count;
    }
    free(bytes);
    return status;
}

static toc_status join_parts(own_part *part, const char *whole, const char *path) {
    MPI_File file;
    uint64_t at = 0, size = part->size;
    MPI_Exscan(&size, &at, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (team_rank() == 0) at = 0;
    int code = MPI_File_open(MPI_COMM_WORLD, whole, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    toc_status status = team_agree(code == MPI_SUCCESS ? TOC_OK : fail_file(code, path));
    if (status != TOC_OK) return status;
    code = MPI_File_set_size(file, 0);
    status = code == MPI_SUCCESS ? copy_part(part, file, at, path) : fail_file(code, path);
    status = team_agree(status);
    code = MPI_File_close(&file);
    return team_agree(status != TOC_OK || code == MPI_SUCCESS ? status : fail_file(code, path));
}

// Give the whole file its name, or remove it.
static toc_status name_whole(toc_status status, const char *whole, const char *path) {
    if (team_rank() == 0 && status == TOC_OK && rename(whole, path) != 0)
        status = team_fail(TOC_BAD_INPUT, "%s: cannot be written: %s", path, strerror(errno));
    if (team_rank() == 0 && status != TOC_OK) unlink(whole);
    return team_agree(status);
}

static toc_status write_joined(const char *path, const own_contacts *contacts) {
    char own[ROOM], whole[ROOM];
    const char *extension = strrchr(path, '.');
    own_part part = {0};
    toc_status status = name_file(own, path, ".part-", team_rank(), extension);
    if (status == TOC_OK) status = name_file(whole, path, ".whole", -1, extension);
    if (status == TOC_OK) status = write_own(own, contacts);
    if (status == TOC_OK) status = open_part(own, tool_path_ends(path, ".csv"), &part);
    unlink(own); // open, it can still be read, and no signal leaves it behind
    status = team_agree(status);
    if (status == TOC_OK) status = name_whole(join_parts(&part, whole, path), whole, path);
    if (part.file) fclose(part.file);
    return status;
}

// ---- VTK

static toc_status list_pieces(const char *path, char (*names)[ROOM], const char **pieces) {
    toc_status status = TOC_OK;
    for (int r = 0; r < team_size() && status == TOC_OK; r++) {
        status = name_file(names[r], path, "-", r, ".vtp");
        pieces[r] = tool_path_name(names[r]);
    }
    return status;
}

static toc_status write_pieces(const char *path) {
    assert(path);
    const size_t count = (size_t)team_size();
    char(*names)[ROOM] = calloc(count, sizeof *names);
    const char **pieces = calloc(count, sizeof *pieces);
    toc_status status = names && pieces ? list_pieces(path, names, pieces)
                                        : team_fail(TOC_OUT_OF_MEMORY, "out of memory to write %s", path);
    if (status == TOC_OK) status = toc_answer_write_pieces(path, TOC_ITEM_CONTACT, true, count, pieces);
    free(pieces);
    free(names);
    return status;
}

static toc_status write_pvtp(const char *path, const own_contacts *contacts) {
    char own[ROOM];
    toc_status status = name_file(own, path, "-", team_rank(), ".vtp");
    if (status == TOC_OK) status = write_own(own, contacts);
    status = team_agree(status);
    if (status == TOC_OK) status = team_agree(team_rank() == 0 ? write_pieces(path) : TOC_OK);
    if (status != TOC_OK) unlink(own);
    return status;
}

toc_status together_write(const char *path, toc_mpi_scene *scene, const toc_mpi_contacts *contacts,
                          const rank_step *step) {
    toc_mpi_contacts *ordered;
    own_contacts own;
    const bool alone = tool_path_ends(path, ".vtp");
    toc_status status = alone ? toc_mpi_contacts_gather(scene, contacts, 0, &ordered)
                              : toc_mpi_contacts_sort(scene, contacts, &ordered);
    if (status != TOC_OK) return status;
    status = make_own(ordered, step, &own);
    toc_mpi_contacts_destroy(ordered);
    if (status == TOC_OK && alone)
        status = team_agree(team_rank() == 0 ? write_own(path, &own) : TOC_OK);
    else if (status == TOC_OK)
        status = tool_path_ends(path, ".pvtp") ? write_pvtp(path, &own) : write_joined(path, &own);
    free_own(&own);
    return status;
}

// ---- pairs of parts

// The part that has this name: names are those of `where`, each once.
static size_t part_of_name(const tool_places *places, const char *name) {
    size_t i = 0;
    while (tool_places_part(places, i)->label != name) i++;
    return i;
}

static toc_status count_own_parts(const own_contacts *own, const rank_step *step, size_t number, tool_part_table *out) {
    for (size_t i = 0; i < own->contacts.count; i++) {
        const toc_place *place = &own->places[i];
        const size_t parts[2] = {part_of_name(step->where->places, place->part_name[0]),
                                 part_of_name(step->where->places, place->part_name[1])};
        TOC_TRY(tool_part_table_add(out, parts, own->narrow[i].toc, place->time, number));
    }
    return TOC_OK;
}

// The rows of each rank, sent to rank 0 one rank after the other.
static toc_status join_tables(const tool_part_table *own, tool_part_table *table) {
    uint64_t count = own->count;
    toc_status status = TOC_OK;
    if (team_rank() > 0) {
        team_send(&count, sizeof count, 0);
        team_send(own->rows, own->count * sizeof *own->rows, 0);
    }
    for (size_t i = 0; team_rank() == 0 && i < own->count && status == TOC_OK; i++)
        status = tool_part_table_join(table, &own->rows[i]);
    for (int r = 1; team_rank() == 0 && r < team_size(); r++) {
        team_receive_from(&count, sizeof count, r);
        for (uint64_t i = 0; i < count; i++) {
            tool_part_row row;
            team_receive_from(&row, sizeof row, r);
            if (status == TOC_OK) status = tool_part_table_join(table, &row);
        }
    }
    return team_agree(status == TOC_OK ? TOC_OK : team_fail(status, "out of memory for the pairs of parts"));
}

toc_status together_count_parts(const toc_mpi_contacts *contacts, const rank_step *step, size_t number,
                                tool_part_table *table) {
    own_contacts own;
    tool_part_table mine = {.kind = TOOL_FIRST_TIME};
    TOC_TRY(make_own(contacts, step, &own));
    toc_status status = count_own_parts(&own, step, number, &mine);
    status = team_agree(status == TOC_OK ? TOC_OK : team_fail(status, "out of memory for the pairs of parts"));
    if (status == TOC_OK) status = join_tables(&mine, table);
    tool_part_table_free(&mine);
    free_own(&own);
    return status;
}

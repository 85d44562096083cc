// SPDX-License-Identifier: Apache-2.0
// Read contacts from CSV, JSON lines and arrays. O(n log n) for n contacts: each is looked up among the features.
#include "tools/contacts_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/contact_arrays.h"
#include "tools/output.h"
#include "tools/skin.h"

static const char header[] = "kind,v0,v1,v2,v3,toc,body0,body1,w0,w1,w2,w3,x,y,z,nx,ny,nz,verdict";

enum { COLUMNS = 19 };

typedef struct contact_reader {
    const char *path;
    size_t line;
    const toc_features *features;
    bool json;
} contact_reader;

// Split a line at its commas. @return the number of columns.
static int split_columns(char *line, char *columns[COLUMNS]) {
    line[strcspn(line, "\r\n")] = 0;
    int count = 0;
    for (char *at = line; at; count++) {
        char *comma = strchr(at, ',');
        if (comma) *comma++ = 0;
        if (count < COLUMNS) columns[count] = at;
        at = comma;
    }
    return count;
}

static bool read_id(const char *text, uint32_t *out) {
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (end == text || *end || errno || *text == '-' || value > UINT32_MAX) return false;
    *out = (uint32_t)value;
    return true;
}

static bool read_real(const char *text, double *out) {
    char *end;
    *out = strtod(text, &end);
    return end != text && !*end && isfinite(*out);
}

static bool read_numbers(char *const columns[COLUMNS], toc_contact *c) {
    bool good = read_real(columns[5], &c->toc);
    for (int k = 0; k < 4; k++) good = good && read_id(columns[1 + k], &c->v[k]);
    for (int k = 0; k < 2; k++) good = good && read_id(columns[6 + k], &c->body[k]);
    for (int k = 0; k < 4; k++) good = good && read_real(columns[8 + k], &c->weights[k]);
    for (int k = 0; k < 3; k++) good = good && read_real(columns[12 + k], &c->point[k]);
    for (int k = 0; k < 3; k++) good = good && read_real(columns[15 + k], &c->normal[k]);
    return good && c->toc >= 0 && c->toc <= 1;
}

static toc_status read_contact(const contact_reader *r, char *line, toc_contact *c) {
    char *columns[COLUMNS];
    const int count = split_columns(line, columns);
    if (count < COLUMNS) {
        return tool_fail(TOC_BAD_INPUT, "%s:%zu: %d columns, not %d; the file may be truncated", r->path, r->line,
                         count, COLUMNS);
    }
    const bool vf = strcmp(columns[0], "vf") == 0, hit = strcmp(columns[COLUMNS - 1], "hit") == 0;
    if ((!vf && strcmp(columns[0], "ee") != 0) || (!hit && strcmp(columns[COLUMNS - 1], "undecided") != 0) ||
        !read_numbers(columns, c)) {
        return tool_fail(TOC_BAD_INPUT, "%s:%zu: not a contact as check --contacts writes it", r->path, r->line);
    }
    c->kind = vf ? TOC_VF : TOC_EE;
    c->verdict = hit ? TOC_HIT : TOC_UNDECIDED;
    return TOC_OK;
}

static toc_status match_contact(const contact_reader *r, const toc_contact *c) {
    const uint32_t *v = c->v;
    const bool fits =
        c->kind == TOC_VF
            ? tool_features_have_vertex(r->features, v[0]) && tool_features_have_face(r->features, v + 1)
            : tool_features_have_edge(r->features, v[0], v[1]) && tool_features_have_edge(r->features, v[2], v[3]);
    if (fits && c->body[0] == 0 && c->body[1] == 0) return TOC_OK;
    return tool_fail(TOC_BAD_INPUT,
                     c->kind == TOC_VF ? "%s:%zu: vertex %u or face %u %u %u is not in the mesh; these contacts belong "
                                         "to another one"
                                       : "%s:%zu: edge %u %u or edge %u %u is not in the mesh; these contacts belong "
                                         "to another one",
                     r->path, r->line, v[0], v[1], v[2], v[3]);
}

static toc_status keep_contact(tool_contacts *contacts, const toc_contact *contact) {
    if (contacts->count == contacts->capacity) {
        const size_t capacity = 2 * contacts->capacity + 64;
        toc_contact *grown = realloc(contacts->at, capacity * sizeof *grown);
        if (!grown) return tool_fail_memory();
        contacts->at = grown;
        contacts->capacity = capacity;
    }
    contacts->at[contacts->count++] = *contact;
    return TOC_OK;
}

// ---- JSON, an object a line

static bool json_number(const cJSON *object, const char *stem, int i, double *out) {
    char name[16];
    snprintf(name, sizeof name, i < 0 ? "%s" : "%s%d", stem, i);
    *out = cJSON_GetNumberValue(cJSON_GetObjectItem(object, name));
    return isfinite(*out);
}

static bool json_id(const cJSON *object, const char *stem, int i, uint32_t *out) {
    double x;
    if (!json_number(object, stem, i, &x) || x < 0 || x > UINT32_MAX || x != floor(x)) return false;
    *out = (uint32_t)x;
    return true;
}

static bool json_contact(const cJSON *object, toc_contact *c) {
    static const char *const points[] = {"x", "y", "z"}, *const normals[] = {"nx", "ny", "nz"};
    const char *kind = cJSON_GetStringValue(cJSON_GetObjectItem(object, "kind"));
    const char *verdict = cJSON_GetStringValue(cJSON_GetObjectItem(object, "verdict"));
    bool good = kind && verdict && json_number(object, "toc", -1, &c->toc) && c->toc >= 0 && c->toc <= 1;
    for (int k = 0; k < 4; k++) good = good && json_id(object, "v", k, &c->v[k]);
    for (int k = 0; k < 2; k++) good = good && json_id(object, "body", k, &c->body[k]);
    for (int k = 0; k < 4; k++) good = good && json_number(object, "w", k, &c->weights[k]);
    for (int k = 0; k < 3; k++) good = good && json_number(object, points[k], -1, &c->point[k]);
    for (int k = 0; k < 3; k++) good = good && json_number(object, normals[k], -1, &c->normal[k]);
    if (!good) return false;
    c->kind = strcmp(kind, "vf") == 0 ? TOC_VF : TOC_EE;
    c->verdict = strcmp(verdict, "hit") == 0 ? TOC_HIT : TOC_UNDECIDED;
    return true;
}

static toc_status read_json_line(const contact_reader *r, const char *line, tool_contacts *contacts) {
    toc_contact contact = {0};
    cJSON *object = cJSON_Parse(line);
    toc_status status = TOC_OK;
    if (!json_contact(object, &contact))
        status = tool_fail(TOC_BAD_INPUT, "%s:%zu: not a contact as check --contacts writes it", r->path, r->line);
    cJSON_Delete(object);
    if (status == TOC_OK) status = match_contact(r, &contact);
    return status == TOC_OK ? keep_contact(contacts, &contact) : status;
}

// ---- CSV

static toc_status read_line(contact_reader *r, char *line, tool_contacts *contacts) {
    toc_contact contact = {0};
    if (r->json) return read_json_line(r, line, contacts);
    if (r->line == 1) {
        line[strcspn(line, "\r\n")] = 0;
        const size_t length = strlen(header); // columns of places may follow
        if (strncmp(line, header, length) == 0 && (line[length] == 0 || line[length] == ',')) return TOC_OK;
        return tool_fail(TOC_BAD_INPUT, "%s:1: not the header of a .csv that check --contacts writes", r->path);
    }
    toc_status status = read_contact(r, line, &contact);
    if (status == TOC_OK) status = match_contact(r, &contact);
    return status == TOC_OK ? keep_contact(contacts, &contact) : status;
}

static toc_status read_lines(contact_reader *r, FILE *file, tool_contacts *contacts) {
    char *line = NULL;
    size_t size = 0;
    toc_status status = TOC_OK;
    errno = 0;
    while (status == TOC_OK && getline(&line, &size, file) >= 0) {
        r->line++;
        status = read_line(r, line, contacts);
    }
    free(line);
    if (status != TOC_OK) return status;
    if (errno == ENOMEM) return tool_fail_memory();
    if (ferror(file)) return tool_fail(TOC_BAD_INPUT, "%s: cannot be read: %s", r->path, strerror(errno));
    return r->line || r->json ? TOC_OK : tool_fail(TOC_BAD_INPUT, "%s: is empty; the file may be truncated", r->path);
}

static toc_status read_text_file(contact_reader *r, tool_contacts *contacts) {
    FILE *file = fopen(r->path, "r");
    if (!file) return tool_fail(TOC_BAD_INPUT, "%s: cannot be opened: %s", r->path, strerror(errno));
    const toc_status status = read_lines(r, file, contacts);
    fclose(file);
    return status;
}

// Contacts of arrays are counted as lines are, for messages.
static toc_status read_array_file(contact_reader *r, tool_contacts *contacts) {
    toc_status status = tool_contact_arrays_read(r->path, &contacts->at, &contacts->count);
    contacts->capacity = contacts->count;
    for (size_t i = 0; i < contacts->count && status == TOC_OK; i++) {
        r->line = i + 1;
        status = match_contact(r, &contacts->at[i]);
    }
    return status;
}

toc_status tool_contacts_read(const char *path, const toc_features *features, tool_contacts *out) {
    const bool arrays = tool_path_ends(path, ".vtp") || tool_path_ends(path, ".glb");
    tool_contacts contacts = {0};
    contact_reader r = {.path = path, .features = features, .json = tool_path_ends(path, ".json")};
    if (!arrays && !r.json && !tool_path_ends(path, ".csv"))
        return tool_fail(TOC_BAD_INPUT, "%s: unknown extension; contacts are read from a .csv, .json, .vtp or .glb",
                         path);
    const toc_status status = arrays ? read_array_file(&r, &contacts) : read_text_file(&r, &contacts);
    if (status == TOC_OK) {
        *out = contacts;
    } else {
        tool_contacts_free(&contacts);
    }
    return status;
}

void tool_contacts_free(tool_contacts *contacts) {
    free(contacts->at);
    *contacts = (tool_contacts){0};
}

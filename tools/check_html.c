// SPDX-License-Identifier: Apache-2.0
// The report in HTML. Beside the tables it keeps one contact and one picture for each of the first pairs of parts.
#include "tools/check_html.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform/platform.h"
#include "base/status.h"
#include "src/io/core/base64.h"
#include "tools/standard.h"
#include "tools/up.h"

enum { MOST_PICTURES = 24, ACROSS = 640, DOWN = 440 };

/// The first contact of a pair of parts.
typedef struct first_touch {
    size_t parts[2], step;
    toc_contact contact;
    toc_place place;
    tool_png picture; // without bytes behind the first MOST_PICTURES
} first_touch;

/// Overlaps of a pair of parts.
typedef struct penetration {
    size_t parts[2], frames; // frames that have any
    size_t deepest;          // its frame
    double first_time, deepest_time, depth;
    size_t most, in_frame, seen; // overlaps of one frame at most; those of the frame `seen` so far
} penetration;

struct check_html {
    first_touch *touches;
    size_t touch_count, touch_capacity;
    penetration *penetrations;
    size_t penetration_count, penetration_capacity;
    size_t *counts; // contacts by step, from the first wanted one on
    size_t step_count, step_capacity;
    tool_png whole; // all bodies, at the first contact or in the first frame
};

// ---- memory

static toc_status make_room(void **at, size_t *capacity, size_t count, size_t size) {
    if (count < *capacity) return TOC_OK;
    const size_t room = 2 * *capacity + 16;
    void *grown = realloc(*at, room * size);
    if (!grown) return tool_fail_memory();
    *at = grown;
    *capacity = room;
    return TOC_OK;
}

toc_status check_html_create(check_html **out) {
    *out = calloc(1, sizeof **out);
    return *out ? TOC_OK : tool_fail_memory();
}

void check_html_destroy(check_html *html) {
    if (!html) return;
    for (size_t i = 0; i < html->touch_count; i++) free(html->touches[i].picture.bytes);
    free(html->whole.bytes);
    free(html->touches);
    free(html->penetrations);
    free(html->counts);
    free(html);
}

toc_status check_html_check(const char *path) {
    if (!path || tool_path_ends(path, ".html")) return TOC_OK;
    return tool_fail(TOC_BAD_INPUT, "%s: unknown extension; --report writes .html, which a browser prints as .pdf",
                     path);
}

// ---- pictures

/// The groups to draw: two parts, or all.
typedef struct picked {
    bool all;
    int32_t groups[2];
} picked;

static toc_status pick_elements(toc_mesh *mesh, const toc_mesh *body, uint32_t first, const picked *pick) {
    for (uint32_t e = 0; e < toc_mesh_get_element_count(body); e++) {
        const toc_element element = toc_mesh_get_element(body, e);
        const bool is_first = element.group == pick->groups[0], is_second = element.group == pick->groups[1];
        uint32_t corners[8], id;
        if (element.shape == TOC_REMOVED || !(pick->all || is_first || is_second)) continue;
        for (int k = 0; k < element.corner_count; k++) corners[k] = first + element.corners[k];
        TOC_TRY(toc_mesh_add_elements(mesh, element.shape, 1, corners, &id));
        TOC_TRY(toc_mesh_set_group(mesh, id, pick->all ? element.group : is_first ? 1 : 2));
    }
    return TOC_OK;
}

// Bodies at a fraction of the step.
static toc_status pick_bodies(toc_scene *scene, const picked *pick, double fraction, toc_mesh *mesh) {
    for (uint32_t b = 0; b < toc_scene_get_body_count(scene); b++) {
        const toc_mesh *body = toc_scene_get_mesh(scene, b);
        const size_t count = toc_mesh_get_vertex_count(body);
        uint32_t first;
        double *x = calloc(3 * count + 1, sizeof *x);
        if (!x) return tool_fail_memory();
        toc_positions_interpolate(fraction, 3 * count, toc_mesh_get_x0(body), toc_mesh_get_x1(body),
                                  toc_mesh_get_acceleration(body), x);
        const toc_status status = toc_mesh_add_vertices(mesh, count, x, &first);
        free(x);
        TOC_TRY(status);
        TOC_TRY(pick_elements(mesh, body, first, pick));
    }
    return TOC_OK;
}

typedef struct corner_box {
    double low[3], high[3];
} corner_box;

static void widen_box(corner_box *box, const double x[3]) {
    for (int k = 0; k < 3; k++) {
        box->low[k] = fmin(box->low[k], x[k]);
        box->high[k] = fmax(box->high[k], x[k]);
    }
}

static double box_size(const corner_box *box) {
    const double size =
        hypot(hypot(box->high[0] - box->low[0], box->high[1] - box->low[1]), box->high[2] - box->low[2]);
    return isfinite(size) ? size : 0;
}

// The surroundings of a contact to show: a share of all bodies, and not more than the two parts.
static double find_surroundings(const toc_mesh *mesh) {
    corner_box all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}, parts = all;
    const double *x = toc_mesh_get_x1(mesh);
    for (size_t v = 0; v < toc_mesh_get_vertex_count(mesh); v++) widen_box(&all, x + 3 * v);
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
        const toc_element element = toc_mesh_get_element(mesh, e);
        for (int k = 0; k < element.corner_count; k++) widen_box(&parts, x + 3 * (size_t)element.corners[k]);
    }
    return fmin(0.08 * box_size(&all), 0.4 * box_size(&parts));
}

static toc_status draw_picked(const check_session *all, const picked *pick, double fraction,
                              const toc_contacts *contacts, tool_png *out) {
    tool_look look = TOOL_LOOK_DEFAULT;
    toc_mesh *mesh;
    look.up = tool_up_guess(toc_sequence_get_path(all->frames, 0));
    look.dot = 2.2;
    look.width = ACROSS;
    look.height = DOWN;
    TOC_TRY(toc_mesh_create(NULL, &mesh));
    toc_status status = pick_bodies(check_scene(all), pick, fraction, mesh);
    look.fit_contacts = !pick->all;
    look.around = pick->all ? 0 : find_surroundings(mesh);
    if (status == TOC_OK) status = tool_picture_draw(mesh, contacts, &look, out);
    toc_mesh_destroy(mesh);
    return status;
}

static toc_status draw_touch(const check_session *all, first_touch *touch) {
    const picked pick = {.groups = {tool_places_part(all->places, touch->parts[0])->group,
                                    tool_places_part(all->places, touch->parts[1])->group}};
    const toc_contacts one = {.count = 1, .contacts = &touch->contact};
    return draw_picked(all, &pick, touch->contact.toc, &one, &touch->picture);
}

static toc_status draw_whole(check_html *html, const check_session *all, const first_touch *first) {
    const picked pick = {.all = true};
    const toc_contacts marks = {.count = first ? 1 : 0, .contacts = first ? &first->contact : NULL};
    free(html->whole.bytes);
    html->whole = (tool_png){0};
    return draw_picked(all, &pick, first ? first->contact.toc : 0, &marks, &html->whole);
}

// ---- contacts

static first_touch *find_touch(const check_html *html, const size_t parts[2]) {
    for (size_t i = 0; i < html->touch_count; i++)
        if (memcmp(html->touches[i].parts, parts, 2 * sizeof *parts) == 0) return &html->touches[i];
    return NULL;
}

static toc_status note_contact(check_html *html, const check_session *all, size_t step, const toc_contact *c) {
    toc_place place = {.time = 0};
    size_t found[2];
    check_contact_place(all, step, c, &place, found);
    const size_t parts[2] = {found[found[0] > found[1]], found[found[0] <= found[1]]};
    first_touch *touch = find_touch(html, parts);
    if (touch && (touch->step < step || toc_contact_compare_times(c, &touch->contact) >= 0)) return TOC_OK;
    if (!touch) {
        void *at = html->touches;
        TOC_TRY(make_room(&at, &html->touch_capacity, html->touch_count, sizeof *html->touches));
        html->touches = at;
        touch = &html->touches[html->touch_count++];
    }
    *touch = (first_touch){.parts = {parts[0], parts[1]}, .step = step, .contact = *c, .place = place};
    return TOC_OK;
}

static toc_status note_contacts(check_html *html, const check_session *all, const check_step_result *result) {
    for (size_t first = 0, count; first < result->summary.count; first += count) {
        const toc_contact *contacts;
        TOC_TRY(check_contacts_get(result, first, &contacts, &count));
        for (size_t i = 0; i < count; i++) TOC_TRY(note_contact(html, all, result->step, &contacts[i]));
    }
    return TOC_OK;
}

static int compare_touches(const void *a, const void *b) {
    const first_touch *p = a, *q = b;
    if (p->step != q->step) return p->step < q->step ? -1 : 1;
    return toc_contact_compare_times(&p->contact, &q->contact);
}

static toc_status draw_new_touches(check_html *html, const check_session *all, size_t known) {
    if (html->touch_count > known)
        qsort(html->touches + known, html->touch_count - known, sizeof *html->touches, compare_touches);
    for (size_t i = known; i < html->touch_count && i < MOST_PICTURES; i++) TOC_TRY(draw_touch(all, &html->touches[i]));
    return known == 0 && html->touch_count > 0 ? draw_whole(html, all, &html->touches[0]) : TOC_OK;
}

// ---- penetrations

typedef struct seen_frame {
    size_t frame;
    double time;
} seen_frame;

static toc_status find_penetration(check_html *html, const size_t parts[2], penetration **out) {
    size_t i = 0;
    while (i < html->penetration_count && memcmp(html->penetrations[i].parts, parts, 2 * sizeof *parts) != 0) i++;
    if (i == html->penetration_count) {
        void *at = html->penetrations;
        TOC_TRY(make_room(&at, &html->penetration_capacity, i, sizeof *html->penetrations));
        html->penetrations = at;
        html->penetrations[html->penetration_count++] = (penetration){.parts = {parts[0], parts[1]}, .seen = SIZE_MAX};
    }
    *out = &html->penetrations[i];
    return TOC_OK;
}

static toc_status note_overlap(check_html *html, const check_session *all, const seen_frame *at,
                               const toc_overlap_pair *pair) {
    toc_place place;
    size_t found[2];
    penetration *p;
    tool_places_find_overlap(all->places, pair, &place, found);
    const size_t parts[2] = {found[found[0] > found[1]], found[found[0] <= found[1]]};
    TOC_TRY(find_penetration(html, parts, &p));
    if (p->frames == 0) {
        p->first_time = at->time;
        p->depth = -1;
    }
    if (p->seen != at->frame) {
        p->frames++;
        p->in_frame = 0;
        p->seen = at->frame;
    }
    if (++p->in_frame > p->most) p->most = p->in_frame;
    if (pair->depth <= p->depth) return TOC_OK;
    p->depth = pair->depth;
    p->deepest = at->frame;
    p->deepest_time = at->time;
    return TOC_OK;
}

static toc_status note_overlaps(check_html *html, const check_session *all, const seen_frame *at,
                                const toc_overlaps *overlaps) {
    for (size_t i = 0; overlaps && i < overlaps->count; i++) TOC_TRY(note_overlap(html, all, at, &overlaps->pairs[i]));
    return TOC_OK;
}

// Faces that cross, and volume elements that overlap, at an end of the step. At its end the elements are those of
// its frame; one that is gone there is not in the step.
static toc_status search_penetrations(check_html *html, const check_session *all, const toc_query *query, toc_end end,
                                      const seen_frame *at) {
    toc_overlaps *faces = NULL, *elements = NULL;
    toc_scene *scene = check_scene(all);
    toc_status status = toc_scene_find_overlaps(scene, query, end, NULL, &faces);
    if (status == TOC_OK) status = toc_scene_find_element_overlaps(scene, query, end, NULL, &elements);
    if (status == TOC_OK) status = note_overlaps(html, all, at, faces);
    if (status == TOC_OK) status = note_overlaps(html, all, at, elements);
    toc_overlaps_destroy(faces);
    toc_overlaps_destroy(elements);
    return status;
}

static toc_status note_penetrations(check_html *html, const check_session *all, const toc_query *query,
                                    const check_step_result *result) {
    const size_t step = result->step;
    if (all->by_frame) {
        const seen_frame here = {step, check_time(all, step, 0)};
        TOC_TRY(note_overlaps(html, all, &here, result->extras->overlaps));
        return note_overlaps(html, all, &here, result->extras->elements);
    }
    const seen_frame start = {check_frame(all, step), check_time(all, step, 0)};
    const seen_frame end = {check_frame(all, step + 1), check_time(all, step, 1)};
    if (html->step_count == 1) TOC_TRY(search_penetrations(html, all, query, TOC_AT_START, &start));
    return search_penetrations(html, all, query, TOC_AT_END, &end);
}

toc_status check_html_step(check_html *html, const check_session *all, const toc_query *query,
                           const check_step_result *result) {
    const size_t known = html->touch_count;
    void *at = html->counts;
    TOC_TRY(make_room(&at, &html->step_capacity, html->step_count, sizeof *html->counts));
    html->counts = at;
    html->counts[html->step_count++] = result->summary.count;
    if (html->step_count == 1) TOC_TRY(draw_whole(html, all, NULL));
    if (result->contacts) TOC_TRY(note_contacts(html, all, result));
    TOC_TRY(draw_new_touches(html, all, known));
    return note_penetrations(html, all, query, result);
}

// ---- HTML

static char words_kept[4096];

void check_html_note_words(int count, char **words) {
    size_t length = 0;
    for (int i = 0; i < count && length < sizeof words_kept; i++) {
        const char *word = i ? words[i] : "toccata";
        const bool plain = *word && !word[strcspn(word, " \t\n\"'\\$*?|&;<>()#`")];
        const int written =
            snprintf(words_kept + length, sizeof words_kept - length, plain ? "%s%s" : "%s'%s'", i ? " " : "", word);
        length += written > 0 ? (size_t)written : 0;
    }
}

static void put_text(FILE *out, const char *text) {
    for (; *text; text++) {
        const char *name = *text == '<'   ? "&lt;"
                           : *text == '>' ? "&gt;"
                           : *text == '&' ? "&amp;"
                           : *text == '"' ? "&quot;"
                                          : NULL;
        if (name)
            fputs(name, out);
        else
            fputc(*text, out);
    }
}

static toc_status put_picture(FILE *out, const tool_png *png, const char *alt) {
    if (!png->bytes) return TOC_OK;
    const size_t length = toc_base64_length(png->size);
    char *text = malloc(length + 1);
    if (!text) return tool_fail_memory();
    toc_base64_encode(png->bytes, png->size, text);
    fprintf(out, "<img width=\"%d\" height=\"%d\" alt=\"", ACROSS, DOWN);
    put_text(out, alt);
    fputs("\" src=\"data:image/png;base64,", out);
    fwrite(text, 1, length, out);
    fputs("\">\n", out);
    free(text);
    return TOC_OK;
}

static const char style[] =
    ":root{color-scheme:light dark;--line:#8886;--soft:#8882;--bar:#3b76b8}\n"
    "body{background:Canvas;color:CanvasText;font:16px/1.5 system-ui,sans-serif;max-width:68rem;margin:2rem "
    "auto;padding:0 1rem}\n"
    "h1{font-size:1.6rem;margin:0}h2{font-size:1.2rem;margin:2.2rem 0 .6rem}\n"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.35rem .7rem;vertical-align:top;"
    "border-bottom:1px solid "
    "var(--line)}td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\n"
    ".wide{overflow-x:auto}.wide table{min-width:40rem;margin-bottom:.6rem}.asked td{overflow-wrap:anywhere}"
    ".ends{display:flex;justify-content:space-between}\n"
    "figure{margin:0 0 1.4rem;break-inside:avoid}figcaption{padding:.4rem 0}img{max-width:100%;height:auto;"
    "border:1px solid var(--line);border-radius:6px}\n"
    ".pairs{display:grid;grid-template-columns:repeat(auto-fill,minmax(19rem,1fr));gap:0 1.2rem}\n"
    "code{font-size:.92em;background:var(--soft);padding:.1em .3em;border-radius:4px;overflow-wrap:anywhere}\n"
    ".a,.b{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.3em;border:1px solid "
    "var(--line)}\n"
    ".a{background:#4080c7}.b{background:#edcc94}.quiet{opacity:.75}\n"
    "@media print{body{margin:0;max-width:none;font-size:11pt}h2{break-after:avoid}tr{break-inside:avoid}}\n";

static const char *part_label(const check_session *all, size_t part) {
    return tool_places_part(all->places, part)->label;
}

// "Projectile - Plate", or "Plate - itself".
static void put_pair(FILE *out, const check_session *all, const size_t parts[2], bool swatches) {
    if (swatches) fputs("<span class=\"a\"></span>", out);
    put_text(out, part_label(all, parts[0]));
    fputs(" - ", out);
    if (swatches && parts[0] != parts[1]) fputs("<span class=\"b\"></span>", out);
    put_text(out, parts[0] == parts[1] ? "itself" : part_label(all, parts[1]));
}

static void put_row(FILE *out, const char *name, const char *text) {
    fprintf(out, "<tr><th scope=\"row\">%s</th><td>", name);
    put_text(out, text);
    fputs("</td></tr>\n", out);
}

static void put_asked(FILE *out, const check_session *all) {
    const check_settings *s = all->settings;
    char text[256];
    const size_t frames = toc_sequence_get_frame_count(all->frames);
    fputs("<h2>What was asked</h2>\n<div class=\"asked\"><table>\n<tr><th "
          "scope=\"row\">command</th><td><code>",
          out);
    put_text(out, words_kept);
    fputs("</code></td></tr>\n", out);
    snprintf(text, sizeof text, "toccata %s", toc_version_get());
    put_row(out, "program", text);
    put_row(out, "first frame", tool_standard_name(toc_sequence_get_path(all->frames, 0)));
    put_row(out, "last frame", tool_standard_name(toc_sequence_get_path(all->frames, frames - 1)));
    snprintf(text, sizeof text, "%zu, time %.9g to %.9g", frames, toc_sequence_get_time(all->frames, 0),
             toc_sequence_get_time(all->frames, frames - 1));
    put_row(out, "frames", text);
    snprintf(text, sizeof text, "%zu to %zu", all->wanted.first, all->wanted.end - 1);
    put_row(out, all->by_frame ? "frames examined" : "steps examined", text);
    for (uint32_t b = 0; b < toc_scene_get_body_count(check_scene(all)); b++) {
        const toc_mesh *mesh = toc_scene_get_mesh(check_scene(all), b);
        snprintf(text, sizeof text, "%zu vertices, %zu elements: %.160s", toc_mesh_get_vertex_count(mesh),
                 toc_mesh_get_element_count(mesh), tool_standard_name(tool_places_file(all->places, b)));
        put_row(out, "body", text);
    }
    if (s->thicken) put_row(out, "shells", "made solid");
    if (s->thin) put_row(out, "shells", "without their thickness");
    if (s->separation > 0) put_row(out, "distance that counts as contact", tool_double_text(s->separation));
    fputs("</table>\n", out);
}

static size_t count_pairs(const check_session *all, const size_t parts[2]) {
    for (size_t i = 0; i < all->parts.count; i++)
        if (memcmp(all->parts.rows[i].parts, parts, 2 * sizeof *parts) == 0) return all->parts.rows[i].count;
    return 0;
}

static void put_touch_row(FILE *out, const check_session *all, const first_touch *touch) {
    const toc_contact *c = &touch->contact;
    const int64_t *nodes = touch->place.vertex_label, *elements = touch->place.element_label;
    fputs("<tr><td>", out);
    put_pair(out, all, touch->parts, false);
    fprintf(out, "</td><td class=\"n\">%.6g</td><td class=\"n\">%zu</td><td class=\"n\">%.6g</td>", touch->place.time,
            touch->step, c->toc);
    fprintf(out, "<td class=\"n\">%zu</td><td>%s %lld %lld %lld %lld<br>elements %lld, %lld</td>",
            count_pairs(all, touch->parts), c->kind == TOC_VF ? "node, face" : "two edges", (long long)nodes[0],
            (long long)nodes[1], (long long)nodes[2], (long long)nodes[3], (long long)elements[0],
            (long long)elements[1]);
    fprintf(out, "<td class=\"n\">%.6g<br>%.6g<br>%.6g</td></tr>\n", c->point[0], c->point[1], c->point[2]);
}

static toc_status put_touch_figure(FILE *out, const check_session *all, const first_touch *touch) {
    char alt[256];
    snprintf(alt, sizeof alt, "%.100s and %.100s at time %.6g; the contact is a red dot",
             part_label(all, touch->parts[0]), part_label(all, touch->parts[1]), touch->place.time);
    fputs("<figure>", out);
    TOC_TRY(put_picture(out, &touch->picture, alt));
    fputs("<figcaption>", out);
    put_pair(out, all, touch->parts, touch->parts[0] != touch->parts[1]);
    fprintf(out, "<br><span class=\"quiet\">first contact at time %.6g, step %zu</span></figcaption></figure>\n",
            touch->place.time, touch->step);
    return TOC_OK;
}

static toc_status put_touches(FILE *out, const check_html *html, const check_session *all) {
    const size_t drawn = html->touch_count < MOST_PICTURES ? html->touch_count : MOST_PICTURES;
    fputs("<h2>First contact of each pair of parts</h2>\n", out);
    if (html->touch_count == 0) fputs("<p>There is no contact.</p>\n", out);
    if (html->touch_count == 0) return TOC_OK;
    fputs("<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\">parts</th>"
          "<th scope=\"col\" class=\"n\">time</th>"
          "<th scope=\"col\" class=\"n\">step</th><th scope=\"col\" class=\"n\">t in step</th>"
          "<th scope=\"col\" class=\"n\">contacts</th><th scope=\"col\">features</th>"
          "<th scope=\"col\" class=\"n\">point</th></tr></thead>\n<tbody>\n",
          out);
    for (size_t i = 0; i < html->touch_count; i++) put_touch_row(out, all, &html->touches[i]);
    fputs("</tbody></table></div>\n<div class=\"pairs\">\n", out);
    for (size_t i = 0; i < drawn; i++) TOC_TRY(put_touch_figure(out, all, &html->touches[i]));
    fputs("</div>\n", out);
    if (drawn < html->touch_count)
        fprintf(out, "<p class=\"quiet\">The first %zu of %zu pairs have a picture.</p>\n", drawn, html->touch_count);
    return TOC_OK;
}

static int compare_depths(const void *a, const void *b) {
    const penetration *p = a, *q = b;
    if (p->depth != q->depth) return p->depth > q->depth ? -1 : 1;
    return memcmp(p->parts, q->parts, sizeof p->parts);
}

static void put_penetrations(FILE *out, const check_html *html, const check_session *all) {
    fputs("<h2>Penetrations</h2>\n", out);
    fputs("<p>Faces that cross and volume elements that overlap in a frame.</p>\n", out);
    if (html->penetration_count == 0) fputs("<p>There is none.</p>\n", out);
    if (html->penetration_count == 0) return;
    qsort(html->penetrations, html->penetration_count, sizeof *html->penetrations, compare_depths);
    fputs("<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\">parts</th><th scope=\"col\" "
          "class=\"n\">deepest"
          "</th><th scope=\"col\" class=\"n\">at time</th><th scope=\"col\" class=\"n\">frame</th>"
          "<th scope=\"col\" class=\"n\">first time</th><th scope=\"col\" class=\"n\">frames</th>"
          "<th scope=\"col\" class=\"n\">most pairs in a frame</th></tr></thead>\n<tbody>\n",
          out);
    for (size_t i = 0; i < html->penetration_count; i++) {
        const penetration *p = &html->penetrations[i];
        fputs("<tr><td>", out);
        put_pair(out, all, p->parts, false);
        fprintf(out,
                "</td><td class=\"n\">%.6g</td><td class=\"n\">%.6g</td><td class=\"n\">%zu</td><td class=\"n\">%.6g"
                "</td><td class=\"n\">%zu</td><td class=\"n\">%zu</td></tr>\n",
                p->depth, p->deepest_time, p->deepest, p->first_time, p->frames, p->most);
    }
    fputs("</tbody></table></div>\n", out);
}

// A bar for each step.
static void put_chart(FILE *out, const check_html *html, const check_session *all) {
    enum { WIDE = 1000, TALL = 180 };
    size_t most = 1;
    if (html->step_count < 2 || all->by_frame) return;
    for (size_t i = 0; i < html->step_count; i++) most = html->counts[i] > most ? html->counts[i] : most;
    fprintf(out,
            "<h2>Contacts of each step</h2>\n<figure><svg viewBox=\"0 0 %d %d\" width=\"100%%\" role=\"img\" "
            "aria-label=\"Contacts by step, %zu at most\">\n",
            WIDE, TALL, most);
    const double width = (double)WIDE / (double)html->step_count;
    for (size_t i = 0; i < html->step_count; i++) {
        const double tall = TALL * (double)html->counts[i] / (double)most;
        fprintf(out,
                "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"var(--bar)\"><title>step %zu: "
                "%zu</title></rect>\n",
                (double)i * width, TALL - tall, 0.86 * width, tall, all->wanted.first + i, html->counts[i]);
    }
    fprintf(out,
            "</svg>\n<figcaption class=\"quiet\"><span class=\"ends\"><span>step %zu</span><span>step %zu</span></span>"
            "%zu contacts in the step with most.</figcaption></figure>\n",
            all->wanted.first, all->wanted.end - 1, most);
}

static void put_summary(FILE *out, const check_html *html, const check_session *all) {
    fputs("<p>", out);
    if (all->question == CHECK_CONTACTS)
        fprintf(out, "%zu contacts in %zu of %zu steps; pairs of parts that touch: %zu. ", all->contacts,
                all->touching_steps, all->wanted.end - all->wanted.first, html->touch_count);
    fprintf(out, "Pairs of parts that penetrate each other: %zu.</p>\n", html->penetration_count);
    for (size_t i = 0; i < all->hints.count; i++) {
        fputs("<p class=\"quiet\">Hint: ", out);
        put_text(out, all->hints.text[i]);
        fputs("</p>\n", out);
    }
}

static toc_status put_report(FILE *out, const check_html *html, const check_session *all) {
    const char *name = tool_path_name(tool_standard_name(toc_sequence_get_path(all->frames, 0)));
    const char *what = all->question == CHECK_CONTACTS ? "Contacts" : "Penetrations";
    fprintf(out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
            "content=\"width=device-width\">\n<title>%s of ",
            what);
    put_text(out, name);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n<h1>%s of ", style, what);
    put_text(out, name);
    fputs("</h1>\n", out);
    put_summary(out, html, all);
    fputs("<figure>", out);
    TOC_TRY(put_picture(out, &html->whole, "All bodies, with the first contact as a red dot if there is one"));
    fprintf(out, "<figcaption class=\"quiet\">All bodies%s.</figcaption></figure>\n",
            html->touch_count ? " at the time of the first contact, the red dot" : " at the start");
    if (all->question == CHECK_CONTACTS) TOC_TRY(put_touches(out, html, all));
    put_penetrations(out, html, all);
    put_chart(out, html, all);
    put_asked(out, all);
    fputs("</main>\n</body>\n</html>\n", out);
    return TOC_OK;
}

toc_status check_html_write(const char *path, const check_html *html, const check_session *all) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = toc_stream_open_text(&text, &size);
    if (!out) return tool_fail_memory();
    toc_status status = put_report(out, html, all);
    if (!toc_stream_close_text(out, &text, &size)) status = tool_fail_memory();
    if (status == TOC_OK) status = tool_file_write(path, text, size);
    free(text);
    return status;
}

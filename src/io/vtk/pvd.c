// SPDX-License-Identifier: Apache-2.0
// ParaView's list of frames (.pvd): an XML file that names the file of each time.
//
// Frames come in the order of time, and in that of the file where times are missing. A time with several files (the
// parts of a parallel run) is refused, since half a frame would miss contacts.
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/arithmetic.h"
#include "io/core/decimal.h"
#include "io/core/format.h"
#include "io/core/xml.h"
#include "io/vtk/data_array.h"

typedef struct pvd_frame {
    double time;
    size_t order;
    size_t path;     // the start of its path among the names
    const char *tag; // for messages
} pvd_frame;

typedef struct pvd_reader {
    toc_source *source;
    TOC_ARRAY(pvd_frame) frames;
    TOC_ARRAY(char) names; // one behind the other, each ended by a 0 byte
    bool rooted;           // <VTKFile> was seen
} pvd_reader;

static toc_status pvd_fail_tag(toc_xml *xml, const char *sentence) {
    xml->source->at = toc_xml_tag(xml);
    return toc_source_fail(xml->source, "%s", sentence);
}

static toc_status pvd_add_text(pvd_reader *reader, const char *text, size_t count) {
    assert(text || count == 0);
    TOC_TRY(toc_array_reserve(&reader->source->allocator, &reader->names, count));
    if (count > 0) memcpy(reader->names.at + reader->names.count, text, count);
    reader->names.count += count;
    return TOC_OK;
}

/// A relative name is one in the folder of the .pvd.
static toc_status add_name(pvd_reader *reader, const char *name) {
    const char *path = reader->source->path, *slash = strrchr(path, '/');
    if (slash && name[0] != '/') TOC_TRY(pvd_add_text(reader, path, (size_t)(slash - path) + 1));
    return pvd_add_text(reader, name, strlen(name) + 1);
}

static toc_status take_time(toc_xml *xml, const char **attributes, double *out) {
    const char *value = toc_xml_attribute(attributes, "timestep");
    if (!value) return TOC_OK;
    double time = 0;
    const char *end = toc_decimal_read(value + strspn(value, " \t\n"), &time);
    if (!end || end[strspn(end, " \t\n")] || !isfinite(time)) return pvd_fail_tag(xml, "timestep is not a number");
    *out = time;
    return TOC_OK;
}

static toc_status add_frame(toc_xml *xml, const char **attributes) {
    pvd_reader *reader = xml->user;
    const char *name = toc_xml_attribute(attributes, "file");
    if (!name || !*name) return pvd_fail_tag(xml, "a DataSet without a file");
    const size_t order = reader->frames.count;
    pvd_frame frame = {(double)order, order, reader->names.count, toc_xml_tag(xml)};
    TOC_TRY(take_time(xml, attributes, &frame.time));
    TOC_TRY(add_name(reader, name));
    TOC_TRY(toc_array_reserve(&reader->source->allocator, &reader->frames, 1));
    reader->frames.at[reader->frames.count++] = frame;
    return TOC_OK;
}

static toc_status pvd_on_begin(toc_xml *xml, const char *name, const char **attributes) {
    pvd_reader *reader = xml->user;
    if (!reader->rooted && (strcmp(name, "VTKFile") != 0 || !toc_xml_attribute_is(attributes, "type", "Collection")))
        return pvd_fail_tag(xml, "a .pvd begins with <VTKFile type=\"Collection\">");
    reader->rooted = true;
    return strcmp(name, "DataSet") == 0 ? add_frame(xml, attributes) : TOC_OK;
}

static toc_status pvd_on_end(toc_xml *xml, const char *name) {
    (void)xml, (void)name;
    return TOC_OK;
}

static int by_time(const void *a, const void *b) {
    const pvd_frame *p = a, *q = b;
    if (p->time != q->time) return p->time < q->time ? -1 : 1;
    return p->order < q->order ? -1 : 1;
}

static toc_status sort_frames(pvd_reader *reader) {
    const size_t count = reader->frames.count;
    pvd_frame *frames = reader->frames.at;
    reader->source->at = reader->source->end;
    if (count == 0) return toc_source_fail(reader->source, "no file is listed");
    qsort(frames, count, sizeof *frames, by_time);
    for (size_t i = 1; i < count; i++)
        if (frames[i].time == frames[i - 1].time) {
            reader->source->at = frames[i].tag;
            return toc_source_fail(reader->source, "a second file for the time %g: parts are not put together",
                                   frames[i].time);
        }
    return TOC_OK;
}

static toc_status list_frames(pvd_reader *reader, toc_pvd_found *found, void *user) {
    toc_xml xml = {.source = reader->source, .user = reader, .begin = pvd_on_begin, .end = pvd_on_end};
    TOC_TRY(toc_xml_parse(&xml, reader->source->end));
    TOC_TRY(sort_frames(reader));
    for (size_t i = 0; i < reader->frames.count; i++)
        TOC_TRY(found(user, reader->names.at + reader->frames.at[i].path, reader->frames.at[i].time));
    return TOC_OK;
}

toc_status toc_pvd_list(toc_source *source, toc_pvd_found *found, void *user) {
    assert(found);
    pvd_reader reader = {.source = source};
    const toc_status status = list_frames(&reader, found, user);
    toc_array_free(&source->allocator, &reader.frames);
    toc_array_free(&source->allocator, &reader.names);
    return status;
}

static void pvd_write_frames(toc_sink *sink, size_t count, const char *const *frames, const double *times) {
    assert(count > 0 && frames);
    toc_sink_text(sink, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n");
    for (size_t i = 0; i < count; i++) {
        toc_sink_text(sink, "<DataSet timestep=\"");
        toc_sink_double(sink, times ? times[i] : (double)i);
        toc_sink_text(sink, "\" part=\"0\" file=\"");
        toc_data_name_write(sink, frames[i]);
        toc_sink_text(sink, "\"/>\n");
    }
    toc_sink_text(sink, "</Collection>\n</VTKFile>\n");
}

/// Refuse lists that toc_pvd_list would refuse or XML cannot hold.
static toc_status check_frames(size_t count, const char *const *frames, const double *times) {
    if (count == 0) return toc_fail(TOC_BAD_INPUT, "there are no frames to list");
    for (size_t i = 0; i < count; i++) {
        if (!frames[i] || !*frames[i]) return toc_fail(TOC_BAD_INPUT, "frame %zu has no name", i);
        for (const char *c = frames[i]; *c; c++)
            if ((unsigned char)*c < ' ')
                return toc_fail(TOC_BAD_INPUT, "the name of frame %zu has a control character", i);
        if (!times) continue;
        if (!isfinite(times[i])) return toc_fail(TOC_BAD_INPUT, "the time of frame %zu is %g", i, times[i]);
        if (i > 0 && !(times[i] > times[i - 1]))
            return toc_fail(TOC_BAD_INPUT, "the time of frame %zu is %g, which is not after %g", i, times[i],
                            times[i - 1]);
    }
    return TOC_OK;
}

toc_status toc_sequence_write_pvd(const char *path, size_t frame_count, const char *const *frames,
                                  const double *times) {
    TOC_SCOPED_ARITHMETIC;
    if (!path || !frames)
        return toc_fail(TOC_BAD_INPUT, "toc_sequence_write_pvd: %s is NULL", path ? "frames" : "path");
    const toc_status status = check_frames(frame_count, frames, times);
    if (status != TOC_OK) return toc_fail_in(status, "%s", path);
    toc_sink *sink;
    TOC_TRY(toc_sink_open(path, NULL, &sink));
    pvd_write_frames(sink, frame_count, frames, times);
    return toc_sink_commit(sink);
}

// SPDX-License-Identifier: Apache-2.0
// Writing VTK's XML files with arrays in base64, in the byte order of the machine. Raw bytes behind the XML are
// shorter, but ParaView 5.11 with an expat of 2024 or later reads on behind the tag of appended data and refuses such
// files.
#include "io/vtk/data_array.h"

#include <assert.h>

#include "io/core/source.h"

void toc_data_file_begin(toc_sink *sink, const char *type) {
    toc_sink_print(sink, "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\"", type,
                   TOC_BIG_ENDIAN_HOST ? "BigEndian" : "LittleEndian");
    toc_sink_text(sink, " header_type=\"UInt64\">\n");
}

void toc_data_name_write(toc_sink *sink, const char *name) {
    assert(name);
    for (; *name; name++) switch (*name) {
        case '&':
            toc_sink_text(sink, "&amp;");
            break;
        case '<':
            toc_sink_text(sink, "&lt;");
            break;
        case '>':
            toc_sink_text(sink, "&gt;");
            break;
        case '"':
            toc_sink_text(sink, "&quot;");
            break;
        default:
            toc_sink_write(sink, name, 1);
        }
}

void toc_data_file_end(toc_sink *sink) { toc_sink_text(sink, "</VTKFile>\n"); }

void toc_data_array_begin(toc_sink *sink, const char *type, const char *name, int components, uint64_t bytes) {
    assert(components > 0 && name);
    toc_sink_print(sink, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">\n", type,
                   name, components);
    toc_sink_begin_base64(sink);
    toc_sink_write(sink, &bytes, sizeof bytes);
}

void toc_data_array_end(toc_sink *sink) {
    toc_sink_end_base64(sink);
    toc_sink_text(sink, "\n</DataArray>\n");
}

void toc_field_names_begin(toc_sink *sink, const char *name, size_t count) {
    toc_sink_print(sink, "<DataArray type=\"String\" Name=\"%s\" NumberOfTuples=\"%zu\" format=\"ascii\">\n", name,
                   count);
}

void toc_field_names_add(toc_sink *sink, const char *text) {
    assert(text);
    for (; *text; text++) toc_sink_print(sink, "%u ", (unsigned char)*text);
    toc_sink_text(sink, "0\n");
}

void toc_field_names_end(toc_sink *sink) { toc_sink_text(sink, "</DataArray>\n"); }

void toc_field_integers_begin(toc_sink *sink, const char *name, size_t count) {
    toc_sink_print(sink, "<DataArray type=\"Int32\" Name=\"%s\" NumberOfTuples=\"%zu\" format=\"ascii\">\n", name,
                   count);
}

void toc_field_integers_add(toc_sink *sink, int64_t x) {
    toc_sink_integer(sink, x);
    toc_sink_text(sink, " ");
}

void toc_field_integers_end(toc_sink *sink) { toc_sink_text(sink, "\n</DataArray>\n"); }

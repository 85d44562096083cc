// SPDX-License-Identifier: Apache-2.0
// Writing VTK's XML files with raw arrays behind the XML, in the byte order of the machine.
#include "io/vtk/appended.h"

#include <inttypes.h>

#include "io/core/source.h"

toc_appended toc_appended_begin(toc_sink *sink, const char *type) {
    toc_sink_print(sink, "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\"", type,
                   TOC_BIG_ENDIAN_HOST ? "BigEndian" : "LittleEndian");
    toc_sink_print(sink, " header_type=\"UInt64\">\n");
    return (toc_appended){.sink = sink};
}

void toc_appended_declare(toc_appended *file, const char *type, const char *name, int components, uint64_t bytes) {
    toc_sink_print(file->sink,
                   "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
                   "offset=\"%" PRIu64 "\"/>\n",
                   type, name, components, file->offset);
    file->offset += sizeof bytes + bytes;
}

void toc_appended_begin_data(toc_appended *file) { toc_sink_print(file->sink, "<AppendedData encoding=\"raw\">\n_"); }

void toc_appended_begin_array(toc_appended *file, uint64_t bytes) { toc_sink_write(file->sink, &bytes, sizeof bytes); }

void toc_appended_end(toc_appended *file) { toc_sink_print(file->sink, "\n</AppendedData>\n</VTKFile>\n"); }

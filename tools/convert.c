// SPDX-License-Identifier: Apache-2.0
// toccata convert: a mesh from one format to another.
#include "tools/command.h"
#include "tools/output.h"

static struct { bool list; } settings;

static toc_status list_formats(void) {
    toc_format_info format;
    for (size_t i = 0; toc_format_list(i, &format); i++) {
        const char *ways = format.reads && format.writes ? "reads, writes" : format.reads ? "reads" : "writes";
        fprintf(tool_output(), "%-10s %-18s %-14s %s\n", format.name, format.extensions, ways, format.what);
    }
    return TOC_OK;
}

static toc_status run(int count, char **paths) {
    if (settings.list) return list_formats();
    if (count != 2) return tool_fail(TOC_BAD_INPUT, "convert takes two files, IN and OUT, not %d", count);
    toc_mesh *mesh;
    toc_status status = toc_mesh_read(paths[0], NULL, &mesh);
    if (status != TOC_OK) return status;
    status = toc_mesh_write(paths[1], mesh, TOC_START);
    if (status == TOC_OK) {
        fprintf(tool_output(), "%s: %zu vertices, %zu elements\n", paths[1], toc_mesh_vertex_count(mesh),
                toc_mesh_element_count(mesh));
    }
    toc_mesh_destroy(mesh);
    return status;
}

const tool_command tool_convert = {
    .name = "convert",
    .forms = (const char *const[]){"IN OUT", "--list", NULL},
    .what = "Read a mesh and write it in the format of OUT's extension.",
    .options = (const tool_option[]){{TOOL_ON, "list", NULL, "list the formats", &settings.list, NULL}, {0}},
    .run = run,
};

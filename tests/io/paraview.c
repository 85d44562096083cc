// SPDX-License-Identifier: Apache-2.0
// Our files in VTK itself, and so in ParaView: the frames of a .pvd, all shapes with groups and thickness, and
// contacts. Skipped if Debian's python3-vtk9 is not installed; ParaView's own pvpython reads them too where it is.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/contacts.h"
#include "support/reading.h"

enum { FRAMES = 3 };

static const char script[] =
    "import sys, os, vtk, xml.etree.ElementTree as tree\n"
    "from vtk.util.numpy_support import vtk_to_numpy as array\n"
    "import numpy\n"
    "folder = sys.argv[1]\n"
    "def read(kind, name):\n"
    "    reader = kind()\n"
    "    reader.SetFileName(os.path.join(folder, name))\n"
    "    reader.Update()\n"
    "    assert reader.GetErrorCode() == 0\n"
    "    return reader.GetOutput()\n"
    "frames = [(float(d.get('timestep')), d.get('file')) for d in tree.parse(folder + '/run.pvd').iter('DataSet')]\n"
    "assert [t for t, f in frames] == [0, 1, 2], frames\n"
    "for t, name in frames:\n"
    "    grid = read(vtk.vtkXMLUnstructuredGridReader, name)\n"
    "    x = numpy.fromfile('%s/points-%d' % (folder, t)).reshape(-1, 3)\n"
    "    assert (array(grid.GetPoints().GetData()) == x).all()\n"
    "    types = [grid.GetCellType(i) for i in range(grid.GetNumberOfCells())]\n"
    "    assert types == 3 * [1, 3, 5, 9, 10, 14, 13, 12], types\n"
    "    assert array(grid.GetCellData().GetArray('group')).any()\n"
    "    assert array(grid.GetCellData().GetArray('thickness')).max() > 0.7\n"
    "points = read(vtk.vtkXMLPolyDataReader, 'contacts.vtp')\n"
    "assert points.GetNumberOfPoints() == points.GetNumberOfVerts() == 1\n"
    "data = points.GetPointData()\n"
    "assert array(data.GetArray('toc'))[0] == 0.1\n"
    "assert array(data.GetArray('vertices')).tolist() == [[10, 11, 12, 4294967295]]\n"
    "assert array(data.GetArray('weights')).tolist() == [[1, 0.25, 0.5, 0.25]]\n";

static void write_points(const char *folder, int frame, const toc_mesh *mesh) {
    char name[32];
    snprintf(name, sizeof name, "points-%d", frame);
    test_file_write(test_path(folder, name), toc_mesh_get_x1(mesh),
                    toc_mesh_get_vertex_count(mesh) * 3 * sizeof(double));
}

static void write_run(const char *folder) {
    char names[FRAMES][1024];
    const char *paths[FRAMES];
    toc_mesh *mesh = test_every_shape(true);
    for (int i = 0; i < FRAMES; i++) {
        double x[60];
        memcpy(x, toc_mesh_get_x1(mesh), sizeof x);
        x[5] += i;
        assert_ok(test_mesh_move(mesh, x));
        snprintf(names[i], sizeof names[i], "%s/in-%d.vtu", folder, i);
        paths[i] = names[i];
        assert_ok(toc_mesh_write(names[i], mesh, TOC_AT_END));
        write_points(folder, i, mesh);
    }
    toc_mesh_destroy(mesh);
    toc_sequence *sequence;
    assert_ok(toc_sequence_open(FRAMES, paths, NULL, &sequence));
    assert_ok(toc_sequence_write(test_path(folder, "run.pvd"), sequence));
    toc_sequence_close(sequence);
}

static void read_with(const char *python) {
    char *folder = test_folder_make(), command[4096];
    snprintf(command, sizeof command, "%s -c 'import vtk, numpy' >/dev/null 2>&1", python);
    if (system(command) != 0) {
        print_message("skipped: no VTK in %s\n", python);
        test_folder_remove(folder);
        skip();
    }
    write_run(folder);
    assert_ok(toc_contacts_write(test_path(folder, "contacts.vtp"),
                                 &(toc_contacts){.count = 1, .contacts = test_two_contacts}, NULL));
    test_file_write(test_path(folder, "check.py"), script, sizeof script - 1);
    snprintf(command, sizeof command, "%s '%s' '%s'", python, test_path(folder, "check.py"), folder);
    assert_int_equal(system(command), 0);
    test_folder_remove(folder);
}

static void vtk_reads_what_is_written(void **state) {
    (void)state;
    read_with("/usr/bin/python3");
}

static void paraview_reads_what_is_written(void **state) {
    (void)state;
    read_with("pvpython");
}

int main(void) {
#ifndef TOC_HAVE_EXPAT
    print_message("skipped: no expat\n");
    return 0;
#endif
    const struct CMUnitTest tests[] = {cmocka_unit_test(vtk_reads_what_is_written),
                                       cmocka_unit_test(paraview_reads_what_is_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

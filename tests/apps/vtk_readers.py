#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""VTK's readers, those of ParaView, open every VTK file that the command writes: python3 vtk_readers.py TOCCATA."""

import os
import subprocess
import sys
import tempfile

try:
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader, vtkXMLUnstructuredGridReader
    from vtkmodules.vtkIOLegacy import vtkUnstructuredGridReader
    from vtkmodules.vtkCommonCore import vtkOutputWindow, vtkStringOutputWindow
except ImportError as problem:
    print(f"skipped: {problem} (Debian: python3-vtk9)")
    sys.exit(77)

DECK = """*KEYWORD
*PART
Plate
20,1,1
*PART
Projectile
10,1,1
*SECTION_SHELL
1,2
0.001,0.001,0.001,0.001
*NODE
101,-4,-4,0
105,5,-4,0
109,-4,5,0
201,0.1,0.2,{0}
202,0,1,9
203,1,0,9
*ELEMENT_SHELL
7001,20,101,105,109,109
8001,10,201,202,203,203
*END
"""

command = os.path.abspath(sys.argv[1])
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
messages = vtkStringOutputWindow()  # errors of VTK, which does not raise them
vtkOutputWindow.SetInstance(messages)


def toccata(*words):
    return subprocess.run([command, *words], check=True, capture_output=True, text=True).stdout


def read(reader, path):
    reader.SetFileName(path)
    reader.Update()
    assert not messages.GetOutput(), f"{path}: {messages.GetOutput()}"
    return reader.GetOutput()


def values(array):
    return [array.GetValue(i) for i in range(array.GetNumberOfValues())]


def point_data(data, name):
    array = data.GetPointData().GetArray(name)
    assert array is not None, f"no array {name}"
    return values(array)


def near(a, b):
    return abs(a - b) < 1e-6


def check_mesh(reader, path, named):
    grid = read(reader, path)
    assert grid.GetNumberOfPoints() == 6 and grid.GetNumberOfCells() == 2, path
    assert sorted(values(grid.GetCellData().GetArray("group"))) == [10, 20], path
    assert near(grid.GetCellData().GetArray("thickness").GetValue(0), 0.001), path
    if named:
        fields = grid.GetFieldData()
        ids = values(fields.GetAbstractArray("group_ids"))
        names = values(fields.GetAbstractArray("group_names"))
        assert dict(zip(ids, names)) == {10: "Projectile", 20: "Plate"}, path
        assert values(grid.GetPointData().GetArray("vertex_labels")) == [101, 105, 109, 201, 202, 203], path
        assert values(grid.GetCellData().GetArray("element_labels")) == [7001, 8001], path


def check_contacts(path, time):
    data = read(vtkXMLPolyDataReader(), path)
    assert data.GetNumberOfPoints() == data.GetNumberOfVerts() == 1, path
    assert near(point_data(data, "toc")[0], 0.25)
    assert near(point_data(data, "time")[0], time)
    assert point_data(data, "vertices") == [3, 0, 1, 2]
    assert point_data(data, "vertex_labels") == [201, 101, 105, 109]
    assert point_data(data, "element_labels") == [8001, 7001]
    assert point_data(data, "parts") == [10, 20]
    assert data.GetPointData().GetScalars().GetName() == "toc"
    assert data.GetPointData().GetNormals().GetName() == "normal"
    names = values(data.GetFieldData().GetAbstractArray("part_names"))
    assert names == ["Projectile", "Plate"], names


for number, height in enumerate(("1", "-3", "-3")):
    with open(f"{number}.k", "w", encoding="utf-8") as deck:
        deck.write(DECK.format(height))

for name, reader in (("m.vtu", vtkXMLUnstructuredGridReader()), ("m.vtk", vtkUnstructuredGridReader())):
    if name == "m.vtk":
        reader.ReadAllScalarsOn()
    toccata("convert", "0.k", name)
    check_mesh(reader, name, name == "m.vtu")

toccata("convert", "0.k", "1.k", "2.k", "all.pvd")
frames = [line.split('file="')[1].split('"')[0] for line in open("all.pvd", encoding="utf-8") if 'file="' in line]
assert len(frames) == 3, frames
for frame in frames:
    check_mesh(vtkXMLUnstructuredGridReader(), frame, True)

toccata("check", "--thin", "0.k", "1.k", "--contacts", "hits.vtp")
check_contacts("hits.vtp", 0.25)
toccata("check", "--thin", "0.k", "1.k", "2.k", "--contacts", "steps.vtp")
toccata("overlaps", "0.k", "1.k", "2.k", "--out", "cross.vtp")
check_contacts("steps-0000.vtp", 0.25)
empty = read(vtkXMLPolyDataReader(), "steps-0001.vtp")
assert empty.GetNumberOfPoints() == 0
for listing, file in (("steps.pvd", "steps-0001.vtp"), ("cross.pvd", "cross-0001.vtp")):
    assert f'file="{file}"' in open(listing, encoding="utf-8").read(), listing
crossing = read(vtkXMLPolyDataReader(), "cross-0001.vtp")
assert crossing.GetNumberOfPoints() == 1 and point_data(crossing, "depth")[0] > 0
assert len(point_data(crossing, "vertex_labels")) == 6

toccata("near", "--thin", "0.k", "--distance", "1.1", "--out", "near.vtp")
pairs = read(vtkXMLPolyDataReader(), "near.vtp")
assert pairs.GetNumberOfPoints() == 1 and near(point_data(pairs, "distance")[0], 1)
assert len(point_data(pairs, "second")) == 3

toccata("scene", "tets", "--size", "2", "--frames", "2", "--format", "vtu", "--out", ".")
assert read(vtkXMLUnstructuredGridReader(), "tets-0001.vtu").GetNumberOfCells() > 10
print("VTK reads all of them")

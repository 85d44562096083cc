#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The Blender add-on, in Blender without a window: python3 blender.py TOCCATA. Blender runs this file, too."""

import os
import shutil
import subprocess
import sys
import tempfile

try:
    import bpy
except ImportError:
    bpy = None

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = os.path.abspath(os.path.join(HERE, "..", "..", "integrations", "blender", "cloth.py"))
ADD_ON = os.path.join(HERE, "..", "..", "tools", "blender", "toccata_contacts.py")


def run_blender(command):
    if not shutil.which("blender"):
        print("skipped: no blender on the PATH (Debian: blender)")
        return 77
    words = ["blender", "--background", "--factory-startup", "--python-exit-code", "1", "--python", os.path.abspath(__file__)]
    run = subprocess.run([*words, "--", os.path.abspath(command)], capture_output=True, text=True, check=False)
    done = run.returncode == 0 and "the add-on marks the first contacts" in run.stdout
    print(run.stdout, run.stderr)
    return 0 if done and runs_example(command) else 1


def runs_example(command):
    """The scene of the page is baked beside its file."""
    paths = os.path.dirname(os.path.abspath(command)) + os.pathsep + os.environ["PATH"]
    with tempfile.TemporaryDirectory() as folder:
        words = ["blender", "--background", "--python-exit-code", "1", "--python", EXAMPLE]
        run = subprocess.run(words, cwd=folder, env=dict(os.environ, PATH=paths), capture_output=True, text=True, check=False)
        print(run.stdout[-500:], run.stderr[-500:])
        cache = os.path.join(folder, "toccata", "Cloth.pc2")
        vertices = 37 * 37
        return run.returncode == 0 and os.path.getsize(cache) == 32 + 41 * vertices * 12


def select(*objects):
    bpy.ops.object.select_all(action="DESELECT")
    for item in objects:
        item.select_set(True)


def refused(words, operator=None):
    try:
        (operator or bpy.ops.toccata.check)()
    except RuntimeError as problem:
        assert words in str(problem), problem
        return
    raise AssertionError(f"not refused: {words}")


def make_scene():
    """A ball of radius 1/2 falls from z = 2 to -2 in 20 frames, through a plane; another ball stays away."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_plane_add(size=4)
    plane = bpy.context.object
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=0.5, location=(0, 0, 2))
    ball = bpy.context.object
    ball.name = "Ball"
    bpy.ops.mesh.primitive_ico_sphere_add(radius=0.5, location=(9, 0, 0))
    far = bpy.context.object
    for frame, z in ((1, 2), (21, -2)):
        ball.location.z = z
        ball.keyframe_insert("location", frame=frame)
    for curve in ball.animation_data.action.fcurves:
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 21
    return plane, ball, far


def check_marks(collection):
    points = collection.objects["contacts"].data
    assert len(points.vertices) > 10
    frames = [a.value for a in points.attributes["frame"].data]
    assert all(1 <= f <= 21 for f in frames)
    first = [o for o in collection.objects if o.name.startswith("first ")]
    assert [o.name for o in first] == ["first Plane - Ball"], first
    # The lowest vertex is at z - 0.5, and z falls by 0.2 a frame: it is on the plane after 7.5 frames.
    assert abs(first[0]["frame"] - 8.5) < 0.01, first[0]["frame"]
    assert abs(first[0].location.z) < 0.01
    markers = [(m.name, m.frame) for m in bpy.context.scene.timeline_markers]
    assert markers == [("touch: Plane - Ball", 8)], markers
    assert bpy.context.scene.frame_current == 8


def check_cloud(points):
    """The cloud shows a contact at its frame, and no longer when it is old."""
    def shown(frame):
        bpy.context.scene.frame_set(frame)
        count = 0
        for instance in bpy.context.evaluated_depsgraph_get().object_instances:
            if instance.object.type == "POINTCLOUD" and instance.object.original == points:
                count += len(instance.object.data.points)
        return count

    frames = sorted(a.value for a in points.data.attributes["frame"].data)
    assert shown(int(frames[0]) - 1) == 0
    assert 0 < shown(int(frames[0])) <= len(frames)
    assert shown(int(frames[-1]) + 14) == 0


def check_cancel(command):
    """Work that is given up leaves no files and no process, and the marks as they were."""
    import toccata_contacts

    before = set(os.listdir(tempfile.gettempdir()))
    work = toccata_contacts.check_animation(bpy.context, [])
    said = ""
    while not said.startswith("Checking"):
        _, said = next(work)
    work.close()
    left = {name for name in set(os.listdir(tempfile.gettempdir())) - before if name.startswith("toccata-")}
    assert not [name for name in left if os.path.isdir(os.path.join(tempfile.gettempdir(), name, "part0"))], left


def check_words(plane, ball):
    """Errors of the command name frames and objects, not files and numbers."""
    import toccata_contacts

    with tempfile.TemporaryDirectory() as folder:
        part = toccata_contacts.Part(os.path.join(folder, "p"), [plane, ball])
        triangle = ([0.0] * 9, [(0, 1, 2)])
        part.add(4, [triangle, triangle])
        part.add(5, [triangle, (["nan"] * 9, [(0, 1, 2)])])
        settings = bpy.context.scene.toccata
        try:
            for _ in toccata_contacts.run_check(settings.command, part, settings):
                pass
        except toccata_contacts.Problem as problem:
            assert str(problem).startswith("frame 5:6: a number was expected"), problem
        else:
            raise AssertionError("a broken frame was checked")
        assert toccata_contacts.explain("toccata: part 2 meets part 1", part) == "Ball meets Plane"


def check_topology(plane, ball):
    """A modifier that changes the topology in the middle: told by the name of the object; contacts before and behind are found."""
    import toccata_contacts

    # Ball has more vertices from frame 15 on.
    finer = ball.modifiers.new("finer", "SUBSURF")
    for frame, levels in ((1, 0), (14, 0), (15, 1)):
        finer.levels = levels
        finer.keyframe_insert("levels", frame=frame)
    select(plane, ball)
    notes, said = [], ""
    for _, said in toccata_contacts.check_animation(bpy.context, notes):
        pass
    assert len(notes) == 1 and notes[0].startswith("Ball: ") and "frame 14" in notes[0] and "frame 15" in notes[0], notes
    assert "first at frame 8.500: Plane and Ball" in said, said
    assert bpy.ops.toccata.check() == {"FINISHED"}
    ball.modifiers.remove(finer)


def check_bake(command):
    """A cloth falls on a table: it hangs over the edge, and no vertex goes through the table at any frame."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, 0))
    table = bpy.context.object
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=16, y_subdivisions=16, size=2, location=(0.1, 0.2, 0.6), rotation=(0.1, 0.2, 0.3))
    cloth = bpy.context.object
    cloth.name = "Cloth"
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 31
    bpy.context.scene.toccata.command = command
    select(table, cloth)
    refused("mark one of the selected objects as cloth", bpy.ops.toccata.bake)
    cloth.toccata_cloth = True
    assert bpy.ops.toccata.bake() == {"FINISHED"}
    assert cloth.modifiers[0].type == "MESH_CACHE" and not table.modifiers
    heights = []
    for frame in range(1, 32):
        bpy.context.scene.frame_set(frame)
        seen = cloth.evaluated_get(bpy.context.evaluated_depsgraph_get())
        places = [seen.matrix_world @ v.co for v in seen.data.vertices]
        assert not [p for p in places if max(abs(p.x), abs(p.y), abs(p.z)) < 0.5], frame
        heights.append(min(p.z for p in places))
    assert heights[0] > 0.3 and heights[-1] < -0.2, heights
    assert bpy.ops.toccata.bake() == {"FINISHED"}  # in place of the one before
    assert len(cloth.modifiers) == 1


def check_import(command):
    """A step with its contacts opens with the moving mesh and a point at each contact."""
    import numpy

    with tempfile.TemporaryDirectory() as folder:
        for name, z in (("a", 1), ("b", -3)):
            with open(os.path.join(folder, f"{name}.obj"), "w", encoding="ascii") as out:
                out.write(f"v -4 -4 0\nv 5 -4 0\nv -4 5 0\nv 0.1 0.2 {z}\nv 0 1 9\nv 1 0 9\ng 1\nf 1 2 3\ng 2\nf 4 5 6\n")
        step = os.path.join(folder, "step.glb")
        paths = [os.path.join(folder, f"{name}.obj") for name in "ab"]
        subprocess.run([command, "check", *paths, "--contacts", step], check=True, capture_output=True)
        bpy.ops.wm.read_factory_settings(use_empty=True)
        numpy.bool = bool  # Debian's Blender 3.4 uses the old name, which its numpy has not any more
        assert bpy.ops.import_scene.gltf(filepath=step) == {"FINISHED"}
    points = bpy.data.objects["contacts"]
    assert len(points.data.vertices) == 1, len(points.data.vertices)
    moving = [o for o in bpy.data.objects if o.type == "MESH" and o != points]
    assert len(moving) == 1 and len(moving[0].data.shape_keys.key_blocks) == 2


def check_cache(command):
    """A point cache (.mdd) with its mesh: a vertex passes through a triangle halfway between the first two frames."""
    import addon_utils
    import json

    bpy.ops.wm.read_factory_settings(use_empty=True)
    addon_utils.enable("io_shape_mdd")
    mesh = bpy.data.meshes.new("Sheet")
    corners = [(-4, -4, 0), (5, -4, 0), (-4, 5, 0), (0.1, 0.2, 1), (0, 1, 9), (1, 0, 9)]
    mesh.from_pydata(corners, [], [(0, 1, 2), (3, 4, 5)])
    sheet = bpy.data.objects.new("Sheet", mesh)
    bpy.context.collection.objects.link(sheet)
    sheet.shape_key_add()
    low = sheet.shape_key_add()
    low.data[3].co.z = -3
    for frame, value in ((1, 0), (3, 1)):
        low.value = value
        low.keyframe_insert("value", frame=frame)
    for key in mesh.shape_keys.animation_data.action.fcurves[0].keyframe_points:
        key.interpolation = "LINEAR"
    bpy.context.view_layer.objects.active = sheet
    select(sheet)
    with tempfile.TemporaryDirectory() as folder:
        cache = os.path.join(folder, "sheet.mdd")
        bpy.ops.export_shape.mdd(filepath=cache, frame_start=1, frame_end=3, fps=25)
        bpy.ops.wm.obj_export(filepath=os.path.join(folder, "sheet.obj"), export_animation=False)
        run = subprocess.run([command, "check", cache, "--json"], check=True, capture_output=True, text=True)
    steps = json.loads(run.stdout)["steps"]
    assert [s["contacts"] for s in steps] == [1, 0], steps
    assert abs(steps[0]["first"] - 0.5) < 1e-6 and abs(steps[0]["first_time"] - 0.02) < 1e-6, steps


def test(command):
    sys.path.insert(0, os.path.dirname(os.path.abspath(ADD_ON)))
    import toccata_contacts

    plane, ball, far = make_scene()
    toccata_contacts.register()
    settings = bpy.context.scene.toccata
    select(plane, ball, far)
    settings.command = "nowhere"
    refused("is not on the PATH")
    settings.command = command
    assert bpy.ops.toccata.check() == {"FINISHED"}
    check_marks(bpy.data.collections["Toccata contacts"])
    assert bpy.ops.toccata.check() == {"FINISHED"}  # the old marks are replaced
    check_marks(bpy.data.collections["Toccata contacts"])
    check_cloud(bpy.data.collections["Toccata contacts"].objects["contacts"])
    check_cancel(command)
    check_words(plane, ball)
    check_topology(plane, ball)
    select(plane, far)
    assert bpy.ops.toccata.check() == {"FINISHED"}
    assert "Toccata contacts" not in bpy.data.collections and not bpy.context.scene.timeline_markers
    select()
    refused("select the objects")
    select(plane, ball)
    settings.own_range, settings.start, settings.end = True, 5, 5
    refused("two frames are needed")
    settings.start, settings.end, settings.stride = 1, 21, 20
    assert bpy.ops.toccata.check() == {"FINISHED"}
    assert bpy.ops.toccata.clear() == {"FINISHED"}
    check_bake(command)
    toccata_contacts.unregister()
    check_import(command)
    check_cache(command)
    print("the add-on marks the first contacts")


if bpy:
    test(sys.argv[sys.argv.index("--") + 1])
elif __name__ == "__main__":
    sys.exit(run_blender(sys.argv[1]))

# SPDX-License-Identifier: Apache-2.0
"""Blender add-on: check the animation of the selected objects with Toccata, and mark their first contacts.

Install it with Edit > Preferences > Add-ons > Install, and choose this file. The command `toccata` must be on the PATH, or
its path set in the panel: 3D view, sidebar (N), tab Toccata. Between two frames, vertices move on straight lines.
"""

bl_info = {
    "name": "Toccata contacts",
    "author": "The Toccata authors",
    "version": (0, 2, 0),
    "blender": (3, 3, 0),
    "location": "3D view > Sidebar > Toccata",
    "description": "Find when and where animated objects touch",
    "category": "Animation",
}

import array
import csv
import json
import os
import shutil
import subprocess
import tempfile

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

COLLECTION = "Toccata contacts"
POINTS = "contacts"
EXIT_FOUND = 4


class Problem(Exception):
    """A sentence for the user."""


def mesh_objects(context):
    return [o for o in context.selected_objects if o.type in {"MESH", "CURVE", "SURFACE", "META", "FONT"}]


def world_mesh(depsgraph, source):
    """The vertices in world space, 3 floats each, and the polygons of an object at the present frame."""
    evaluated = source.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    if mesh is None:
        return array.array("f"), []
    try:
        mesh.transform(evaluated.matrix_world)
        x = array.array("f", [0.0]) * (3 * len(mesh.vertices))
        mesh.vertices.foreach_get("co", x)
        return x, [tuple(p.vertices) for p in mesh.polygons]
    finally:
        evaluated.to_mesh_clear()


def write_frame(path, depsgraph, objects):
    """One OBJ of all objects, each a group with its number."""
    first = 1
    with open(path, "w", encoding="ascii") as out:
        for number, source in enumerate(objects, 1):
            x, polygons = world_mesh(depsgraph, source)
            out.writelines(f"v {x[i]!r} {x[i + 1]!r} {x[i + 2]!r}\n" for i in range(0, len(x), 3))
            out.write(f"g {number}\n")
            for polygon in polygons:
                out.write("f " + " ".join(str(first + v) for v in polygon) + "\n")
            first += len(x) // 3


def write_frames(context, objects, frames, folder):
    """The frames as files. The present frame of the scene is restored."""
    scene, before = context.scene, context.scene.frame_current
    paths = []
    try:
        for i, frame in enumerate(frames):
            scene.frame_set(frame)
            paths.append(os.path.join(folder, f"frame{i:05d}.obj"))
            write_frame(paths[-1], context.evaluated_depsgraph_get(), objects)
    finally:
        scene.frame_set(before)
    return paths


def find_command(settings):
    path = bpy.path.abspath(settings.command) if settings.command else shutil.which("toccata")
    if not path or not os.path.exists(path):
        raise Problem("the command toccata is not on the PATH; set its path in the panel")
    return path


def run_check(command, paths, folder, settings):
    """The JSON of toccata check."""
    words = [command, "check", *paths, "--json", "--contacts", os.path.join(folder, "hits.csv")]
    if not settings.self_contacts:
        words.append("--no-self")
    if settings.separation > 0:
        words += ["--separation", repr(settings.separation)]
    run = subprocess.run(words, capture_output=True, text=True, check=False)
    if run.returncode not in (0, EXIT_FOUND):
        raise Problem(run.stderr.strip().replace("toccata: ", "", 1) or f"toccata failed with status {run.returncode}")
    return json.loads(run.stdout)


def read_contacts(folder, frames):
    """All contacts: frame with its fraction, point, normal, and the numbers of the two objects. One step has no column `step`."""
    found = []
    with open(os.path.join(folder, "hits.csv"), newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            step, toc = int(row.get("step", 0)), float(row["toc"])
            found.append({
                "frame": frames[step] + toc * (frames[step + 1] - frames[step]),
                "toc": toc,
                "point": tuple(float(row[k]) for k in "xyz"),
                "normal": tuple(float(row[k]) for k in ("nx", "ny", "nz")),
                "pair": tuple(sorted((int(row["pid0"]), int(row["pid1"])))),
            })
    found.sort(key=lambda c: (c["frame"], c["point"]))
    return found


def clear_marks(scene):
    """Remove the marks of an earlier check."""
    old = bpy.data.collections.get(COLLECTION)
    if old:
        for item in list(old.objects):
            bpy.data.objects.remove(item, do_unlink=True)
        bpy.data.collections.remove(old)
    for marker in [m for m in scene.timeline_markers if m.name.startswith("touch: ")]:
        scene.timeline_markers.remove(marker)


def add_points(collection, contacts):
    """A mesh with a vertex at each contact; its attributes are `frame`, `toc` and `contact_normal`."""
    mesh = bpy.data.meshes.new(POINTS)
    mesh.from_pydata([c["point"] for c in contacts], [], [])
    for name in ("frame", "toc"):
        mesh.attributes.new(name, "FLOAT", "POINT").data.foreach_set("value", [c[name] for c in contacts])
    normals = mesh.attributes.new("contact_normal", "FLOAT_VECTOR", "POINT")
    normals.data.foreach_set("vector", [x for c in contacts for x in c["normal"]])
    collection.objects.link(bpy.data.objects.new(POINTS, mesh))


def mark_first(scene, collection, objects, contact, size):
    """An empty at the first contact of two objects, and a marker on the timeline."""
    names = [objects[i - 1].name for i in contact["pair"]]
    mark = bpy.data.objects.new(f"first {names[0]} - {names[1]}", None)
    mark.empty_display_type = "SPHERE"
    mark.empty_display_size = size
    mark.location = contact["point"]
    mark["frame"] = contact["frame"]
    mark["toc"] = contact["toc"]
    collection.objects.link(mark)
    scene.timeline_markers.new(f"touch: {names[0]} - {names[1]}", frame=int(contact["frame"]))


def mark_contacts(context, objects, contacts):
    """Mark them. Returns the first contact of each pair, earliest first."""
    scene = context.scene
    collection = bpy.data.collections.new(COLLECTION)
    scene.collection.children.link(collection)
    add_points(collection, contacts)
    first = {}
    for contact in contacts:
        first.setdefault(contact["pair"], contact)
    extent = max((max(o.dimensions) for o in objects), default=1.0)
    for contact in first.values():
        mark_first(scene, collection, objects, contact, max(0.02 * extent, 1e-4))
    return list(first.values())


def check_animation(context):
    """Check the selected objects. Returns a sentence on the result."""
    settings = context.scene.toccata
    objects = mesh_objects(context)
    start = settings.start if settings.own_range else context.scene.frame_start
    end = settings.end if settings.own_range else context.scene.frame_end
    frames = list(range(start, end + 1, settings.stride))
    if not objects:
        raise Problem("select the objects to check first")
    if len(frames) < 2:
        raise Problem(f"frames {start} to {end} are no motion; two frames are needed at least")
    command = find_command(settings)
    with tempfile.TemporaryDirectory(prefix="toccata-") as folder:
        paths = write_frames(context, objects, frames, folder)
        run_check(command, paths, folder, settings)
        contacts = read_contacts(folder, frames)
    clear_marks(context.scene)
    if not contacts:
        return "No contacts."
    first = mark_contacts(context, objects, contacts)
    context.scene.frame_set(int(first[0]["frame"]))
    names = " and ".join(objects[i - 1].name for i in first[0]["pair"])
    return f"{len(contacts)} contacts; first at frame {first[0]['frame']:.3f}: {names}"


class ToccataSettings(bpy.types.PropertyGroup):
    command: StringProperty(name="Command", description="The path of toccata; empty: on the PATH", subtype="FILE_PATH")
    own_range: BoolProperty(name="Own range", description="Other frames than those of the scene")
    start: IntProperty(name="Start", default=1)
    end: IntProperty(name="End", default=250)
    stride: IntProperty(name="Every", description="Check every n-th frame", default=1, min=1)
    self_contacts: BoolProperty(name="Objects touch themselves", default=False)
    separation: FloatProperty(name="Distance", description="Distance that counts as contact", min=0.0, subtype="DISTANCE")


class TOCCATA_OT_check(bpy.types.Operator):
    """Find when and where the selected objects touch, and mark the first contacts"""

    bl_idname = "toccata.check"
    bl_label = "Check animation"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        try:
            self.report({"INFO"}, check_animation(context))
        except Problem as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        return {"FINISHED"}


class TOCCATA_OT_clear(bpy.types.Operator):
    """Remove the marks of the last check"""

    bl_idname = "toccata.clear"
    bl_label = "Remove marks"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        clear_marks(context.scene)
        return {"FINISHED"}


class TOCCATA_PT_panel(bpy.types.Panel):
    bl_label = "Toccata"
    bl_idname = "TOCCATA_PT_panel"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Toccata"

    def draw(self, context):
        settings, layout = context.scene.toccata, self.layout
        layout.prop(settings, "command")
        layout.prop(settings, "own_range")
        if settings.own_range:
            row = layout.row(align=True)
            row.prop(settings, "start")
            row.prop(settings, "end")
        layout.prop(settings, "stride")
        layout.prop(settings, "self_contacts")
        layout.prop(settings, "separation")
        layout.operator("toccata.check")
        layout.operator("toccata.clear")


CLASSES = (ToccataSettings, TOCCATA_OT_check, TOCCATA_OT_clear, TOCCATA_PT_panel)


def register():
    for item in CLASSES:
        bpy.utils.register_class(item)
    bpy.types.Scene.toccata = PointerProperty(type=ToccataSettings)


def unregister():
    del bpy.types.Scene.toccata
    for item in reversed(CLASSES):
        bpy.utils.unregister_class(item)


if __name__ == "__main__":
    register()

# SPDX-License-Identifier: Apache-2.0
"""Blender add-on: check the animation of the selected objects with Toccata, and mark their contacts; bake a cloth that never passes
through the other selected objects.

Install it with Edit > Preferences > Add-ons > Install, and choose this file. The command `toccata` must be on the PATH, or
its path set in the panel: 3D view, sidebar (N), tab Toccata. Between two frames, vertices move on straight lines.
"""

bl_info = {
    "name": "Toccata contacts",
    "author": "The Toccata authors",
    "version": (1, 0, 0),
    "blender": (3, 3, 0),
    "location": "3D view > Sidebar > Toccata",
    "description": "Find when and where animated objects touch; bake cloth that never passes through",
    "category": "Animation",
}

import array
import csv
import json
import os
import shutil
import struct
import subprocess
import tempfile
import time

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

COLLECTION = "Toccata contacts"
POINTS = "contacts"
CLOUD = "Toccata contacts in time"
CACHE = "Toccata bake"
EXIT_FOUND = 4
POLL = 0.01  # seconds between two looks at a program that runs


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


def write_frame(path, shapes):
    """One OBJ of all objects, each a group with its number."""
    first = 1
    with open(path, "w", encoding="ascii") as out:
        for number, (x, polygons) in enumerate(shapes, 1):
            out.writelines(f"v {x[i]!r} {x[i + 1]!r} {x[i + 2]!r}\n" for i in range(0, len(x), 3))
            out.write(f"g {number}\n")
            for polygon in polygons:
                out.write("f " + " ".join(str(first + v) for v in polygon) + "\n")
            first += len(x) // 3


class Part:
    """Frames over which no object of a list changes its topology: files to check together."""

    def __init__(self, folder, objects):
        self.folder, self.objects, self.frames, self.paths = folder, objects, [], []
        os.mkdir(folder)

    def add(self, frame, shapes):
        self.frames.append(frame)
        self.paths.append(os.path.join(self.folder, f"frame{len(self.paths):05d}.obj"))
        write_frame(self.paths[-1], shapes)

    def name(self, number):
        return self.objects[number - 1].name


def changed_objects(before, after):
    """The numbers of the objects whose vertices or polygons are others."""
    return [i for i, (a, b) in enumerate(zip(before, after)) if len(a[0]) != len(b[0]) or a[1] != b[1]]


def write_parts(context, objects, frames, folder, notes):
    """Yield after each frame. Fills a list of parts, which it yields at last, and notes on objects whose modifiers change the
    topology: the step of the change is checked without these, since it is unknown which vertex is which."""
    scene, before = context.scene, context.scene.frame_current
    parts, last, last_frame = [], None, None
    try:
        for i, frame in enumerate(frames):
            scene.frame_set(frame)
            depsgraph = context.evaluated_depsgraph_get()
            shapes = [world_mesh(depsgraph, source) for source in objects]
            changed = changed_objects(last, shapes) if last else []
            for k in changed:
                notes.append(f"{objects[k].name}: {len(last[k][0]) // 3} vertices at frame {last_frame}, {len(shapes[k][0]) // 3} at "
                             f"frame {frame}: modifiers change its topology, so this step is checked without it")
            kept = [k for k in range(len(objects)) if k not in changed]
            if changed and kept:
                parts.append(Part(os.path.join(folder, f"part{len(parts)}"), [objects[k] for k in kept]))
                parts[-1].add(last_frame, [last[k] for k in kept])
                parts[-1].add(frame, [shapes[k] for k in kept])
            if changed or not last:
                parts.append(Part(os.path.join(folder, f"part{len(parts)}"), objects))
            parts[-1].add(frame, shapes)
            last, last_frame = shapes, frame
            yield (i + 1) / len(frames), f"frame {frame}"
    finally:
        scene.frame_set(before)
    yield 1.0, [part for part in parts if len(part.paths) > 1]


def find_command(settings):
    path = bpy.path.abspath(settings.command) if settings.command else shutil.which("toccata")
    if not path or not os.path.exists(path):
        raise Problem("the command toccata is not on the PATH; set its path in the panel")
    return path


def explain(text, part):
    """A sentence of the command in the words of the scene: frames and names of objects in place of files and numbers."""
    text = text.strip().replace("toccata: ", "", 1)
    for path, frame in zip(part.paths, part.frames):
        text = text.replace(path, f"frame {frame}")
    for number in range(len(part.objects), 0, -1):
        text = text.replace(f"part {number}", part.name(number))
    return text


def run_command(words, folder):
    """Run a program to its end: yields until then, and ends it where the generator is closed. Returns its status and its errors."""
    with open(os.path.join(folder, "errors.txt"), "w+", encoding="utf-8") as errors:
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=errors) as process:
            try:
                while process.poll() is None:
                    yield
                    time.sleep(POLL)
            finally:
                if process.poll() is None:
                    process.terminate()
        errors.seek(0)
        return process.returncode, errors.read()


def run_check(command, part, settings):
    """Run toccata check of a part; a generator."""
    words = [command, "check", *part.paths, "--contacts", os.path.join(part.folder, "hits.csv")]
    if not settings.self_contacts:
        words.append("--no-self")
    if settings.separation > 0:
        words += ["--separation", repr(settings.separation)]
    status, said = yield from run_command(words, part.folder)
    if status not in (0, EXIT_FOUND):
        raise Problem(explain(said, part) or f"toccata failed with status {status}")


def read_contacts(part):
    """All contacts: frame with its fraction, point, normal, and the names of the two objects. One step has no column `step`."""
    found = []
    frames = part.frames
    with open(os.path.join(part.folder, "hits.csv"), newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            step, toc = int(row.get("step", 0)), float(row["toc"])
            numbers = sorted((int(row["pid0"]), int(row["pid1"])))
            found.append({
                "frame": frames[step] + toc * (frames[step + 1] - frames[step]),
                "toc": toc,
                "point": tuple(float(row[k]) for k in "xyz"),
                "normal": tuple(float(row[k]) for k in ("nx", "ny", "nz")),
                "pair": tuple(part.name(number) for number in numbers),
            })
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


def add_socket(tree, name, kind, is_output=False):
    """A socket of a group, which Blender 4.0 keeps in another place."""
    if hasattr(tree, "interface"):
        return tree.interface.new_socket(name, in_out="OUTPUT" if is_output else "INPUT", socket_type=kind)
    return (tree.outputs if is_output else tree.inputs).new(kind, name)


def cloud_nodes(size):
    """Nodes that show a point at its frame, and for as many frames behind it as the input Frames tells."""
    old = bpy.data.node_groups.get(CLOUD)
    if old:
        bpy.data.node_groups.remove(old)
    tree = bpy.data.node_groups.new(CLOUD, "GeometryNodeTree")
    add_socket(tree, "Geometry", "NodeSocketGeometry")
    add_socket(tree, "Frames", "NodeSocketFloat").default_value = 12.0
    add_socket(tree, "Geometry", "NodeSocketGeometry", is_output=True)
    begin, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    frame = tree.nodes.new("GeometryNodeInputNamedAttribute")
    frame.data_type = "FLOAT"
    frame.inputs["Name"].default_value = "frame"
    now, age = tree.nodes.new("GeometryNodeInputSceneTime"), tree.nodes.new("ShaderNodeMath")
    age.operation = "SUBTRACT"
    early, late, gone = (tree.nodes.new("ShaderNodeMath") for _ in range(3))
    early.operation, late.operation, gone.operation = "LESS_THAN", "GREATER_THAN", "MAXIMUM"
    early.inputs[1].default_value = -1.0  # a contact between two frames is there at the first of them
    drop, points = tree.nodes.new("GeometryNodeDeleteGeometry"), tree.nodes.new("GeometryNodeMeshToPoints")
    points.inputs["Radius"].default_value = size
    link = tree.links.new
    link(begin.outputs["Geometry"], drop.inputs["Geometry"])
    link(now.outputs["Frame"], age.inputs[0])
    link(next(o for o in frame.outputs if o.enabled), age.inputs[1])
    link(age.outputs[0], early.inputs[0])
    link(age.outputs[0], late.inputs[0])
    link(begin.outputs["Frames"], late.inputs[1])
    link(early.outputs[0], gone.inputs[0])
    link(late.outputs[0], gone.inputs[1])
    link(gone.outputs[0], drop.inputs["Selection"])
    link(drop.outputs["Geometry"], points.inputs["Mesh"])
    link(next(o for o in points.outputs if o.enabled), end.inputs[0])
    return tree


def add_points(collection, contacts, size):
    """A mesh with a vertex at each contact; its attributes are `frame`, `toc` and `contact_normal`. A point cloud of it shows the contacts
    of the present frame and of those before it."""
    mesh = bpy.data.meshes.new(POINTS)
    mesh.from_pydata([c["point"] for c in contacts], [], [])
    for name in ("frame", "toc"):
        mesh.attributes.new(name, "FLOAT", "POINT").data.foreach_set("value", [c[name] for c in contacts])
    normals = mesh.attributes.new("contact_normal", "FLOAT_VECTOR", "POINT")
    normals.data.foreach_set("vector", [x for c in contacts for x in c["normal"]])
    points = bpy.data.objects.new(POINTS, mesh)
    collection.objects.link(points)
    points.modifiers.new("Contacts in time", "NODES").node_group = cloud_nodes(size / 2)


def mark_first(scene, collection, contact, size):
    """An empty at the first contact of two objects, and a marker on the timeline."""
    pair = " - ".join(contact["pair"])
    mark = bpy.data.objects.new(f"first {pair}", None)
    mark.empty_display_type = "SPHERE"
    mark.empty_display_size = size
    mark.location = contact["point"]
    mark["frame"] = contact["frame"]
    mark["toc"] = contact["toc"]
    collection.objects.link(mark)
    scene.timeline_markers.new(f"touch: {pair}", frame=int(contact["frame"]))


def mark_contacts(context, objects, contacts):
    """Mark them. Returns the first contact of each pair, earliest first."""
    scene = context.scene
    collection = bpy.data.collections.new(COLLECTION)
    scene.collection.children.link(collection)
    extent = max((max(o.dimensions) for o in objects), default=1.0)
    size = max(0.02 * extent, 1e-4)
    add_points(collection, contacts, size)
    first = {}
    for contact in contacts:
        first.setdefault(contact["pair"], contact)
    for contact in first.values():
        mark_first(scene, collection, contact, size)
    return list(first.values())


def check_animation(context, notes):
    """Check the selected objects. Yields (share of the work, a sentence); the last sentence is the result. Notes are sentences on objects."""
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
    contacts = []
    with tempfile.TemporaryDirectory(prefix="toccata-") as folder:
        parts = []
        for share, what in write_parts(context, objects, frames, folder, notes):
            parts = what
            yield 0.5 * share, f"Writing {what}" if isinstance(what, str) else "Checking"
        for i, part in enumerate(parts):
            for _ in run_check(command, part, settings):
                yield 0.5 + 0.5 * i / len(parts), f"Checking frames {part.frames[0]} to {part.frames[-1]}"
            contacts += read_contacts(part)
    contacts.sort(key=lambda c: (c["frame"], c["point"]))
    clear_marks(context.scene)
    if not contacts:
        yield 1.0, "No contacts."
        return
    first = mark_contacts(context, objects, contacts)
    context.scene.frame_set(int(first[0]["frame"]))
    names = " and ".join(first[0]["pair"])
    yield 1.0, f"{len(contacts)} contacts; first at frame {first[0]['frame']:.3f}: {names}"


# ---- cloth


def base_mesh(source):
    """The mesh of an object below its modifiers, in world space."""
    x = []
    for vertex in source.data.vertices:
        x.extend(source.matrix_world @ vertex.co)
    return x, [tuple(p.vertices) for p in source.data.polygons]


def describe_cloth(context, objects, folder):
    """The description of the simulation: cloths, and the other objects at rest. Its path."""
    settings, scene = context.scene.toccata, context.scene
    thickness = settings.thickness
    materials = {
        "cloth": {"area_density": settings.density, "stretch": settings.stretch, "bend": settings.bend, "friction": 0.5, "thickness": thickness},
        "rest": {"motion": "guided", "friction": 0.5, "thickness": thickness},
    }
    bodies = []
    for i, source in enumerate(objects):
        name = f"body{i}.obj"
        write_frame(os.path.join(folder, name), [base_mesh(source)])
        bodies.append({"mesh": name, "material": "cloth" if source.toccata_cloth else "rest"})
    path = os.path.join(folder, "cloth.json")
    fps = scene.render.fps / scene.render.fps_base
    gravity = list(scene.gravity) if scene.use_gravity else [0.0, 0.0, 0.0]
    text = {"what": "a cloth", "gravity": gravity, "step": 0.25 / fps, "frame_time": 1 / fps,
            "frames": scene.frame_end - scene.frame_start, "materials": materials, "bodies": bodies}
    with open(path, "w", encoding="utf-8") as out:
        json.dump(text, out)
    return path


def name_bodies(text, objects):
    """An error of the command with names of objects in place of files and numbers of bodies."""
    text = text.strip().replace("toccata: ", "", 1)
    for i in range(len(objects) - 1, -1, -1):
        text = text.replace(f"body{i}.obj", objects[i].name).replace(f"bodies[{i}]", objects[i].name)
        text = text.replace(f"body {i}", objects[i].name)
    return text


def read_vertices(path):
    with open(path, encoding="ascii") as file:
        return [tuple(float(word) for word in line.split()[1:4]) for line in file if line.startswith("v ")]


def write_cache(path, source, frames, first):
    """A point cache (PC2) of an object's vertices, in its own space."""
    back, count = source.matrix_world.inverted(), len(source.data.vertices)
    with open(path, "wb") as out:
        out.write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, count, 0.0, 1.0, len(frames)))
        for vertices in frames:
            for place in vertices[first:first + count]:
                moved = [sum(back[i][k] * place[k] for k in range(3)) + back[i][3] for i in range(3)]
                out.write(struct.pack("<3f", *moved))


def cache_path(source):
    """Beside the .blend file; in the folder of the session where it is not saved yet."""
    folder = bpy.path.abspath("//toccata") if bpy.data.filepath else os.path.join(bpy.app.tempdir, "toccata")
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, bpy.path.clean_name(source.name) + ".pc2")


def put_cache(source, path, start):
    """The cache as the first modifier, in place of an earlier one."""
    old = source.modifiers.get(CACHE)
    if old:
        source.modifiers.remove(old)
    modifier = source.modifiers.new(CACHE, "MESH_CACHE")
    while source.modifiers[0] != modifier:
        source.modifiers.move(len(source.modifiers) - 1, 0)
    modifier.cache_format, modifier.filepath, modifier.frame_start = "PC2", path, start


def bake_cloth(context, notes):
    """Simulate the selected cloths among the other selected objects. Yields (share of the work, a sentence)."""
    objects = [o for o in context.selected_objects if o.type == "MESH"]
    cloths = [o for o in objects if o.toccata_cloth]
    scene = context.scene
    if not cloths:
        raise Problem("mark one of the selected objects as cloth")
    if scene.frame_end <= scene.frame_start:
        raise Problem(f"frames {scene.frame_start} to {scene.frame_end} are no motion; two frames are needed at least")
    command = find_command(scene.toccata)
    before = scene.frame_current
    scene.frame_set(scene.frame_start)
    for source in objects:
        if source.animation_data and not source.toccata_cloth:
            notes.append(f"{source.name}: rests where it is at frame {scene.frame_start}; its animation is not simulated")
    with tempfile.TemporaryDirectory(prefix="toccata-") as folder:
        path, out = describe_cloth(context, objects, folder), os.path.join(folder, "out")
        scene.frame_set(before)
        count = scene.frame_end - scene.frame_start
        working = run_command([command, "simulate", path, "--out", out, "--format", "obj"], folder)
        while True:
            try:
                next(working)
            except StopIteration as ended:
                status, said = ended.value
                break
            done = len([n for n in os.listdir(out) if n.endswith(".obj")]) if os.path.isdir(out) else 0
            yield min(done / (count + 1), 1.0), f"Checking and moving, frame {scene.frame_start + done}"
        if status != 0:
            raise Problem(name_bodies(said, objects) or f"toccata failed with status {status}")
        names = sorted(n for n in os.listdir(out) if n.endswith(".obj"))
        frames = [read_vertices(os.path.join(out, n)) for n in names]
    all_vertices = sum(len(o.data.vertices) for o in objects)
    if len(frames) < 2 or any(len(f) != all_vertices for f in frames):
        raise Problem("the simulation has other vertices than the objects; apply modifiers and triangulate first")
    first = 0
    for source in objects:
        if source.toccata_cloth:
            write_cache(cache_path(source), source, frames, first)
            put_cache(source, cache_path(source), scene.frame_start)
        first += len(source.data.vertices)
    yield 1.0, f"{len(frames)} frames of {' and '.join(o.name for o in cloths)}"


class ToccataSettings(bpy.types.PropertyGroup):
    command: StringProperty(name="Command", description="The path of toccata; empty: on the PATH", subtype="FILE_PATH")
    own_range: BoolProperty(name="Own range", description="Other frames than those of the scene")
    start: IntProperty(name="Start", default=1)
    end: IntProperty(name="End", default=250)
    stride: IntProperty(name="Every", description="Check every n-th frame", default=1, min=1)
    self_contacts: BoolProperty(name="Objects touch themselves", default=False)
    separation: FloatProperty(name="Distance", description="Distance that counts as contact", min=0.0, subtype="DISTANCE")
    thickness: FloatProperty(name="Thickness", description="Gap that cloth keeps, from thickness", default=0.01, min=1e-5, subtype="DISTANCE")
    density: FloatProperty(name="Weight", description="Kilograms a square metre", default=0.2, min=1e-4)
    stretch: FloatProperty(name="Stretch", description="Resistance to stretching, newtons a metre", default=400.0, min=1e-3)
    bend: FloatProperty(name="Bend", description="Resistance to bending, newton metres", default=1e-5, min=0.0, precision=6)


class Work:
    """An operator whose work is a generator of (share, sentence): `work_of` of a class."""

    SHARE = 0.05  # seconds of work between two looks at the keyboard

    def execute(self, context):
        """All at once, for scripts."""
        notes, said = [], ""
        try:
            for _, said in self.work_of(context, notes):
                pass
        except Problem as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        return self.tell(notes, said)

    def invoke(self, context, event):
        """Piece by piece, while the window stays alive."""
        if bpy.app.background:
            return self.execute(context)
        self.notes, self.said = [], ""
        self.work = self.work_of(context, self.notes)
        self.timer = context.window_manager.event_timer_add(0.01, window=context.window)
        context.window_manager.progress_begin(0, 100)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self.end(context)
            self.report({"INFO"}, "Cancelled; all is as before.")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        until = time.monotonic() + self.SHARE
        try:
            while time.monotonic() < until:
                share, self.said = next(self.work)
                context.window_manager.progress_update(100 * share)
                context.workspace.status_text_set(f"Toccata: {100 * share:.0f} %. {self.said}. Esc cancels")
                if self.said.startswith("Checking"):
                    break
        except StopIteration:
            self.end(context)
            return self.tell(self.notes, self.said)
        except Problem as problem:
            self.end(context)
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        return {"PASS_THROUGH"}

    def end(self, context):
        """Stop the command, if it runs, and put away what the work needed."""
        self.work.close()
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)

    def tell(self, notes, said):
        for note in notes:
            self.report({"WARNING"}, note)
        self.report({"INFO"}, said)
        return {"FINISHED"}


class TOCCATA_OT_check(Work, bpy.types.Operator):
    """Find when and where the selected objects touch, and mark the first contacts. Esc cancels"""

    bl_idname = "toccata.check"
    bl_label = "Check animation"
    bl_options = {"REGISTER", "UNDO"}

    def work_of(self, context, notes):
        return check_animation(context, notes)


class TOCCATA_OT_bake(Work, bpy.types.Operator):
    """Simulate the selected cloths, which never pass through the other selected objects or themselves. Esc cancels"""

    bl_idname = "toccata.bake"
    bl_label = "Bake cloth"
    bl_options = {"REGISTER", "UNDO"}

    def work_of(self, context, notes):
        return bake_cloth(context, notes)


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
        layout.separator()
        if context.object and context.object.type == "MESH":
            layout.prop(context.object, "toccata_cloth")
        for name in ("thickness", "density", "stretch", "bend"):
            layout.prop(settings, name)
        layout.operator("toccata.bake")


CLASSES = (ToccataSettings, TOCCATA_OT_check, TOCCATA_OT_clear, TOCCATA_OT_bake, TOCCATA_PT_panel)


def register():
    for item in CLASSES:
        bpy.utils.register_class(item)
    bpy.types.Scene.toccata = PointerProperty(type=ToccataSettings)
    bpy.types.Object.toccata_cloth = BoolProperty(name="Cloth", description="Bake this object as cloth")


def unregister():
    del bpy.types.Scene.toccata, bpy.types.Object.toccata_cloth
    for item in reversed(CLASSES):
        bpy.utils.unregister_class(item)


if __name__ == "__main__":
    register()

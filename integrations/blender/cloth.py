# SPDX-License-Identifier: Apache-2.0
"""The cloth of the picture, baked without a window: blender --background --python cloth.py. Saves cloth.blend and its point cache."""

import os
import sys

import bpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "blender"))
import toccata_contacts

toccata_contacts.register()
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath("cloth.blend"))
bpy.ops.mesh.primitive_cube_add(size=1.2)
bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4, radius=0.4, location=(0.1, 0, 1.05))
bpy.ops.mesh.primitive_grid_add(x_subdivisions=36, y_subdivisions=36, size=2, location=(0, 0, 1.5), rotation=(0, 0, 0.4))
bpy.context.object.name = "Cloth"
bpy.context.object.toccata_cloth = True
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 41
bpy.ops.object.select_all(action="SELECT")
if bpy.ops.toccata.bake() != {"FINISHED"}:
    sys.exit(1)
bpy.ops.wm.save_mainfile()
print("cloth.blend:", bpy.context.scene.frame_end, "frames")

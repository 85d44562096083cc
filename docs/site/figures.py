# SPDX-License-Identifier: Apache-2.0
"""Figures of the pages: python3 figures.py OUT_DIR. Each is computed by the package."""
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import toccata

from drawings import draw_all

out = Path(sys.argv[1])


def draw_pair(axes, kind, x0, x1, title):
    """A pair at the start (grey), at the time of contact (blue), and its contact point."""
    hit = toccata.pair.find(kind, x0, x1)
    for x, colour in ((x0, "0.75"), (toccata.interpolate(hit.toc, x0, x1), "tab:blue")):
        x = np.asarray(x, float)
        if kind == "vf":
            axes.plot_trisurf(*x[1:].T, triangles=[[0, 1, 2]], color=colour, alpha=0.5)
            axes.scatter(*x[0], color=colour, s=30)
        else:
            axes.plot(*x[:2].T, color=colour, linewidth=3)
            axes.plot(*x[2:].T, color=colour, linewidth=3, linestyle="--")
    axes.scatter(*hit.point, color="tab:red", s=40, depthshade=False)
    axes.quiver(*hit.point, *hit.normal, length=0.5, color="tab:red")
    axes.set_title(f"{title}: touch at {hit.toc:.2f}")
    axes.set_box_aspect(None, zoom=1.15)
    axes.set_axis_off()


def contact():
    figure = plt.figure(figsize=(9, 4))
    draw_pair(
        figure.add_subplot(121, projection="3d"),
        "vf",
        [[0.3, 0.3, 1], [0, 0, 0], [1, 0, 0], [0, 1, 0]],
        [[0.3, 0.3, -0.5], [0, 0, 0.2], [1, 0, 0.2], [0, 1, 0.2]],
        "vertex and face (VF)",
    )
    draw_pair(
        figure.add_subplot(122, projection="3d"),
        "ee",
        [[0, 0.5, 1], [1, 0.5, 1], [0.5, 0, 0], [0.5, 1, 0.3]],
        [[0, 0.5, -0.5], [1, 0.5, -0.3], [0.5, 0, 0], [0.5, 1, 0.3]],
        "edge and edge (EE)",
    )
    figure.tight_layout()
    figure.savefig(out / "contact.png", dpi=100)


def steps():
    """The height of a falling point above a triangle, and the steps of the three questions."""
    x0 = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, 1.0]])
    x1 = x0 - np.array([[0, 0, 0]] * 3 + [[0, 0, 1.6]])
    scene = toccata.Scene(toccata.Mesh(x0, {"triangle": [[0, 1, 2]], "point": [[3]]}, x1))
    room = scene.room_step(share=0.2, most=1)
    figure, axes = plt.subplots(figsize=(8, 3))
    axes.plot([0, 1], [1, -0.6], color="0.5", label="height of the point")
    axes.axhline(0, color="k", linewidth=0.8)
    axes.axhspan(0, room.kept, color="tab:orange", alpha=0.15, label="distance that is kept (share 0.2)")
    for name, at, colour in (
        ("first contact, safe step just before it", scene.first_contact().toc, "tab:red"),
        ("step with room", room.fraction, "tab:orange"),
    ):
        axes.axvline(at, color=colour, label=f"{name}: {at:.3f}")
    axes.set(xlabel="time in the step", ylabel="height", xlim=(0, 1))
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(out / "steps.png", dpi=100)


contact()
steps()
draw_all(out)

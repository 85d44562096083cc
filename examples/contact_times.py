# SPDX-License-Identifier: Apache-2.0
"""A heat map: when each vertex of a sheet first touches a ball that flies through it.

    python3 examples/contact_times.py [contact_times.png]
"""
import sys

import matplotlib.pyplot as plt
import numpy as np
from shapes import ball, grid

import toccata


def main() -> None:
    sheet = toccata.Mesh(*grid(80, 2))
    flying = toccata.Mesh(*ball(0.7, rings=24))
    flying.set_motion(flying.x0 + [-0.4, -0.2, 1.0], flying.x0 + [0.3, 0.2, 0.0])  # it falls, and drifts to the right
    scene = toccata.Scene(sheet, flying)
    found = scene.contacts()
    times = found.vertex_times(sheet, 0)
    print(f"{len(found)} contacts of {found.chosen} in {1000 * found.seconds:.1f} ms; the first at {found.first().toc:.4f}, "
          f"{np.isfinite(times).sum()} vertices of the sheet touch")

    figure, axes = plt.subplots(figsize=(6, 5))
    x = sheet.x0
    faces = sheet.elements("triangle")["corners"]
    axes.triplot(x[:, 0], x[:, 1], faces, linewidth=0.15, color="0.7")
    touched = np.isfinite(times)
    dots = axes.scatter(x[touched, 0], x[touched, 1], c=times[touched], s=9, cmap="viridis")
    axes.plot(*found.first().point[:2], "r+", markersize=14, label="first contact")
    axes.legend()
    axes.set(title="first contact of each vertex", aspect="equal")
    figure.colorbar(dots, label="time of contact, fraction of the step")
    figure.tight_layout()
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "contact_times.png", dpi=110)


main()

# SPDX-License-Identifier: Apache-2.0
"""A cloth falls over a ball. Every step is checked: no contact, and the nearest pairs of features are counted.

    python3 examples/cloth.py [cloth.png]
"""
import sys

import matplotlib.pyplot as plt
import numpy as np
from shapes import ball, grid

import toccata


def main() -> None:
    sim = toccata.Simulation(step=1 / 60)
    obstacle = toccata.Mesh(*ball(0.3))
    cloth = toccata.Mesh(*grid(24, 1.2, 0.35))
    sim.add(obstacle, "guided", thickness=0.01)
    body = sim.add(cloth, thickness=0.01, friction=0.5)
    faces = cloth.elements("triangle")["corners"]

    shown, near, heights = [], [], []
    for step in range(46):
        if step in (0, 15, 45):
            shown.append((sim.time, sim.positions(body)))
        report = sim.step()
        # The simulation promises this; the scene of its last step proves it.
        assert sim.scene.first_contact() is None, "the cloth went through something"
        near.append(len(sim.scene.near(0.02)))
        heights.append(sim.positions(body)[:, 2].min())
    print(f"{len(near)} steps without a contact, {near[-1]} pairs within 0.02 at the end, {report.impacts} impacts in the last")

    figure = plt.figure(figsize=(13, 4))
    for i, (time, x) in enumerate(shown):
        axes = figure.add_subplot(1, 4, i + 1, projection="3d")
        axes.plot_trisurf(*obstacle.x1.T, triangles=obstacle.elements("triangle")["corners"], color="0.8", linewidth=0)
        axes.plot_trisurf(*x.T, triangles=faces, color="tab:blue", alpha=0.7, linewidth=0.2, edgecolor="white")
        axes.set(title=f"{time:.2f} s", xlim=(-0.5, 0.5), ylim=(-0.5, 0.5), zlim=(-0.5, 0.5))
        axes.set_axis_off()
        axes.view_init(15, -60)
    axes = figure.add_subplot(1, 4, 4)
    axes.plot(np.arange(1, 47) / 60, near)
    axes.set(title="near pairs, none in contact", xlabel="time, s")
    figure.tight_layout()
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "cloth.png", dpi=110)


main()

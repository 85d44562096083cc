# SPDX-License-Identifier: Apache-2.0
"""Incremental potential contact (Li et al. 2020) with Toccata as its collision part: a cloth falls over a ball.

Each time step minimises inertia, springs and a barrier by Newton's method. Toccata gives the pairs of the barrier
(`near`), the step that keeps a share of every distance (`room_step`), and the proof that the accepted step has no contact.
docs/coming-from-ipctk.md has the table of calls.

    python3 examples/line_search.py [line_search.png]
"""
import sys

import matplotlib.pyplot as plt
import numpy as np
from shapes import grid, octahedron

import toccata

DHAT = 0.01  # the barrier acts below this distance
KAPPA = 1e-2  # its stiffness, energy
STIFFNESS, MASS, STEP = 20.0, 1e-3, 1 / 60
GRAVITY = np.array([0, 0, -9.81])


def barrier(near):
    """IPC's barrier of the distances, with its first two derivatives."""
    d = near["distance"]
    log, gap = np.log(d / DHAT), d - DHAT
    value = -KAPPA * (gap / DHAT) ** 2 * log
    first = -KAPPA / DHAT**2 * (2 * gap * log + gap**2 / d)
    second = -KAPPA / DHAT**2 * (2 * log + 4 * gap / d - (gap / d) ** 2)
    return value.sum(), first, np.maximum(second, 0)


class Problem:
    """The energy of one time step in the positions x of all vertices; those below `free` do not move."""

    def __init__(self, scene, mesh, rest, edges, free):
        self.scene, self.mesh, self.edges, self.free = scene, mesh, edges, free
        self.lengths = np.linalg.norm(rest[edges[:, 0]] - rest[edges[:, 1]], axis=1)

    def near(self, x):
        self.mesh.set_motion(x, x)
        return self.scene.near(DHAT)

    def energy(self, x, aim):
        d = x[self.edges[:, 0]] - x[self.edges[:, 1]]
        springs = 0.5 * STIFFNESS * ((np.linalg.norm(d, axis=1) - self.lengths) ** 2).sum()
        near = self.near(x)
        return 0.5 * MASS * ((x - aim)[self.free:] ** 2).sum() + STEP**2 * (springs + barrier(near)[0]), near

    def direction(self, x, aim, near):
        """Newton's direction, with the positive part of each Hessian."""
        n = len(x)
        gradient, hessian = MASS * (x - aim), np.zeros((n, 3, n, 3))
        hessian[np.arange(n), :, np.arange(n)] = MASS * np.eye(3)
        i, j = self.edges.T
        d = x[i] - x[j]
        length = np.linalg.norm(d, axis=1)
        unit = d / length[:, None]
        force = STEP**2 * STIFFNESS * (length - self.lengths)[:, None] * unit
        np.add.at(gradient, i, force)
        np.add.at(gradient, j, -force)
        along = np.einsum("ka,kb->kab", unit, unit)
        bend = np.maximum(1 - self.lengths / length, 0)[:, None, None] * (np.eye(3) - along)
        for a, b, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
            np.add.at(hessian, (a, slice(None), b), sign * STEP**2 * STIFFNESS * (along + bend))
        # The distance changes along the normal, by the weights of the closest points on the two features.
        _, first, second = barrier(near)
        sides = np.where(near["kind"][:, None] == toccata.Kind.VF, [1, -1, -1, -1], [1, 1, -1, -1])
        slope = (sides * near["weights"])[:, :, None] * near["normal"][:, None, :]
        v = near["v"].astype(int)
        for a in range(4):
            np.add.at(gradient, v[:, a], STEP**2 * first[:, None] * slope[:, a])
            for b in range(4):
                block = STEP**2 * second[:, None, None] * np.einsum("ka,kb->kab", slope[:, a], slope[:, b])
                np.add.at(hessian, (v[:, a], slice(None), v[:, b]), block)
        moving = slice(self.free, None)
        size = 3 * (n - self.free)
        step = np.zeros_like(x)
        step[moving] = -np.linalg.solve(hessian[moving, :, moving].reshape(size, size), gradient[moving].ravel()).reshape(-1, 3)
        return step

    def minimise(self, x, aim):
        """Newton's method with a line search that cannot cross a surface. Return positions, iterations, shortest step."""
        energy, near = self.energy(x, aim)
        shortest = 1.0
        for iteration in range(1, 16):
            step = self.direction(x, aim, near)
            self.mesh.set_motion(x, x + step)
            fraction = self.scene.room_step(share=0.2, most=DHAT / 10).fraction
            shortest = min(shortest, fraction)
            while True:
                trial = toccata.interpolate(fraction, x, x + step)
                after, near = self.energy(trial, aim)
                if after <= energy or fraction < 1e-8:
                    break
                fraction /= 2
            self.mesh.set_motion(x, trial)
            assert self.scene.first_contact() is None
            x, energy = trial, after
            if np.abs(step).max() < 1e-4:
                break
        return x, iteration, shortest


def main() -> None:
    solid, ball_faces = octahedron(0.25)
    cloth, cloth_faces = grid(10, 1.0, 0.27)
    x = rest = np.concatenate((solid, cloth))
    mesh = toccata.Mesh(x, np.concatenate((ball_faces, cloth_faces + len(solid))))
    edges = mesh.features().edges
    edges = edges[(edges >= len(solid)).all(axis=1)].astype(int)
    problem = Problem(toccata.Scene(mesh), mesh, rest, edges, len(solid))

    velocity, log, start = np.zeros_like(x), [], x
    for _ in range(40):
        aim = x + STEP * velocity + STEP**2 * GRAVITY
        after, iterations, shortest = problem.minimise(x, aim)
        velocity, x = (after - x) / STEP, after
        near = problem.near(x)
        log.append((iterations, shortest, near["distance"].min(initial=DHAT), len(near)))
    iterations, shortest, distance, pairs = np.array(log).T
    assert len(problem.scene.overlaps()) == 0 and distance.min() > 0
    print(f"{len(log)} steps, {int(iterations.sum())} iterations, {int(pairs[-1])} pairs near at the end, "
          f"least distance {distance.min():.1e}, shortest step {shortest.min():.3f}; no contact")

    figure = plt.figure(figsize=(11, 4))
    for i, (title, at) in enumerate((("start", start), ("after 40 steps", x))):
        axes = figure.add_subplot(1, 3, i + 1, projection="3d")
        axes.plot_trisurf(*at.T, triangles=ball_faces, color="0.7")
        axes.plot_trisurf(*at.T, triangles=cloth_faces + len(solid), color="tab:blue", alpha=0.6, edgecolor="white", linewidth=0.3)
        axes.set(title=title, xlim=(-0.4, 0.4), ylim=(-0.4, 0.4), zlim=(-0.4, 0.4))
        axes.set_axis_off()
    axes = figure.add_subplot(1, 3, 3)
    axes.semilogy(distance, label="least distance")
    axes.semilogy(shortest, label="shortest step of the line search")
    axes.set(xlabel="time step")
    axes.legend()
    figure.tight_layout()
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "line_search.png", dpi=110)


main()

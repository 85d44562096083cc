# SPDX-License-Identifier: Apache-2.0
"""Hyperelastic blocks that fall onto each other: FEniCSx has the bodies, Toccata keeps them apart.

Each time step minimises inertia, the elastic energy of FEniCSx and the barrier of Toccata by Newton's method. No step of
its line search crosses a surface (`Scene.room_step`), and no state has an intersection: `Scene.overlaps` is exact.

    [mpirun -n 4] python3 blocks.py [--steps N] [--picture blocks.png]

Processes share the elements, the derivatives of contact and the matrix. Each has all positions, and searches the whole surface.
"""
import argparse
import logging
import sys
import time

import numpy as np
import ufl
from dolfinx import fem, mesh
from dolfinx.fem import petsc
from mpi4py import MPI
from petsc4py import PETSc
from scipy.sparse import csr_matrix, diags

import toccata

logging.disable(logging.INFO)  # of the compiler of forms

STEP = 0.01  # seconds
DENSITY, YOUNG, POISSON = 1e3, 3e4, 0.35
GRAVITY = np.array([0, 0, -9.81])
DISTANCE = 0.01  # the barrier acts below this
STIFFNESS = 1e9  # of the barrier, energy / length^4
SLIP = 1e-3 * STEP  # sliding below 1 mm/s is smoothed
FRICTION = 0.3

world = MPI.COMM_WORLD


def make_mesh(cells, blocks):
    """Boxes, each with its low corner, its size and its turn about z, in one mesh of FEniCSx, which it distributes."""
    points, tets = [np.zeros((0, 3))], [np.zeros((0, 4), int)]
    blocks = blocks if world.rank == 0 else []
    for low, size, angle in blocks:
        box = mesh.create_box(MPI.COMM_SELF, [np.zeros(3), np.array(size)], [cells] * 3)
        x = box.geometry.x - np.array(size) / 2
        turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        tets.append(box.geometry.dofmap.array.reshape(-1, 4) + sum(map(len, points)))
        points.append(x @ turn.T + np.array(size) / 2 + low)
    element = ufl.Mesh(ufl.VectorElement("Lagrange", ufl.tetrahedron, 1))
    return mesh.create_mesh(world, np.concatenate(tets).astype(np.int64), np.concatenate(points), element)


def gather(own):
    """The rows of all processes, one after the other: FEniCSx numbers the degrees of freedom in this order."""
    return np.concatenate(world.allgather(own))


def boundary(tets):
    """The faces of one tet only, wound outwards."""
    faces = np.concatenate([tets[:, corners] for corners in ([0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3])])
    _, first, counts = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return faces[first[counts == 1]]


class Bodies:
    """The bodies as FEniCSx sees them: inertia and elastic energy, with derivatives, in the positions of all vertices.

    Vectors are whole in each process; of a matrix it has the rows of its own degrees of freedom.
    """

    def __init__(self, domain):
        space = fem.VectorFunctionSpace(domain, ("CG", 1))
        vertices, cells = space.dofmap.index_map, domain.topology.index_map(3)
        self.known = vertices.local_to_global(np.arange(vertices.size_local + vertices.num_ghosts, dtype=np.int32))
        self.own_tets = self.known[space.dofmap.list.array.reshape(-1, 4)[: cells.size_local]]
        self.rest = gather(space.tabulate_dof_coordinates()[: vertices.size_local])
        self.tets = gather(self.own_tets)
        self.ranges = [slice(3 * first, 3 * end) for first, end in world.allgather(vertices.local_range)]
        self.own = self.ranges[world.rank]
        self.displacement = fem.Function(space)
        test, trial = ufl.TestFunction(space), ufl.TrialFunction(space)
        mu, lame = YOUNG / 2 / (1 + POISSON), YOUNG * POISSON / (1 + POISSON) / (1 - 2 * POISSON)
        deformation = ufl.Identity(3) + ufl.grad(self.displacement)
        volume = ufl.det(deformation)
        density = mu / 2 * (ufl.inner(deformation, deformation) - 3 - 2 * ufl.ln(volume)) + lame / 2 * ufl.ln(volume) ** 2
        energy = density * ufl.dx
        force = ufl.derivative(energy, self.displacement, test)
        self._energy, self._force = fem.form(energy), fem.form(force)
        self._stiffness = fem.form(ufl.derivative(force, self.displacement, trial))
        self.mass = self._rows(fem.form(DENSITY * ufl.inner(trial, test) * ufl.dx))

    def _rows(self, form):
        matrix = petsc.assemble_matrix(form)
        matrix.assemble()
        rows, columns, values = matrix.getValuesCSR()
        return csr_matrix((values, columns, rows), shape=(len(rows) - 1, self.rest.size))

    def is_upright(self, x):
        corner, *others = (x[self.own_tets[:, i]] for i in range(4))
        rest, *rests = (self.rest[self.own_tets[:, i]] for i in range(4))
        now = np.linalg.det(np.stack([other - corner for other in others], axis=1))
        then = np.linalg.det(np.stack([other - rest for other in rests], axis=1))
        return world.allreduce(bool((now * then > 0).all()), MPI.LAND)

    def inertia(self, move):
        """M times the move, whole."""
        return gather(self.mass @ move.ravel())

    def energy(self, x):
        self.displacement.x.array[:] = (x - self.rest)[self.known].ravel()
        return world.allreduce(fem.assemble_scalar(self._energy))

    def derivatives(self, x):
        self.displacement.x.array[:] = (x - self.rest)[self.known].ravel()
        force = petsc.assemble_vector(self._force)
        force.ghostUpdate(addv=PETSc.InsertMode.ADD, mode=PETSc.ScatterMode.REVERSE)
        return gather(force.array), self._rows(self._stiffness)

    def solve(self, rows, vector):
        """The solution of a system of equations, whole."""
        size = (rows.shape[0], self.rest.size)
        matrix = PETSc.Mat().createAIJ((size, size), csr=(rows.indptr, rows.indices, rows.data), comm=world)
        solver = PETSc.KSP().create(world)
        solver.setOperators(matrix)
        solver.setType("preonly")
        solver.getPC().setType("lu")
        solver.getPC().setFactorSolverType("mumps")
        right, solution = matrix.createVecLeft(), matrix.createVecRight()
        right.array[:] = vector[self.own]
        solver.solve(right, solution)
        return gather(solution.array)


class Solver:
    """One time step after another; the vertices of `fixed` stay."""

    def __init__(self, bodies, fixed):
        self.bodies, self.free = bodies, np.repeat(~fixed, 3)
        self.x = bodies.rest.copy()
        self.velocity = np.zeros_like(self.x)
        self.mesh = toccata.Mesh(self.x, boundary(bodies.tets))
        self.scene = toccata.Scene(self.mesh)
        self.lag = None
        self.crossings = self.iterates = 0

    def contact(self, x, order):
        """Barrier at x, and friction of the step so far with the forces at its start. Each process takes some of the pairs."""
        self.mesh.set_motion(self.start, x)
        near = self.scene.near(DISTANCE, "end").share(world.rank, world.size)
        lag = self.lag.share(world.rank, world.size)
        settings = {"stiffness": STIFFNESS, "rest": self.bodies.rest, "order": order}
        barrier = self.scene.barrier(DISTANCE, "end", near=near, **settings)
        rub = self.scene.friction(lag, DISTANCE, SLIP, coefficient=FRICTION, **settings)
        return barrier, rub

    def energy(self, x, aim):
        if not self.bodies.is_upright(x):
            return np.inf
        move = x - aim
        barrier, rub = self.contact(x, 0)
        contact = world.allreduce(barrier.energy + rub.energy)
        return 0.5 * move.ravel() @ self.bodies.inertia(move) + STEP**2 * (self.bodies.energy(x) + contact)

    def rows_of_contact(self, potentials):
        """The sum of the Hessians of all processes: each gets its own rows from the others."""
        whole = sum(potential.hessian for potential in potentials)
        return sum(world.alltoall([whole[rows] for rows in self.bodies.ranges]))

    def fixed_rows(self, rows):
        """The own rows of a matrix in which the fixed vertices do not take part."""
        free = self.free.astype(float)
        own = self.bodies.own
        unit = csr_matrix((1 - free[own], (np.arange(own.stop - own.start), np.arange(own.start, own.stop))), shape=rows.shape)
        return (diags(free[own]) @ rows @ diags(free) + unit).tocsr()

    def direction(self, x, aim):
        force, stiffness = self.bodies.derivatives(x)
        potentials = self.contact(x, 2)
        pushes = world.allreduce(sum(potential.gradient for potential in potentials))
        gradient = self.bodies.inertia(x - aim) + STEP**2 * (force + pushes.ravel())
        gradient[~self.free] = 0
        hessian = self.bodies.mass + STEP**2 * (stiffness + self.rows_of_contact(potentials))
        step = -self.bodies.solve(self.fixed_rows(hessian), gradient)
        if step @ gradient > 0:  # the elastic part was indefinite: inertia alone is not
            step = -self.bodies.solve(self.fixed_rows(self.bodies.mass), gradient)
        return step.reshape(x.shape)

    def search(self, x, step, aim, energy):
        """The longest step that stays free and does not raise the energy."""
        self.mesh.set_motion(x, x + step)
        fraction = self.scene.room_step(share=0.2, most=DISTANCE / 10).fraction
        for _ in range(30):
            trial = toccata.interpolate(fraction, x, x + step)
            after = self.energy(trial, aim)
            if after <= energy:
                break
            fraction /= 2
        self.mesh.set_motion(x, trial)
        self.iterates += 1
        self.crossings += len(self.scene.overlaps("end"))
        if self.scene.first_contact() is not None:
            raise AssertionError("an accepted step has a contact")
        return trial, after

    def advance(self):
        self.start = self.x
        self.mesh.set_motion(self.x, self.x)
        self.lag = self.scene.near(DISTANCE)
        aim = self.x + STEP * self.velocity + STEP**2 * GRAVITY
        aim[~self.free.reshape(-1, 3)] = self.x[~self.free.reshape(-1, 3)]
        x, energy = self.x, self.energy(self.x, aim)
        for _ in range(20):
            step = self.direction(x, aim)
            x, energy = self.search(x, step, aim, energy)
            if np.abs(step).max() < 1e-3 * STEP:
                break
        self.velocity = (x - self.start) / STEP
        self.x = x


def draw(path, frames, faces, colours):
    import matplotlib.pyplot as plt
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    figure = plt.figure(figsize=(4 * len(frames), 4))
    height, side = np.radians(18), np.radians(-60)
    viewer = np.array([np.cos(height) * np.cos(side), np.cos(height) * np.sin(side), np.sin(height)])
    for i, (title, x) in enumerate(frames):
        axes = figure.add_subplot(1, len(frames), i + 1, projection="3d")
        normals = np.cross(x[faces[:, 1]] - x[faces[:, 0]], x[faces[:, 2]] - x[faces[:, 0]])
        light = 0.6 + 0.4 * (normals @ [0.4, -0.5, 0.77]) / np.linalg.norm(normals, axis=1)
        seen = normals @ viewer > 0  # matplotlib sorts whole faces: those behind would come through
        paint = (colours * light[:, None])[seen]
        axes.add_collection3d(Poly3DCollection(x[faces[seen]], facecolors=paint, edgecolors="0.2", linewidths=0.2))
        axes.set_title(title, y=0.92)
        axes.set(xlim=(0, 1), ylim=(0, 1), zlim=(0, 1))
        axes.set_box_aspect((1, 1, 1), zoom=1.25)
        axes.view_init(np.degrees(height), np.degrees(side))
        axes.set_axis_off()
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--steps", type=int, default=200)
    options.add_argument("--cells", type=int, default=3, help="along each edge of a block")
    options.add_argument("--picture", help="a PNG of the start, the middle and the end")
    options = options.parse_args()

    blocks = [((0, 0, 0), (1, 1, 0.3), 0.0), ((0.25, 0.25, 0.34), (0.5, 0.5, 0.3), 0.4), ((0.33, 0.27, 0.7), (0.4, 0.4, 0.25), 0.9)]
    bodies = Bodies(make_mesh(options.cells, blocks))
    solver = Solver(bodies, bodies.rest[:, 2] < 1e-9)
    frames = [("start", solver.x)]
    begun, least = time.time(), np.inf
    for i in range(options.steps):
        solver.advance()
        least = min(least, solver.lag["distance"].min(initial=np.inf))
        if i + 1 in (options.steps // 4, options.steps):
            frames.append((f"{STEP * (i + 1):.1f} s", solver.x))
    if world.rank == 0:
        print(
            f"{options.steps} steps, {solver.iterates} iterates, {solver.crossings} crossing faces in all of them, "
            f"least distance {least:.1e}, {time.time() - begun:.0f} s, {world.size} processes"
        )
    if options.picture and world.rank == 0:
        faces = boundary(bodies.tets)
        heights = bodies.rest[faces].mean(axis=1)[:, 2]
        shades = np.array([[0.7, 0.7, 0.7], [0.3, 0.55, 0.9], [0.95, 0.6, 0.25]])
        draw(options.picture, frames, faces, shades[np.digitize(heights, (0.32, 0.67))])
    moved = np.abs(solver.x - bodies.rest).max()
    return 0 if solver.crossings == 0 and moved > 0.01 and least < DISTANCE else 1


sys.exit(main())

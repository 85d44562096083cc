# SPDX-License-Identifier: Apache-2.0
"""Meshes of the Python examples: vertices and triangles."""
import numpy as np


def grid(cells: int, size: float, height: float = 0.0):
    """A square in the plane z = height."""
    x, y = np.meshgrid(*2 * [np.linspace(-size / 2, size / 2, cells + 1)], indexing="ij")
    vertices = np.stack((x, y, np.full_like(x, height)), axis=-1).reshape(-1, 3)
    a = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    b, c, d = a + cells + 1, a + cells + 2, a + 1
    return vertices, np.concatenate((np.stack((a, b, c), axis=1), np.stack((a, c, d), axis=1)))


def ball(radius: float, rings: int = 12):
    """A sphere around the origin."""
    n = 2 * rings
    theta = np.repeat(np.linspace(0, np.pi, rings + 1)[1:-1], n)
    phi = np.tile(np.linspace(0, 2 * np.pi, n, endpoint=False), rings - 1)
    around = np.stack((np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)), axis=1)
    vertices = radius * np.concatenate((around, [[0, 0, 1], [0, 0, -1]]))
    top, bottom, next_ = len(around), len(around) + 1, (np.arange(n) + 1) % n
    a = (np.arange(rings - 2)[:, None] * n + np.arange(n)).ravel()
    b = (np.arange(rings - 2)[:, None] * n + next_).ravel()
    caps = [(top, j, next_[j]) for j in range(n)] + [(bottom, top - n + next_[j], top - n + j) for j in range(n)]
    return vertices, np.concatenate((np.stack((a, a + n, b), axis=1), np.stack((b, a + n, b + n), axis=1), caps))


def octahedron(radius: float):
    """A ball of eight triangles."""
    vertices = radius * np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1.0]])
    return vertices, np.array([[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]])

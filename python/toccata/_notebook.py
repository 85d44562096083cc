# SPDX-License-Identifier: Apache-2.0
"""Still pictures of bodies and contacts in HTML, for notebooks: drawn with numpy alone.

Triangles are covered with samples, which a depth buffer sorts: O(samples), without a loop over triangles.
"""
from __future__ import annotations

import base64
import html
import struct
import zlib
from typing import TYPE_CHECKING, Any, Iterable, Sequence

import numpy as np

if TYPE_CHECKING:
    from ._core import Array
    from .mesh import Mesh

WIDTH, HEIGHT = 480, 320
_samples = 2  # along each side of a pixel
_most_faces = 1_000_000
_most_rows = 8
_bodies = np.array([(64, 128, 199), (237, 204, 148), (122, 184, 158), (158, 173, 189), (184, 148, 199), (204, 158, 140)], float)
_mark = np.array((245, 56, 31), float)
_light = np.array((-0.35, -0.55, 0.76))


def _frame(points: Array) -> Any:
    """Coordinates across and down the picture and towards the eye, in samples.

    What lies in the plane z = 0 is seen from above.
    """
    eye = np.array((0.62, -0.70, 0.42) if np.ptp(points[:, 2]) > 0 else (0.0, -1e-9, 1.0))
    eye /= np.linalg.norm(eye)
    right = np.cross((0, 0, 1), eye)
    right /= np.linalg.norm(right)
    axes = np.stack((right, -np.cross(eye, right), eye))
    seen = points @ axes.T
    low, high = seen.min(0), seen.max(0)
    size = np.array((WIDTH, HEIGHT), float) * _samples
    scale = 0.9 * np.min(size / np.maximum((high - low)[:2], 1e-300))
    scale = scale if scale < 1e290 else 1.0  # one point alone
    return (seen - (low + high) / 2) * scale + np.append(size / 2, 0)


class _Canvas:
    def __init__(self) -> None:
        self.width, self.height = WIDTH * _samples, HEIGHT * _samples
        self.depth = np.full(self.width * self.height, -np.inf)
        self.colour = np.full((self.width * self.height, 3), 255.0)

    def put(self, at: Array, colours: Array) -> None:
        """Samples: across, down, depth, and a colour for each; the nearest to the eye stays."""
        columns, lines = at[:, 0].astype(np.int64), at[:, 1].astype(np.int64)
        inside = (columns >= 0) & (columns < self.width) & (lines >= 0) & (lines < self.height)
        place, depth, colours = (lines * self.width + columns)[inside], at[inside, 2], colours[inside]
        nearer = np.flatnonzero(depth > self.depth[place])
        nearer = nearer[np.argsort(depth[nearer], kind="stable")]  # of several samples at a place, the last one stays
        self.depth[place[nearer]] = depth[nearer]
        self.colour[place[nearer]] = colours[nearer]

    def triangles(self, corners: Array, colours: Array) -> None:
        """Cover triangles, an array (n, 3, 3), with samples a little less than one apart."""
        sides = np.abs(corners - np.roll(corners, 1, axis=1))[:, :, :2].max((1, 2))
        steps = np.maximum(np.exp2(np.ceil(np.log2(np.maximum(1.2 * sides, 1)))).astype(np.int64), 2)
        for count in np.unique(steps):
            a, b = np.meshgrid(np.arange(count + 1) / count, np.arange(count + 1) / count)
            weights = np.stack((a, b, 1 - a - b), -1)[a + b <= 1 + 1e-9]
            chosen = np.flatnonzero(steps == count)
            for part in np.array_split(chosen, max(1, len(chosen) * len(weights) // 2_000_000)):
                samples = np.einsum("wk,nkd->nwd", weights, corners[part])
                self.put(samples.reshape(-1, 3), np.repeat(colours[part], len(weights), axis=0))

    def lines(self, ends: Array, colours: Array) -> None:
        self.triangles(ends[:, [0, 1, 1]], colours)

    def dots(self, at: Array, radius: float, colour: Array) -> None:
        """Dots in front of everything."""
        reach = np.arange(-radius, radius + 1)
        x, y = np.meshgrid(reach, reach)
        disc = np.stack((x, y), -1)[x * x + y * y <= radius * radius]
        every = np.column_stack(((at[:, None, :2] + disc).reshape(-1, 2), np.full(len(at) * len(disc), np.inf)))
        self.put(every, np.broadcast_to(colour, (len(every), 3)))

    def png(self) -> bytes:
        pixels = self.colour.reshape(HEIGHT, _samples, WIDTH, _samples, 3).mean((1, 3)).round().astype(np.uint8)
        lines = np.concatenate((np.zeros((HEIGHT, 1), np.uint8), pixels.reshape(HEIGHT, -1)), 1)

        def chunk(kind: bytes, data: bytes) -> bytes:
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
        packed = zlib.compress(lines.tobytes(), 6)
        return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def draw(meshes: Iterable[Mesh], marks: Any = None) -> bytes | None:
    """A PNG of meshes at the end of their step, and of points; None where there is nothing to draw, or too much."""
    bodies = [(mesh.x1, mesh.faces, mesh.elements("edge")["corners"], mesh.elements("point")["corners"]) for mesh in meshes]
    if sum(len(faces) for _, faces, _, _ in bodies) > _most_faces:
        return None
    used = [x[np.concatenate((f.ravel(), e.ravel(), p.ravel()))] for x, f, e, p in bodies]
    points = np.concatenate((*used, np.reshape([] if marks is None else marks, (-1, 3))))
    if len(points) == 0:
        return None
    flat, canvas, begin = _frame(points), _Canvas(), 0
    for number, (_, faces, edges, vertices) in enumerate(bodies):
        own = flat[begin : begin + faces.size + edges.size + vertices.size]
        begin += len(own)
        colour = _bodies[number % len(_bodies)]
        corners = own[: faces.size].reshape(-1, 3, 3)
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        lengths = np.maximum(np.linalg.norm(normals, axis=1), 1e-300)
        light = 0.55 + 0.45 * np.abs(normals @ _light / lengths)
        canvas.triangles(corners, light[:, None] * colour)
        lines = own[faces.size : faces.size + edges.size].reshape(-1, 2, 3)
        canvas.lines(lines, np.broadcast_to(0.7 * colour, (len(lines), 3)))
        canvas.dots(own[faces.size + edges.size :], _samples, 0.7 * colour)
    canvas.dots(flat[begin:], 2 * _samples, _mark)
    return canvas.png()


def _figure(picture: bytes | None, alt: str) -> str:
    if picture is None:
        return ""
    data = base64.b64encode(picture).decode("ascii")
    return (
        f'<img width="{WIDTH}" height="{HEIGHT}" alt="{html.escape(alt)}" src="data:image/png;base64,{data}" '
        'style="max-width:100%;height:auto">'
    )


def _cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else html.escape(str(value))


def table(columns: Sequence[str], rows: Array) -> str:
    """The first rows as a table."""
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in columns)
    lines = ["<tr>" + "".join(f"<td>{_cell(row[name])}</td>" for name in columns) + "</tr>" for row in rows[:_most_rows]]
    more = f"<caption>the first {_most_rows} of {len(rows)}</caption>" if len(rows) > _most_rows else ""
    return f'<div style="overflow-x:auto"><table>{more}<thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def page(words: str, meshes: Iterable[Mesh] | None, marks: Any = None, rows: str = "") -> str:
    """What an object says, its picture, and a table."""
    picture = None if meshes is None else draw(meshes, marks)
    plain = words.strip("<>")
    return f"<div><p>{html.escape(plain)}</p>{_figure(picture, plain)}{rows}</div>"

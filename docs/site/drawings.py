# SPDX-License-Identifier: Apache-2.0
"""Drawings of the glossary and the tutorial as SVG: python3 drawings.py OUT_DIR. Times and places are computed by the package.

Colours follow the reader's light or dark scheme.
"""
import sys
from pathlib import Path

import numpy as np

import toccata

style = """
.ink{stroke:#25303b;fill:none;stroke-width:2}.thin{stroke:#25303b;fill:none;stroke-width:1}
.soft{stroke:#8a98a6;fill:none;stroke-width:1.5}.dash{stroke:#8a98a6;fill:none;stroke-width:1.5;stroke-dasharray:5 4}
.a{stroke:#2b6cb0;fill:none;stroke-width:2.5}.b{stroke:#b8720f;fill:none;stroke-width:2.5}
.fa{fill:#2b6cb0;fill-opacity:.18;stroke:none}.fb{fill:#b8720f;fill-opacity:.2;stroke:none}.fc{fill:#3b8f5a;fill-opacity:.25;stroke:none}
.da{fill:#2b6cb0}.db{fill:#b8720f}.hit{fill:#d8351c}.ring{stroke:#d8351c;fill:none;stroke-width:2}
text{font:14px system-ui,sans-serif;fill:#25303b}.quiet{fill:#5d6b78}.red{fill:#c22f18}
@media(prefers-color-scheme:dark){.ink,.thin{stroke:#dde5ee}.soft,.dash{stroke:#8593a2}.a{stroke:#6fb1f0}.b{stroke:#f0b357}
.fa{fill:#6fb1f0}.fb{fill:#f0b357}.fc{fill:#6fcf97}.da{fill:#6fb1f0}.db{fill:#f0b357}.hit{fill:#ff6b52}.ring{stroke:#ff6b52}
text{fill:#dde5ee}.quiet{fill:#9fadbb}.red{fill:#ff8d79}}
"""


class Drawing:
    """Lines, dots and words; y points up. `unit` pixels are 1."""

    def __init__(self, width, height, unit=40.0, origin=(0, 0)):
        self.width, self.height, self.unit, self.origin, self.parts = width, height, unit, origin, []

    def at(self, p):
        x, y = self.origin[0] + self.unit * p[0], self.height - self.origin[1] - self.unit * p[1]
        return round(float(x), 1), round(float(y), 1)

    def line(self, points, kind="ink", closed=False, arrow=False):
        pairs = " ".join(f"{x},{y}" for x, y in map(self.at, points))
        end = ' marker-end="url(#head)"' if arrow else ""
        self.parts.append(f'<{"polygon" if closed else "polyline"} class="{kind}" points="{pairs}"{end}/>')

    def dot(self, p, kind="da", radius=5.0):
        x, y = self.at(p)
        self.parts.append(f'<circle class="{kind}" cx="{x}" cy="{y}" r="{radius}"/>')

    def say(self, p, words, anchor="start", kind=""):
        x, y = self.at(p)
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        self.parts.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}" class="{kind}">{words}</text>')

    def box(self, low, high, kind="soft"):
        self.line([low, (high[0], low[1]), high, (low[0], high[1])], kind, closed=True)

    def save(self, path, title):
        head = '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">'
        head += '<path d="M0 0 8 4 0 8z" class="quiet"/></marker></defs>'
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
            f'height="{self.height}" role="img" aria-label="{title}"><title>{title}</title><style>{style}</style>{head}'
            + "".join(self.parts)
            + "</svg>\n"
        )


def lerp(t, a, b):
    return (1 - t) * np.asarray(a, float) + t * np.asarray(b, float)


def ccd(out):
    """A point and a segment, both moving."""
    x0, x1 = np.array([[1.3, 3.2], [0.4, 0.6], [4.2, 1.1]]), np.array([[2.6, 0.2], [0.7, 1.4], [4.5, 1.9]])
    hit = toccata.plane.first_contact(x0, x1, [[1, 2]])
    d = Drawing(420, 190, 46, (30, 15))
    d.line(x0[1:], "dash")
    d.line(x1[1:], "soft")
    d.line([x0[0], x1[0]], "a", arrow=True)
    d.line([x0[2], x1[2]], "thin", arrow=True)
    d.line([lerp(hit.toc, x0[1], x1[1]), lerp(hit.toc, x0[2], x1[2])], "b")
    d.dot(x0[0])
    d.dot(hit.point, "hit", 6)
    d.say(x0[0] + [0.2, 0], "start, t = 0")
    d.say(x1[0] + [0.2, -0.05], "end, t = 1")
    d.say(hit.point + [0.7, 0.85], f"contact, t = {hit.toc:.2f}", kind="red")
    d.save(out / "ccd.svg", "Continuous collision detection: a moving point meets a moving segment between the start and the end of a step")


def time_of_impact(out):
    """The same motion as pictures in a row, and the distance."""
    x0, x1 = np.array([[0.8, 1.6], [0, 0.4], [1.6, 0.7]]), np.array([[0.8, -0.25], [0, 0.4], [1.6, 0.7]])
    toc = toccata.plane.first_contact(x0, x1, [[1, 2]]).toc
    d = Drawing(560, 150, 50, (20, 45))
    for i, t in enumerate((0, toc / 2, toc, 1)):
        shift = np.array([2.7 * i, 0])
        d.line(lerp(t, x0, x1)[1:] + shift, "b")
        d.dot(lerp(t, x0, x1)[0] + shift, "hit" if t == toc else "da", 6)
        d.say((0.8 + 2.7 * i, -0.75), f"t = {t:.2f}", "middle", "red" if t == toc else "quiet")
    d.save(out / "time-of-impact.svg", "Four moments of a step; at the third one, the time of impact, the point is on the segment")


def tunnelling(out):
    """A ball that is on one side of a wall in a frame and on the other side in the next."""
    d = Drawing(520, 150, 40, (10, 20))
    d.box((6.1, 0), (6.3, 2.8), "fb")
    d.line([(6.1, 0), (6.1, 2.8)], "b")
    d.line([(6.3, 0), (6.3, 2.8)], "b")
    places = [1.0, 3.4, 5.3, 7.2, 9.4]
    d.line([(places[0], 1.4), (11.5, 1.4)], "dash", arrow=True)
    for i, x in enumerate(places):
        d.dot((x, 1.4), "da", 17)
        d.say((x, 0.35), f"frame {i}", "middle", "quiet")
    d.say((6.45, 2.55), "no frame overlaps the wall", kind="red")
    d.save(out / "tunnelling.svg", "Tunnelling: a fast ball is before the wall in one frame and behind it in the next")


def barycentric(out):
    """Weights as shares of the area."""
    a, b, c, w = np.array([0.2, 0.2]), np.array([5, 0.6]), np.array([1.9, 3.05]), (0.2, 0.5, 0.3)
    p = w[0] * a + w[1] * b + w[2] * c
    d = Drawing(420, 190, 46, (45, 18))
    for kind, corners in (("fa", (p, b, c)), ("fb", (a, p, c)), ("fc", (a, b, p))):
        d.line(corners, kind, closed=True)
    d.line((a, b, c), "ink", closed=True)
    for corner in (a, b, c):
        d.line((p, corner), "thin")
    d.dot(p, "hit")
    for corner, words, away, weight, opposite in (
        (a, "a", (-0.3, -0.2), w[0], (p + b + c) / 3),
        (b, "b", (0.15, -0.1), w[1], (a + p + c) / 3),
        (c, "c", (-0.05, 0.18), w[2], (a + b + p) / 3),
    ):
        d.say(corner + away, words)
        d.say(opposite - [0.2, 0.1], f"{weight}", kind="quiet")
    d.say((3.1, 2.6), "p = 0.2 a + 0.5 b + 0.3 c")
    d.save(out / "barycentric.svg", "Barycentric weights: the share of the area opposite of each corner")


def thickness(out):
    """Two shells, each with half of its thickness on either side."""
    d = Drawing(480, 150, 46, (20, 12))
    lower, upper, half = np.array([(0.2, 0.6), (3.5, 0.9), (7.2, 0.5)]), np.array([(0.4, 2.4), (3.5, 1.7), (7.4, 2.3)]), 0.4
    for line, kind, fill in ((lower, "b", "fb"), (upper, "a", "fa")):
        band = [*(line + [0, half]), *(line - [0, half])[::-1]]
        d.line(band, fill, closed=True)
        d.line(line, kind)
    d.dot((3.5, 1.3), "hit", 6)
    d.line([(8.0, 0.6 - half), (8.0, 0.6 + half)], "thin", arrow=True)
    d.say((8.15, 0.5), "thickness")
    d.say((3.75, 1.25), "contact at a distance", kind="red")
    d.save(out / "thickness.svg", "Two shells touch when the distance of their middle surfaces is half of both thicknesses")


def barrier(out):
    """The energy over the squared distance, as in potential.h."""
    d = Drawing(420, 190, 46, (45, 35))
    reach = 1.0
    distance = np.linspace(0.13, 1.5, 120)
    squares = distance**2
    energy = np.where(distance < reach, -((squares - reach) ** 2) * np.log(np.minimum(squares, reach) / reach), 0)
    d.line([(0, 0), (7.6, 0)], "thin", arrow=True)
    d.line([(0, 0), (0, 3.1)], "thin", arrow=True)
    d.line([(4.6, 0), (4.6, 2.6)], "dash")
    d.line(np.column_stack((4.6 * distance, 0.85 * energy)), "a")
    d.say((7.6, -0.42), "distance", "end", "quiet")
    d.say((0.8, 2.95), "energy", kind="quiet")
    d.say((4.6, -0.42), "d", "middle")
    d.say((4.75, 2.3), "0 from here on", kind="quiet")
    d.say((1.5, 1.6), "without bound", kind="red")
    d.save(out / "barrier.svg", "A barrier is 0 from a distance d on, and grows without bound towards contact")


def moving_segments(seed):
    """Segments that move, for the two phases: small, with a few close pairs."""
    random = np.random.default_rng(seed)
    middle = np.array([(i % 5 * 1.75 + 0.9, i // 5 * 1.2 + 0.7) for i in range(15)]) + random.normal(0, 0.22, (15, 2))
    half = random.normal(0, 1, (15, 2))
    half *= 0.32 / np.linalg.norm(half, axis=1)[:, None]
    x0 = np.concatenate((middle - half, middle + half)).reshape(2, 15, 2).swapaxes(0, 1).reshape(-1, 2)
    shift = np.repeat(random.normal(0, 0.6, (15, 2)), 2, axis=0)
    return x0, x0 + shift, np.arange(30).reshape(-1, 2)


def phases(out):
    """Boxes around motions; pairs of boxes that overlap; pairs that touch."""
    x0, x1, edges = moving_segments(43)
    both = np.concatenate((x0[edges], x1[edges]), axis=1)
    low, high = both.min(1), both.max(1)
    pairs = [(i, j) for i in range(15) for j in range(i) if np.all(low[i] <= high[j]) and np.all(low[j] <= high[i])]
    found = toccata.plane.contacts(x0, x1, edges)
    touching = {tuple(sorted((int(c.vertex) // 2, int(c.edge[0]) // 2), reverse=True)) for c in found}
    for name, title in (("broad-phase", "boxes around the motions"), ("narrow-phase", "the pairs that are left")):
        d = Drawing(440, 200, 46, (5, 8))
        for i, edge in enumerate(edges):
            near = any(i in pair for pair in pairs)
            if name == "broad-phase":
                d.box(low[i], high[i], "fb" if near else "fa")
                d.box(low[i], high[i], "soft")
            elif not near:
                continue
            d.line(x0[edge], "dash")
            d.line(x1[edge], "a")
        if name == "narrow-phase":
            for c in found:
                d.dot(c.point, "hit", 5)
        words = f"{len(pairs)} of {15 * 14 // 2} pairs are left" if name == "broad-phase" else f"{len(touching)} of {len(pairs)} pairs touch"
        d.say((9.2, 3.85), words, "end", "red")
        d.save(out / f"{name}.svg", f"The {name.replace('-', ' ')}: {title}; {words}")


def crack(out):
    """A point that falls between two triangles, for rounded numbers."""
    d = Drawing(420, 190, 46, (25, 15))
    a, b, c, e = (0.3, 1.2), (3.6, 0.3), (4.4, 2.9), (7.4, 1.5)
    d.line((a, b, c), "fa", closed=True)
    d.line((b, e, c), "fb", closed=True)
    d.line((a, b, c), "ink", closed=True)
    d.line((b, e, c), "ink", closed=True)
    d.dot((4.05, 1.76), "hit")
    d.say((1.35, 1.35), "outside: -3e-18", kind="quiet")
    d.say((4.5, 1.6), "outside: -1e-17", kind="quiet")
    d.say((3.0, 3.35), "a miss: through the common edge", kind="red")
    d.save(out / "crack.svg", "A point on the common edge of two triangles, which rounded numbers put outside of both")


def line_search(out):
    """Newton's step, and its part without contact."""
    d = Drawing(420, 170, 46, (30, 20))
    d.line([(0, 0.65), (8, 0.65)], "b")
    start, wish = np.array([1.0, 2.7]), np.array([6.2, -0.15])
    room = lerp(0.58, start, wish)
    d.line([start, wish], "dash", arrow=True)
    d.line([start, room], "a", arrow=True)
    d.dot(start)
    d.dot(room, "da")
    d.say(start + [0.2, 0.1], "x")
    d.say(room + [0.25, 0.1], "x + f s: room is left")
    d.say(wish + [0.2, 0.1], "x + s", kind="quiet")
    d.save(out / "line-search.svg", "A step of a solver is cut where it would meet the ground, with room left for the next one")


def draw_all(out):
    for function in (ccd, time_of_impact, tunnelling, barycentric, thickness, barrier, phases, crack, line_search):
        function(out)


if __name__ == "__main__":
    draw_all(Path(sys.argv[1]))

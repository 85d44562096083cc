# SPDX-License-Identifier: Apache-2.0
"""Elementary questions, without a mesh or a scene.

A pair is "vf" (vertex, then three of a face) or "ee" (two vertices of each edge). Single answers are records.

>>> start = [[.2, .2, 1], [0, 0, 0], [1, 0, 0], [0, 1, 0]]
>>> end = [[.2, .2, -1], [0, 0, 0], [1, 0, 0], [0, 1, 0]]
>>> hit = find("vf", start, end)
>>> hit.verdict == Verdict.HIT, round(hit.toc, 9)
(True, 0.5)
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

import numpy as np

from ._core import (
    Array,
    BadInput,
    Verdict,
    check,
    choose,
    corner_counts,
    doubles,
    indices,
    kinds,
    pointer_to,
    record,
    set_test,
    shapes,
    view,
)
from ._native import ffi, lib

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._core import Kind, TestSettings

__all__ = ["Verdict", "find", "find_many", "triangles", "convex", "touches", "overlap", "inside", "distance"]


def _test(settings: Mapping[str, Any]) -> Any:
    test = ffi.new("toc_pair_test *")
    lib.toc_defaults_write(lib.TOC_DEFAULTS_PAIR_TEST, test, ffi.sizeof("toc_pair_test"))
    if settings:
        set_test(test, settings)
    return test


def _fill(field: Any, values: Any, what: str) -> None:
    """Copy positions into an array of a structure."""
    size = ffi.sizeof(field)
    array = np.ascontiguousarray(values, np.float64)
    if array.nbytes != size:
        raise BadInput(f"{what} must have the shape ({size // 24}, 3), not {array.shape}")
    ffi.memmove(field, array, size)


def find(kind: Kind | str, x0: Any, x1: Any, control: Any = None, **settings: Unpack[TestSettings]) -> Any:
    """Whether, when and where a vertex meets a face, or an edge an edge: a record with the fields of toc_hit.

    With control points the paths are parabolas.
    """
    which = choose("kind", kinds, kind)
    pair = ffi.new("toc_pair *" if control is None else "toc_quadratic_pair *")
    _fill(pair.x0, x0, "x0")
    _fill(pair.x1, x1, "x1")
    hit = ffi.new("toc_hit *")
    if control is None:
        check(lib.toc_pair_find(which, pair, _test(settings), hit))
    else:
        _fill(pair.control, control, "control")
        check(lib.toc_quadratic_find(which, pair, _test(settings), hit))
    return record(hit, "toc_hit")


def find_many(
    kind: Kind | str, x0: Any, x1: Any, vertices: Any = None, **settings: Unpack[TestSettings]
) -> tuple[Array, Array]:
    """Many questions of one kind at once: verdicts, and times, infinite for pairs that are apart.

    Without `vertices`, positions have the shape (n, 4, 3). With `vertices`, of shape (n, 4), they are those of one
    body, of shape (m, 3).

    >>> x0 = [[.2, .2, 1], [0, 0, 0], [1, 0, 0], [0, 1, 0]]
    >>> x1 = [[.2, .2, -1], [0, 0, 0], [1, 0, 0], [0, 1, 0]]
    >>> find_many("vf", x0, x1, [[0, 1, 2, 3], [0, 1, 2, 3]])
    (array([1, 1], dtype=uint32), array([0.5, 0.5]))
    """
    batch = ffi.new("toc_pair_batch *")
    batch.kind = choose("kind", kinds, kind)
    starts, stops = np.asarray(x0, np.float64), np.asarray(x1, np.float64)
    if starts.shape != stops.shape:
        raise BadInput(f"x0 has the shape {starts.shape}, x1 has {stops.shape}")
    if vertices is None:
        if starts.ndim != 3 or starts.shape[1:] != (4, 3):
            raise BadInput(f"positions must have the shape (n, 4, 3), not {starts.shape}; or give vertices")
        batch.count = count = len(starts)
        # Columns: transposed once, unless the arrays are laid out that way already.
        keep: Any = [np.ascontiguousarray(each.reshape(count, 12).T) for each in (starts, stops)]
        batch.x0 = [pointer_to(column, "double[]") for column in keep[0]]
        batch.x1 = [pointer_to(column, "double[]") for column in keep[1]]
    else:
        ids = indices("vertices", vertices, 4)
        keep = (doubles("x0", starts), doubles("x1", stops), ids)
        if ids.size and int(ids.max()) >= len(starts):
            raise BadInput(f"vertex {ids.max()} is beyond the {len(starts)} vertices")
        batch.count = count = len(ids)
        batch.vertices = ffi.cast("uint32_t (*)[4]", pointer_to(ids, "uint32_t[]"))
        batch.body0 = [pointer_to(keep[0], "double[]")] * 2
        batch.body1 = [pointer_to(keep[1], "double[]")] * 2
        batch.vertex_count = [len(starts)] * 2
    verdicts, times = np.zeros(count, np.uint32), np.empty(count)
    check(
        lib.toc_pair_find_batch(
            batch, _test(settings), ffi.cast("toc_verdict *", ffi.from_buffer(verdicts)), pointer_to(times, "double[]")
        )
    )
    times[verdicts == lib.TOC_APART] = np.inf
    return verdicts, times


def triangles(x0: Any, x1: Any, common: int = 0, **settings: Unpack[TestSettings]) -> Any:
    """The first contact of two moving triangles of positions (6, 3): a record with the fields of toc_triangle_hit."""
    pair = ffi.new("toc_triangle_pair *")
    _fill(pair.x0, x0, "x0")
    _fill(pair.x1, x1, "x1")
    pair.common = common
    hit = ffi.new("toc_triangle_hit *")
    check(lib.toc_triangles_find_sized(pair, _test(settings), hit, ffi.sizeof("toc_triangle_hit")))
    return record(hit, "toc_triangle_hit")


def convex(a0: Any, a1: Any, b0: Any, b1: Any, **settings: Unpack[TestSettings]) -> Any:
    """The first contact of two moving convex elements of 1 to 8 corners: a record with the fields of toc_convex_hit.

    >>> cube = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0., 1)]
    >>> far = [[x + 3, y, z] for x, y, z in cube]
    >>> round(convex(cube, cube, far, [[x - 4, y, z] for x, y, z in far]).toc, 9)
    0.5
    """
    starts = [doubles("corners", each) for each in (a0, b0)]
    stops = [doubles("corners", each) for each in (a1, b1)]
    hulls = ffi.new("toc_hull[2]")
    for hull, x0, x1 in zip(hulls, starts, stops):
        if len(x0) != len(x1):
            raise BadInput(f"an element has {len(x0)} corners at the start and {len(x1)} at the end")
        hull.count, hull.x0, hull.x1 = len(x0), pointer_to(x0, "double[]"), pointer_to(x1, "double[]")
    hit = ffi.new("toc_convex_hit *")
    check(lib.toc_convex_find(hulls, hulls + 1, _test(settings), hit))
    return record(hit, "toc_convex_hit")


def touches(kind: Kind | str, x0: Any, x1: Any, separation: float = 0.0) -> Array:
    """Every time at which a pair touches: records with the fields of toc_touch, ascending."""
    pair = ffi.new("toc_pair *")
    _fill(pair.x0, x0, "x0")
    _fill(pair.x1, x1, "x1")
    found = ffi.new("toc_touches *")
    check(lib.toc_pair_find_touches(choose("kind", kinds, kind), pair, separation, found))
    return view(found.at, found.count, "toc_touch", found)


def overlap(a: Any, b: Any) -> Any:
    """Whether two convex elements overlap at an instant, exactly: a record with the fields of toc_overlap.

    >>> overlap([[0, 0, 0]], [[3, 4, 0]]).distance
    5.0
    """
    first, second = doubles("corners", a), doubles("corners", b)
    found = ffi.new("toc_overlap *")
    check(
        lib.toc_overlap_find(
            len(first), pointer_to(first, "double[]"), len(second), pointer_to(second, "double[]"), found
        )
    )
    return record(found, "toc_overlap")


def inside(shape: str, corners: Any, point: Any) -> Any:
    """Whether a point is in a volume element: a record with the fields of toc_inside."""
    array, place = doubles("corners", corners), doubles("point", [point])
    which = choose("shape", shapes, shape)
    if len(array) != corner_counts[shape]:
        raise BadInput(f"a {shape} has {corner_counts[shape]} corners, not {len(array)}")
    found = ffi.new("toc_inside *")
    check(lib.toc_inside_find(which, pointer_to(array, "double[]"), pointer_to(place, "double[]"), found))
    return record(found, "toc_inside")


def distance(kind: Kind | str, x: Any) -> Any:
    """The distance of a pair at an instant: a record with the fields of toc_distance.

    >>> distance("vf", [[.2, .2, 3], [0, 0, 0], [1, 0, 0], [0, 1, 0]]).distance
    3.0
    """
    array = doubles("x", x)
    if len(array) != 4:
        raise BadInput(f"a pair has 4 vertices, not {len(array)}")
    found = ffi.new("toc_distance *")
    check(lib.toc_distance_find(choose("kind", kinds, kind), pointer_to(array, "double[]"), found))
    return record(found, "toc_distance")

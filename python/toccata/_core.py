# SPDX-License-Identifier: Apache-2.0
"""The ground of the package: errors, arrays over the memory of the library, and the settings of a question."""
from __future__ import annotations

import difflib
import threading
from enum import IntEnum
from numbers import Real
from typing import TYPE_CHECKING, Any, Callable, Mapping, NoReturn, TypedDict, Union

import numpy as np
import numpy.typing as npt

from . import _notebook
from ._native import ffi, lib

if TYPE_CHECKING:
    from typing import Literal

    from typing_extensions import Self

    End = Literal["start", "end"]
    Answer = Literal["all", "first", "any"]
    Device = Literal["auto", "cpu", "gpu"]

Array = npt.NDArray[Any]
"""A numpy array; arrays of records have the fields of the C structure of the same name."""


# Errors


class Error(Exception):
    """A failure of the library, with its sentence."""


class BadInput(Error, ValueError):
    """The caller's mistake: a wrong index, a NaN, a broken or missing file."""


class Internal(Error, RuntimeError):
    """A defect of Toccata that it noticed itself; please report it."""


class OutOfMemory(Error, MemoryError):
    """No memory, or beyond the limit of the question."""


class DiskFull(Error, OSError):
    """A file could not be written whole; nothing of it is left behind."""


class Stopped(Error):
    """The progress function asked to stop."""


class Busy(Error, RuntimeError):
    """Another thread uses the scene or the mesh."""


class Stale(Error):
    """Candidates do not cover the step any more: find them again."""


class Unstable(Error, ArithmeticError):
    """A simulation left all bounds."""


class NoDevice(Error):
    """The query asks for a device that is not there, or that failed."""


_errors = {
    lib.TOC_BAD_INPUT: BadInput,
    lib.TOC_INTERNAL: Internal,
    lib.TOC_OUT_OF_MEMORY: OutOfMemory,
    lib.TOC_DISK_FULL: DiskFull,
    lib.TOC_STOPPED: Stopped,
    lib.TOC_BUSY: Busy,
    lib.TOC_STALE: Stale,
    lib.TOC_UNSTABLE: Unstable,
    lib.TOC_NO_DEVICE: NoDevice,
}


def fail(status: int) -> NoReturn:
    raise _errors.get(status, Error)(text(lib.toc_message_get()))


def check(status: int) -> None:
    if status:
        fail(status)


def text(chars: Any) -> str:
    return str(ffi.string(chars).decode("utf-8", "replace"))


# Enumerations


class Kind(IntEnum):
    """The two pairs of features."""

    VF = 0
    EE = 1


class Verdict(IntEnum):
    """The answer about a pair. Undecided counts as a contact."""

    APART = 0
    HIT = 1
    UNDECIDED = 2


def choose(what: str, table: Mapping[str, Any], name: str | int) -> Any:
    """The value of a name, or a sentence with the names that there are."""
    if not isinstance(name, str):
        return int(name)
    try:
        return table[name]
    except KeyError:
        raise BadInput(f"there is no {what} {name!r}; choose one of: {', '.join(table)}") from None


kinds = {"vf": lib.TOC_VF, "ee": lib.TOC_EE}
ends = {"start": lib.TOC_AT_START, "end": lib.TOC_AT_END}
devices = {"auto": lib.TOC_DEVICE_AUTO, "cpu": lib.TOC_DEVICE_CPU, "gpu": lib.TOC_DEVICE_GPU}
answers = {"all": lib.TOC_ANSWER_ALL, "first": lib.TOC_ANSWER_FIRST, "any": lib.TOC_ANSWER_ANY}
methods = {text(lib.toc_method_get(i).name): i for i in range(lib.TOC_METHOD_COUNT)}
shapes = {text(lib.toc_shape_get(i).name): i for i in range(lib.TOC_POINT, lib.TOC_SHAPE_COUNT)}
corner_counts = {name: lib.toc_shape_get(shape).corner_count for name, shape in shapes.items()}


def _list_presets() -> dict[str, Any]:
    table: dict[str, Any] = {}
    while (name := lib.toc_preset_get(len(table)).name) != ffi.NULL:
        table[text(name)] = name
    return table


_presets = _list_presets()
presets = tuple(_presets)
"""The names of the presets: ways to search."""


# Arrays. Records are laid out as the compiler laid out the structures.

_primitives = {
    "double": "f8",
    "uint8_t": "u1",
    "int32_t": "i4",
    "uint32_t": "u4",
    "int64_t": "i8",
    "uint64_t": "u8",
    "size_t": "u8",
    "int": "i4",
    "_Bool": "?",
}


def _dtype(ctype: Any) -> Any:
    if ctype.kind == "array":
        return np.dtype((_dtype(ctype.item), ctype.length))
    if ctype.kind == "enum":
        return np.dtype("i4")
    if ctype.kind == "primitive":
        return np.dtype(_primitives[ctype.cname])
    fields = [(name, field) for name, field in ctype.fields if field.type.kind != "pointer"]
    names, offsets = [name for name, _ in fields], [field.offset for _, field in fields]
    formats = [_dtype(field.type) for _, field in fields]
    layout: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(ctype)}
    return np.dtype((np.record, np.dtype(layout)))


_dtypes: dict[str, Any] = {}


def dtype_of(name: str) -> Any:
    """The numpy type of a C structure. Fields of single records are attributes, too."""
    if name not in _dtypes:
        _dtypes[name] = _dtype(ffi.typeof(name))
    return _dtypes[name]


def view(pointer: Any, count: int, name: str, owner: Any = None) -> Array:
    """An array over memory of the library, without a copy. It keeps the owner, and with it the memory."""
    dtype = dtype_of(name)
    if count == 0:
        return np.empty(0, dtype)
    if owner is not None:
        pointer = ffi.gc(pointer, lambda _, owner=owner: None)
    array = np.frombuffer(ffi.buffer(pointer, count * dtype.itemsize), dtype)
    array.flags.writeable = False
    return array


def record(pointer: Any, name: str) -> Any:
    """One structure that Python owns, as a record."""
    return np.frombuffer(ffi.buffer(pointer), dtype_of(name))[0]


def pointer_to(array: Array, ctype: str) -> Any:
    return ffi.from_buffer(ctype, array)


def count_of(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _is_plain(values: Any) -> bool:
    return isinstance(values, np.ndarray) and values.dtype.kind in "fiu"


def rows(what: str, values: Any) -> Array:
    """Values as an array; a sentence for rows of different lengths."""
    try:
        return np.asarray(values)
    except ValueError:
        raise BadInput(f"{what} must be rows of one length") from None


def _numbers(what: str, values: Any) -> Array:
    """Values that are real numbers. numpy would take texts, drop imaginary parts, and make None not a number."""
    array = rows(what, values)
    if array.dtype.kind == "O" and all(isinstance(value, Real) for value in array.flat):
        array = array.astype(np.float64)
    if array.dtype.kind not in "fiu":
        raise BadInput(f"{what} must be numbers, not {'None' if values is None else array.dtype}")
    return array


def doubles(what: str, values: Any, columns: int = 3) -> Array:
    """Rows of doubles: a copy, so that what the library checks is what it uses."""
    array = np.array(values if _is_plain(values) else _numbers(what, values), np.float64, order="C")
    if array.size == 0 and array.ndim == 1:
        array = array.reshape(0, columns)
    if array.ndim != 2 or array.shape[1] != columns:
        raise BadInput(f"{what} must have the shape (n, {columns}), not {array.shape}")
    return array


def indices(what: str, values: Any, columns: int | None = None) -> Array:
    """Ids as unsigned integers of 32 bits: a copy, since another thread may change the caller's after the check."""
    array = np.array(rows(what, values), order="C", ndmin=1)
    if array.dtype == np.uint32:
        return array if columns is None else array.reshape(-1, columns)
    if array.size == 0:
        array = array.astype(np.uint32)
    if array.dtype.kind not in "iu":
        raise BadInput(f"{what} must be integers, not {array.dtype}")
    if array.dtype.kind == "i" and array.min(initial=0) < 0:
        raise BadInput(f"{what} must not be negative: there is a {array.min()}")
    if array.dtype.itemsize > 4 and array.max(initial=0) > 0xFFFFFFFF:
        raise BadInput(f"{what} must have 32 bits: there is a {array.max()}")
    if columns is not None:
        array = array.reshape(-1, columns)
    return array.view(np.uint32) if array.dtype.itemsize == 4 else array.astype(np.uint32)


_flat_dtypes: dict[Any, tuple[Any, dict[str, tuple[str, tuple[int, ...]]]]] = {}


def _flatten(dtype: Any) -> tuple[Any, dict[str, tuple[str, tuple[int, ...]]]]:
    """The same bytes with a field for each component, and the place of each component in the field of a vector."""
    if dtype not in _flat_dtypes:
        names, formats, offsets, places = [], [], [], {}
        for name, (_, offset, *_) in (dtype.fields or {}).items():
            field = np.empty(1, dtype)[name][0]
            for i, place in enumerate(np.ndindex(np.shape(field))):
                flat = name + "".join(map(str, place))
                places[flat] = (name, place)
                names.append(flat)
                formats.append(field.dtype)
                offsets.append(offset + i * field.dtype.itemsize)
        layout: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": dtype.itemsize}
        _flat_dtypes[dtype] = np.dtype(layout), places
    return _flat_dtypes[dtype]


class Result(np.ndarray):  # type: ignore[type-arg]
    """Records of the library as a numpy array without a copy; and the time that it took.

    It is read only, and stays valid for as long as anything refers to it. Parts of it, `result["field"]`, `result[3]` and
    `result[mask]`, are plain arrays and records. A copy is plain, too: questions are for the result itself.

    Data frames take no vectors, so that `dtype` has a field for each component, such as "v0" or "point2", which `result`
    knows, too: `pandas.DataFrame(result)` has these columns. The vectors are fields of `result.array.dtype`.
    """

    seconds: float
    _kept: Any
    _scene: Any

    @classmethod
    def _over(cls, array: Array, kept: Any, seconds: float = 0.0) -> Self:
        result = array.view(cls)
        result.seconds = seconds
        result._kept = kept
        return result

    def __array_finalize__(self, source: Any) -> None:
        self.seconds = 0.0
        self._kept = None
        self._scene = None

    def _drawn_with(self, scene: Callable[[], Any]) -> Self:
        """Say how to get the scene that a picture shows; None once it is gone."""
        self._scene = scene
        return self

    def _marks(self) -> Any:
        """The points that a picture marks."""
        return None

    @property
    def _pointer(self) -> Any:
        """The object of the library behind the records."""
        if self._kept is None:
            raise BadInput("this is a copy of a result; ask the result itself")
        return self._kept

    @property
    def array(self) -> Array:
        """The records as a plain array."""
        return np.asarray(self)

    @property
    def dtype(self) -> Any:
        """A field for each component."""
        return _flatten(self.array.dtype)[0]

    def __getitem__(self, key: Any) -> Any:
        array = self.array
        if isinstance(key, str) and key not in (array.dtype.names or ()):
            name, place = _flatten(array.dtype)[1].get(key, (key, ()))
            component: Any = (..., *place)
            return array[name][component]
        return array[key]

    def __repr__(self) -> str:
        array = self.array
        if array.ndim != 1:
            return f"<{type(self).__name__} of shape {array.shape}>"
        first = f", the first at time {array['toc'].min():.6g}" if len(array) and "toc" in (array.dtype.names or ()) else ""
        return f"<{type(self).__name__} of {len(array)}{first}>"


    def __str__(self) -> str:
        return repr(self)

    def _repr_html_(self) -> str:
        """A notebook shows the first rows, and a still picture of the bodies as they are now."""
        if self.array.ndim != 1:
            return _notebook.page(repr(self), None)
        scene = None if self._scene is None else self._scene()
        meshes = None if scene is None else scene._meshes()
        rows = _notebook.table(self.dtype.names, self.array.view(self.dtype)) if len(self) else ""
        return _notebook.page(repr(self), meshes, self._marks(), rows)

    def to_dict(self) -> dict[str, Array]:
        """An array for each column, such as "kind", "v0" or "point2": for data frames of any kind, and for json.

        >>> import toccata
        >>> found = toccata.near([[0, 0, 0], [1, 0, 0], [0, 1, 0], [.2, .2, .1]], {"triangle": [[0, 1, 2]], "point": [[3]]}, 0.2)
        >>> columns = found.to_dict()
        >>> columns["v0"], columns["distance"]
        (array([3], dtype=uint32), array([0.1]))
        """
        return {name: np.array(self[name]) for name in self.dtype.names}


def take(function: Any, out: str, destroy: Any) -> Any:
    """Call a function that makes an object, and let Python destroy it."""
    made = ffi.new(f"{out} **")
    check(function(made))
    return ffi.gc(made[0], destroy)


# Settings of a question

PairFilter = Callable[[Kind, "tuple[int, int]", "tuple[int, int, int, int]"], bool]


class Mask:
    """A filter of pairs by labels of vertices. It runs without Python, in all threads.

    `labels` are small integers (or bools), one a vertex: an array for one body, a list of arrays for several. `allowed`
    is a square table of bools: whether vertices of two labels can touch. A pair of features counts if a vertex of the
    first can touch a vertex of the second, as the vertex filters of other packages do.

    >>> import numpy, toccata
    >>> x0 = numpy.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [.2, .2, 1.], [.4, .4, 1]])
    >>> x1 = x0 - [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 2], [0, 0, 2]]
    >>> elements = {"triangle": [[0, 1, 2]], "point": [[3], [4]]}
    >>> len(toccata.contacts(x0, x1, elements))
    2
    >>> ghost = numpy.array([0, 0, 0, 0, 1])
    >>> len(toccata.contacts(x0, x1, elements, filter=toccata.Mask(ghost, [[True, False], [False, False]])))
    1
    """

    def __init__(self, labels: Any, allowed: Any) -> None:
        lists = list(labels) if isinstance(labels, (list, tuple)) else [labels]
        # A copy: the table has room for the labels that are checked here.
        self._labels = [np.array(each, np.uint32, order="C", ndmin=1) for each in lists]
        table = np.ascontiguousarray(allowed, np.uint8)
        if table.ndim != 2 or table.shape[0] != table.shape[1]:
            raise BadInput(f"the table of labels must be square, not {table.shape}")
        largest = max((int(each.max(initial=0)) for each in self._labels), default=0)
        if largest >= len(table):
            raise BadInput(f"label {largest} is beyond the table of {len(table)} labels")
        self._pointers = ffi.new("uint32_t *[]", [pointer_to(each, "uint32_t[]") for each in self._labels])
        self._counts = ffi.new("size_t[]", [len(each) for each in self._labels])
        self._table = np.maximum(table, table.T)
        self._words = f"<Mask of {len(table)} labels for {count_of(len(lists), 'body', 'bodies')}>"
        self._mask = ffi.new(
            "tocpy_mask *",
            {
                "body_count": len(lists),
                "labels": self._pointers,
                "label_counts": self._counts,
                "label_count": len(table),
                "allowed": pointer_to(self._table, "uint8_t[]"),
            },
        )

    def __repr__(self) -> str:
        return self._words


class TestSettings(TypedDict, total=False):
    """How to test a pair: the fields of toc_pair_test. All have defaults."""

    method: str
    tolerance: float
    separation: float
    time: "tuple[float, float]"
    exact: bool


class Settings(TestSettings, total=False):
    """The settings of a question: the fields of toc_query, and those of toc_research. All have defaults."""

    preset: str
    answer: "Answer"
    surface_only: bool
    threads: int
    thin: bool
    memory_limit: int
    device: "Device"
    skip: int
    dop: int
    lower_height: int
    normal_limit: float
    filter: "Union[Mask, PairFilter, None]"
    progress: "Callable[[float], object]"


def unknown_setting(name: str, known: Any) -> TypeError:
    """The exception for a setting that there is not, with the nearest one."""
    names = list(known.__annotations__)
    nearest = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean {nearest[0]!r}?" if nearest else f"choose among: {', '.join(names)}"
    return TypeError(f"unknown setting {name!r}; {hint}")


def set_field(of: Any, name: str, value: Any) -> None:
    """Write a plain setting; a value of a wrong type is refused with its name."""
    try:
        setattr(of, name, value)
    except (TypeError, OverflowError) as error:
        raise TypeError(f"{name} is {value!r}: {error}") from None


def set_test(test: Any, settings: Mapping[str, Any]) -> None:
    """Write settings of the elementary test; unknown ones are refused."""
    for name, value in settings.items():
        if name == "method":
            test.method = choose("method", methods, value)
        elif name == "time":
            setattr(test, "from", value[0])
            test.to = value[1]
        elif name in ("tolerance", "separation", "exact"):
            set_field(test, name, value)
        else:
            raise unknown_setting(name, TestSettings)


_main_thread = threading.main_thread().ident
_mask_wants = ffi.addressof(lib, "tocpy_mask_wants")
_test_names = frozenset(("method", "tolerance", "separation", "time", "exact"))
_plain_names = frozenset(("surface_only", "threads", "thin", "memory_limit"))
_research_names = frozenset(("skip", "dop", "lower_height", "normal_limit"))


class Question:
    """A toc_query, and the Python objects that it calls back."""

    __slots__ = ("query", "keep", "failure", "progress", "filter", "__weakref__")

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.query = query = ffi.new("toc_query *")
        self.failure: BaseException | None = None
        self.progress: Any = None
        self.filter: Any = None
        self.keep: Any = None
        lib.toc_defaults_write(lib.TOC_DEFAULTS_QUERY, query, ffi.sizeof("toc_query"))
        for name, value in settings.items():
            self._set(name, value)
        # In the main thread Python handles signals whenever the library reports its progress: Ctrl-C stops the call.
        if threading.get_ident() == _main_thread or self.progress is not None or callable(self.filter):
            handle = ffi.new_handle(self)
            self.keep = (self.keep, handle)
            query.progress = (lib.tocpy_report, handle)
            if callable(self.filter):
                query.filter = (lib.tocpy_wants, handle)

    def _set(self, name: str, value: Any) -> None:
        query = self.query
        if name in _test_names:
            set_test(query.test, {name: value})
        elif name in _plain_names:
            set_field(query, name, value)
        elif name in _research_names:
            if query.research == ffi.NULL:
                query.research = self._hold(ffi.new("toc_research *"))
            set_field(ffi.cast("toc_research *", query.research), name, value)
        elif name == "preset":
            query.preset = choose("preset", _presets, str(value))
        elif name == "answer":
            query.answer = choose("answer", answers, value)
        elif name == "device":
            query.device = choose("device", devices, value)
        elif name == "progress":
            self.progress = value
        elif name == "filter":
            self.filter = value
            if isinstance(value, Mask):
                query.filter = (_mask_wants, self._hold(value._mask))
        else:
            raise unknown_setting(name, Settings)

    def _hold(self, thing: Any) -> Any:
        self.keep = (self.keep, thing)
        return thing

    def ask(self, function: Any, *arguments: Any) -> None:
        """Call a function of the library. It runs without Python's lock; exceptions of callbacks come out here."""
        self._finish(function(*arguments))

    def make(self, out: str, destroy: Any, function: Any, *arguments: Any) -> Any:
        """The same for a function that makes an object. Python owns it before an exception of a callback comes out."""
        made = ffi.new(f"{out} **")
        status = function(*arguments, made)
        owned = None if status else ffi.gc(made[0], destroy)
        self._finish(status)
        return owned

    def _finish(self, status: int) -> None:
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure
        if status:
            fail(status)


def _keep_failure(kind: Any, value: Any, traceback: Any) -> None:
    ffi.from_handle(traceback.tb_frame.f_locals["user"]).failure = value


@ffi.def_extern(error=1, onerror=_keep_failure)  # type: ignore[misc]
def tocpy_report(user: Any, done: float) -> int:
    question = ffi.from_handle(user)
    if question.failure is not None:
        return 1
    return 1 if question.progress is not None and question.progress(done) else 0


@ffi.def_extern(error=True, onerror=_keep_failure)  # type: ignore[misc]
def tocpy_wants(user: Any, kind: int, body: Any, v: Any) -> bool:
    question = ffi.from_handle(user)
    return bool(question.filter(Kind(kind), (body[0], body[1]), (v[0], v[1], v[2], v[3])))


def version() -> str:
    """The version of the library, "1.0.0".

    >>> version().count(".")
    2
    """
    return text(lib.toc_version_get())

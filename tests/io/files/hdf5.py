# SPDX-License-Identifier: Apache-2.0
"""HDF5 files by HDF5's library: python3 hdf5.py KIND OUT. Values follow from their places, so that a test knows them."""

import sys

import h5py
import numpy as np

WAYS = {"old": {}, "v18": {"libver": ("v108", "v108")}, "new": {"libver": "latest"}}


def arrays(path, way):
    """Arrays of every layout that is read, groups of few and many links, and objects of few and many attributes."""
    with h5py.File(path, "w", **WAYS[way]) as f:
        grid = np.arange(7 * 5 * 3, dtype="f8").reshape(7, 5, 3)
        f["piece"] = grid
        f.create_dataset("chunks", data=grid, chunks=(2, 3, 2))
        f.create_dataset("packed", data=grid, chunks=(3, 5, 3), compression="gzip", shuffle=True, fletcher32=True)
        f.create_dataset("single", data=grid, chunks=(7, 5, 3))
        f.create_dataset("long", data=np.arange(3000), chunks=(7,), compression="gzip")
        if way != "new":
            f.create_dataset("growing", data=grid, chunks=(2, 2, 3), maxshape=(None, 5, 3))
        f["swapped"] = np.arange(10, dtype=">i2") - 5
        f["bytes"] = np.arange(10, dtype="u1") + 250 - 9
        f["floats"] = np.arange(10, dtype=">f4") / 4
        f["empty"] = np.zeros((0, 3), dtype="i4")
        f["one"] = 42
        f.create_dataset("never written", shape=(4, 3), dtype="f8")
        small = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        small.set_layout(h5py.h5d.COMPACT)
        space = h5py.h5s.create_simple((4,))
        h5py.h5d.create(f.id, b"compact", h5py.h5t.NATIVE_INT32, space, small).write(space, space, np.arange(4, dtype="i4"))
        for i in range(300):
            f[f"many/link{i}"] = i
        few = f.create_group("few", track_order=False)
        few.attrs["count"] = 7
        few.attrs["text"] = np.bytes_("twelve bytes")
        full = f.create_group("full")
        for i in range(60):
            full.attrs[f"attribute{i}"] = i * 1.5


if __name__ == "__main__":
    arrays(sys.argv[2], sys.argv[1])

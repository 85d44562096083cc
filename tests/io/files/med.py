# SPDX-License-Identifier: Apache-2.0
"""A MED file by HDF5's library, after the description of MED 3: python3 med.py OUT [wide]. A tet falls on a triangle from a height of 1, by 1 a step
of 0.5; the tet is the group BALL, the triangle FLOOR in two groups."""

import sys

import h5py
import numpy as np

POINTS = np.array([[-4, -4, 0], [5, -4, 0], [-4, 5, 0], [0.1, 0.1, 1], [0.5, 0.1, 1.5], [0.1, 0.5, 1.5], [0.1, 0.1, 2]])
NO_STEP = "-0000000000000000001-0000000000000000001"


def columns(rows):
    """Component by component."""
    return np.asarray(rows).T.reshape(-1)


with h5py.File(sys.argv[1], "w", libver=("v108", "v108"), track_order=True) as file:
    file.create_group("INFOS_GENERALES").attrs.update({"MAJ": 3, "MIN": 2, "REL": 1})
    mesh = file.create_group("ENS_MAA/model")
    mesh.attrs.update({"DIM": 3, "ESP": 3, "TYP": 0, "REP": 0, "SRT": 0, "NXI": -1, "NXT": -1})
    for name in ("NOM", "UNI", "UNT", "DES"):
        mesh.attrs[name] = np.bytes_("X")
    step = mesh.create_group(NO_STEP)
    nodes = step.create_dataset("NOE/COO", data=columns(POINTS))
    nodes.attrs["NBR"] = len(POINTS)
    for name, corners, family in (("TR3", [[1, 2, 3]], -7), ("TE4", [[4, 6, 5, 7]], -6)):
        of = step.create_group(f"MAI/{name}")
        of.create_dataset("NOD", data=columns(corners)).attrs["NBR"] = len(corners)
        of.create_dataset("FAM", data=np.array([family])).attrs["NBR"] = len(corners)
    for name, number, groups in (("FAM_-6", -6, ["BALL"]), ("FAM_-7", -7, ["FLOOR", "SKIN"])):
        family = file.create_group(f"FAS/model/ELEME/{name}")
        family.attrs["NUM"] = number
        texts = np.zeros((len(groups), 80), "i1")
        for text, group in zip(texts, groups):
            text[: len(group)] = list(group.encode())
        family.create_dataset("GRO/NOM", data=texts).attrs["NBR"] = len(groups)
    file.create_group("FAS/model/FAMILLE_ZERO").attrs["NUM"] = 0
    field = file.create_group("CHA/RESU____DEPL")
    field.attrs["NCO"] = 3
    for number in (1, 2):
        of = field.create_group(f"{number:020d}{0:020d}")
        of.attrs["PDT"] = np.full((1, 4096), 0.5) if "wide" in sys.argv else 0.5 * number
        moved = np.zeros_like(POINTS)
        moved[3:, 2] = -number
        of.create_dataset("NOE/MED_NO_PROFILE_INTERNAL/CO", data=columns(moved))

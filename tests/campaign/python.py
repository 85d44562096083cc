# SPDX-License-Identifier: Apache-2.0
"""The Python module against exact answers: scenes of the swarm, one line of JSON each.

    swarm --write COUNT | python.py

Contacts, the first contact and the safe step with several presets. Ends with the number of questions; exit status 1 if
an answer was wrong.
"""
import json
import sys

import numpy as np
import toccata


class Check:
    """Counts questions, and shows the first wrong answers."""

    def __init__(self):
        self.questions = self.wrong = 0

    def that(self, holds, *what):
        self.questions += 1
        if holds:
            return
        self.wrong += 1
        if self.wrong <= 20:
            print("FAILED", *what, flush=True)


def make_scene(bodies):
    scene = toccata.Scene()
    for body in bodies:
        x0, x1 = np.array(body["x0"], float), np.array(body["x1"], float)
        mesh = toccata.Mesh(x0, body["triangles"], x1)
        if body["world"]:
            scene.add(toccata.World(mesh))
            continue
        scene.add(mesh)
    return scene


def key_of(kind, body, v):
    """Independent of the order of corners, and of two edges."""
    first = 1 if kind == 0 else 2
    a, b = (body[0], *sorted(v[:first])), (body[1], *sorted(v[first:]))
    return (kind, a, b) if kind == 0 or a < b else (kind, b, a)


def is_right(time, low, high):
    return time <= high and (low <= 0 if time == 0 else time >= low * (1 - 1e-9))


def check_contacts(check, seed, preset, scene, truth):
    found = scene.contacts(preset=preset, threads=1)
    got = {}
    for kind, body, v, time in zip(found["kind"], found["body"], found["v"], found["toc"]):
        got[key_of(int(kind), [int(b) for b in body], [int(i) for i in v])] = float(time)
    check.that(set(got) == set(truth), seed, preset, "pairs", set(got) ^ set(truth))
    for key in set(got) & set(truth):
        check.that(is_right(got[key], *truth[key]), seed, preset, "time of", key, got[key], truth[key])


def check_steps(check, seed, preset, scene, truth):
    low, high = min(((low, high) for low, high in truth.values()), default=(2, 2))
    first = scene.contacts(preset=preset, answer="first", threads=1)
    check.that(len(first) == (low <= 1), seed, preset, "first", len(first), low)
    for time in first["toc"]:
        check.that(time <= high, seed, preset, "first at", time, low)
    step = scene.safe_step(preset=preset, threads=1)
    check.that(0 <= step <= min(high, 1) and step >= min(low, 1) - 2**-18, seed, preset, "safe step", step, low)


def main():
    check = Check()
    for line in sys.stdin:
        known = json.loads(line)
        truth = {}
        for kind, b0, b1, *v, low, high in known["contacts"]:
            truth[key_of(kind, [b0, b1], v)] = (low, high)
        scene = make_scene(known["bodies"])
        for preset in ("auto", "bvh", "voxel-safe", "volccd", "brute"):
            check_contacts(check, known["seed"], preset, scene, truth)
            check_steps(check, known["seed"], preset, scene, truth)
    print(f"{check.questions} questions to the Python module, {check.wrong} failures")
    sys.exit(check.wrong > 0)


main()

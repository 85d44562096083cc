# SPDX-License-Identifier: Apache-2.0
# Linear blend skinning of a glTF file, written from the specification alone and without any code of the library:
#   python3 skin_reference.py FILE CLIP TIME...     CLIP is the number of the animation
# Prints the positions of all vertices of skinned nodes, in the order of the nodes (breadth first), for each time.
import base64, json, math, os, struct, sys

FORMATS = {5120: ("b", 1, 127.0), 5121: ("B", 1, 255.0), 5122: ("h", 2, 32767.0), 5123: ("H", 2, 65535.0),
           5125: ("I", 4, 1.0), 5126: ("f", 4, 1.0)}
COUNTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def load(path):
    data = open(path, "rb").read()
    if data[:4] != b"glTF":
        return json.loads(data), None
    size = struct.unpack("<I", data[12:16])[0]
    return json.loads(data[20:20 + size]), data[28 + size:]


class File:
    def __init__(self, path):
        self.json, self.chunk = load(path)
        self.folder = os.path.dirname(path)
        self.buffers = [self.buffer(b) for b in self.json["buffers"]]

    def buffer(self, b):
        uri = b.get("uri")
        if uri is None:
            return self.chunk
        if uri.startswith("data:"):
            return base64.b64decode(uri.split(",", 1)[1])
        return open(os.path.join(self.folder, uri), "rb").read()

    def accessor(self, index):
        a = self.json["accessors"][index]
        code, size, top = FORMATS[a["componentType"]]
        n = COUNTS[a["type"]]
        view = self.json["bufferViews"][a["bufferView"]]
        start = view.get("byteOffset", 0) + a.get("byteOffset", 0)
        stride = view.get("byteStride", n * size)
        bytes_ = self.buffers[view["buffer"]]
        items = [struct.unpack_from("<" + n * code, bytes_, start + i * stride) for i in range(a["count"])]
        return [[x / top for x in item] for item in items] if a.get("normalized") else items


def multiply(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def columns(m):
    return [[m[4 * j + i] for j in range(4)] for i in range(4)]


def local(node):
    if "matrix" in node:
        return columns(node["matrix"])
    x, y, z, w = node.get("rotation", (0, 0, 0, 1))
    length = math.sqrt(x * x + y * y + z * z + w * w)
    x, y, z, w = x / length, y / length, z / length, w / length
    s, t = node.get("scale", (1, 1, 1)), node.get("translation", (0, 0, 0))
    # Columns are the images of the axes under q v q*.
    r = [[w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
         [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
         [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z]]
    return [[r[i][j] * s[j] for j in range(3)] + [t[i]] for i in range(3)] + [[0, 0, 0, 1]]


def slerp(a, b, t):
    d = sum(p * q for p, q in zip(a, b))
    if d < 0:
        b, d = [-q for q in b], -d
    angle = math.acos(min(d, 1))
    if angle < 1e-6:
        return [(1 - t) * p + t * q for p, q in zip(a, b)]
    return [(math.sin((1 - t) * angle) * p + math.sin(t * angle) * q) / math.sin(angle) for p, q in zip(a, b)]


def sample(times, values, way, rotation, time):
    times = [t[0] for t in times]
    if time <= times[0]:
        return values[1 if way == "CUBICSPLINE" else 0]
    if time >= times[-1]:
        return values[-2 if way == "CUBICSPLINE" else -1]
    k = max(i for i in range(len(times)) if times[i] <= time)
    span = times[k + 1] - times[k]
    t = (time - times[k]) / span
    if way == "STEP":
        return values[k]
    if way == "CUBICSPLINE":
        p, m, q, n = values[3 * k + 1], values[3 * k + 2], values[3 * k + 4], values[3 * k + 3]
        return [(2 * t**3 - 3 * t**2 + 1) * p[i] + span * (t**3 - 2 * t**2 + t) * m[i] +
                (3 * t**2 - 2 * t**3) * q[i] + span * (t**3 - t**2) * n[i] for i in range(len(p))]
    if rotation:
        return slerp(values[k], values[k + 1], t)
    return [(1 - t) * p + t * q for p, q in zip(values[k], values[k + 1])]


def pose(file, clip, time):
    nodes = [dict(n) for n in file.json["nodes"]]
    animation = file.json["animations"][clip]
    for channel in animation["channels"]:
        sampler, target = animation["samplers"][channel["sampler"]], channel["target"]
        value = sample(file.accessor(sampler["input"]), file.accessor(sampler["output"]),
                       sampler.get("interpolation", "LINEAR"), target["path"] == "rotation", time)
        nodes[target["node"]][target["path"]] = value
    return nodes


def walk(file, nodes):
    world, order = {}, [(i, None) for i in file.json["scenes"][file.json.get("scene", 0)]["nodes"]]
    for i, parent in order:
        m = local(nodes[i])
        world[i] = multiply(world[parent], m) if parent is not None else m
        order += [(c, i) for c in nodes[i].get("children", [])]
    return world, [i for i, _ in order]


def skin_vertices(file, nodes, world, node):
    skin = file.json["skins"][nodes[node]["skin"]]
    binds = [columns(m) for m in file.accessor(skin["inverseBindMatrices"])]
    matrices = [multiply(world[j], b) for j, b in zip(skin["joints"], binds)]
    for primitive in file.json["meshes"][nodes[node]["mesh"]]["primitives"]:
        attributes = primitive["attributes"]
        rows = [file.accessor(attributes[name]) for name in ("POSITION", "JOINTS_0", "WEIGHTS_0")]
        for x, joints, weights in zip(*rows):
            total, p = sum(weights), list(x) + [1]
            yield [sum(w / total * sum(matrices[j][i][k] * p[k] for k in range(4))
                       for j, w in zip(joints, weights) if w) for i in range(3)]


def main(path, clip, times):
    file = File(path)
    for time in times:
        nodes = pose(file, clip, time)
        world, order = walk(file, nodes)
        for node in order:
            if "skin" in nodes[node] and "mesh" in nodes[node]:
                for x in skin_vertices(file, nodes, world, node):
                    print("%.17g %.17g %.17g" % tuple(x))


main(sys.argv[1], int(sys.argv[2]), [float(t) for t in sys.argv[3:]])

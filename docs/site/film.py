# SPDX-License-Identifier: Apache-2.0
"""Pictures to a film: python3 film.py FOLDER FILM.gif. Equal pictures last longer, and all share one palette."""
import pathlib
import sys

from PIL import Image

folder, film = sys.argv[1:]
pictures = [Image.open(path).convert("RGB") for path in sorted(pathlib.Path(folder).glob("*.png"))]
size = (720, 720 * pictures[0].height // pictures[0].width)
pictures = [picture.resize(size, Image.LANCZOS) for picture in pictures]
some = pictures[:: max(1, len(pictures) // 8)]
together = Image.new("RGB", (size[0], size[1] * len(some)))
for i, picture in enumerate(some):
    together.paste(picture, (0, size[1] * i))
palette = together.quantize(128)
frames = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
kept, times = [], []
for frame in frames:
    if kept and frame.tobytes() == kept[-1].tobytes():
        times[-1] += 120
    else:
        kept.append(frame)
        times.append(120)
times[-1] += 1500
kept[0].save(film, save_all=True, append_images=kept[1:], duration=times, loop=0, optimize=True)
print(f"{len(kept)} pictures, {sum(times) / 1000:.1f} s, {pathlib.Path(film).stat().st_size} bytes")

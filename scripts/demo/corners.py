"""Draws the corners of a Harris response: INPUT.npy RESPONSE.npy DIRECTORY.

Writes input.png, and corners.png with the photograph beside itself with its corners
marked.
"""

import os
import sys

import numpy as np
from PIL import Image, ImageDraw
from skimage.feature import peak_local_max

import halide_npy

CORNERS = 400  # the strongest; more hide the photograph
GAP = 8


def main():
    photo = halide_npy.load(sys.argv[1]).transpose(1, 2, 0)
    response = halide_npy.load(sys.argv[2])
    directory = sys.argv[3]
    height, width = response.shape

    corners = peak_local_max(response, min_distance=4, threshold_rel=0.01, exclude_border=False, num_peaks=CORNERS)
    if len(corners) == 0:
        sys.exit("no corner found in " + sys.argv[2])

    image = Image.fromarray(photo)
    image.save(os.path.join(directory, "input.png"))

    # Half as bright, so that the marks stand out.
    marked = Image.fromarray((photo * 0.55).astype(np.uint8))
    draw = ImageDraw.Draw(marked)
    for y, x in corners:
        draw.ellipse([x - 4, y - 4, x + 4, y + 4], outline=(255, 230, 0), width=1)
        draw.point([(x, y)], fill=(0, 255, 255))

    both = Image.new("RGB", (2 * width + GAP, height), "white")
    both.paste(image, (0, 0))
    both.paste(marked, (width + GAP, 0))
    path = os.path.join(directory, "corners.png")
    both.save(path)
    print(f"{len(corners)} corners marked in {os.path.relpath(path)}")


main()

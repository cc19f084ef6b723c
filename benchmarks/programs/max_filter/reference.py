"""Maximum over a disc with SciPy, by trying every pixel of it: input=in.npy output=out.npy.

Beyond the edge there is nothing: a repeated edge adds no value to a disc that it has not
already, because the pixel it repeats is nearer to the middle.
"""

import numpy as np
from scipy import ndimage

import halide_npy

RADIUS = 26


def main():
    args = halide_npy.arguments()
    image = halide_npy.load(args["input"])
    y, x = np.mgrid[-RADIUS : RADIUS + 1, -RADIUS : RADIUS + 1]
    disc = x * x + y * y <= (RADIUS + 0.25) ** 2
    out = ndimage.maximum_filter(image, footprint=disc[None], mode="constant", cval=-np.inf)
    halide_npy.save(args["output"], out)


main()

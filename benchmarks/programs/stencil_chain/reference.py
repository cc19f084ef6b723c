"""The chain of stencils with SciPy's correlate: input=in.npy output=out.npy.

Sums of products are below 2^24 and so exact in float64, whatever their order.
"""

import numpy as np
from scipy import ndimage

import halide_npy

STENCILS = 32
WEIGHTS = np.array(
    [
        [1, 4, 6, 5, 2],
        [5, 15, 20, 17, 3],
        [8, 21, 40, 22, 7],
        [3, 16, 23, 13, 5],
        [1, 6, 8, 4, 1],
    ]
)


def main():
    args = halide_npy.arguments()
    # The image's edge is repeated once, in front of all stencils: each takes two pixels
    # of the margin, and what correlate makes of the margin's own edge is never seen.
    margin = 2 * STENCILS
    image = np.pad(halide_npy.load(args["input"]).astype(np.float64), margin, mode="edge")
    for _ in range(STENCILS):
        image = np.floor(ndimage.correlate(image, WEIGHTS, mode="constant") / WEIGHTS.sum() + 0.5)
    halide_npy.save(args["output"], image[margin:-margin, margin:-margin].astype(np.uint16))


main()

"""Harris corner response with SciPy, in float64: input=in.npy output=out.npy."""

import numpy as np
from scipy import ndimage

import halide_npy


def main():
    args = halide_npy.arguments()
    rgb = halide_npy.load(args["input"]).astype(np.float64) / 255
    # Halide repeats the photograph's edge and computes gradients beyond it; two
    # pixels of margin are all that the response of an edge pixel sees.
    rgb = np.pad(rgb, [(0, 0), (2, 2), (2, 2)], mode="edge")
    gray = np.tensordot([0.299, 0.587, 0.114], rgb, axes=1)
    gx = ndimage.sobel(gray, axis=1) / 12
    gy = ndimage.sobel(gray, axis=0) / 12
    a, b, c = (9 * ndimage.uniform_filter(p, 3) for p in (gx * gx, gy * gy, gx * gy))
    tensor = np.stack([np.stack([a, c], -1), np.stack([c, b], -1)], -1)
    response = np.linalg.det(tensor) - 0.04 * np.trace(tensor, axis1=-2, axis2=-1) ** 2
    halide_npy.save(args["output"], response[2:-2, 2:-2].astype(np.float32))


main()

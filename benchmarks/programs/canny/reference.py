"""Canny's edges with SciPy, in 64-bit integers: input=in.npy weak=L strong=H output=out.npy."""

import numpy as np
from scipy import ndimage

import halide_npy

# What the blur, the gradient, the ridge and the thresholds see around a pixel.
MARGIN = 2 + 1 + 1 + 1


def main():
    args = halide_npy.arguments()
    image = halide_npy.load(args["input"]).astype(np.int64)
    image = np.pad(image, [(0, 0), (MARGIN, MARGIN), (MARGIN, MARGIN)], mode="edge")
    gray = np.tensordot([77, 150, 29], image, axes=1) // 256
    for axis in (0, 1):
        gray = ndimage.correlate1d(gray, [1, 4, 6, 4, 1], axis=axis)
    smooth = (gray + 128) // 256
    gy, gx = ndimage.sobel(smooth, axis=0), ndimage.sobel(smooth, axis=1)
    strength = gx**2 + gy**2

    # A compass of eight, counted from the gradient's own direction to the pixel behind.
    steps = np.array([(0, 1), (1, 1), (1, 0), (1, -1)])
    kind = np.select([5 * abs(gy) < 2 * abs(gx), 5 * abs(gx) < 2 * abs(gy), (gx > 0) == (gy > 0)], [0, 2, 1], 3)
    # The fourth is upwards to the right, (1, -1) seen from its other end.
    steps[3] = (-1, 1)
    y, x = np.mgrid[1 : strength.shape[0] - 1, 1 : strength.shape[1] - 1]
    dy, dx = np.moveaxis(steps[kind[1:-1, 1:-1]], -1, 0)
    inner = strength[1:-1, 1:-1]
    top = (inner > strength[y - dy, x - dx]) & (inner >= strength[y + dy, x + dx])
    ridge = np.where(top, inner, 0)

    beside = ndimage.maximum_filter(ridge, size=3)
    edge = (ridge > 0) & (ridge >= int(args["weak"]) ** 2) & (beside >= int(args["strong"]) ** 2)
    edge = edge[MARGIN - 1 : 1 - MARGIN, MARGIN - 1 : 1 - MARGIN]
    halide_npy.save(args["output"], (255 * edge).astype(np.uint8))


main()

"""Bilateral grid with NumPy and SciPy, in float64: input=in.npy range=R output=out.npy."""

import numpy as np
from scipy import ndimage

import halide_npy

CELL = 8


def main():
    args = halide_npy.arguments()
    gray = np.clip(halide_npy.load(args["input"]).astype(np.float64), 0, 1)
    spread = float(args["range"])

    # Cells up to three beyond the image count: one to interpolate, two to blur.
    margin = 3 * CELL + CELL // 2
    height, width = gray.shape
    cells = [-(-n // CELL) + 6 for n in (height, width)]
    padded = np.pad(gray, [(margin, CELL * n - margin - size) for n, size in zip(cells, gray.shape)], mode="edge")
    # Every pixel is put between the levels of its cell, two empty ones around them.
    y, x = np.indices(padded.shape)
    levels = int(np.ceil(1 / spread)) + 6
    where = np.stack([y.ravel() / CELL, x.ravel() / CELL, padded.ravel() / spread + 2.5], axis=-1)
    bins = [np.arange(n + 1) for n in (*cells, levels)]
    weights, _ = np.histogramdd(where, bins)
    sums, _ = np.histogramdd(where, bins, weights=padded.ravel())

    binomial = np.poly1d([1, 1]) ** 4
    for axis in range(3):
        sums, weights = (ndimage.convolve1d(g, binomial.coeffs, axis=axis, mode="constant") for g in (sums, weights))

    y, x = np.indices(gray.shape)
    at = [y / CELL + 3, x / CELL + 3, gray / spread + 2]
    sums, weights = (ndimage.map_coordinates(g, at, order=1, mode="nearest") for g in (sums, weights))
    halide_npy.save(args["output"], (sums / weights).astype(np.float32))


main()

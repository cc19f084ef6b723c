"""Unsharp mask with SciPy's Gaussian filter, in float64: input=in.npy output=out.npy."""

import numpy as np
from scipy import ndimage

import halide_npy

SIGMA = 1.5


def main():
    args = halide_npy.arguments()
    rgb = halide_npy.load(args["input"]).astype(np.float64)
    gray = np.tensordot([0.299, 0.587, 0.114], rgb, axes=1)
    # Seven taps in both directions at once, which the separable blur has to equal.
    impulse = np.zeros((7, 7))
    impulse[3, 3] = 1
    kernel = ndimage.gaussian_filter(impulse, SIGMA, radius=3, mode="constant")
    blurred = ndimage.convolve(gray, kernel, mode="nearest")
    # A pixel darker than one level of 8 bits is scaled as if it had one.
    gain = (gray + (gray - blurred)) / np.maximum(gray, 1 / 255)
    halide_npy.save(args["output"], (rgb * gain).astype(np.float32))


main()

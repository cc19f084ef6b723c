"""Detail amplified over a two-level pyramid: samples=, curve=, gain=, result=."""

import numpy as np
from scipy import ndimage

import halide_npy

LEVELS = 2
MARGIN = 16  # samples beyond the edge, a multiple of 2**LEVELS; the pyramid sees fewer


def down(a):
    kernel = np.array([1, 3, 3, 1])
    for axis in (0, 1):
        # correlate1d centres an even kernel on its third tap: a[i-2 .. i+1].
        a = ndimage.correlate1d(a, kernel, axis=axis, mode="nearest")
        a = np.take(a, np.arange(1, a.shape[axis], 2), axis=axis)
    return (a + 32) // 64


def up(a):
    for axis in (0, 1):
        before, after = np.roll(a, 1, axis), np.roll(a, -1, axis)
        a = np.stack([3 * a + before, 3 * a + after], axis=axis + 1)
        shape = list(a.shape)
        shape[axis:axis + 2] = [-1]
        a = a.reshape(shape)
    return (a + 8) // 16


def main():
    args = halide_npy.arguments()
    samples = halide_npy.load(args["samples"]).astype(np.int64)
    height, width = samples.shape
    # The far side is padded to whole coarse samples beside the margin.
    a = np.pad(samples, [(MARGIN, MARGIN + -height % 4), (MARGIN, MARGIN + -width % 4)], mode="edge")
    for _ in range(LEVELS):
        a = down(a)
    for _ in range(LEVELS):
        a = up(a)
    base = a[MARGIN:MARGIN + height, MARGIN:MARGIN + width]
    detail = np.clip(base + (samples - base) * int(args["gain"]) // 4, 0, 65535)
    halide_npy.save(args["result"], halide_npy.load(args["curve"])[detail >> 8])


main()

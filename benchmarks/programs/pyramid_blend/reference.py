"""Blending by Laplacian pyramids with SciPy, in float64, levels by polyphase filters:
first=a.npy second=b.npy mask=m.npy output=out.npy."""

import numpy as np
from scipy import signal

import halide_npy

LEVELS = 4
# Beyond what the coarsest level sees around the picture; a multiple of its samples.
MARGIN = 16 * 2 ** (LEVELS - 1)
FILTER = np.array([1, 3, 3, 1]) / 8


def halve(a):
    for axis in (-1, -2):
        # upfirdn begins three samples before the first; a coarse sample's first tap is one before.
        a = np.take(signal.upfirdn(FILTER, a, down=2, axis=axis), np.arange(1, a.shape[axis] // 2 + 1), axis=axis)
    return a


def double(a):
    for axis in (-1, -2):
        a = np.take(signal.upfirdn(2 * FILTER, a, up=2, axis=axis), np.arange(1, 2 * a.shape[axis] + 1), axis=axis)
    return a


def pyramid(a):
    levels = [a]
    while len(levels) < LEVELS:
        levels.append(halve(levels[-1]))
    return levels


def main():
    args = halide_npy.arguments()
    first, second, mask = (halide_npy.load(args[name]).astype(np.float64) for name in ("first", "second", "mask"))
    height, width = mask.shape
    # Room for the margin and for whole samples of the coarsest level.
    beyond = [(MARGIN, MARGIN + -n % 2 ** (LEVELS - 1)) for n in (height, width)]
    first, second = (np.pad(a, [(0, 0), *beyond], mode="edge") for a in (first, second))
    weights = pyramid(np.pad(mask, beyond, mode="edge"))
    first, second = pyramid(first), pyramid(second)
    result = None
    for level in reversed(range(LEVELS)):
        bands = [p[level] - (double(p[level + 1]) if level + 1 < LEVELS else 0) for p in (first, second)]
        blended = weights[level] * bands[0] + (1 - weights[level]) * bands[1]
        result = blended if result is None else blended + double(result)
    result = result[:, MARGIN : MARGIN + height, MARGIN : MARGIN + width]
    halide_npy.save(args["output"], np.clip(result, 0, 1).astype(np.float32))


main()

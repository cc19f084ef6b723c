"""Multiscale interpolation with SciPy, in float64: input=in.npy output=out.npy.

Levels are whole images with coordinates: down by filtering all samples and keeping the
even ones, up by linear splines at half the coordinates.
"""

from dataclasses import dataclass

import numpy as np
from scipy import interpolate, ndimage

import halide_npy

LEVELS = 10
EDGE_LEVEL = 4  # its samples within the image are extended for all coarser levels


@dataclass
class Level:
    samples: np.ndarray  # channel, y, x
    first: int  # the coordinate of the first sample, in x and y; even


def extended(samples, margin):
    return Level(np.pad(samples, [(0, 0), (margin, margin), (margin, margin)], mode="edge"), -margin)


def halved(level):
    """Filtered by (1 2 1) / 4; the outermost samples are wrong and within the margin."""
    smooth = level.samples
    for axis in (1, 2):
        smooth = ndimage.convolve1d(smooth, [0.25, 0.5, 0.25], axis=axis)
    return Level(smooth[:, ::2, ::2], level.first // 2)


def doubled(level, like):
    """Linear between the samples, at the points of another level."""
    samples = level.samples
    for axis in (1, 2):
        at = like.first + np.arange(like.samples.shape[axis])
        known = level.first + np.arange(samples.shape[axis])
        samples = interpolate.make_interp_spline(known, samples, k=1, axis=axis)(at / 2)
    return samples


def main():
    args = halide_npy.arguments()
    rgba = halide_npy.load(args["input"]).astype(np.float64)
    height, width = rgba.shape[1:]
    # 64 pixels are four samples of the edge level, 128 of its samples four of the coarsest.
    weighted = np.concatenate([rgba[:3] * rgba[3], rgba[3:]])
    pyramid = [extended(weighted, 64)]
    for level in range(1, LEVELS):
        finer = pyramid[-1]
        if level == EDGE_LEVEL + 1:
            y, x = ((np.array([height, width]) - 1) >> EDGE_LEVEL) + 1
            finer = extended(finer.samples[:, -finer.first : y - finer.first, -finer.first : x - finer.first], 128)
        pyramid.append(halved(finer))
    filled = pyramid.pop()
    for level in reversed(pyramid):
        filled = Level(level.samples + (1 - level.samples[3]) * doubled(filled, level), level.first)
    inner = filled.samples[:, 64 : 64 + height, 64 : 64 + width]
    halide_npy.save(args["output"], (inner[:3] / inner[3]).astype(np.float32))


main()

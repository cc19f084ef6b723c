"""Lens blur of a stereo pair with NumPy and SciPy, in 64-bit integers:
left=l.npy right=r.npy slices=N focus=N aperture=F samples=N output=out.npy."""

import numpy as np
from scipy import ndimage

import halide_npy

LEVELS = 8


def halve(a):
    """The two last axes at half the size, the edge repeated; rounded after each axis."""
    for axis in (-1, -2):
        a = np.moveaxis(a, axis, -1)
        n = a.shape[-1]
        padded = np.pad(a, [(0, 0)] * (a.ndim - 1) + [(1, 2)], mode="edge")
        pairs = np.stack([padded[..., k : k + n : 2] for k in range(4)], axis=-1)
        a = np.moveaxis((pairs @ np.array([1, 3, 3, 1]) + 4) // 8, -1, axis)
    return a


def double(a, shape):
    """halve's transpose, cut to shape."""
    for axis in (-1, -2):
        a = np.moveaxis(a, axis, -1)
        padded = np.pad(a, [(0, 0)] * (a.ndim - 1) + [(1, 1)], mode="edge")
        even = (3 * padded[..., 1:-1] + padded[..., :-2] + 2) // 4
        odd = (3 * padded[..., 1:-1] + padded[..., 2:] + 2) // 4
        a = np.stack([even, odd], axis=-1).reshape(*a.shape[:-1], -1)[..., : shape[axis]]
        a = np.moveaxis(a, -1, axis)
    return a


def depths(left, right, slices):
    """The disparity of least cost, in pairs of pixels."""
    width = left.shape[2]
    x = np.arange(width)
    cost = np.empty((slices, *left.shape[1:]), np.int64)
    outside = np.empty((slices, 1, width), bool)
    for z in range(slices):
        shifted = [right[:, :, np.clip(x - d, 0, width - 1)] for d in (2 * z, 2 * z + 1)]
        cost[z] = np.minimum(*(np.abs(left - s) for s in shifted)).sum(axis=0)
        outside[z] = x <= 2 * z
    variance = (slices * (cost**2).sum(axis=0) - cost.sum(axis=0) ** 2) // slices**2
    weight = 16 * (1 + np.where(outside, 0, variance // 256))
    fine = [np.stack([cost * weight, weight])]
    while len(fine) < LEVELS:
        fine.append(halve(fine[-1]))
    smooth = fine[-1]
    for level in fine[-2::-1]:
        smooth = (level + double(smooth, level.shape) + 1) // 2
    return (256 * smooth[0] // smooth[1]).argmin(axis=0)


def main():
    args = halide_npy.arguments()
    left, right = (halide_npy.load(args[name]).astype(np.int64) for name in ("left", "right"))
    slices, focus, samples = (int(args[name]) for name in ("slices", "focus", "samples"))
    aperture = np.float32(args["aperture"])
    height, width = left.shape[1:]
    reach = int(np.float32(max(slices - 1 - focus, focus)) * aperture)

    depth = depths(left, right, slices)
    radius = (np.abs(depth - focus).astype(np.float32) * aperture).astype(np.int64)
    largest = ndimage.maximum_filter(radius, size=2 * reach + 1, mode="nearest")

    y, x = np.mgrid[:height, :width]
    begin = (x.astype(np.uint32) * np.uint32(0x9E3779B1)) ^ (y.astype(np.uint32) * np.uint32(0x85EBCA77))
    begin = (begin ^ (begin >> 15)) * np.uint32(0x2C1B3C6D)
    begin ^= begin >> 13
    light = np.concatenate([left, np.ones_like(left[:1])])
    total = light.copy()
    for k in range(samples):
        dx, dy = (
            (((b + np.uint32(k * step % 2**32)) >> 16).astype(np.int64) * (2 * largest + 1) >> 16) - largest
            for b, step in ((begin, 0xC13FA9A9), ((begin << 16) ^ begin, 0x91E10DA5))
        )
        at = np.clip(y + dy, 0, height - 1), np.clip(x + dx, 0, width - 1)
        square = dx**2 + dy**2
        counts = (square <= radius[at] ** 2) & ((square <= radius**2) | (depth[at] > depth))
        total += counts * light[(slice(None), *at)]
    halide_npy.save(args["output"], (total[:3] / (255.0 * total[3])).astype(np.float32))


main()

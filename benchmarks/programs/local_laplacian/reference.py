"""The local Laplacian filter with SciPy, in float64:
input=in.npy detail=D contrast=C output=out.npy."""

import numpy as np
from scipy import ndimage

import halide_npy

LEVELS = 8
REMAPPINGS = 8
MOST = 65535
STEP = MOST // (REMAPPINGS - 1)
EDGE_LEVEL = 2  # its samples within the image are extended for all coarser levels
# Beyond it the coarsest samples see nothing but a repeated edge, and repeating the edge
# of the array is the same as repeating the image's.
MARGIN = 256
COARSEST = 2 ** (LEVELS - 1)


def halved(a):
    for axis in (0, 1):
        a = ndimage.correlate1d(a, np.array([1, 3, 3, 1]) / 8, axis=axis, mode="nearest", origin=-1)
    return a[::2, ::2]


def doubled(a):
    """Linear between the centres of the coarse pixels."""
    return ndimage.zoom(a, 2, order=1, mode="nearest", grid_mode=True)


def extended(a, size):
    """The same array with the image's edge at this level repeated around the image."""
    before = MARGIN >> EDGE_LEVEL
    inner = [slice(before, before + ((n - 1) >> EDGE_LEVEL) + 1) for n in size]
    grow = [(s.start, n - s.stop) for s, n in zip(inner, a.shape)]
    return np.pad(a[tuple(inner)], grow, mode="edge")


def gaussian(a, size):
    pyramid = [a]
    for level in range(LEVELS - 1):
        finer = pyramid[-1]
        pyramid.append(halved(extended(finer, size) if level == EDGE_LEVEL else finer))
    return pyramid


def laplacian(a, size):
    pyramid = gaussian(a, size)
    return [fine - doubled(coarse) for fine, coarse in zip(pyramid, pyramid[1:])] + pyramid[-1:]


def main():
    args = halide_npy.arguments()
    image = halide_npy.load(args["input"]).astype(np.int64)
    height, width = image.shape[1:]
    grow = [(MARGIN, MARGIN + -n % COARSEST) for n in (height, width)]
    luma = np.pad(np.tensordot([77, 150, 29], image, axes=1) // 256, grow, mode="edge")

    stacks = []
    for k in range(REMAPPINGS):
        apart = luma - k * STEP
        d = (apart - apart % 32) / STEP
        boost = float(args["detail"]) * d * np.exp(-d * d / 2) / (REMAPPINGS - 1)
        stacks.append(laplacian((k * STEP + float(args["contrast"]) * apart) / MOST + boost, (height, width)))

    result = None
    for level, guide in reversed(list(enumerate(gaussian(luma / STEP, (height, width))))):
        below = np.clip(np.floor(guide).astype(int), 0, REMAPPINGS - 2)
        pyramids = np.stack([s[level] for s in stacks])
        low, high = (np.take_along_axis(pyramids, (below + i)[None], axis=0)[0] for i in (0, 1))
        chosen = low + (guide - below) * (high - low)
        result = chosen if result is None else doubled(result) + chosen
    inner = np.s_[MARGIN : MARGIN + height, MARGIN : MARGIN + width]
    ratio = (result[inner] + 0.01) / (luma[inner] / MOST + 0.01)
    halide_npy.save(args["output"], (image / MOST * ratio).astype(np.float32))


main()

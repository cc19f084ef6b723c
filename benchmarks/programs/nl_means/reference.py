"""Non-local means with NumPy, in float64, patches by summed-area tables:
input=in.npy sigma=S output=out.npy."""

import numpy as np

import halide_npy

PATCH = 7
SEARCH = 7


def main():
    args = halide_npy.arguments()
    image = halide_npy.load(args["input"]).astype(np.float64)
    height, width = image.shape[1:]
    # Halide repeats the photograph's edge, and both patches of a pair reach beyond it.
    reach = PATCH // 2
    image = np.pad(image, [(0, 0)] + [(reach + SEARCH // 2,) * 2] * 2, mode="edge")

    def moved(dx, dy, margin):
        """The part of the image that a margin around the photograph sees at (dx, dy)."""
        y, x = (reach + SEARCH // 2 + d - margin for d in (dy, dx))
        return image[:, y : y + height + 2 * margin, x : x + width + 2 * margin]

    colours, weights = np.zeros((3, height, width)), np.zeros((height, width))
    for dy, dx in np.ndindex(SEARCH, SEARCH):
        dy, dx = dy - SEARCH // 2, dx - SEARCH // 2
        apart = ((moved(0, 0, reach) - moved(dx, dy, reach)) ** 2).sum(axis=0)
        table = np.pad(apart.cumsum(axis=0).cumsum(axis=1), [(1, 0), (1, 0)])
        patches = table[PATCH:, PATCH:] - table[:-PATCH, PATCH:] - table[PATCH:, :-PATCH] + table[:-PATCH, :-PATCH]
        weight = np.exp(-patches / (2 * 3 * PATCH**2 * float(args["sigma"]) ** 2))
        colours += weight * moved(dx, dy, 0)
        weights += weight
    halide_npy.save(args["output"], (colours / weights).astype(np.float32))


main()

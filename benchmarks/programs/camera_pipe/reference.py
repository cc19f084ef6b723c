"""The camera pipe with NumPy and SciPy, on whole images under masks, in float64:
raw=in.npy matrix_warm=in.npy ... output=out.npy.

The generator splits the mosaic into four planes; here all sites are interpolated by one
rule and a mask chooses. Numbers of both are whole, so they have to be equal; where the
generator rounds a float32 the reference makes sure that no value is near the point at
which the rounding changes.
"""

import numpy as np
from scipy import ndimage

import halide_npy

# What the steps together see beyond the edge is 5 pixels; even, so that the mosaic stays in place.
MARGIN = 6
MOST = 1023


def shifted(a, dx, dy):
    """The image whose value at (x, y) is a's at (x + dx, y + dy)."""
    return np.roll(a, (-dy, -dx), axis=(0, 1))


def halves_up(a, b):
    return np.ceil((a + b) / 2)


def along_edge(first, second):
    """The mean of the pair that differs less."""
    return np.where(np.abs(first[0] - first[1]) <= np.abs(second[0] - second[1]), halves_up(*first), halves_up(*second))


def rounded(values, least):
    """To the nearest integer; no value may be nearer than least to where that changes."""
    assert np.abs(values - np.floor(values) - 0.5).min() > least, "a value is too near to a half for float32"
    return np.floor(values + 0.5)


def demosaic(mosaic):
    rows, columns = np.indices(mosaic.shape) % 2
    is_red, is_blue = (rows == 0) & (columns == 1), (rows == 1) & (columns == 0)
    left, right, above, below = ((-1, 0), (1, 0), (0, -1), (0, 1))
    pair = lambda a, p, q: (shifted(a, *p), shifted(a, *q))

    green = np.where(is_red | is_blue, along_edge(pair(mosaic, left, right), pair(mosaic, above, below)), mosaic)
    planes = [green]
    for sites in (is_red, is_blue):
        less_green = mosaic - green
        at_row, at_column = shifted(sites, 1, 0), shifted(sites, 0, 1)
        difference = np.select(
            [sites, at_row, at_column],
            [less_green, halves_up(*pair(less_green, left, right)), halves_up(*pair(less_green, above, below))],
            along_edge(pair(less_green, (-1, -1), (1, 1)), pair(less_green, (1, -1), (-1, 1))),
        )
        planes.append(green + difference)
    return np.stack([planes[1], planes[0], planes[2]])


def main():
    args = halide_npy.arguments()
    raw, warm, cold = (halide_npy.load(args[k]).astype(np.float64) for k in ("raw", "matrix_warm", "matrix_cold"))
    number = lambda name: float(args[name])

    mosaic = np.pad(raw, MARGIN, mode="reflect")
    around = np.zeros((5, 5), bool)
    around[[0, 2, 2, 4], [2, 0, 4, 2]] = True  # the four nearest samples of the same colour
    mosaic = np.clip(mosaic, ndimage.minimum_filter(mosaic, footprint=around), ndimage.maximum_filter(mosaic, footprint=around))

    share = (1 / number("kelvin") - 1 / 3200) / (1 / 7000 - 1 / 3200)
    matrix = rounded((share * cold + (1 - share) * warm) * 256, 1e-3)
    rgb = demosaic(mosaic)
    corrected = np.einsum("cd,dyx->cyx", matrix[:, :3], rgb) + matrix[:, 3, None, None]
    corrected = np.clip(np.floor(corrected / 256 + 0.5), 0, MOST).astype(int)

    linear = np.clip((np.arange(MOST + 1) - number("black")) / (number("white") - number("black")), 0, 1)
    bright = linear ** (1 / number("gamma"))
    # A curve of odd symmetry around the middle: t(|t|) there, t being -1 to 1.
    t = 2 * bright - 1
    curve = (1 + t * (1 + number("contrast") * (1 - np.abs(t)))) / 2
    picture = rounded(np.clip(curve * 255, 0, 255), 1e-3)[corrected]

    weights = np.multiply.outer([1, 2, 1], [1, 2, 1])
    blur = np.floor(ndimage.correlate(picture, weights[None]) / 16 + 0.5)
    sharp = picture + np.floor((picture - blur) * number("sharpness") / 32 + 0.5)
    inner = slice(MARGIN, -MARGIN)
    halide_npy.save(args["output"], np.clip(sharp, 0, 255).astype(np.uint8)[:, inner, inner])


main()

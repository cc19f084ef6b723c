"""Histogram equalisation of luminance with NumPy: input=in.npy output=out.npy.

The cumulative histogram comes from sorting, not from counting; the result is also
held against scikit-image's equalize_hist, which rounds in another way.
"""

import numpy as np
import skimage.exposure

import halide_npy


def rounded(coefficients, planes):
    """The combination of planes by coefficients in 1/65536, rounded to nearest."""
    return np.floor(np.tensordot(np.array(coefficients) / 65536, planes, axes=1) + 0.5).astype(np.int64)


def main():
    args = halide_npy.arguments()
    rgb = halide_npy.load(args["input"]).astype(np.float64)
    luma = rounded([19595, 38470, 7471], rgb)
    cb = rounded([-11059, -21709, 32768], rgb)
    cr = rounded([32768, -27439, -5329], rgb)

    order = np.sort(luma, axis=None)
    rank = np.searchsorted(order, luma, side="right")
    equalized = (rank * 255 + luma.size // 2) // luma.size

    other = skimage.exposure.equalize_hist(luma.astype(np.uint8), nbins=256) * 255
    assert np.abs(other - equalized).max() <= 1, "scikit-image disagrees by more than rounding"

    chroma = np.stack([cb, cr])
    out = np.stack([
        equalized + rounded([0, 91881], chroma),
        equalized - rounded([22554, 46802], chroma),
        equalized + rounded([116130, 0], chroma),
    ])
    halide_npy.save(args["output"], np.clip(out, 0, 255).astype(np.uint8))


main()

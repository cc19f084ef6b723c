"""3x3 box blur with NumPy, in whole numbers rounded down after each pass or in float64:
input=in.npy output=out.npy."""

import numpy as np

import halide_npy


def main():
    args = halide_npy.arguments()
    image = halide_npy.load(args["input"])
    wide = np.float64 if image.dtype.kind == "f" else np.uint64
    for axis in (2, 1):
        sums = np.lib.stride_tricks.sliding_window_view(image, 3, axis=axis).sum(axis=-1, dtype=wide)
        image = sums / 3 if wide is np.float64 else (sums // 3).astype(image.dtype)
    halide_npy.save(args["output"], image.astype(halide_npy.load(args["input"]).dtype))


main()

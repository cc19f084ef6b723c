"""Row-relative gradients in float64: heights=, floor=, relief=, row_mean=."""

import numpy as np

import halide_npy


def main():
    args = halide_npy.arguments()
    # Mirrored about the outermost samples, without repeating them.
    h = np.pad(halide_npy.load(args["heights"]).astype(np.float64), 1, mode="reflect")
    slope = np.hypot(h[1:-1, 2:] - h[1:-1, :-2], h[2:, 1:-1] - h[:-2, 1:-1]) / 2
    mean = slope.mean(axis=1)
    halide_npy.save(args["relief"], (slope / np.maximum(mean, float(args["floor"]))[:, None]).astype(np.float32))
    halide_npy.save(args["row_mean"], mean.astype(np.float32))


main()

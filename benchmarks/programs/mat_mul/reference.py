"""Matrix product with NumPy's BLAS, in float64: a=a.npy b=b.npy output=out.npy."""

import numpy as np

import halide_npy


def main():
    args = halide_npy.arguments()
    a, b = (halide_npy.load(args[name]).astype(np.float64) for name in "ab")
    halide_npy.save(args["output"], (a @ b).astype(np.float32))


main()

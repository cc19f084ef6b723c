"""The recursive blur with SciPy's lfilter, in float64: input=in.npy weight=W output=out.npy."""

import numpy as np
from scipy import signal

import halide_npy


def forwards(samples, weight, axis):
    """The filter whose state before the first sample is that sample."""
    first = np.take(samples, [0], axis=axis)
    out, _ = signal.lfilter([weight], [1, weight - 1], samples, axis=axis, zi=(1 - weight) * first)
    return out


def main():
    args = halide_npy.arguments()
    image = halide_npy.load(args["input"]).astype(np.float64)
    weight = float(args["weight"])
    for axis in (1, 2):
        image = forwards(image, weight, axis)
        image = np.flip(forwards(np.flip(image, axis), weight, axis), axis)
    halide_npy.save(args["output"], image.astype(np.float32))


main()

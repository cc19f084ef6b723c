"""Heat equation with SciPy: all steps as one convolution by the kernel's power, in float64:
input=in.npy rate=R output=out.npy."""

import numpy as np
from scipy import signal

import halide_npy

STEPS = 4


def main():
    args = halide_npy.arguments()
    rate = float(args["rate"])
    step = np.zeros((3, 3, 3))
    step[1, 1, 1] = 1 - 6 * rate
    for at in ((0, 1, 1), (2, 1, 1), (1, 0, 1), (1, 2, 1), (1, 1, 0), (1, 1, 2)):
        step[at] = rate
    kernel = step
    for _ in range(STEPS - 1):
        kernel = signal.convolve(kernel, step)
    box = np.pad(halide_npy.load(args["input"]).astype(np.float64), STEPS, mode="edge")
    halide_npy.save(args["output"], signal.fftconvolve(box, kernel, mode="valid").astype(np.float32))


main()

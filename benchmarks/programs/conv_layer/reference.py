"""Convolution layer with NumPy as one matrix product, in float64:
input=i.npy filter=f.npy bias=b.npy output=out.npy, and stride=S unless it is 1."""

import numpy as np

import halide_npy


def main():
    args = halide_npy.arguments()
    image, weights, bias = (halide_npy.load(args[name]).astype(np.float64) for name in ("input", "filter", "bias"))
    kernel, stride = weights.shape[-1], int(args.get("stride", 1))
    patches = np.lib.stride_tricks.sliding_window_view(image, (kernel, kernel), axis=(2, 3))[:, :, ::stride, ::stride]
    convolved = np.tensordot(patches, weights, axes=([1, 4, 5], [1, 2, 3])).transpose(0, 3, 1, 2)
    halide_npy.save(args["output"], np.maximum(convolved + bias[:, None, None], 0).astype(np.float32))


main()

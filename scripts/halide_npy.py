"""The .npy files that Halide's tools read and write.

Halide writes its own dimension order (x first) into the header's shape, the planar
data (x contiguous) after it, and 'fortran_order': False, which NumPy would read as a
scrambled array. Here an array is indexed as images are in NumPy, last dimension
contiguous: Halide's f(x, y, c) is a[c, y, x].
"""

import sys

import numpy as np


def load(path):
    a = np.load(path)
    return a.reshape(a.shape[::-1])


def save(path, a):
    a = np.ascontiguousarray(a)
    np.save(path, a.reshape(a.shape[::-1]))


def arguments():
    """The command line's name=value words; a value that ends in .npy stays a path."""
    return dict(word.split("=", 1) for word in sys.argv[1:])

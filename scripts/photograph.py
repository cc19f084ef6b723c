"""Writes a photograph of scikit-image's wheel as planar RGB: NAME WIDTH HEIGHT OUT.npy.

A width or height of 0 is the photograph's own; a larger one is filled by mirroring.
"""

import os
import sys

import imageio.v3
import numpy as np
import skimage

import halide_npy


def main():
    name, width, height, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    # Read the file itself: skimage.data may want to download.
    photo = imageio.v3.imread(os.path.join(os.path.dirname(skimage.__file__), "data", name + ".png"))[..., :3]
    width, height = width or photo.shape[1], height or photo.shape[0]
    grow = [(0, max(0, height - photo.shape[0])), (0, max(0, width - photo.shape[1])), (0, 0)]
    photo = np.pad(photo, grow, mode="symmetric")[:height, :width]
    halide_npy.save(out, photo.transpose(2, 0, 1))


main()

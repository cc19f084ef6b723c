"""A frame moved by a flow field: frame=, motion=, moved=, residue=."""

import numpy as np

import halide_npy


def main():
    args = halide_npy.arguments()
    frame = halide_npy.load(args["frame"]).astype(np.int64)
    dx, dy = np.floor(halide_npy.load(args["motion"])).astype(np.int64)
    height, width = frame.shape
    y, x = np.mgrid[:height, :width]

    def at(fx, fy):
        return frame[np.clip(fy, 0, height - 1), np.clip(fx, 0, width - 1)]

    fx, fy = x + dx, y + dy
    moved = at(fx, fy)
    residue = moved - frame + at(fx + 1, fy) - at(fx - 1, fy)
    halide_npy.save(args["moved"], moved.astype(np.uint8))
    halide_npy.save(args["residue"], residue.astype(np.int16))


main()

"""The programs' inputs, sizes and outputs, as the bundle has them: of one photograph, mirrored
to the size, in the range of the type. Arrays are indexed as images are in NumPy, x last."""

import dataclasses

import numpy as np

# Extents up to this many are channels or taps, not those of an image.
FEW = 16
# The large size moves so many times the L2; the small one is an eighth, or less of a part
# where extents would be below LEAST.
LARGE_L2S, SMALLER, LEAST = 4, 8, 64


def mirror(photo, height, width):
    """The photograph, repeated by mirroring and cropped."""
    def fold(count, size):
        i = np.arange(count) % (2 * size)
        return np.where(i >= size, 2 * size - 1 - i, i)
    return photo[:, fold(height, photo.shape[1])][:, :, fold(width, photo.shape[2])]


def level(photo, dtype):
    """Grey levels from 0 to 255 in the range that a type is used for."""
    if dtype == np.float32:
        return (photo / 255.0).astype(np.float32)
    if dtype == np.uint16:
        return photo.astype(np.uint16) * np.uint16(257)
    return photo.astype(dtype)


def picture(photo, shape, dtype):
    """An input of two or more dimensions: two of them show the photograph, the others choose
    the colour. One dimension is noise."""
    if len(shape) < 2:
        return level(np.random.default_rng(2020).integers(0, 256, shape), dtype)
    long = [d for d in reversed(range(len(shape))) if shape[d] > FEW]
    x, y = long[:2] if len(long) >= 2 else (len(shape) - 1, len(shape) - 2)
    view = level(mirror(photo, shape[y], shape[x]), dtype)
    at = np.indices(shape, sparse=True)
    colour = np.zeros([1] * len(shape), int)
    for d in reversed(range(len(shape))):
        if d not in (x, y):
            colour = colour * shape[d] + at[d]
    return np.ascontiguousarray(view[colour % 3, at[y], at[x]])


@dataclasses.dataclass
class Program:
    shapes: callable  # of (width, height): {input: (shape, dtype)}, (shape, dtype) of the output
    estimate: tuple  # width, height
    checked: tuple  # the size at which results are compared with the reference
    scalars: dict = dataclasses.field(default_factory=dict)

    def inputs(self, photo, size):
        made = {name: picture(photo, *about) for name, about in self.shapes(*size)[0].items()}
        return made | self.scalars

    def output(self, size):
        return self.shapes(*size)[1]

    def compulsory_bytes(self, size):
        """All inputs and outputs, once each."""
        inputs, output = self.shapes(*size)
        return sum(int(np.prod(s)) * np.dtype(t).itemsize for s, t in [*inputs.values(), output])

    def sizes(self, l2_bytes):
        """The bundle's three sizes for a device."""
        width, height = self.estimate
        sizes = {"estimate": self.estimate}
        scale = 1
        while scale * scale * self.compulsory_bytes(self.estimate) < LARGE_L2S * l2_bytes:
            scale += 1
        if scale > 1:
            sizes["large"] = (scale * width, scale * height)
        part = SMALLER
        while part > 1 and min(width, height) // part < LEAST:
            part //= 2
        sizes["small"] = (width // part, height // part)
        return sizes


def image(dtype, channels, out_dtype, out_channels):
    """A program on an image, one plane a channel; 0 channels: a plane without a dimension for them."""
    def shape(n, w, h):
        return (h, w) if n == 0 else (n, h, w)
    return lambda w, h: ({"input": (shape(channels, w, h), dtype)}, (shape(out_channels, w, h), out_dtype))


U8, U16, F32 = np.uint8, np.uint16, np.float32
IMAGE, CHECKED = (1536, 2560), (264, 152)
MAPS, BATCH, TAPS = 64, 4, 3

PROGRAMS = {
    "harris": Program(image(U8, 3, F32, 0), IMAGE, CHECKED),
    "unsharp": Program(image(F32, 3, F32, 3), IMAGE, CHECKED),
    "blur": Program(lambda w, h: ({"input": ((3, h + 2, w + 2), U16)}, ((3, h, w), U16)), IMAGE, CHECKED),
    "bilateral_grid": Program(image(F32, 0, F32, 0), IMAGE, CHECKED, {"range": 0.1}),
    "mat_mul": Program(lambda w, h: ({"a": ((h, w), F32), "b": ((h, w), F32)}, ((h, w), F32)), (1536, 1536), (192, 192)),
    "conv_layer": Program(lambda w, h: ({"input": ((BATCH, MAPS, h + TAPS - 1, w + TAPS - 1), F32), "filter": ((MAPS, MAPS, TAPS, TAPS), F32), "bias": ((MAPS,), F32)},
                                        ((BATCH, MAPS, h, w), F32)), (128, 128), (40, 24)),
    "hist": Program(image(U8, 3, U8, 3), IMAGE, CHECKED),
}


def difference(got, want, tolerance=1e-5):
    """What differs between a result and what it should be, '' if nothing does: integers are equal,
    floats within the tolerance, relative or absolute."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"got {got.dtype}{list(got.shape)}, want {want.dtype}{list(want.shape)}"
    if want.dtype.kind == "f":
        wide, other = got.astype(np.float64), want.astype(np.float64)
        off = np.abs(wide - other)
        wrong = ~(off <= tolerance * np.maximum(1, np.maximum(np.abs(wide), np.abs(other))))
    else:
        wrong = got != want
    if not wrong.any():
        return ""
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{int(wrong.sum())} of {wrong.size} elements differ, the first at {list(at)}: got {got[at]}, want {want[at]}"

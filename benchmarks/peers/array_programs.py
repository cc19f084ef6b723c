"""The programs as a user of CuPy writes them: array expressions. `xp` is cupy, or numpy for a
rehearsal without a GPU: the same code."""

import numpy as np

CELL = 8


def gray_of(xp, rgb, scale=1):
    weights = [np.float32(w) for w in (0.299, 0.587, 0.114)]
    return (weights[0] * rgb[0] + weights[1] * rgb[1] + weights[2] * rgb[2]) * np.float32(scale)


def harris(xp, input):
    rgb = xp.pad(input, [(0, 0), (2, 2), (2, 2)], mode="edge").astype(xp.float32)
    g = gray_of(xp, rgb, 1 / 255)
    h, w = g.shape
    at = lambda dy, dx: g[1 + dy:h - 1 + dy, 1 + dx:w - 1 + dx]
    two, twelfth = np.float32(2), np.float32(1 / 12)
    gx = ((at(-1, 1) - at(-1, -1)) + two * (at(0, 1) - at(0, -1)) + (at(1, 1) - at(1, -1))) * twelfth
    gy = ((at(1, -1) - at(-1, -1)) + two * (at(1, 0) - at(-1, 0)) + (at(1, 1) - at(-1, 1))) * twelfth
    def window(p):
        n, m = p.shape
        return sum(p[i:n - 2 + i, j:m - 2 + j] for i in range(3) for j in range(3))
    a, b, c = window(gx * gx), window(gy * gy), window(gx * gy)
    trace = a + b
    return a * b - c * c - np.float32(0.04) * trace * trace


def gaussian():
    """Half of the seven taps of unsharp's blur, the middle first."""
    w = np.exp(-np.arange(4, dtype=np.float32) ** 2 / np.float32(2 * 1.5 * 1.5))
    return [np.float32(v) for v in w / (w[0] + 2 * w[1:].sum())]


def unsharp(xp, input):
    g = gray_of(xp, xp.pad(input, [(0, 0), (3, 3), (3, 3)], mode="edge"))
    h, w = g.shape
    k = gaussian()
    down = k[0] * g[3:h - 3]
    for i in range(1, 4):
        down = down + k[i] * (g[3 - i:h - 3 - i] + g[3 + i:h - 3 + i])
    across = k[0] * down[:, 3:w - 3]
    for i in range(1, 4):
        across = across + k[i] * (down[:, 3 - i:w - 3 - i] + down[:, 3 + i:w - 3 + i])
    middle = g[3:h - 3, 3:w - 3]
    return (np.float32(2) * middle - across) / xp.maximum(middle, np.float32(1 / 255)) * input


def blur(xp, input):
    v = input.astype(xp.uint32)
    three = np.uint32(3)
    v = (v[:, :, :-2] + v[:, :, 1:-1] + v[:, :, 2:]) // three
    return ((v[:, :-2] + v[:, 1:-1] + v[:, 2:]) // three).astype(xp.uint16)


def cells(size):
    """Cells of the grid along a dimension, two to blur before the image's first and three behind
    its last, and the pixels of padding that give each cell all of its own."""
    count = (size - 1) // CELL + 1 + 5
    before = 2 * CELL + CELL // 2
    return count, before, count * CELL - before - size


def bilateral_grid(xp, input, range):
    h, w = input.shape
    (ny, top, bottom), (nx, left, right) = cells(h), cells(w)
    spread = np.float32(range)
    levels = int(1 / range + 0.5) + 2  # bins, and one to read between the last and the next
    nz = levels + 4
    pixel = xp.clip(xp.pad(input, [(top, bottom), (left, right)], mode="edge"), 0, 1)
    z = (pixel / spread + np.float32(0.5)).astype(xp.int32) + 2
    y = (xp.arange(ny * CELL) // CELL)[:, None]
    x = (xp.arange(nx * CELL) // CELL)[None, :]
    at = ((z * ny + y) * nx + x).ravel()
    sums = xp.bincount(at, weights=pixel.ravel(), minlength=nz * ny * nx)
    counts = xp.bincount(at, minlength=nz * ny * nx)
    grid = xp.stack([sums, counts]).astype(xp.float32).reshape(2, nz, ny, nx)
    def binomial(g, axis):
        n = g.shape[axis] - 4
        t = [g[(slice(None),) * axis + (slice(i, i + n),)] for i in (0, 1, 2, 3, 4)]
        return t[0] + 4 * t[1] + 6 * t[2] + 4 * t[3] + t[4]
    for axis in (1, 3, 2):
        grid = binomial(grid, axis)
    level = xp.clip(input, 0, 1) / spread
    z = level.astype(xp.int32)
    y, x = xp.arange(h)[:, None], xp.arange(w)[None, :]
    fz = level - z
    fy, fx = ((v % CELL).astype(xp.float32) / CELL for v in (y, x))
    y, x = y // CELL, x // CELL
    lerp = lambda a, b, t: a + (b - a) * t
    across = lambda z, y: lerp(grid[:, z, y, x], grid[:, z, y, x + 1], fx)
    down = lambda z: lerp(across(z, y), across(z, y + 1), fy)
    sliced = lerp(down(z), down(z + 1), fz)
    return (sliced[0] / sliced[1]).astype(xp.float32)


def mat_mul(xp, a, b):
    return a @ b


def conv_layer(xp, input, filter, bias):
    n, c, h, w = input.shape
    maps, _, k, _ = filter.shape
    patches = xp.lib.stride_tricks.as_strided(input, (n, c, k, k, h - k + 1, w - k + 1), input.strides[:2] + input.strides[2:] * 2)
    columns = patches.reshape(n, c * k * k, -1)
    out = filter.reshape(maps, -1) @ columns + bias[:, None]
    return xp.maximum(out, 0).reshape(n, maps, h - k + 1, w - k + 1)


def hist(xp, input):
    r, g, b = input.astype(xp.int32)
    fixed = lambda v: (v + 32768) >> 16
    luma = fixed(19595 * r + 38470 * g + 7471 * b)
    cb = fixed(-11059 * r - 21709 * g + 32768 * b)
    cr = fixed(32768 * r - 27439 * g - 5329 * b)
    cdf = xp.cumsum(xp.bincount(luma.ravel(), minlength=256))
    table = ((cdf * 255 + luma.size // 2) // luma.size).astype(xp.int32)
    l = table[luma]
    rgb = xp.stack([l + fixed(91881 * cr), l - fixed(22554 * cb + 46802 * cr), l + fixed(116130 * cb)])
    return xp.clip(rgb, 0, 255).astype(xp.uint8)


def variants(xp, name):
    """{what: function of the inputs} of a program."""
    return {"": lambda **inputs: globals()[name](xp, **inputs)}

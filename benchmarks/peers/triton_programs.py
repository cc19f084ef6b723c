"""The programs in Triton. A kernel computes a tile of pixels, and reads what is around each
through the caches: Triton has no tiles with a margin. Sums of products are tl.dot's in f32."""

import torch
import triton
import triton.language as tl

CELL = 8
TILE = {"BY": 4, "BX": 128}


def tiles(h, w, planes=1):
    return (triton.cdiv(w, TILE["BX"]), triton.cdiv(h, TILE["BY"]), planes)


@triton.jit
def place(BY: tl.constexpr, BX: tl.constexpr):
    y = tl.program_id(1) * BY + tl.arange(0, BY)
    x = tl.program_id(0) * BX + tl.arange(0, BX)
    return y[:, None], x[None, :]


@triton.jit
def gray_at(rgb, y, x, h, w):
    """Luma at places that are clamped to the image."""
    at = tl.minimum(tl.maximum(y, 0), h - 1) * w + tl.minimum(tl.maximum(x, 0), w - 1)
    r, g, b = tl.load(rgb + at).to(tl.float32), tl.load(rgb + h * w + at).to(tl.float32), tl.load(rgb + 2 * h * w + at).to(tl.float32)
    return 0.299 * r + 0.587 * g + 0.114 * b


@triton.jit
def harris_kernel(rgb, out, h, w, BY: tl.constexpr, BX: tl.constexpr):
    y, x = place(BY, BX)
    a = tl.zeros((BY, BX), tl.float32)
    b = tl.zeros((BY, BX), tl.float32)
    c = tl.zeros((BY, BX), tl.float32)
    # The same loads of neighbouring points are one each to the compiler.
    for dy in tl.static_range(-1, 2):
        for dx in tl.static_range(-1, 2):
            v, u = y + dy, x + dx
            nw, n, ne = gray_at(rgb, v - 1, u - 1, h, w), gray_at(rgb, v - 1, u, h, w), gray_at(rgb, v - 1, u + 1, h, w)
            we, ea = gray_at(rgb, v, u - 1, h, w), gray_at(rgb, v, u + 1, h, w)
            sw, s, se = gray_at(rgb, v + 1, u - 1, h, w), gray_at(rgb, v + 1, u, h, w), gray_at(rgb, v + 1, u + 1, h, w)
            gx = ((ne - nw) + 2 * (ea - we) + (se - sw)) * (1 / 12 / 255)
            gy = ((sw - nw) + 2 * (s - n) + (se - ne)) * (1 / 12 / 255)
            a += gx * gx
            b += gy * gy
            c += gx * gy
    trace = a + b
    tl.store(out + y * w + x, a * b - c * c - 0.04 * trace * trace, mask=(y < h) & (x < w))


def harris(input):
    _, h, w = input.shape
    out = torch.empty(h, w, device=input.device)
    harris_kernel[tiles(h, w)](input, out, h, w, **TILE)
    return out


@triton.jit
def blur_down_kernel(rgb, gray, down, k0, k1, k2, k3, h, w, BY: tl.constexpr, BX: tl.constexpr):
    y, x = place(BY, BX)
    g = gray_at(rgb, y, x, h, w)
    d = k0 * g + k1 * (gray_at(rgb, y - 1, x, h, w) + gray_at(rgb, y + 1, x, h, w))
    d += k2 * (gray_at(rgb, y - 2, x, h, w) + gray_at(rgb, y + 2, x, h, w))
    d += k3 * (gray_at(rgb, y - 3, x, h, w) + gray_at(rgb, y + 3, x, h, w))
    inside = (y < h) & (x < w)
    tl.store(gray + y * w + x, g, mask=inside)
    tl.store(down + y * w + x, d, mask=inside)


@triton.jit
def column(down, y, x, w, inside):
    return tl.load(down + y * w + tl.minimum(tl.maximum(x, 0), w - 1), mask=inside)


@triton.jit
def sharpen_kernel(rgb, gray, down, out, k0, k1, k2, k3, h, w, BY: tl.constexpr, BX: tl.constexpr):
    y, x = place(BY, BX)
    inside = (y < h) & (x < w)
    g = tl.load(gray + y * w + x, mask=inside, other=1)
    v = k0 * column(down, y, x, w, inside) + k1 * (column(down, y, x - 1, w, inside) + column(down, y, x + 1, w, inside))
    v += k2 * (column(down, y, x - 2, w, inside) + column(down, y, x + 2, w, inside))
    v += k3 * (column(down, y, x - 3, w, inside) + column(down, y, x + 3, w, inside))
    ratio = (2 * g - v) / tl.maximum(g, 1 / 255)
    for c in tl.static_range(3):
        at = c * h * w + y * w + x
        tl.store(out + at, ratio * tl.load(rgb + at, mask=inside), mask=inside)


def unsharp(input):
    from torch_programs import gaussian
    _, h, w = input.shape
    gray, down = torch.empty(2, h, w, device=input.device)
    out = torch.empty_like(input)
    blur_down_kernel[tiles(h, w)](input, gray, down, *gaussian(), h, w, **TILE)
    sharpen_kernel[tiles(h, w)](input, gray, down, out, *gaussian(), h, w, **TILE)
    return out


@triton.jit
def blur_kernel(input, out, h, w, BY: tl.constexpr, BX: tl.constexpr):
    y, x = place(BY, BX)
    c = tl.program_id(2)
    inside = (y < h) & (x < w)
    total = tl.zeros((BY, BX), tl.int32)
    for dy in tl.static_range(3):
        row = input + (c * (h + 2) + y + dy) * (w + 2) + x
        total += (tl.load(row, mask=inside, other=0).to(tl.int32) + tl.load(row + 1, mask=inside, other=0).to(tl.int32) + tl.load(row + 2, mask=inside, other=0).to(tl.int32)) // 3
    tl.store(out + (c * h + y) * w + x, (total // 3).to(tl.uint16), mask=inside)


def blur(input):
    planes, h, w = input.shape[0], input.shape[1] - 2, input.shape[2] - 2
    out = torch.empty(planes, h, w, dtype=torch.uint16, device=input.device)
    blur_kernel[tiles(h, w, planes)](input, out, h, w, **TILE)
    return out


@triton.jit
def splat_kernel(input, grid, spread, h, w, top, left, ny, nx, size, CELL: tl.constexpr, BY: tl.constexpr, BX: tl.constexpr):
    y, x = place(BY, BX)
    inside = (y < ny * CELL) & (x < nx * CELL)
    at = tl.minimum(tl.maximum(y - top, 0), h - 1) * w + tl.minimum(tl.maximum(x - left, 0), w - 1)
    pixel = tl.minimum(tl.maximum(tl.load(input + at), 0.0), 1.0)
    z = (pixel / spread + 0.5).to(tl.int32) + 2
    cell = (z * ny + y // CELL) * nx + x // CELL
    tl.atomic_add(grid + cell, pixel, mask=inside)
    tl.atomic_add(grid + size + cell, 1.0, mask=inside)


@triton.jit
def binomial_kernel(g, out, total, n0, n1, n2, s, s0, s1, s2, step, B: tl.constexpr):
    """Five taps, step apart, of a grid with the strides s; the output is dense, n0 x n1 x n2."""
    i = tl.program_id(0) * B + tl.arange(0, B)
    inside = i < total
    c, z, y, x = i // (n0 * n1 * n2), i // (n1 * n2) % n0, i // n2 % n1, i % n2
    at = g + c * s + z * s0 + y * s1 + x * s2
    v = tl.load(at, mask=inside) + 4 * tl.load(at + step, mask=inside) + 6 * tl.load(at + 2 * step, mask=inside)
    v += 4 * tl.load(at + 3 * step, mask=inside) + tl.load(at + 4 * step, mask=inside)
    tl.store(out + i, v, mask=inside)


@triton.jit
def corner(grid, z, y, x, ny, nx, inside):
    return tl.load(grid + (z * ny + y) * nx + x, mask=inside)


@triton.jit
def interpolated(grid, z, y, x, fz, fy, fx, ny, nx, inside):
    v00, v01 = corner(grid, z, y, x, ny, nx, inside), corner(grid, z, y, x + 1, ny, nx, inside)
    v10, v11 = corner(grid, z, y + 1, x, ny, nx, inside), corner(grid, z, y + 1, x + 1, ny, nx, inside)
    w00, w01 = corner(grid, z + 1, y, x, ny, nx, inside), corner(grid, z + 1, y, x + 1, ny, nx, inside)
    w10, w11 = corner(grid, z + 1, y + 1, x, ny, nx, inside), corner(grid, z + 1, y + 1, x + 1, ny, nx, inside)
    v0, v1, w0, w1 = v00 + (v01 - v00) * fx, v10 + (v11 - v10) * fx, w00 + (w01 - w00) * fx, w10 + (w11 - w10) * fx
    v, u = v0 + (v1 - v0) * fy, w0 + (w1 - w0) * fy
    return v + (u - v) * fz


@triton.jit
def slice_kernel(input, grid, out, spread, h, w, nz, ny, nx, CELL: tl.constexpr, BY: tl.constexpr, BX: tl.constexpr):
    y, x = place(BY, BX)
    inside = (y < h) & (x < w)
    level = tl.minimum(tl.maximum(tl.load(input + y * w + x, mask=inside, other=0), 0.0), 1.0) / spread
    z = level.to(tl.int32)
    fz, fy, fx = level - z, (y % CELL).to(tl.float32) / CELL, (x % CELL).to(tl.float32) / CELL
    sums = interpolated(grid, z, y // CELL, x // CELL, fz, fy, fx, ny, nx, inside)
    counts = interpolated(grid + nz * ny * nx, z, y // CELL, x // CELL, fz, fy, fx, ny, nx, inside)
    tl.store(out + y * w + x, sums / counts, mask=inside)


def bilateral_grid(input, range):
    from torch_programs import cells
    h, w = input.shape
    (ny, top, _), (nx, left, _) = cells(h), cells(w)
    n = [int(1 / range + 0.5) + 2 + 4, ny, nx]
    grid = torch.zeros(2, *n, device=input.device)
    splat_kernel[tiles(ny * CELL, nx * CELL)](input, grid, range, h, w, top, left, ny, nx, grid[0].numel(), CELL=CELL, **TILE)
    for axis in (0, 2, 1):
        strides = grid.stride()
        n[axis] -= 4
        blurred = torch.empty(2, *n, device=input.device)
        binomial_kernel[(triton.cdiv(blurred.numel(), 256),)](grid, blurred, blurred.numel(), *n, *strides, strides[axis + 1], B=256)
        grid = blurred
    out = torch.empty_like(input)
    slice_kernel[tiles(h, w)](input, grid, out, range, h, w, *n, CELL=CELL, **TILE)
    return out


@triton.jit
def mat_mul_kernel(a, b, out, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    y, x = tl.program_id(1) * BM + tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for first in range(0, k, BK):
        i = first + tl.arange(0, BK)
        left = tl.load(a + y[:, None] * k + i[None, :], mask=(y[:, None] < m) & (i[None, :] < k), other=0)
        right = tl.load(b + i[:, None] * n + x[None, :], mask=(i[:, None] < k) & (x[None, :] < n), other=0)
        total += tl.dot(left, right, input_precision="ieee")
    tl.store(out + y[:, None] * n + x[None, :], total, mask=(y[:, None] < m) & (x[None, :] < n))


# Tiles of sums, of which each is a variant of its own: rows, columns, depth, warps.
DOTS = [(64, 64, 16, 4), (128, 64, 16, 8), (64, 128, 16, 8), (128, 128, 16, 8), (64, 64, 32, 8), (32, 64, 32, 4)]


def mat_mul_by(tile):
    bm, bn, bk, warps = tile
    def mat_mul(a, b):
        (m, k), n = a.shape, b.shape[1]
        out = torch.empty(m, n, device=a.device)
        mat_mul_kernel[(triton.cdiv(n, bn), triton.cdiv(m, bm))](a, b, out, m, n, k, BM=bm, BN=bn, BK=bk, num_warps=warps)
        return out
    return mat_mul


@triton.jit
def conv_kernel(input, filter, bias, out, maps, c, h, w, taps, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Maps x pixels of one image as a product over maps of the input and taps."""
    image = tl.program_id(2)
    m, p = tl.program_id(1) * BM + tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN)
    wide, high = w + taps - 1, h + taps - 1
    depth = c * taps * taps
    pixel = input + image * c * high * wide + (p // w) * wide + p % w
    total = tl.zeros((BM, BN), tl.float32)
    for first in range(0, depth, BK):
        i = first + tl.arange(0, BK)
        left = tl.load(filter + m[:, None] * depth + i[None, :], mask=(m[:, None] < maps) & (i[None, :] < depth), other=0)
        offset = (i // (taps * taps)) * high * wide + (i // taps % taps) * wide + i % taps
        right = tl.load(pixel[None, :] + offset[:, None], mask=(i[:, None] < depth) & (p[None, :] < h * w), other=0)
        total += tl.dot(left, right, input_precision="ieee")
    total += tl.load(bias + m, mask=m < maps, other=0)[:, None]
    tl.store(out + (image * maps + m[:, None]) * h * w + p[None, :], tl.maximum(total, 0.0), mask=(m[:, None] < maps) & (p[None, :] < h * w))


def conv_layer_by(tile):
    bm, bn, bk, warps = tile
    def conv_layer(input, filter, bias):
        n, c, high, wide = input.shape
        maps, _, taps, _ = filter.shape
        h, w = high - taps + 1, wide - taps + 1
        out = torch.empty(n, maps, h, w, device=input.device)
        conv_kernel[(triton.cdiv(h * w, bn), triton.cdiv(maps, bm), n)](input, filter, bias, out, maps, c, h, w, taps, BM=bm, BN=bn, BK=bk, num_warps=warps)
        return out
    return conv_layer


@triton.jit
def luma_of(rgb, at, n, inside):
    r, g, b = tl.load(rgb + at, mask=inside, other=0).to(tl.int32), tl.load(rgb + n + at, mask=inside, other=0).to(tl.int32), tl.load(rgb + 2 * n + at, mask=inside, other=0).to(tl.int32)
    return r, g, b, (19595 * r + 38470 * g + 7471 * b + 32768) >> 16


@triton.jit
def count_kernel(rgb, counts, n, ROUNDS: tl.constexpr, B: tl.constexpr):
    total = tl.zeros((256,), tl.int32)
    for i in range(ROUNDS):
        at = (tl.program_id(0) * ROUNDS + i) * B + tl.arange(0, B)
        inside = at < n
        r, g, b, luma = luma_of(rgb, at, n, inside)
        total += tl.histogram(luma, 256)
        # Those beyond the end were counted as black.
        total -= tl.where(tl.arange(0, 256) == 0, tl.sum((at >= n).to(tl.int32), 0), 0)
    tl.atomic_add(counts + tl.arange(0, 256), total)


@triton.jit
def table_kernel(counts, table, n):
    at = tl.arange(0, 256)
    cdf = tl.cumsum(tl.load(counts + at).to(tl.int64), 0)
    tl.store(table + at, ((cdf * 255 + n // 2) // n).to(tl.int32))


@triton.jit
def equalise_kernel(rgb, table, out, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    inside = at < n
    r, g, b, luma = luma_of(rgb, at, n, inside)
    l = tl.load(table + luma, mask=inside, other=0)
    cb = (-11059 * r - 21709 * g + 32768 * b + 32768) >> 16
    cr = (32768 * r - 27439 * g - 5329 * b + 32768) >> 16
    red = l + ((91881 * cr + 32768) >> 16)
    green = l - ((22554 * cb + 46802 * cr + 32768) >> 16)
    blue = l + ((116130 * cb + 32768) >> 16)
    tl.store(out + at, tl.minimum(tl.maximum(red, 0), 255).to(tl.uint8), mask=inside)
    tl.store(out + n + at, tl.minimum(tl.maximum(green, 0), 255).to(tl.uint8), mask=inside)
    tl.store(out + 2 * n + at, tl.minimum(tl.maximum(blue, 0), 255).to(tl.uint8), mask=inside)


def hist(input):
    n = input[0].numel()
    counts = torch.zeros(256, dtype=torch.int32, device=input.device)
    table = torch.empty_like(counts)
    out = torch.empty_like(input)
    count_kernel[(triton.cdiv(n, 16 * 1024),)](input, counts, n, ROUNDS=16, B=1024)
    table_kernel[(1,)](counts, table, n)
    equalise_kernel[(triton.cdiv(n, 1024),)](input, table, out, n, B=1024)
    return out


WAYS = {"harris": [harris], "unsharp": [unsharp], "blur": [blur], "bilateral_grid": [bilateral_grid], "hist": [hist],
        "mat_mul": [mat_mul_by(t) for t in DOTS], "conv_layer": [conv_layer_by(t) for t in DOTS]}

"""The programs as a user of PyTorch writes them, each in the ways that suggest themselves: by
shifted slices, which compile into one kernel, and by the library's convolutions."""

import math

import torch
import torch.nn.functional as F

CELL = 8


def gray_of(rgb):
    return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]


def edge(planes, n):
    return F.pad(planes, (n, n, n, n), mode="replicate")


def response(a, b, c):
    trace = a + b
    return a * b - c * c - 0.04 * trace * trace


def harris_slices(input):
    g = gray_of(edge(input.float(), 2)) * (1 / 255)
    h, w = g.shape
    at = lambda dy, dx: g[1 + dy:h - 1 + dy, 1 + dx:w - 1 + dx]
    gx = ((at(-1, 1) - at(-1, -1)) + 2 * (at(0, 1) - at(0, -1)) + (at(1, 1) - at(1, -1))) * (1 / 12)
    gy = ((at(1, -1) - at(-1, -1)) + 2 * (at(1, 0) - at(-1, 0)) + (at(1, 1) - at(-1, 1))) * (1 / 12)
    def window(p):
        n, m = p.shape
        return sum(p[i:n - 2 + i, j:m - 2 + j] for i in range(3) for j in range(3))
    return response(window(gx * gx), window(gy * gy), window(gx * gy))


def harris_conv(input):
    g = gray_of(edge(input.float(), 2)) * (1 / 255)
    sobel = torch.tensor([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, 1]], device=g.device) / 12
    gx, gy = F.conv2d(g[None, None], torch.stack([sobel, sobel.T])[:, None])[0]
    products = torch.stack([gx * gx, gy * gy, gx * gy])[:, None]
    return response(*F.conv2d(products, torch.ones(1, 1, 3, 3, device=g.device))[:, 0])


def gaussian():
    """Half of the seven taps of unsharp's blur, the middle first."""
    w = [math.exp(-i * i / (2 * 1.5 * 1.5)) for i in range(4)]
    return [v / (w[0] + 2 * sum(w[1:])) for v in w]


def sharpen(g, blurred, input):
    middle = g[3:-3, 3:-3]
    return (2 * middle - blurred) / torch.clamp(middle, min=1 / 255) * input


def unsharp_slices(input):
    g = gray_of(edge(input, 3))
    h, w = g.shape
    k = gaussian()
    down = k[0] * g[3:h - 3]
    for i in range(1, 4):
        down = down + k[i] * (g[3 - i:h - 3 - i] + g[3 + i:h - 3 + i])
    across = k[0] * down[:, 3:w - 3]
    for i in range(1, 4):
        across = across + k[i] * (down[:, 3 - i:w - 3 - i] + down[:, 3 + i:w - 3 + i])
    return sharpen(g, across, input)


def unsharp_conv(input):
    g = gray_of(edge(input, 3))
    k = gaussian()
    taps = torch.tensor(k[:0:-1] + k, device=g.device)
    blurred = F.conv2d(F.conv2d(g[None, None], taps.view(1, 1, 7, 1)), taps.view(1, 1, 1, 7))[0, 0]
    return sharpen(g, blurred, input)


def blur_slices(input):
    # PyTorch has few operations on 16 bits without a sign.
    v = input.to(torch.int32)
    v = torch.div(v[:, :, :-2] + v[:, :, 1:-1] + v[:, :, 2:], 3, rounding_mode="floor")
    return torch.div(v[:, :-2] + v[:, 1:-1] + v[:, 2:], 3, rounding_mode="floor").to(torch.uint16)


def cells(size):
    """As in array_programs.py."""
    count = (size - 1) // CELL + 1 + 5
    before = 2 * CELL + CELL // 2
    return count, before, count * CELL - before - size


def bilateral_grid_scatter(input, range):
    h, w = input.shape
    (ny, top, bottom), (nx, left, right) = cells(h), cells(w)
    nz = int(1 / range + 0.5) + 2 + 4
    on = {"device": input.device}
    pixel = torch.clamp(F.pad(input[None], (left, right, top, bottom), mode="replicate")[0], 0, 1)
    z = (pixel / range + 0.5).to(torch.int64) + 2
    y = torch.div(torch.arange(ny * CELL, **on), CELL, rounding_mode="floor")[:, None]
    x = torch.div(torch.arange(nx * CELL, **on), CELL, rounding_mode="floor")[None]
    at = ((z * ny + y) * nx + x).flatten()
    values = torch.stack([pixel.flatten(), torch.ones_like(at, dtype=torch.float32)])
    grid = torch.zeros(2, nz * ny * nx, **on).index_add_(1, at, values).view(2, nz, ny, nx)
    def binomial(g, axis):
        n = g.shape[axis] - 4
        t = [g.narrow(axis, i, n) for i in (0, 1, 2, 3, 4)]
        return t[0] + 4 * t[1] + 6 * t[2] + 4 * t[3] + t[4]
    for axis in (1, 3, 2):
        grid = binomial(grid, axis)
    level = torch.clamp(input, 0, 1) / range
    z = level.to(torch.int64)
    y, x = torch.arange(h, **on)[:, None], torch.arange(w, **on)[None]
    fz, fy, fx = level - z, (y % CELL).float() / CELL, (x % CELL).float() / CELL
    y, x = y // CELL, x // CELL
    across = lambda z, y: torch.lerp(grid[:, z, y, x], grid[:, z, y, x + 1], fx)
    down = lambda z: torch.lerp(across(z, y), across(z, y + 1), fy)
    sums, counts = torch.lerp(down(z), down(z + 1), fz)
    return sums / counts


def mat_mul(a, b):
    return a @ b


def conv_layer(input, filter, bias):
    return F.relu(F.conv2d(input, filter, bias))


def equalise(input, count):
    r, g, b = input.to(torch.int32)
    fixed = lambda v: (v + 32768) >> 16
    luma = fixed(19595 * r + 38470 * g + 7471 * b)
    cb = fixed(-11059 * r - 21709 * g + 32768 * b)
    cr = fixed(32768 * r - 27439 * g - 5329 * b)
    cdf = torch.cumsum(count(luma.flatten()), 0)
    pixels = luma.numel()
    l = torch.div(cdf * 255 + pixels // 2, pixels, rounding_mode="floor").to(torch.int32)[luma]
    rgb = torch.stack([l + fixed(91881 * cr), l - fixed(22554 * cb + 46802 * cr), l + fixed(116130 * cb)])
    return torch.clamp(rgb, 0, 255).to(torch.uint8)


def hist_bincount(input):
    return equalise(input, lambda luma: torch.bincount(luma, minlength=256))


def hist_scatter(input):
    return equalise(input, lambda luma: torch.zeros(256, dtype=torch.int64, device=luma.device).index_add_(0, luma, torch.ones_like(luma, dtype=torch.int64)))


WAYS = {
    "harris": {"slices": harris_slices, "conv2d": harris_conv},
    "unsharp": {"slices": unsharp_slices, "conv2d": unsharp_conv},
    "blur": {"slices": blur_slices},
    "bilateral_grid": {"index_add": bilateral_grid_scatter},
    "mat_mul": {"matmul": mat_mul},
    "conv_layer": {"conv2d": conv_layer},
    "hist": {"bincount": hist_bincount, "index_add": hist_scatter},
}


def settle():
    """Sums in f32, as the programs have them: not in TF32, which has 10 bits."""
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True

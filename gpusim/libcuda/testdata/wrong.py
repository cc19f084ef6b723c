"""A schedule by hand that no GPU runs; the argument says which. Prints Halide's error."""

import sys

import halide as hl

x, y, xi, yi = hl.Var("x"), hl.Var("y"), hl.Var("xi"), hl.Var("yi")
f, g = hl.Func("f"), hl.Func("g")
f[x, y] = hl.cast(hl.Float(32), x + y)
g[x, y] = f[x, y] + f[x + 1, y]
case = sys.argv[1]
if case == "threads":  # 64x64 in a block, 1024 is the most
    g.gpu_tile(x, y, xi, yi, 64, 64)
elif case == "shared":  # 129x128 floats, 48 KiB is the most
    xo, yo, xt, yt = hl.Var("xo"), hl.Var("yo"), hl.Var("xt"), hl.Var("yt")
    g.tile(x, y, xo, yo, xi, yi, 128, 128).split(xi, xi, xt, 8).split(yi, yi, yt, 8).reorder(xt, yt, xi, yi, xo, yo)
    g.gpu_blocks(xo, yo).gpu_threads(xi, yi)
    f.compute_at(g, xo).store_in(hl.MemoryType.GPUShared).split(x, x, xt, 16).split(y, y, yt, 16).reorder(xt, yt, x, y).gpu_threads(x, y)
elif case == "blocks":  # 70,000 in y, 65,535 is the most
    g.gpu_tile(x, y, xi, yi, 8, 1)
elif case == "trap":  # a promise that does not hold
    g.gpu_tile(x, y, xi, yi, 8, 8)
    f.compute_at(g, x).store_in(hl.MemoryType.GPUShared).bound_storage(x, 4).gpu_threads(x, y)
elif case == "right":
    g.gpu_tile(x, y, xi, yi, 8, 8)
target = hl.get_host_target().with_feature(hl.TargetFeature.CUDA).with_feature(hl.TargetFeature.CUDACapability75)
try:
    out = g.realize([128, 70000] if case == "blocks" else [128, 128], target)
    out.copy_to_host()
    print("no error")
except Exception as e:
    print(f"{type(e).__name__}: {e}")

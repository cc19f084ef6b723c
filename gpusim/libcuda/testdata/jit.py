"""JIT on CUDA in a process that has loaded gowarp's plugin; the first argument is its path."""

import sys

import halide as hl
import numpy as np

hl.load_plugin(sys.argv[1])


def blur():
    x, y = hl.Var("x"), hl.Var("y")
    inp, across, down = hl.Func("inp"), hl.Func("across"), hl.Func("down")
    inp[x, y] = hl.cast(hl.Float(32), (x * 7 + y * 3) % 101)
    across[x, y] = inp[x - 1, y] + inp[x, y] + inp[x + 1, y]
    down[x, y] = across[x, y - 1] + across[x, y] + across[x, y + 1]
    return down


target = hl.get_host_target().with_feature(hl.TargetFeature.CUDA).with_feature(hl.TargetFeature.CUDACapability75)
scheduled = blur()
scheduled.set_estimates([(0, 512), (0, 384)])
pipeline = hl.Pipeline(scheduled)
pipeline.apply_autoscheduler(target, hl.AutoschedulerParams("gowarp", {}))
got = np.array(pipeline.realize([512, 384], target))
want = np.array(blur().realize([512, 384]))
if not np.array_equal(got, want):
    sys.exit("the simulator's output differs from the CPU's")

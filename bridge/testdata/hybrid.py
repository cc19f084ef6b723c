"""A hybrid tile of a warp through apply_autoscheduler: hybrid.py PLUGIN prints the lowered kernel of it, once
compiled by the pipeline that was scheduled and once by another over the same Funcs."""

import os
import sys
import tempfile

import halide as hl

hl.load_plugin(sys.argv[1])
x, y = hl.Var("x"), hl.Var("y")
image = hl.ImageParam(hl.Float(32), 2, "image")
clamped = hl.BoundaryConditions.repeat_edge(image)
across, out = hl.Func("across"), hl.Func("out")
across[x, y] = clamped[x - 1, y] * 3 + clamped[x, y] * 2 + clamped[x + 1, y]
out[x, y] = across[x - 1, y - 1] * 3 + across[x, y] * 2 + across[x + 1, y + 1]
out.set_estimates([(0, 640), (0, 480)])
image.set_estimates([(0, 640), (0, 480)])
target = hl.Target("host-cuda-cuda_capability_86")
p = hl.Pipeline(out)
params = {"tiling": "warp-hybrid", "cost": "issue", "frac_reg": "0.5", "warp_tile": "2x4x2"}
results = p.apply_autoscheduler(target, hl.AutoschedulerParams("gowarp", params))
assert "// This is not all of the schedule" in results.schedule_source


def kernel(pipeline):
    with tempfile.TemporaryDirectory() as d:
        file = os.path.join(d, "out.stmt")
        pipeline.compile_to({hl.OutputFileType.conceptual_stmt: file}, [image], "out", target)
        with open(file) as f:
            return f.read()


print("scheduled:", kernel(p).count("gowarp.scratch["))
print("another:", kernel(hl.Pipeline(out)).count("gowarp.scratch["))

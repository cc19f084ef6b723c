"""Two ways to one schedule of the same pipeline, lowered:

apply.py NAME PLUGIN DUMP STMT    by the plugin, which dumps the pipeline
apply.py NAME MODULE.py STMT      by a module that Schedule.Python wrote
apply.py renamed MODULE.py        must be refused: another pipeline
"""

import importlib.util
import sys

import halide as hl

x, y, i = hl.Var("x"), hl.Var("y"), hl.Var("i")


def corners(other=False):
    """A chain of stencils, fused: members at a block and inlined ones."""
    image = hl.ImageParam(hl.Float(32), 2, "image")
    clamped = hl.BoundaryConditions.repeat_edge(image, [(0, 640), (0, 480)])
    gray, gx, gy = hl.Func("grey" if other else "gray"), hl.Func("gx"), hl.Func("gy")
    sxx, syy, out = hl.Func("sxx"), hl.Func("syy"), hl.Func("out")
    gray[x, y] = clamped[x, y] * clamped[x, y] + 0.5 * clamped[x, y]
    gx[x, y] = gray[x + 1, y - 1] + 2.0 * gray[x + 1, y] + gray[x + 1, y + 1] - gray[x - 1, y]
    gy[x, y] = gray[x - 1, y + 1] + 2.0 * gray[x, y + 1] + gray[x + 1, y + 1] - gray[x, y - 1]
    r = hl.RDom([(-1, 3), (-1, 3)], "r")
    sxx[x, y] = hl.f32(0)
    sxx[x, y] += gx[x + r.x, y + r.y] * gx[x + r.x, y + r.y]
    syy[x, y] = gy[x - 1, y] * gy[x + 1, y] + gy[x, y - 1]
    out[x, y] = sxx[x, y] * syy[x, y]
    out.set_estimates([(0, 640), (0, 480)])
    image.set_estimates([(0, 640), (0, 480)])
    return hl.Pipeline(out), [image]


def equalise():
    """A histogram by atomic operations, a scan, a look-up."""
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    r, s = hl.RDom([(0, 640), (0, 480)], "r"), hl.RDom([(1, 255)], "s")
    hist, cdf, out = hl.Func("hist"), hl.Func("cdf"), hl.Func("equalised")
    hist[i] = hl.u32(0)
    hist[hl.i32(image[r.x, r.y])] += hl.u32(1)
    cdf[i] = hist[i]
    cdf[s.x] += cdf[s.x - 1]
    out[x, y] = hl.u8(hl.f32(cdf[hl.i32(image[x, y])]) * (255 / (640.0 * 480.0)))
    out.set_estimates([(0, 640), (0, 480)])
    image.set_estimates([(0, 640), (0, 480)])
    return hl.Pipeline(out), [image]


def means():
    """A mean a row, as a tree of partial results."""
    image = hl.ImageParam(hl.Float(32), 2, "image")
    r = hl.RDom([(0, 640)], "r")
    total, out = hl.Func("total"), hl.Func("means")
    total[y] = hl.f32(0)
    total[y] += image[r.x, y]
    out[y] = total[y] / 640.0
    out.set_estimates([(0, 480)])
    image.set_estimates([(0, 640), (0, 480)])
    return hl.Pipeline(out), [image]


target = hl.Target("x86-64-linux-cuda-cuda_capability_75")
name, *rest = sys.argv[1:]


def apply(module, pipeline):
    spec = importlib.util.spec_from_file_location("emitted", module)
    emitted = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(emitted)
    emitted.schedule(pipeline)


if name == "renamed":
    try:
        apply(rest[0], corners(other=True)[0])
    except ValueError as e:
        print(e)
        sys.exit(0)
    sys.exit("no error")

pipeline, args = {"corners": corners, "equalise": equalise, "means": means}[name]()
# any_size=1 is not in any source
params = {"mode": "gowarp", "any_size": "0"} if name == "means" else {"mode": "autogpu"}
if len(rest) == 3:
    params = {"schedule": rest[1]} if rest[1].endswith("schedule.json") else params | {"dump": rest[1]}
    hl.load_plugin(rest[0])
    pipeline.apply_autoscheduler(target, hl.AutoschedulerParams("gowarp", params))
else:
    apply(rest[0], pipeline)
pipeline.compile_to_lowered_stmt(rest[-1], args, hl.StmtOutputFormat.Text, target)

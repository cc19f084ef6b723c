"""Python as a user of the plugin without a generator: library.py PLUGIN DUMP."""

import json
import os
import sys

import halide as hl

plugin, dump = sys.argv[1:]
hl.load_plugin(plugin)


def pipeline():
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.ImageParam(hl.Float(32), 2, "image")
    a, b = hl.Func("a"), hl.Func("b")
    a[x, y] = image[x, y] + image[x + 1, y]
    b[x, y] = a[x, y] + a[x, y + 1]
    b.set_estimates([(0, 64), (0, 48)])
    image.set_estimates([(0, 65), (0, 49)])
    return hl.Pipeline(b)


gpu = hl.Target("x86-64-linux-opencl")
results = pipeline().apply_autoscheduler(gpu, hl.AutoschedulerParams("gowarp", {"dump": dump}))
assert "gpu_blocks" in results.schedule_source, results.schedule_source
with open(dump) as f:
    assert json.load(f)["format"] == "gowarp-pipeline"

# An error is an exception, and the process goes on.
for target, params, words in [
    (hl.Target("x86-64-linux"), {}, "has no GPU feature"),
    (gpu, {"dumb": dump}, "unknown parameter dumb"),
    (gpu, {"dump": os.path.join(dump, "no", "folder.json")}, "does not exist"),
]:
    try:
        pipeline().apply_autoscheduler(target, hl.AutoschedulerParams("gowarp", params))
    except hl.HalideError as e:
        assert words in str(e), e
    else:
        sys.exit("no error: " + words)

# Nor does a process that was forked since hang.
child = os.fork()
if child == 0:
    try:
        pipeline().apply_autoscheduler(gpu, hl.AutoschedulerParams("gowarp"))
        os._exit(1)
    except hl.HalideError as e:
        os._exit(7 if 'multiprocessing\'s "spawn"' in str(e) else 2)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7

pipeline().apply_autoscheduler(gpu, hl.AutoschedulerParams("gowarp"))
print("done")

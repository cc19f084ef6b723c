"""Python as a user of the plugin without a generator: library.py PLUGIN DUMP SCHEDULE.

SCHEDULE is a schedule of this pipeline with tiles of 24 points in x.
"""

import json
import multiprocessing
import os
import re
import sys
import threading

import halide as hl
import numpy as np

plugin, dump, schedule = sys.argv[1:]
hl.load_plugin(plugin)
width, height = 61, 35  # fit no tile
gpu = hl.Target("x86-64-linux-opencl")


def pipeline():
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.ImageParam(hl.Float(32), 2, "image")
    a, b = hl.Func("a"), hl.Func("b")
    a[x, y] = image[x, y] + image[x + 1, y]
    b[x, y] = a[x, y] + a[x, y + 1]
    b.set_estimates([(0, 64), (0, 48)])
    image.set_estimates([(0, 65), (0, 49)])
    return hl.Pipeline(b), image


def scheduled(target=gpu, params=None):
    p, image = pipeline()
    results = p.apply_autoscheduler(target, hl.AutoschedulerParams("gowarp", params or {}))
    assert results.target == target and results.autoscheduler_params.name == "gowarp"
    return p, image, results.schedule_source


def tile(source):
    return int(re.search(r"x_i, (\d+),", source).group(1))


# Without parameters, with some, and with a saved schedule: each JIT compiled and run.
assert "gpu_blocks" in scheduled(params={"dump": dump})[2]
with open(dump) as f:
    assert json.load(f)["format"] == "gowarp-pipeline"
pixels = (np.arange((width + 1) * (height + 1)) * 7 % 251).astype(np.float32).reshape(height + 1, width + 1)
want = pixels[:-1, :-1] + pixels[:-1, 1:] + pixels[1:, :-1] + pixels[1:, 1:]
tiles = []
for params in {}, {"schedule": schedule}:
    p, image, source = scheduled(hl.Target("host-opencl"), params)
    tiles.append(tile(source))
    buffer = hl.Buffer(pixels)
    buffer.set_host_dirty()
    image.set(buffer)
    out = p.realize([width, height], hl.Target("host-opencl"))
    out.copy_to_host()
    assert np.array_equal(np.array(out), want), params
assert tiles[0] != 24 and tiles[1] == 24, tiles

# Every error is Halide's exception, and the process goes on.
for target, params, words in [
    (hl.Target("x86-64-linux"), {}, "has no GPU feature"),
    (gpu, {"dumb": dump}, "unknown parameter dumb"),
    (gpu, {"max_registers": "many"}, "max_registers=many"),
    (gpu, {"dump": os.path.join(dump, "no", "folder.json")}, "is not a folder"),
    (gpu, {"dump": os.path.dirname(dump)}, "is a folder"),
    (gpu, {"schedule": dump}, "schedule=" + dump),
]:
    try:
        scheduled(target, params)
    except hl.HalideError as e:
        assert str(e).startswith("gowarp: ") and words in str(e), e
    else:
        sys.exit("no error: " + words)
try:
    p, _ = pipeline()
    p.apply_autoscheduler(gpu, hl.AutoschedulerParams("gowrap"))
except hl.HalideError as e:
    assert "gowrap" in str(e), e
else:
    sys.exit("no error: gowrap")

# Threads, all at once.
sources, start = [], threading.Barrier(4)


def work():
    start.wait()
    for _ in range(5):
        sources.append(tile(scheduled()[2]))


threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert sources == [tiles[0]] * 20, sources


# A forked child is refused, a spawned one would load the plugin itself.
def child(say):
    try:
        scheduled()
    except hl.HalideError as e:
        say.put(str(e))
    else:
        say.put("no error")


fork = multiprocessing.get_context("fork")
say = fork.Queue()
process = fork.Process(target=child, args=(say,))
process.start()
message = say.get(timeout=60)
process.join()
assert "forked after the plugin was loaded" in message, message
print("done")

"""Schedules in several threads at once, while others allocate and fork: threads.py PLUGIN."""

import subprocess
import sys
import threading

import halide as hl

hl.load_plugin(sys.argv[1])
gpu = hl.Target("x86-64-linux-opencl")
failures = []
running = threading.Event()
running.set()


def schedule():
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.ImageParam(hl.Float(32), 2, "image")
    a, b = hl.Func("a"), hl.Func("b")
    a[x, y] = image[x, y] + image[x + 1, y]
    b[x, y] = a[x, y] + a[x, y + 1]
    b.set_estimates([(0, 64), (0, 48)])
    image.set_estimates([(0, 65), (0, 49)])
    source = hl.Pipeline(b).apply_autoscheduler(gpu, hl.AutoschedulerParams("gowarp")).schedule_source
    if "gpu_blocks" not in source:
        failures.append(source)


def several():
    try:
        for _ in range(8):
            schedule()
    except Exception as e:  # pylint: disable=broad-except
        failures.append(e)


def busy():
    while running.is_set():
        subprocess.run(["true"], check=True)
        _ = [bytearray(n) for n in range(0, 100_000, 1000)]
        running.wait(0) and threading.Event().wait(0.01)


host = threading.Thread(target=busy)
host.start()
threads = [threading.Thread(target=several) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
running.clear()
host.join()
if failures:
    sys.exit(str(failures))
print("done")

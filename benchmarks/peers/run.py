#!/usr/bin/env python3
"""Times what a user would otherwise pick, on the GPU of this machine: each program in PyTorch, eager and
compiled, CuPy and Triton. What is not installed is a line that says so. Each way is first compared at a
small size with what the program's reference gave; what differs is not timed. A process a program and size; within it all ways
take turns, another one first each round. Lines are those of the GPU bundle's runner, whose --table prints them.

    python3 run.py --out peers.jsonl [--resume] [--program harris ...] [--size estimate ...]
    python3 run.py --rehearse              # without a GPU: results alone, nothing is timed
"""

import argparse
import json
import os
import pathlib
import selectors
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

SIZES = ["estimate", "large", "small"]
CHECKED = "checked"  # that of the comparison, the only one of a rehearsal
# Fields of lines.
SCHEMA, UNCAPPED = 1, 255


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", default="peers.jsonl", help="the file of the lines")
    p.add_argument("--resume", action="store_true", help="keep the lines that are there, go on behind them")
    p.add_argument("--program", action="append", help="this program alone; more than one by more options")
    p.add_argument("--size", action="append", choices=SIZES, help="this size alone")
    p.add_argument("--framework", action="append", help="this framework alone: torch, 'torch compiled', 'torch compiled, max-autotune', cupy, triton")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--limit", type=float, default=600, help="seconds that a way may take to compile, or all of them to be timed")
    p.add_argument("--rehearse", action="store_true", help="compare results on the CPU, NumPy for CuPy, Triton's interpreter for Triton; time nothing")
    p.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    p.add_argument("--skip", default="[]", help=argparse.SUPPRESS)
    o = p.parse_args()
    import inputs
    import variants
    for words, known, what in ((o.program, inputs.PROGRAMS, "program"), (o.framework, variants.FRAMEWORKS, "framework")):
        for w in words or []:
            if w not in known:
                p.error(f"there is no {what} {w!r}; there are {', '.join(known)}")
    return o


def say(**message):
    print(json.dumps(message), flush=True)


def child(o):
    """Measures the ways of a program at a size, and says what it does as lines of JSON: begin, line."""
    program, size = o.child
    import numpy as np
    import inputs
    import variants
    about = inputs.PROGRAMS[program]
    photo = np.load(HERE / "photograph.npy")
    want = np.load(HERE / "checks" / f"{program}.npy")
    device, l2 = {"name": "cpu"}, 0
    if not o.rehearse:
        import torch
        import timing
        clock = timing.Clock()
        p, l2 = torch.cuda.get_device_properties(0), clock.l2
        device = {"name": p.name, "capability": p.major * 10 + p.minor, "sms": p.multi_processor_count, "l2_bytes": l2,
                  "memory_bytes": p.total_memory, "copy_gb_per_s": timing.short(clock.copy_gb_per_s())}
    sizes = {CHECKED: about.checked} if o.rehearse else about.sizes(l2)
    if size not in sizes:
        return  # the device's L2 is so small that the estimated size is large
    extents = sizes[size]
    out_shape, _ = about.output(extents)
    base = {
        "schema": SCHEMA, "device": device, "bundle": "peers", "made_for": device["name"], "program": program, "size": size, "extents": list(reversed(out_shape)),
        "elements": int(np.prod(out_shape)), "register_cap": UNCAPPED, "compulsory_bytes": about.compulsory_bytes(extents),
    }
    small, full = about.inputs(photo, about.checked), None if o.rehearse else about.inputs(photo, extents)
    target = "cpu" if o.rehearse else "cuda"
    ready = []
    for framework in o.framework or variants.FRAMEWORKS:
        if framework in json.loads(o.skip):
            continue
        say(begin=framework)
        try:
            checked = variants.of(framework, program, small, target)
            timed = {} if o.rehearse else variants.of(framework, program, full, target)
        except ImportError as e:
            say(line=base | {"scheduler": framework, "outcome": "not-installed", "reason": str(e)})
            continue
        for name in checked:
            if name in json.loads(o.skip):
                continue
            say(begin=name)
            line = base | {"scheduler": name, "with": checked[name].with_, "outcome": "ok"}
            try:
                differs = inputs.difference(checked[name].to_numpy(checked[name].call()), want)
                if differs:
                    line |= {"outcome": "wrong-result", "reason": f"at {about.checked}: {differs}"}
                elif not o.rehearse:
                    start = time.perf_counter()
                    timed[name].call()
                    torch.cuda.synchronize()
                    line["first_ms"] = timing.short((time.perf_counter() - start) * 1e3)
                    ready.append((line, timed[name], {}))
                    continue
            except Exception as e:  # whatever a framework throws is what came of this way
                line |= {"outcome": "fails-to-run", "reason": f"{type(e).__name__}: {e}"[:1000]}
            say(line=line)
    what = [("gpu", True), ("wall", True), ("gpu", False), ("wall", False)]
    for r in range(o.rounds if ready else 0):
        for i in range(len(ready)):
            line, variant, samples = ready[(i + r) % len(ready)]
            say(begin=variant.name)
            for w in what:
                samples.setdefault(w, []).append(clock.turn(variant.call, *w))
    for line, variant, samples in ready:
        line["rounds"] = o.rounds
        for kind, cold in what:
            line[f"{kind}_us_{'cold' if cold else 'warm'}"] = timing.summary(samples[kind, cold])
        line["copy_share"] = timing.short(base["compulsory_bytes"] / line["gpu_us_cold"]["median"] / 1e3 / device["copy_gb_per_s"])
        say(line=line)


def measure(o, program, size, skip, write):
    """Runs a child. Returns what it was at when it died or hung, None if it did not."""
    command = [sys.executable, str(HERE / "run.py"), "--child", program, size, "--skip", json.dumps(skip), "--rounds", str(o.rounds)]
    command += ["--rehearse"] * o.rehearse
    for f in o.framework or []:
        command += ["--framework", f]
    env = dict(os.environ)
    if o.rehearse:
        env["TRITON_INTERPRET"] = "1"
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=env)
    watch = selectors.DefaultSelector()
    watch.register(process.stdout, selectors.EVENT_READ)
    at, text, why = "start", b"", ""
    os.set_blocking(process.stdout.fileno(), False)
    until = time.monotonic() + o.limit
    while True:
        if not watch.select(max(0, until - time.monotonic())):
            process.kill()
            why = f"no answer in {o.limit:g} s"
            break
        more = process.stdout.read()
        if more == b"":
            break
        text += more or b""
        *whole, text = text.split(b"\n")
        for line in whole:
            try:
                message = json.loads(line)
            except ValueError:
                continue  # what a library prints
            if not isinstance(message, dict):
                continue
            until = time.monotonic() + o.limit
            if "begin" in message:
                at = message["begin"]
            elif "line" in message:
                write(message["line"])
    code = process.wait()
    if code == 0:
        return None
    write({"schema": SCHEMA, "device": {"name": "unknown"}, "bundle": "peers", "program": program, "size": size, "extents": [], "scheduler": at, "register_cap": UNCAPPED,
           "outcome": "timed-out" if why else "crashed", "reason": why or f"exit code {code}"})
    return at


def main():
    o = options()
    if o.child:
        return child(o)
    import inputs
    if not o.rehearse and subprocess.run([sys.executable, "-c", "import sys, torch; sys.exit(not torch.cuda.is_available())"], stderr=subprocess.DEVNULL).returncode:
        sys.exit("run.py: there is no PyTorch that finds a GPU; --rehearse compares results without one")
    done, wrong = set(), 0
    if o.resume and os.path.exists(o.out):
        for line in open(o.out):
            try:
                l = json.loads(line)
                done.add((l["program"], l["size"]))
            except (ValueError, KeyError):
                print(f"{o.out}: a line that cannot be read is left out", file=sys.stderr)
    lines = []
    with open(o.out, "a" if o.resume else "w") as out:
        def write(line):
            nonlocal wrong
            wrong += line["outcome"] not in ("ok", "not-installed")
            lines.append(line | {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())})
            took = f"{line['gpu_us_cold']['median']:.5g} us" if "gpu_us_cold" in line else line.get("reason", "")
            print(f"{line['program']} {line['size']}  {line['scheduler']}  {line['outcome']}  {took}", flush=True)

        for size in [CHECKED] if o.rehearse else o.size or SIZES:
            for program in o.program or inputs.PROGRAMS:
                skip, lines = [], []
                # One that ends its process is left out of the next.
                while (program, size) not in done and (at := measure(o, program, size, skip, write)) is not None:
                    if at in skip or at == "start":
                        break
                    skip.append(at)
                # All at once, so that a program at a size is there as a whole or is measured again.
                out.write("".join(json.dumps(l) + "\n" for l in lines))
                out.flush()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

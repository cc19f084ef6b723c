"""Makes a directory that compares and times what a user would otherwise pick on a machine with a
GPU and PyTorch: the scripts beside this one, the photograph, and of every program a small input
with what its reference (benchmarks/programs/NAME/reference.py) makes of it.

    build/venv/bin/python benchmarks/peers/prepare.py build/gpu-peers
"""

import pathlib
import shutil
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "scripts")]

import halide_npy  # noqa: E402
import inputs  # noqa: E402


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: prepare.py DIR")
    out = pathlib.Path(sys.argv[1])
    if out.exists() and not (out / "checks").exists():
        sys.exit(f"prepare.py: {out} is there and was not made by this; it would be removed")
    shutil.rmtree(out, ignore_errors=True)
    (out / "checks").mkdir(parents=True)
    for script in sorted(HERE.glob("*.py")):
        if script.name != "prepare.py":
            shutil.copy(script, out)
    file = out / "photograph.npy"
    subprocess.run([sys.executable, ROOT / "scripts/photograph.py", "coffee", "0", "0", file], check=True)
    photo = halide_npy.load(file)
    np.save(file, photo)
    for name, program in inputs.PROGRAMS.items():
        made = program.inputs(photo, program.checked)
        words = []
        for word, value in made.items():
            if isinstance(value, np.ndarray):
                path = out / "checks" / f"{name}-{word}.npy"
                halide_npy.save(path, value)
                words.append(f"{word}={path}")
            else:
                words.append(f"{word}={value}")
        want = out / "checks" / f"{name}.npy"
        subprocess.run([sys.executable, ROOT / "benchmarks/programs" / name / "reference.py", *words, f"output={want}"],
                       check=True, env={"PYTHONPATH": str(ROOT / "scripts")})
        np.save(want, halide_npy.load(want))
        # Inputs are made again where they are needed.
        for path in (out / "checks").glob(f"{name}-*.npy"):
            path.unlink()
    size = sum(f.stat().st_size for f in out.rglob("*") if f.is_file())
    print(f"{out}: {len(inputs.PROGRAMS)} programs, {size / 2**20:.1f} MiB; start python3 {out}/run.py on a machine with PyTorch")


main()

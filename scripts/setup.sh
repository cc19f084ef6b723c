#!/usr/bin/env bash
# Puts in place what the build and the tests need, under build/: a Python
# environment with Halide 21, ptxas and the reference libraries, and a pkg-config
# file for Halide. Quick when nothing is left to do. As root on Debian it installs
# missing system packages; otherwise it names them and exits 2.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD

say()  { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 2; }

mkdir -p build
# One at a time: parallel make targets and tests may all ask for the set-up.
exec 9>build/.setup.lock
flock 9

# --- system packages -------------------------------------------------------
missing=()
need() { missing+=("$1"); say "missing: $2 (Debian package $1)"; }

command -v g++ >/dev/null        || need g++ "a C++17 compiler, g++"
command -v make >/dev/null       || need make "make"
command -v pkg-config >/dev/null || need pkg-config "pkg-config"
ldconfig=$(command -v ldconfig || echo /sbin/ldconfig)
"$ldconfig" -p 2>/dev/null | grep -q 'libOpenCL\.so\.1' || need ocl-icd-libopencl1 "the OpenCL loader, libOpenCL.so.1"
compgen -G '/etc/OpenCL/vendors/*pocl*.icd' >/dev/null  || need pocl-opencl-icd "PoCL, OpenCL on the CPU"
command -v oclgrind >/dev/null   || need oclgrind "Oclgrind, which checks OpenCL kernels"

# The wheels are pinned for Python 3.10 to 3.13; the system's own interpreter first,
# because version managers' shims change under a finished environment.
usable() { "$1" -c 'import sys; sys.exit(not (3,10) <= sys.version_info[:2] <= (3,13))' 2>/dev/null; }
python=
for p in /usr/bin/python3 python3 python3.13 python3.12 python3.11 python3.10; do
	if command -v "$p" >/dev/null && usable "$p"; then python=$(command -v "$p"); break; fi
done
if [ -z "$python" ]; then
	need python3 "Python 3.10 to 3.13"
	need python3-venv "Python's venv module"
elif [ ! -x build/venv/bin/python ] && ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
	need python3-venv "Python's venv module"
fi

if [ ${#missing[@]} -gt 0 ]; then
	command="apt-get install -y --no-install-recommends ${missing[*]}"
	if ! command -v apt-get >/dev/null; then
		fail "install the programs named above with your system's package manager (on Debian: $command)"
	elif [ "$(id -u)" != 0 ]; then
		fail "run: sudo $command"
	fi
	say "installing ${missing[*]}"
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq </dev/null >build/setup.log 2>&1 || say "apt-get update failed, going on with the lists at hand"
	apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null >>build/setup.log 2>&1 || {
		tail -n 5 build/setup.log >&2
		fail "could not install (no network?); run: $command"
	}
	[ -n "$python" ] || python=/usr/bin/python3
fi

# --- Go ---------------------------------------------------------------------
want=$(awk '$1 == "go" {print $2}' go.mod)
command -v go >/dev/null || fail "missing: Go $want or newer; install it as go.dev/doc/install says"
# Run inside the module: a Go from 1.21 on fetches the version that go.mod asks for.
go version >/dev/null 2>build/setup.go.log ||
	{ cat build/setup.go.log >&2; fail "$(go env GOVERSION 2>/dev/null || echo this Go) cannot build the project; install Go $want or newer as go.dev/doc/install says"; }

# --- the Python environment ---------------------------------------------------
stamp=build/venv/.gowarp-stamp
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
# The path is part of it: a virtual environment does not survive being moved.
wanted=$(printf 'python %s\nat %s\n' "$version" "$root"; cat scripts/requirements.txt)
if [ "$(cat "$stamp" 2>/dev/null || true)" != "$wanted" ]; then
	say "making build/venv with Python $version ($python)"
	rm -rf build/venv
	"$python" -m venv build/venv >build/setup.log 2>&1 || {
		tail -n 5 build/setup.log >&2
		fail "could not make a virtual environment; run: apt-get install -y python3-venv"
	}
	say "installing $(grep -c '==' scripts/requirements.txt) Python packages (250 MB of downloads on a first run)"
	build/venv/bin/python -m pip install --disable-pip-version-check --no-input --no-deps --only-binary=:all: \
		--progress-bar off -r scripts/requirements.txt </dev/null 2>>build/setup.log |
		tee -a build/setup.log | awk '/^Collecting/ {print "setup:   " $2; fflush()}' || {
		tail -n 5 build/setup.log >&2
		fail "could not install the Python packages (no network?); run: build/venv/bin/python -m pip install -r scripts/requirements.txt"
	}
	build/venv/bin/python -m pip check --disable-pip-version-check >>build/setup.log 2>&1 || {
		tail -n 5 build/setup.log >&2
		fail "scripts/requirements.txt does not hold together (build/setup.log)"
	}
	printf '%s\n' "$wanted" >"$stamp"
fi

# --- names that do not depend on the version of Python ------------------------
site=venv/lib/python$version/site-packages
link() { [ "$(readlink "build/$2" 2>/dev/null || true)" = "$1" ] || ln -sfn "$1" "build/$2"; }
link "$site/halide" halide
link "$site/nvidia/cuda_nvcc/bin/ptxas" ptxas
link "$site/nvidia/cuda_runtime/include" cuda-include
[ -e build/halide/lib64/libHalide.so ] || fail "build/venv has no libHalide.so; remove build/venv and run again"

# pkg-config splits at blanks unless they are escaped.
mkdir -p build/pkgconfig
escaped=${root// /\\ }/build/halide
{
	printf 'halide=%s\n' "$escaped"
	printf 'Name: Halide\nDescription: Halide 21 from the Python wheel\nVersion: 21.0.0\n'
	printf 'Cflags: -I${halide}/include\n'
	printf 'Libs: -L${halide}/lib64 -lHalide\n'
} >build/pkgconfig/halide.pc.new
if cmp -s build/pkgconfig/halide.pc.new build/pkgconfig/halide.pc; then
	rm build/pkgconfig/halide.pc.new
else
	mv build/pkgconfig/halide.pc.new build/pkgconfig/halide.pc
fi
say "ready: Halide 21.0.0, Python $version, $(go env GOVERSION)"

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds docs/examples as a reader would, and runs one of its programs.

Usage: examples.py build EXAMPLES PREFIX SCRATCH     with the libclgemm that is installed in PREFIX
       examples.py run EXAMPLES PREFIX SCRATCH NAME  it must succeed and print one line

Exit: 77 where its compiler or a device is missing; with CI=true, 1.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

PART = sys.argv[1]
EXAMPLES, PREFIX, SCRATCH = (pathlib.Path(argument).resolve() for argument in sys.argv[2:5])
CMAKE = os.environ.get("CMAKE", "cmake")
STRICT = "-Wall -Wextra -Wpedantic -Werror"
NO_DEVICE = r"STATUS_NO_DEVICE|no OpenCL device|CL_PLATFORM_NOT_FOUND"


def skip(why):
    print(f"SKIP: {why}")
    sys.exit(1 if os.environ.get("CI") == "true" else 77)


def build():
    shutil.rmtree(SCRATCH, ignore_errors=True)
    flags = [f"-DCMAKE_{language}_FLAGS={STRICT}" for language in ("C", "CXX", "Fortran")]
    subprocess.run([CMAKE, "-S", EXAMPLES, "-B", SCRATCH, f"-DCMAKE_PREFIX_PATH={PREFIX}", *flags], check=True)
    subprocess.run([CMAKE, "--build", SCRATCH], check=True)


def command(name):
    """What runs it; None where its compiler is missing."""
    script = EXAMPLES / f"{name}.py"
    if script.exists():
        return ["/usr/bin/python3", "-B", script]
    program = SCRATCH / name
    if not program.exists() and name not in ("cxx", "fortran"):
        sys.exit(f"docs/examples/CMakeLists.txt does not build {name}")
    return [program] if program.exists() else None


def run(name):
    library = next(PREFIX.rglob("libclgemm.so.0"))
    program = command(name)
    if program is None:
        skip(f"there is no compiler for {name}")
    variables = os.environ | {"LD_LIBRARY_PATH": str(library.parent)}
    done = subprocess.run(program, env=variables, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    print(done.stdout)
    if done.returncode and re.search(NO_DEVICE, done.stdout):
        skip("no usable OpenCL device")
    if done.returncode:
        sys.exit(f"{name}: exit status {done.returncode}")
    if len(done.stdout.splitlines()) != 1:
        sys.exit(f"{name} did not print one line")


build() if PART == "build" else run(sys.argv[5])

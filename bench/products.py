# SPDX-License-Identifier: Apache-2.0
"""Measures from which size on the drop-in pays in a fresh NumPy process.

A process multiplies two square matrices of each size several times, in the order of --sizes. C is a new
array every time, as NumPy makes it. The drop-in opens the device when it decides to, so the first products
may still run on the CPU. Processes without and with the drop-in run in turn.

Columns:

size            the edge of the square matrices
plain ms        median time of a product without the drop-in
drop-in ms      the same with the drop-in
its first ms    the first product of the size with the drop-in
on the device   how many products of the size ran on the device, in one more process

The first row of the last product of each size is checked, after all timed products: the check's own
product leaves the threads of the CPU's BLAS polling for a while.

Needs Linux, an OpenCL device, a build of the drop-in (--library), and a Python with NumPy."""
import argparse
import os
import re
import statistics
import tempfile

import in_turn

LOOP = """
import sys, time
import numpy as np
last = {}
for n in map(int, sys.argv[1].split(",")):
    a, b = (np.random.RandomState(seed).rand(n, n).astype(sys.argv[3]) for seed in (n, n + 1))
    for _ in range(int(sys.argv[2])):
        start = time.perf_counter()
        c = a @ b
        print("ms", n, 1e3 * (time.perf_counter() - start))
        last[n] = a, b, c
        del c
for n, (a, b, c) in last.items():
    assert abs(c[0] - a[0] @ b.astype(float)).max() < 1e-3 * n
"""

parser = argparse.ArgumentParser(prog="bench/products.py", description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--library", required=True, metavar="FILE", help="an existing libclgemm_blas.so")
parser.add_argument("--python", default="/usr/bin/python3", help="an interpreter that has NumPy")
parser.add_argument("--sizes", default="512,1024,2048,4096", help="default 512,1024,2048,4096")
parser.add_argument("--repeats", type=int, default=6, help="products of each size; default 6")
parser.add_argument("--rounds", type=int, default=3, help="processes with and without, in turn; default 3")
parser.add_argument("--type", choices=["float32", "float64"], default="float32")
options = parser.parse_args()


def loop(changes):
    """The milliseconds of each size's products, in order."""
    out = in_turn.run([options.python, "-c", LOOP, options.sizes, str(options.repeats), options.type],
                      changes)
    times = {}
    for n, ms in re.findall(r"^ms (\d+) (.*)$", out, re.M):
        times.setdefault(int(n), []).append(float(ms))
    return times


def on_device(changes, folder):
    """How many products of each size run on the device, in one more process."""
    log = os.path.join(folder, "log")
    loop({**changes, "CLGEMM_VERBOSE": "1", "CLGEMM_LOGFILE": log})
    with open(log) as lines:
        shapes = re.findall(r"gemm on=device .*--shape (\d+)x\1x\1 ", lines.read())
    return {int(n): shapes.count(n) for n in options.sizes.split(",")}


def main():
    dropped_in = {"LD_PRELOAD": os.path.abspath(options.library)}
    with tempfile.TemporaryDirectory() as folder:
        there = on_device(dropped_in, folder)
    taken = in_turn.rounds(options.rounds, [{}, dropped_in], loop)
    print(f"{options.repeats} products of {options.type}, medians of {options.rounds} processes in turn, "
          f"{os.cpu_count()} cores\n")
    print("| size | plain ms | drop-in ms | its first ms | on the device |\n|---:|---:|---:|---:|---:|")
    for n in map(int, options.sizes.split(",")):
        plain, ours, first = (statistics.median(pick(times[way][n]) for times in taken)
                              for way, pick in ((0, statistics.median), (1, statistics.median),
                                                (1, lambda all_of: all_of[0])))
        print(f"| {n} | {plain:.2f} | {ours:.2f} | {first:.2f} | {there[n]} |")


main()

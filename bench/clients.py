# SPDX-License-Identifier: Apache-2.0
"""Measures three real workloads with and without the drop-in.

numpy    a chain of matrix products
sklearn  the training of a scikit-learn MLPClassifier
torch    the forward pass of four linear layers in PyTorch on the CPU

Each round runs a process without the drop-in, one with it, and one more without it. A process starts
when the machine is idle, and its repetitions start when its own threads are. A check value must be
the same with and without the drop-in; otherwise the program stops.

Columns:

plain ms, drop-in ms      medians of a repetition, without and with the drop-in
times as fast             median over rounds of plain ms / drop-in ms of the same round
plain again               the same ratio of two equal processes: shows how noisy the machine is
whole process             the same ratio for whole processes that wait for nothing, with start, imports
                          and the opening of the device; then "plain again" for these
calls on device, on CPU   calls of one process with the drop-in, counted before the first round

Notes below the table name workloads whose times fall into two clusters, threads that kept polling, and
processes that had to start while the machine was busy.

Needs Linux, an OpenCL device, and a Python with NumPy, scikit-learn and PyTorch. bench/clients installs
Debian's packages and builds the drop-in; clients.py with --library does neither."""
import argparse
import os
import re
import statistics
import sys
import tempfile
import time

import in_turn

HERE = os.path.dirname(os.path.abspath(__file__))
WORKLOADS = ["numpy", "sklearn", "torch"]

parser = argparse.ArgumentParser(prog="bench/clients", description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("workloads", nargs="*", metavar="WORKLOAD",
                    help=", ".join(WORKLOADS) + "; default all")
parser.add_argument("--library", required=True, metavar="FILE",
                    help="an existing libclgemm_blas.so; by default bench/clients builds one")
parser.add_argument("--tune", action="store_true",
                    help="first measure the break-even, with the clgemm program of that build")
parser.add_argument("--python", default="/usr/bin/python3",
                    help="an interpreter that has the packages; default Debian's")
parser.add_argument("--type", choices="sd", default="s", help="single or double precision; default s")
parser.add_argument("--size", type=int, default=1024, help="scale of the problems; default 1024")
parser.add_argument("--rounds", type=int, default=7, help="rounds; default 7")
parser.add_argument("--repeats", type=int, default=5, help="repetitions in a process; default 5")
parser.add_argument("--min-flops", metavar="F", help="as CLGEMM_MIN_FLOPS; default: measured")
parser.add_argument("--fail-below", type=float, default=0, metavar="R",
                    help="exit with 1 if a workload's times as fast is below R")
options = parser.parse_args()


# Notes for below the table, and for each workload the cores that it kept busy before its first
# repetition.
notes, restless = [], {}


def tune(folder):
    """Measures the break-even into a folder that only the workloads use."""
    beside = os.path.join(os.path.dirname(options.library), "src", "clgemm")
    os.environ["CLGEMM_TUNING"] = folder
    print(in_turn.run([beside if os.path.exists(beside) else "clgemm", "tune", "--break-even"], {}))


def process(name, changes, *more):
    """The output of a process that runs the workload."""
    return in_turn.run([options.python, os.path.join(HERE, "workloads.py"), name, str(options.size),
                        str(options.repeats), options.type, *more], changes)


def worker(name, changes):
    """Median milliseconds of a repetition, seconds of a whole process without pauses, check value."""
    out = process(name, changes)
    in_turn.become_quiet()
    start = time.perf_counter()
    process(name, changes, "at-once")
    seconds = time.perf_counter() - start
    times = [float(ms) for ms in re.findall(r"^ms (.*)$", out, re.M)]
    restless.update((name, float(cores)) for cores in re.findall(r"^restless (.*)$", out, re.M))
    return statistics.median(times), seconds, float(re.search(r"^check (.*)$", out, re.M)[1])


def calls(name, changes):
    """How many calls of one process ran on the device and on the CPU, from its log."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        process(name, {**changes, "CLGEMM_VERBOSE": "1", "CLGEMM_LOGFILE": log})
        text = open(log).read() if os.path.exists(log) else ""
    device, cpu = len(re.findall(r" on=device ", text)), len(re.findall(r" on=cpu ", text))
    if device + cpu == 0:
        sys.exit(f"{name}: no call reached {options.library}; can it be loaded?")
    return device, cpu


def compare(name):
    dropped_in = {"LD_PRELOAD": os.path.abspath(options.library)}
    if options.min_flops:
        dropped_in["CLGEMM_MIN_FLOPS"] = options.min_flops
    device, cpu = calls(name, dropped_in)  # before the rounds, so that programs are on disk
    # The second plain process shows the ratio of equal processes.
    taken = in_turn.rounds(options.rounds, [{}, dropped_in, {}], lambda changes: worker(name, changes))
    plain, ours, _ = (check for _, _, check in taken[0])
    if not abs(plain - ours) <= 1e-3 * abs(plain):
        sys.exit(f"{name}: the check value is {ours}, without the drop-in {plain}")
    ms, seconds = (lambda result: result[0]), (lambda result: result[1])
    steady = in_turn.ratio(taken, 1, ms)
    print(f"| {name} | {in_turn.column(taken, 0, ms):.2f} | {in_turn.column(taken, 1, ms):.2f} | "
          f"**{steady:.2f}** | {in_turn.ratio(taken, 2, ms):.2f} | "
          f"{in_turn.ratio(taken, 1, seconds):.2f} | {in_turn.ratio(taken, 2, seconds):.2f} | "
          f"{device} | {cpu} |", flush=True)
    notes.extend(in_turn.notes([f"{name}, plain", f"{name}, drop-in", f"{name}, plain again"], taken, ms))
    return steady


def print_notes():
    for name, cores in restless.items():
        notes.append(f"{name}: its threads kept {cores:.1f} cores busy before the first repetition.")
    for note in notes + [in_turn.quiet_note()]:
        if note:
            print(f"\n{note}")


def main():
    unknown = set(options.workloads) - set(WORKLOADS)
    if unknown:
        parser.error(f"no such workload: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as folder:
        if options.tune:
            tune(folder)
        print(f"Type {options.type}, size {options.size}, {os.cpu_count()} cores; medians of "
              f"{options.rounds} rounds in turn, {options.repeats} repetitions each\n")
        print("| workload | plain ms | drop-in ms | times as fast | plain again | whole process | "
              "plain again | calls on device | on CPU |\n" + "|---" + "|---:" * 8 + "|")
        least = min(compare(name) for name in options.workloads or WORKLOADS)
        print_notes()
    if least < options.fail_below:
        sys.exit(f"the drop-in is below {options.fail_below} times the plain speed: {least:.3f}")


main()

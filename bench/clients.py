# SPDX-License-Identifier: Apache-2.0
"""Three real workloads with and without the drop-in; bench/clients builds it and runs this."""
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

parser = argparse.ArgumentParser(prog="bench/clients", description=__doc__)
parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help="of " + ", ".join(WORKLOADS))
parser.add_argument("--library", required=True, metavar="FILE",
                    help="a libclgemm_blas.so that is built; bench/clients builds one")
parser.add_argument("--tune", action="store_true",
                    help="first measure the break-even, with the clgemm program of that build")
parser.add_argument("--python", default="/usr/bin/python3",
                    help="the interpreter that has the packages; default Debian's")
parser.add_argument("--type", choices="sd", default="s", help="single or double precision; default s")
parser.add_argument("--size", type=int, default=1024, help="scale of the problems; default 1024")
parser.add_argument("--rounds", type=int, default=7, help="each process runs as often; default 7")
parser.add_argument("--repeats", type=int, default=5, help="repetitions in a process; default 5")
parser.add_argument("--min-flops", metavar="F", help="as CLGEMM_MIN_FLOPS; default: measured")
parser.add_argument("--fail-below", type=float, default=0, metavar="R",
                    help="exit with 1 where the drop-in is below R times the plain speed")
options = parser.parse_args()


# What is said below the table: of times in two heaps; and cores that a workload kept busy ahead of its
# first repetition.
notes, restless = [], {}


def tune(folder):
    """The break-even, into a folder of its own, for the workloads alone."""
    beside = os.path.join(os.path.dirname(options.library), "src", "clgemm")
    os.environ["CLGEMM_TUNING"] = folder
    print(in_turn.run([beside if os.path.exists(beside) else "clgemm", "tune", "--break-even"], {}))


def process(name, changes, *more):
    """What a process prints that does the workload."""
    return in_turn.run([options.python, os.path.join(HERE, "workloads.py"), name, str(options.size),
                        str(options.repeats), options.type, *more], changes)


def worker(name, changes):
    """Median milliseconds, and the check value; seconds of a whole process, which has no pauses."""
    out = process(name, changes)
    in_turn.become_quiet()
    start = time.perf_counter()
    process(name, changes, "at-once")
    seconds = time.perf_counter() - start
    times = [float(ms) for ms in re.findall(r"^ms (.*)$", out, re.M)]
    restless.update((name, float(cores)) for cores in re.findall(r"^restless (.*)$", out, re.M))
    return statistics.median(times), seconds, float(re.search(r"^check (.*)$", out, re.M)[1])


def calls(name, changes):
    """Where the calls of one process went, from its log."""
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
    device, cpu = calls(name, dropped_in)  # the first, so that programs are on disk afterwards
    # Plain once more: what a ratio of equal things comes to while other work goes on.
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
        notes.append(f"{name}: its threads kept {cores:.1f} cores busy ahead of the first repetition.")
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
        sys.exit(f"below {options.fail_below} of the plain speed: {least:.3f}")


main()

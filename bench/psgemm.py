# SPDX-License-Identifier: Apache-2.0
"""Measures PBLAS psgemm or pdgemm on MPI ranks of one machine, with and without the drop-in.

Each shape has a row for each of these, which run in turn:

CPU BLAS                    ScaLAPACK on the plain CPU BLAS
CPU BLAS, drop-in's blocks  the drop-in with all calls on the CPU: the effect of its larger PBLAS block
drop-in                     the drop-in with calls on the device

With --nb the last two have a row for each block size.

Columns:

ms                  median over rounds of a process's median; the slowest rank counts
GFLOP/s             2 m n k divided by that time
times the CPU BLAS  median over rounds of the first row's time / this row's time

Each process verifies every element of one product: floats against pdgemm, doubles against products of
17-bit parts of the elements, which are exact. A wrong element ends the program.

Needs Linux, Open MPI, ScaLAPACK (libscalapack-openmpi-dev), OpenBLAS and an OpenCL device.
bench/psgemm installs these for Debian, builds the drop-in and the MPI program, and runs this."""
import argparse
import os
import re
import statistics
import sys

import in_turn

parser = argparse.ArgumentParser(prog="bench/psgemm", description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("shapes", nargs="*", default=["1024x1024x1024", "2048x2048x2048", "3000x2500x2000"],
                    metavar="MxNxK")
parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
parser.add_argument("--library", required=True, help=argparse.SUPPRESS)
parser.add_argument("--ranks", type=int, default=4, help="MPI ranks; default 4")
parser.add_argument("--block", type=int, default=64, help="block size of the distribution; default 64")
parser.add_argument("--type", default="s", choices=["s", "d"], help="single or double precision; default s")
parser.add_argument("--trans", default="NN", help="NN, NT, TN or TT; default NN")
parser.add_argument("--nb", default="", metavar="LIST",
                    help="values of CLGEMM_PBLAS_NB to compare; default: the drop-in's own")
parser.add_argument("--min-flops", default="", metavar="F", help="as CLGEMM_MIN_FLOPS; default: measured")
parser.add_argument("--rounds", type=int, default=5, help="rounds; default 5")
parser.add_argument("--repeats", type=int, default=5, help="products in a process; default 5")
options = parser.parse_args()


def configurations():
    yield "CPU BLAS", {}
    for nb in options.nb.split(",") if options.nb else [""]:
        title = f", NB {nb}" if nb else ""
        chosen = {"LD_PRELOAD": options.library}
        if nb:
            chosen["CLGEMM_PBLAS_NB"] = nb
        # The effect of the larger block alone: all calls pass through the drop-in to the CPU.
        yield f"CPU BLAS, drop-in's blocks{title}", {**chosen, "CLGEMM_MIN_FLOPS": "1e18"}
        if options.min_flops:
            chosen["CLGEMM_MIN_FLOPS"] = options.min_flops
        yield f"drop-in{title}", chosen


def measure(shape, changes):
    threads = max(1, os.cpu_count() // options.ranks)
    variables = {"OPENBLAS_NUM_THREADS": threads, **changes}
    out = in_turn.run(
        ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", str(options.ranks)]
        # Only the ranks get these variables, not mpirun itself.
        + ["env", *(f"{name}={value}" for name, value in variables.items())]
        + [options.program, options.type, *shape.split("x"), options.trans, str(options.block), str(options.repeats)],
        {},
    )
    if not re.search(r"ranks: 0 wrong$", out, re.M):
        sys.exit(f"{shape}: wrong results\n{out}")
    return statistics.median(float(ms) for ms in re.findall(r"^ms (.*)$", out, re.M))


def main():
    ways, notes = list(configurations()), []
    print(f"p{options.type}gemm {options.trans}, {options.ranks} ranks on {os.cpu_count()} cores, blocks of "
          f"{options.block}; medians of {options.rounds} rounds in turn, every element verified\n")
    print("| m x n x k | | ms | GFLOP/s | times the CPU BLAS |\n|---|---|---:|---:|---:|")
    for shape in options.shapes:
        m, n, k = map(int, shape.split("x"))
        taken = in_turn.rounds(options.rounds, ways, lambda way: measure(shape, way[1]))
        for i, (title, _) in enumerate(ways):
            ms = in_turn.column(taken, i)
            print(f"| {m} x {n} x {k} | {title} | {ms:.2f} | {2e-6 * m * n * k / ms:.1f} | "
                  f"{in_turn.ratio(taken, i):.2f} |", flush=True)
        notes.extend(in_turn.notes([f"{shape}, {title}" for title, _ in ways], taken))
    for note in notes + [in_turn.quiet_note()]:
        if note:
            print(f"\n{note}")


main()

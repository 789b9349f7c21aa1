# SPDX-License-Identifier: Apache-2.0
"""Measures LAPACK's factorizations of doubles with and without the drop-in: potrf (Cholesky), getrf (LU),
geqrf (QR), syevd (eigenvalues and vectors), gesdd (singular values and vectors).

Each round runs a process without the drop-in, one with it, and one more without it. Processes start when
the machine is idle.

Columns:

plain ms, drop-in ms  medians over rounds of a process's median call, without its first
times as fast         median over rounds of plain ms / drop-in ms of the same round
first                 the same of first calls, in which the device is opened
again                 times as fast of two equal processes: shows how noisy the machine is

Each process multiplies the last factors again; a residual above 30 n u ends the program.

Needs Linux, the reference LAPACK (LU and Cholesky in OpenBLAS do not call the BLAS), OpenBLAS and an
OpenCL device. bench/lapack installs these for Debian, builds, and runs this."""
import argparse
import glob
import os
import re
import statistics
import sys

import in_turn

parser = argparse.ArgumentParser(prog="bench/lapack", description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("problems", nargs="*", metavar="ROUTINE:N",
                    default=["potrf:8192", "getrf:8192", "geqrf:8192", "syevd:4096", "gesdd:4096"])
parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
parser.add_argument("--library", required=True, help=argparse.SUPPRESS)
parser.add_argument("--lapack", metavar="FOLDER",
                    default=os.path.dirname("".join(glob.glob("/usr/lib/*/lapack/liblapack.so.3")[:1])),
                    help="where the reference LAPACK is; default Debian's")
parser.add_argument("--rounds", type=int, default=3, help="rounds; default 3")
parser.add_argument("--repeats", type=int, default=4, help="calls in a process; default 4")
options = parser.parse_args()
if not glob.glob(os.path.join(options.lapack, "liblapack.so.3")):
    parser.error("no reference LAPACK is found: --lapack")


def measure(problem, changes):
    """Milliseconds of the first call, and the median of the others."""
    out = in_turn.run([options.program, *problem.split(":"), str(options.repeats)],
                      {"LD_LIBRARY_PATH": options.lapack, **changes})
    if not float(re.search(r"^residual (.*)$", out, re.M)[1]) < 30:
        sys.exit(f"{problem}: wrong results\n{out}")
    calls = [float(ms) for ms in re.findall(r"^ms (.*)$", out, re.M)]
    return calls[0], statistics.median(calls[1:] or calls)


def main():
    ways = [{}, {"LD_PRELOAD": options.library}, {}]
    print("| routine | n | plain ms | drop-in ms | times as fast | first | again |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for problem in options.problems:
        taken = in_turn.rounds(options.rounds, ways, lambda way: measure(problem, way))
        first, later = lambda pair: pair[0], lambda pair: pair[1]
        print("| {} | {} | {:.0f} | {:.0f} | {:.2f} | {:.2f} | {:.2f} |".format(
            *problem.split(":"), in_turn.column(taken, 0, later), in_turn.column(taken, 1, later),
            in_turn.ratio(taken, 1, later), in_turn.ratio(taken, 1, first), in_turn.ratio(taken, 2, later)),
            flush=True)
    print(f"\n{in_turn.quiet_note()}".rstrip())


main()

# SPDX-License-Identifier: Apache-2.0
"""Runs commands in turn, round after round, so that what else the machine does meets all alike."""
import os
import statistics
import subprocess
import sys

# What measures and what is measured are chosen here; peers run as their users run them.
UNWANTED = {"CLGEMM_LOGFILE", "CLGEMM_VERBOSE", "LD_PRELOAD", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"}


def environment(changes):
    kept = {name: value for name, value in os.environ.items() if name not in UNWANTED}
    return {**kept, **changes}


def run(command, changes):
    """What the command prints; ends this program where the command fails."""
    result = subprocess.run(
        command, env=environment(changes), stdout=subprocess.PIPE, universal_newlines=True, check=False
    )
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit status {result.returncode}\n{result.stdout}")
    return result.stdout


def rounds(count, configurations, measure):
    """measure(configuration) of each configuration in turn, `count` times: a list of rounds."""
    taken = []
    for done in range(count):
        if sys.stderr.isatty():
            print(f"round {done + 1} of {count}", end="\r", file=sys.stderr)
        taken.append([measure(configuration) for configuration in configurations])
    return taken


def column(taken, configuration, value=lambda result: result):
    return statistics.median(value(results[configuration]) for results in taken)


def ratio(taken, configuration, value=lambda result: result):
    """How many times faster than the first configuration: the median over rounds."""
    return statistics.median(value(results[0]) / value(results[configuration]) for results in taken)

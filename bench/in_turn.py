# SPDX-License-Identifier: Apache-2.0
"""Runs commands in turn, round after round, so that other work on the machine affects all alike. Each
starts when the machine is idle."""
import os
import statistics
import subprocess
import sys
import time

# Variables that would change what is measured; peers run with their defaults.
UNWANTED = {"CLGEMM_LOGFILE", "CLGEMM_VERBOSE", "LD_PRELOAD", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"}


def environment(changes):
    kept = {name: value for name, value in os.environ.items() if name not in UNWANTED}
    return {**kept, **changes}


def run(command, changes):
    """Returns the command's output; ends this program if the command fails."""
    result = subprocess.run(
        command, env=environment(changes), stdout=subprocess.PIPE, universal_newlines=True, check=False
    )
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit status {result.returncode}\n{result.stdout}")
    return result.stdout


def until_quiet(used, most, pause, now=time.monotonic, sleep=time.sleep):
    """Sleeps until used(), in seconds of CPU time, hardly grows during two pauses in a row, but at most
    about `most` seconds. Returns 0, or the number of cores that were busy until the end."""
    end, quiet = now() + most, 0
    while quiet < 2:
        start, before = now(), used()
        sleep(pause)
        cores = (used() - before) / max(now() - start, 1e-9)
        quiet = quiet + 1 if cores < 0.2 else 0
        if quiet == 0 and now() >= end:
            return cores
    return 0


def machine_time():
    """CPU time of all processes: user, nice, system, irq and softirq of /proc/stat."""
    with open("/proc/stat") as stat:
        ticks = [int(word) for word in stat.readline().split()[1:8]]
    return sum(ticks[:3] + ticks[5:7]) / os.sysconf("SC_CLK_TCK")


# For each process that had to start on a busy machine: the number of busy cores.
disturbed = []


def become_quiet():
    """Waits until the machine is idle; only briefly if an earlier wait was in vain."""
    cores = until_quiet(machine_time, 0.5 if disturbed else 5, 0.1)
    if cores:
        disturbed.append(cores)


def rounds(count, configurations, measure):
    """Calls measure(configuration) for each configuration in turn, `count` times; a list of rounds."""
    taken = []
    for done in range(count):
        if sys.stderr.isatty():
            print(f"round {done + 1} of {count}", end="\r", file=sys.stderr)
        taken.append([])
        for configuration in configurations:
            become_quiet()
            taken[-1].append(measure(configuration))
    return taken


def heaps(values, cores=None):
    """The faster and the slower values if they fall into two clusters, a factor near the number of cores
    apart, as when threads sometimes share a core; else None. The same as src/common/heaps.c."""
    cores = cores or len(os.sched_getaffinity(0))
    values = sorted(values)

    def gap(at):
        quick, slow = values[:at], values[at:]
        return slow[0] / quick[-1] / max(quick[-1] / quick[0], statistics.median(slow) / slow[0])

    if cores < 2 or len(values) < 4 or values[0] <= 0:
        return None
    at = max(range(2, len(values) - 1), key=gap)
    factor = statistics.median(values[at:]) / statistics.median(values[:at])
    return (values[:at], values[at:]) if gap(at) >= 1.25 and 0.7 * cores <= factor <= 1.4 * cores else None


def notes(titles, taken, value=lambda result: result):
    """A sentence for each configuration whose milliseconds fall into two clusters."""
    for configuration, title in enumerate(titles):
        found = heaps([value(results[configuration]) for results in taken])
        if found:
            quick, slow = (statistics.median(heap) for heap in found)
            yield (f"{title}: the processes fall into two clusters, {slow / quick:.2f} times apart on "
                   f"{len(os.sched_getaffinity(0))} cores: sometimes the scheduler let threads share a "
                   f"core. The faster {len(found[0])} have a median of {quick:.2f} ms.")


def quiet_note():
    """A sentence if the machine was busy when a process started; else nothing."""
    if not disturbed:
        return ""
    return (f"Busy machine: {len(disturbed)} processes had to start while other work kept up to "
            f"{max(disturbed):.1f} cores busy.")


def column(taken, configuration, value=lambda result: result):
    return statistics.median(value(results[configuration]) for results in taken)


def ratio(taken, configuration, value=lambda result: result):
    """How many times as fast as the first configuration: the median over rounds."""
    return statistics.median(value(results[0]) / value(results[configuration]) for results in taken)

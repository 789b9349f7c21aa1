/* SPDX-License-Identifier: Apache-2.0
 * Waits until the process is quiet, judged by its CPU time over short pauses and by its threads'
 * states. */
#include "src/common/quiet.h"

#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

/* Much longer than it takes to wake from a pause. Two pauses in a row tell idle threads from those
 * that poll now and then. */
#define PAUSE 0.002
#define QUIET_CORES 0.2
enum { PAUSES = 2 };

static double now(void *user) {
    (void)user;
    return clg_clock_seconds();
}

static double cpu(void *user) {
    struct timespec t = {0};
    (void)user;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void pause_for(void *user, double seconds) {
    (void)user;
    nanosleep(&(struct timespec){.tv_nsec = (long)(seconds * 1e9)}, NULL);
}

/* Whether the thread with that number runs or is ready to run: state R, behind its name in
 * parentheses. */
static bool wants_core(const char *number) {
    char line[512] = "";
    snprintf(line, sizeof line, "/proc/self/task/%s/stat", number);
    FILE *file = fopen(line, "r");
    if (!file)
        return false;
    const char *name_end = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    fclose(file);
    return name_end && !strncmp(name_end, ") R", 3);
}

static int other_threads(void *user) {
    int threads = -1; /* this thread itself is running */
    DIR *folder = opendir("/proc/self/task");
    (void)user;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        threads += *entry->d_name != '.' && wants_core(entry->d_name);
    if (folder)
        closedir(folder);
    return threads > 0 ? threads : 0;
}

static const struct quiet_source process = {
    .now = now, .cpu = cpu, .threads = other_threads, .pause = pause_for};

/* The number of cores that the process uses during a pause, or could use at its end. On a busy
 * machine, a polling thread may get no time slice for a while. */
static double busy_cores(const struct quiet_source *source) {
    const double start = source->now(source->user), used = source->cpu(source->user);
    source->pause(source->user, PAUSE);
    const double seconds = source->now(source->user) - start;
    const double busy = seconds > 0 ? (source->cpu(source->user) - used) / seconds : 0;
    return fmax(busy, source->threads(source->user));
}

double quiet_wait(const struct quiet_source *source, double most) {
    if (!source)
        source = &process;
    const double until = source->now(source->user) + most;
    double busy = 0;
    for (int quiet = 0; quiet < PAUSES;) {
        busy = busy_cores(source);
        quiet = busy < QUIET_CORES ? quiet + 1 : 0;
        if (!quiet && source->now(source->user) >= until)
            return busy;
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * Waits until this process is quiet. Threads of a library that go on polling for work after a call
 * would hold a core while the next one is timed. */
#ifndef CLGEMM_COMMON_QUIET_H
#define CLGEMM_COMMON_QUIET_H

/* Seconds that a wait takes at most, unless the caller is in a hurry. */
#define QUIET_MOST 0.5

/* Where a wait looks; times are seconds. NULL stands for the process's own clocks and threads. */
struct quiet_source {
    double (*now)(void *user);
    double (*cpu)(void *user);  /* CPU time of all threads of the process */
    int (*threads)(void *user); /* other threads that run, or wait for a core to run on */
    void (*pause)(void *user, double seconds);
    void *user;
};

/* Pauses until the process has used next to no CPU time in two pauses on end, and none of its
 * threads wanted to, for at most about `most` seconds. Returns 0, or the number of cores that it
 * kept busy, or had use for, to the last. */
double quiet_wait(const struct quiet_source *source, double most);

#endif

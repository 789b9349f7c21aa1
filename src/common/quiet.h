/* SPDX-License-Identifier: Apache-2.0
 * Waits until this process is quiet. A library's threads that poll for work after a call would
 * occupy a core while the next call is timed. */
#ifndef CLGEMM_COMMON_QUIET_H
#define CLGEMM_COMMON_QUIET_H

/* The longest wait in seconds, unless the caller is in a hurry. */
#define QUIET_MOST 0.5

/* Where a wait gets its data; times are in seconds. NULL stands for the process's own clocks and
 * threads. */
struct quiet_source {
    double (*now)(void *user);
    double (*cpu)(void *user);  /* CPU time of all threads of the process */
    int (*threads)(void *user); /* other threads that run, or are ready to run */
    void (*pause)(void *user, double seconds);
    void *user;
};

/* Waits until the process has used next to no CPU time in two pauses in a row and none of its
 * threads is ready to run, for at most about `most` seconds. Returns 0, or the number of cores that
 * the process used, or could use, at the end. */
double quiet_wait(const struct quiet_source *source, double most);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Threads as the system sees them. */
#include "support/threads.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_named(int thread, const char *name) {
    char path[64], comm[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", thread);
    FILE *file = fopen(path, "r");
    if (!file) /* it has ended */
        return false;
    const bool told = fgets(comm, sizeof comm, file);
    fclose(file);
    comm[strcspn(comm, "\n")] = '\0';
    return !name || (told && strcmp(comm, name) == 0);
}

int clg_test_threads(const char *name, int *lowest) {
    int count = 0, least = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (const struct dirent *task; tasks && (task = readdir(tasks));) {
        const int thread = atoi(task->d_name); /* 0: the folder itself, and the one above */
        if (thread == 0 || !is_named(thread, name))
            continue;
        count++;
        least = least && least < thread ? least : thread;
    }
    if (lowest)
        *lowest = least;
    if (!tasks)
        return -1;
    closedir(tasks);
    return count;
}

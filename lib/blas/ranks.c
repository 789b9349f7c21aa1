/* SPDX-License-Identifier: Apache-2.0
 * Reads the local rank from the variables that MPI launchers set. */
#include "blas/ranks.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/env.h"
#include "base/log.h"

/* Open MPI; Hydra (MPICH, Intel MPI); MVAPICH; Slurm, whose count may be "4(x2)": four on each of
 * two nodes. */
static const struct {
    const char *rank, *size;
} launchers[] = {
    {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},
    {"SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE"},
};

static bool read_number(const char *variable, int *out) {
    const char *text = clg_env(variable);
    char *end = NULL;
    const long value = text ? strtol(text, &end, 10) : -1;
    if (!text || end == text || value < 0 || value > 1 << 20)
        return false;
    *out = (int)value;
    return true;
}

void clg_rank_device(const char *wanted, char *out, size_t size) {
    snprintf(out, size, "%s", wanted);
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        int rank, ranks;
        if (!read_number(launchers[i].rank, &rank) || !read_number(launchers[i].size, &ranks) ||
            rank >= ranks)
            continue;
        if (ranks > 1)
            snprintf(out, size, "%s%%%d/%d", wanted, rank, ranks);
        clg_log(CLG_LOG_CALLS, "local rank %d of %d by %s: device \"%s\"", rank, ranks,
                launchers[i].rank, out);
        return;
    }
}

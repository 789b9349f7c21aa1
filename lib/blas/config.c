/* SPDX-License-Identifier: Apache-2.0
 * Reads the settings: variables precede the section [blas] of the configuration file. The file is
 * $CLGEMM_CONFIG, or if unset the first that exists of $XDG_CONFIG_HOME/clgemm/clgemm.conf
 * and /etc/clgemm/clgemm.conf. */
#include "blas/config.h"

#include <ini.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/format.h"
#include "base/log.h"
#include "base/process.h"
#include "base/thread.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct clg_config config = {.min_flops = -1};

/* ---- Settings: each function returns whether the text is valid ----------------------------- */

static bool set_min_flops(const char *text) {
    char *end;
    const double value = clg_read_number(text, &end);
    if (end == text || *end || !(value >= 0))
        return false;
    config.min_flops = value;
    return true;
}

static bool set_text(char *out, size_t size, const char *text) {
    if (strlen(text) >= size)
        return false;
    memcpy(out, text, strlen(text) + 1);
    return true;
}

static bool set_cpu_blas(const char *text) {
    return set_text(config.cpu_blas, sizeof config.cpu_blas, text);
}

static bool set_device(const char *text) {
    return set_text(config.device, sizeof config.device, text);
}

static bool set_disable(const char *text) {
    config.disabled = strcmp(text, "1") == 0;
    return config.disabled || strcmp(text, "0") == 0;
}

static bool set_pblas_nb(const char *text) {
    char *end;
    const long value = strtol(text, &end, 10);
    if (end == text || *end || value < 1 || value > 1 << 20)
        return false;
    config.pblas_nb = (int)value;
    return true;
}

static const struct setting {
    const char *key, *variable;
    bool (*set)(const char *text);
} settings[] = {
    {"min_flops", "CLGEMM_MIN_FLOPS", set_min_flops}, {"cpu_blas", "CLGEMM_CPU_BLAS", set_cpu_blas},
    {"disable", "CLGEMM_DISABLE", set_disable},       {"pblas_nb", "CLGEMM_PBLAS_NB", set_pblas_nb},
    {"device", "CLGEMM_DEVICE", set_device},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

/* ---- The file ------------------------------------------------------------------------------ */

/* Ignores other sections. */
static int take_line(void *user, const char *section, const char *key, const char *value) {
    (void)user;
    if (strcmp(section, "blas") != 0)
        return 1;
    for (int i = 0; i < SETTINGS; i++)
        if (strcmp(settings[i].key, key) == 0)
            return settings[i].set(value);
    return 0;
}

/* Returns whether the file exists. Refuses relative paths: the working directory is not trusted. */
static bool read_file(const char *path) {
    if (*path != '/')
        return false;
    const int wrong = ini_parse(path, take_line, NULL);
    if (wrong > 0)
        clg_log(CLG_LOG_CALLS, "%s:%d: not a setting of [blas]", path, wrong);
    return wrong != -1;
}

static void read_files(void) {
    const char *named = clg_env("CLGEMM_CONFIG");
    struct clg_path own;
    if (named) {
        if (!read_file(named))
            clg_log(CLG_LOG_CALLS, "CLGEMM_CONFIG=%s cannot be read, or is not an absolute path",
                    named);
        return;
    }
    clg_path_config(&own);
    if (!read_file(own.path))
        read_file("/etc/clgemm/clgemm.conf");
}

static void read_all(void) {
    const int cancel = clg_cancel_hold();
    if (!clg_filters_grew())
        read_files();
    for (int i = 0; i < SETTINGS; i++) {
        const char *text = clg_env(settings[i].variable);
        if (text && !settings[i].set(text))
            clg_log(CLG_LOG_CALLS, "%s=%s is not understood", settings[i].variable, text);
    }
    clg_cancel_release(cancel);
}

extern char **clgemm_blas_environment;
__attribute__((visibility("default"))) char **clgemm_blas_environment; /* CLG_ENV_KEPT */

/* Before the program has threads that set variables. */
__attribute__((constructor)) static void keep_environment(void) {
    clgemm_blas_environment = clg_env_keep();
}

const struct clg_config *clg_config(void) {
    pthread_once(&once, read_all);
    return &config;
}

/* ---- MPI: the processes of one node share its devices --------------------------------------- */

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

static bool read_rank(const char *variable, int *out) {
    const char *text = clg_env(variable);
    char *end = NULL;
    const long value = text ? strtol(text, &end, 10) : -1;
    if (!text || end == text || value < 0 || value > 1 << 20)
        return false;
    *out = (int)value;
    return true;
}

void clg_config_device(char *out, size_t size) {
    const char *device = clg_config()->device;
    snprintf(out, size, "%s", device);
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        int rank, ranks;
        if (!read_rank(launchers[i].rank, &rank) || !read_rank(launchers[i].size, &ranks) ||
            rank >= ranks)
            continue;
        if (ranks > 1)
            snprintf(out, size, "%s%%%d/%d", device, rank, ranks);
        clg_log(CLG_LOG_CALLS, "local rank %d of %d by %s: device \"%s\"", rank, ranks,
                launchers[i].rank, out);
        return;
    }
}

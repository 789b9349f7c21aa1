/* SPDX-License-Identifier: Apache-2.0
 * Values of environment variables: one text is a size, a folder, a tuning path, a device and a mode
 * at once. */
#define _XOPEN_SOURCE 700 /* putenv */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "device/select.h"
#include "fuzz.h"
#include "gemm/type.h"
#include "program/disk.h"
#include "support/facts.h"

static void check_path(const struct clg_path *path) {
    FUZZ_CHECK(memchr(path->path, '\0', sizeof path->path));
}

/* Sets a variable until withdraw(). Not by setenv(): glibc keeps every value that it ever had,
 * which fills the memory within an hour. */
static char *put(const char *name, const char *text) {
    const size_t size = strlen(name) + strlen(text) + 2;
    char *entry = malloc(size);
    FUZZ_CHECK(entry);
    snprintf(entry, size, "%s=%s", name, text);
    FUZZ_CHECK(putenv(entry) == 0);
    return entry;
}
static void withdraw(const char *name, char *entry) {
    unsetenv(name);
    free(entry);
}

static void check_places(const char *text) {
    static const char *const variables[] = {"CLGEMM_CACHE_DIR", "XDG_CACHE_HOME", "HOME",
                                            "CLGEMM_TUNING", "XDG_CONFIG_HOME"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        struct clg_path program, tuning[CLG_TUNING_PATHS];
        char folder[PATH_MAX];
        char *entry = put(variables[i], text);
        clg_path_programs(&program);
        check_path(&program);
        clg_disk_path(folder, sizeof folder);
        FUZZ_CHECK(memchr(folder, '\0', sizeof folder));
        clg_paths_tuning(tuning);
        for (int p = 0; p < CLG_TUNING_PATHS; p++)
            check_path(&tuning[p]);
        withdraw(variables[i], entry);
    }
}

/* A GPU and two CPUs: the chosen device is one of them, and the number of processes that share it
 * is valid. */
static void check_device(const char *text) {
    struct clg_device_entry entries[] = {{.facts = clg_test_gpu},
                                         {.platform = 1, .facts = clg_test_cpu},
                                         {.platform = 1, .device = 1, .facts = clg_test_cpu}};
    const struct clg_device_list list = {entries, sizeof entries / sizeof *entries};
    const struct clg_device_entry *chosen;
    const char *why = NULL;
    const clgemm_status status = clg_device_choose(&list, text, &chosen, &why);
    FUZZ_CHECK(status == (chosen ? CLGEMM_SUCCESS : CLGEMM_STATUS_NO_DEVICE));
    FUZZ_CHECK(!chosen || (chosen >= entries && chosen < entries + list.count && why));
    struct clg_device_choice all;
    FUZZ_CHECK(clg_device_choose_all(&list, text, &all) == status);
    FUZZ_CHECK(all.sharers > 0 && (all.count > 0) == !status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = fuzz_text(data, size);
    clgemm_math math;
    char *entry = put("CLGEMM_CACHE_MAX_SIZE", text);
    clg_env_size("CLGEMM_CACHE_MAX_SIZE", 0);
    withdraw("CLGEMM_CACHE_MAX_SIZE", entry);
    check_places(text);
    check_device(text);
    if (clg_math_of_word(text, &math))
        FUZZ_CHECK(strcmp(clg_math_word(math), text) == 0);
    free(text);
    return 0;
}

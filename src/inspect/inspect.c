/* SPDX-License-Identifier: Apache-2.0
 * `clgemm inspect`: shows what the device's compiler made of a kernel. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "src/inspect/inspect.h"

#include <stdlib.h>

#include "base/env.h"
#include "clgemm.h"
#include "program/cache.h"
#include "run/trust.h"
#include "src/common/option_readers.h"
#include "src/tool.h"

static const struct option_row rows[] = {
    {"set", 0, "NAME=V", "for ladder:N: a kernel parameter, such as WPT=4", option_ladder_setting,
     offsetof(struct inspect_job, settings)},
    {"type", 0, "s|d|h|bf16|c|z",
     "single, double or half precision, bfloat16, complex of single or double (default s)",
     option_type, offsetof(struct inspect_job, type)},
    {"math", 0, "strict|accurate|normwise|tf32|bf16|f16", "the math mode (default strict)",
     option_math, offsetof(struct inspect_job, math)},
    {"binary", 0, "FOLDER", "write the program's binary and its text to this folder", option_text,
     offsetof(struct inspect_job, folder)},
    OPTION_DEVICE(struct inspect_job, device),
    OPTION_FORMAT(struct inspect_job, output.format),
    OPTION_OUT(struct inspect_job, output.path, OPTION_OUT_HELP),
    OPTION_END,
};

static enum parsed parse(struct inspect_job *job, int argc, char **argv) {
    const struct option_table table = {
        .command = argv[0],
        .usage =
            "usage: clgemm inspect TARGET [options]\n"
            "Builds a kernel and shows what the device's compiler made of it: build log,\n"
            "registers, spills, memory, and the number of instructions by kind.\n"
            "\n"
            "TARGET is a kernel of the library, such as tiled, with the first of its built-in\n"
            "parameters that suits the device; ladder:N, a step of the ladder; or plan:MxNxK,\n"
            "every program that the library would run for that size.\n",
        .rows = rows,
        .notes = "Exit: 0 success, 1 a program could not be built, 2 usage or file error, 77 no\n"
                 "usable device, or not the requested one.\n"};
    int words;
    const enum parsed parsed = options_read(&table, job, argc, argv, &words);
    if (parsed == PARSED_RUN && words != argc - 1)
        return options_refuse(argv[0], words == argc ? "what to inspect is missing"
                                                     : "there is more than one target");
    job->target = argv[words];
    return parsed;
}

/* Of earlier processes, by the program cache. */
static void find_known_spills(struct inspect_job *job, struct clg_device *device) {
    struct clg_binaries *store = clg_binaries_new();
    struct clg_avoided avoided;
    struct clg_trust trust = {device, store, &avoided, CLGEMM_VERIFY_FIRST};
    clg_avoided_open(&avoided, clg_compiles_at_launch(device));
    for (int i = 0; i < job->list.count; i++) {
        const struct clg_candidate *candidate = &job->list.at[i];
        struct clg_plan plan;
        clg_plan_with(&plan, candidate->family, &candidate->params, &job->plan.problem,
                      &device->facts);
        (void)clg_trust_is_wrong(&trust, &plan);
        job->spills[i] = clg_avoided_spills(&avoided, &plan);
    }
    clg_avoided_close(&avoided);
    clg_binaries_free(store);
}

static int inspect_all(FILE *out, struct inspect_job *job, struct clg_device *device) {
    int code = EXIT_FINE;
    for (int i = 0; i < job->count; i++) {
        inspect_program(&job->subjects[i], device, &job->findings[i]);
        if (*job->findings[i].failure) {
            fprintf(stderr, "%s: %s: %s\n", job->command, job->subjects[i].name,
                    job->findings[i].failure);
            code = EXIT_FAILED;
        }
    }
    if (job->folder && !inspect_write_files(job))
        code = EXIT_USAGE;
    find_known_spills(job, device);
    inspect_report(out, job, &device->facts);
    for (int i = 0; i < job->count; i++)
        inspect_release(&job->findings[i]);
    return code;
}

static int report(FILE *out, void *user) {
    struct inspect_job *job = user;
    struct clg_device *device = NULL;
    char why[512];
    clgemm_status status =
        clg_device_open(&device, job->device ? job->device : clg_env("CLGEMM_DEVICE"));
    if (status) {
        fprintf(stderr, "%s: %s\n", job->command, clgemm_last_error());
        return status == CLGEMM_STATUS_NO_DEVICE ? EXIT_NO_DEVICE : EXIT_FAILED;
    }
    int code = EXIT_USAGE;
    if (inspect_find(job, device, why, sizeof why))
        code = inspect_all(out, job, device);
    else
        fprintf(stderr, "%s: %s\n", job->command, why);
    clg_device_close(device);
    return code;
}

int inspect_command(int argc, char **argv) {
    static struct inspect_job job; /* large */
    job.command = argv[0];
    /* NVIDIA's driver logs registers and spills only when it compiles. */
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    int code;
    if (options_go_on(parse(&job, argc, argv), &code))
        code = output_write(&job.output, argv[0], report, &job);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0
 * `clgemm cache warm`: compiles in advance what the model can choose on a device, in several
 * processes, and makes sure that it is kept. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/status.h"
#include "device/select.h"
#include "src/cache/cache.h"
#include "src/cache/programs.h"
#include "src/common/build.h"
#include "src/tool.h"

/* Programs compiled without --all: the likely ones. 16 processes take about a minute. */
enum { LIKELY = 512 };

enum { LIMIT = 120, START_LIMIT = 60 }; /* seconds */

static bool is_writable(const struct cache_job *job) {
    char name[CLG_FILE_NAME];
    snprintf(name, sizeof name, CLG_FILE_TEMPORARY "%ld-try", (long)getpid());
    const bool written = clg_file_write(job->folder.descriptor, name, "x", 1, NULL, 0);
    clg_file_remove(job->folder.descriptor, name);
    if (!written)
        fprintf(stderr, "%s: cannot write to %s\n", job->command, job->folder.path);
    return written;
}

/* Only queries the devices. This process opens none, because an open device holds memory. */
static int choose_device(const struct cache_job *job, struct clg_facts *facts, char *name,
                         size_t room) {
    const struct clg_device_entry *entry = NULL;
    struct clg_device_list list = {0};
    const char *request = job->device ? job->device : clg_env("CLGEMM_DEVICE");
    clgemm_status status = clg_device_list_query(&list);
    if (!status && !(status = clg_device_choose(&list, request, &entry, NULL))) {
        *facts = entry->facts;
        snprintf(name, room, "%u:%u", entry->platform, entry->device);
    } else {
        fprintf(stderr, "%s: %s\n", job->command, clg_last_error());
    }
    clg_device_list_free(&list);
    return !status ? EXIT_FINE : status == CLGEMM_STATUS_NO_DEVICE ? EXIT_NO_DEVICE : EXIT_FAILED;
}

static bool find_programs(struct cache_job *job, const struct clg_facts *facts,
                          struct build_set *out) {
    char why[160];
    const char *reason = clg_type_unsupported_reason(job->type, facts);
    if (reason) {
        fprintf(stderr, "%s: %s\n", job->command, reason);
        return false;
    }
    if (!job->transposes.count)
        transposes_parse(&job->transposes, "NN,NT,TN,TT", why, sizeof why);
    struct clg_tuning *tuning = clg_tuning_load(facts);
    if (job->shapes.count) {
        cache_programs_add_shapes(out, job->type, &job->shapes, &job->transposes, facts, tuning);
    } else {
        out->most = job->all ? 0 : LIKELY;
        cache_programs_add_all(out, job->type, &job->transposes, facts, tuning);
    }
    clg_tuning_release(tuning);
    if (out->no_memory)
        fprintf(stderr, "%s: out of memory\n", job->command);
    return !out->no_memory;
}

/* A program that cannot be kept fails no call, so it is reported here. */
static int report(FILE *out, const struct cache_job *job, const struct build *build) {
    const size_t failed = build->counts[BUILD_FAILED], undone = build->counts[BUILD_TO_DO];
    fprintf(out, "programs: %zu, there already: %zu, built: %zu, failed: %zu",
            build->programs->count, build->counts[BUILD_THERE], build->counts[BUILD_DONE], failed);
    if (undone > 0)
        fprintf(out, ", not built: %zu", undone);
    fprintf(out, ", for %s, driver %s\n", build->facts->name, build->facts->driver);
    if (build->programs->left > 0)
        fprintf(out, "less likely ones, which --all compiles: %zu\n", build->programs->left);
    if (build->unkept > 0)
        fprintf(stderr,
                "%s: %zu of them could be built, but not kept in %s: CLGEMM_CACHE_MAX_SIZE is too "
                "small, or the disk is full\n",
                job->command, build->unkept, job->folder.path);
    if (worker_stop)
        fprintf(stderr, "%s: stopped; finished programs are kept\n", job->command);
    return failed > 0 || undone > 0 || worker_stop ? EXIT_FAILED : EXIT_FINE;
}

static int build_all(FILE *out, const struct cache_job *job, struct build *build) {
    build->outcomes = calloc(build->programs->count + 1, sizeof *build->outcomes);
    if (!build->outcomes) {
        fprintf(stderr, "%s: out of memory\n", job->command);
        return EXIT_FAILED;
    }
    build_look(build);
    const size_t work = build->counts[BUILD_TO_DO];
    build->jobs = job->jobs ? job->jobs : workers_that_fit(build->facts, worker_cores());
    if (work < (size_t)build->jobs)
        build->jobs = work > 0 ? (int)work : 1;
    const bool done = build_run(build);
    if (!done && !worker_stop)
        fprintf(stderr, "%s: no process can build: %s\n", job->command, build->why);
    const int code = report(out, job, build);
    free(build->outcomes);
    return done ? code : EXIT_FAILED;
}

int cache_warm(FILE *out, void *user) {
    struct cache_job *job = user;
    struct build_set programs = {.items = NULL};
    struct clg_facts facts;
    char device[32];
    const char *const words[] = {"cache", "warm", CACHE_WORKER_OPTION, device, NULL};
    struct build build = {.programs = &programs,
                          .facts = &facts,
                          .command = job->command,
                          .words = words,
                          .limit = LIMIT,
                          .start_limit = START_LIMIT};
    if (!is_writable(job))
        return EXIT_USAGE;
    worker_watch_signals();
    int code = choose_device(job, &facts, device, sizeof device);
    if (!code)
        code = find_programs(job, &facts, &programs) ? build_all(out, job, &build) : EXIT_FAILED;
    build_set_release(&programs);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0
 * Distributes the programs of a set over processes that build them. */
#define _POSIX_C_SOURCE 200809L /* isatty */
#include "src/common/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program/disk.h"
#include "program/key.h"

/* A process, and the program that it builds. */
struct builder {
    struct worker worker;
    struct build_answer answer;
    size_t program;
    bool dismissed; /* the device accepted no such process */
};

struct crew {
    struct build *build;
    struct builder *builders; /* build->jobs of them */
    size_t next;              /* programs before this one are handed out, except `again` */
    size_t *again, num_again; /* programs that a dismissed process was to build */
    bool terminal;
};

/* Whether the cache on disk has the complete program. */
static bool is_kept(const struct build *build, size_t program) {
    const struct build_program *item = &build->programs->items[program];
    const struct clg_source *source = clg_source_find(item->source);
    char *key = source ? clg_key_make(build->facts, source, item->options, NULL) : NULL;
    size_t size = 0;
    unsigned char *bytes = key ? clg_disk_find(key, &size) : NULL;
    const bool kept = bytes;
    free(bytes);
    free(key);
    return kept;
}

const char *build_unkept_reason(void) {
    const char *why = NULL;
    const int folder = clg_disk_open(true, &why);
    if (folder >= 0)
        close(folder);
    return folder < 0 ? why : NULL;
}

static void set_outcome(struct build *build, size_t program, enum build_outcome outcome) {
    build->counts[build->outcomes[program]]--;
    build->outcomes[program] = outcome;
    build->counts[outcome]++;
}

void build_look(struct build *build) {
    memset(build->counts, 0, sizeof build->counts);
    for (size_t i = 0; i < build->programs->count; i++) {
        build->outcomes[i] = is_kept(build, i) ? BUILD_THERE : BUILD_TO_DO;
        build->counts[build->outcomes[i]]++;
    }
}

static void erase_progress(const struct crew *crew) {
    if (crew->terminal)
        fputs("\r\033[K", stderr);
}

static void show_progress(const struct crew *crew) {
    const size_t *counts = crew->build->counts;
    if (!crew->terminal)
        return;
    fprintf(stderr, "\r\033[K%zu programs: %zu in the cache, %zu built, %zu to build",
            crew->build->programs->count, counts[BUILD_THERE], counts[BUILD_DONE],
            counts[BUILD_TO_DO]);
    if (counts[BUILD_FAILED] > 0)
        fprintf(stderr, ", %zu failed", counts[BUILD_FAILED]);
    fputs(" ...", stderr);
    fflush(stderr);
}

static void note_failure(struct crew *crew, size_t program, const char *why) {
    const struct build_program *item = &crew->build->programs->items[program];
    set_outcome(crew->build, program, BUILD_FAILED);
    if (!crew->build->command)
        return;
    erase_progress(crew);
    fprintf(stderr, "%s: program %s [%s]: %s\n", crew->build->command, item->source, item->options,
            why);
}

/* The next program to build; false if there is none. */
static bool take_next(struct crew *crew, size_t *out) {
    struct build *build = crew->build;
    if (crew->num_again > 0) {
        *out = crew->again[--crew->num_again];
        return true;
    }
    while (crew->next < build->programs->count && build->outcomes[crew->next] != BUILD_TO_DO)
        crew->next++;
    *out = crew->next;
    return crew->next < build->programs->count && ++crew->next;
}

static int family_index(const struct clg_family *family) {
    int index = -1;
    while (family && clg_families[++index] != family) {
    }
    return index;
}

static void ask(struct crew *crew, struct builder *builder) {
    const struct build_program *item = &crew->build->programs->items[builder->program];
    const bool starts = builder->worker.process == 0;
    struct build_request request;
    memset(&request, 0, sizeof request); /* its padding is written too */
    request.problem = item->problem;
    request.family = family_index(item->family);
    request.params = item->params;
    request.step = item->step;
    worker_ask(&builder->worker, &request, sizeof request,
               crew->build->limit + (starts ? crew->build->start_limit : 0));
}

/* Removes what a terminated process was writing. */
static void remove_temporary(pid_t process) {
    const char *why;
    const int folder = process ? clg_disk_open(false, &why) : -1;
    struct clg_file_info *files = NULL;
    size_t count = 0;
    char prefix[32];
    if (folder < 0)
        return;
    const int length = snprintf(prefix, sizeof prefix, CLG_FILE_TEMPORARY "%ld-", (long)process);
    if (clg_folder_list(folder, &files, &count))
        for (size_t i = 0; i < count; i++)
            if (!strncmp(files[i].name, prefix, (size_t)length))
                clg_file_remove(folder, files[i].name);
    free(files);
    close(folder);
}

/* Takes a process's answer. Some devices accept only one process, and a process may find too little
 * memory on the device. Such a process is dismissed, and another one builds its program. */
static void take_answer(struct crew *crew, struct builder *builder) {
    const struct worker *worker = &builder->worker;
    const size_t program = builder->program;
    if (worker->unstartable || (!worker->failed && builder->answer.unusable)) {
        builder->dismissed = true;
        snprintf(crew->build->why, sizeof crew->build->why, "%s",
                 worker->unstartable ? worker->why : builder->answer.why);
        worker_end(&builder->worker);
        crew->again[crew->num_again++] = program;
    } else if (worker->failed) {
        note_failure(crew, program, worker->why);
        remove_temporary(worker->last);
    } else if (!builder->answer.built) {
        note_failure(crew, program, builder->answer.why);
    } else {
        set_outcome(crew->build, program, BUILD_DONE);
    }
}

/* All programs that were found or built should be in the cache at the end, but it may be too small
 * for them. */
static void check_kept(struct build *build) {
    for (size_t i = 0; i < build->programs->count; i++)
        if ((build->outcomes[i] == BUILD_THERE || build->outcomes[i] == BUILD_DONE) &&
            !is_kept(build, i)) {
            build->unkept++;
            set_outcome(build, i, BUILD_FAILED);
        }
}

/* Keeps the processes busy until no work is left. */
static bool work(struct crew *crew) {
    struct worker *workers[WORKERS_MAX];
    const int jobs = crew->build->jobs;
    for (int b = 0; b < jobs; b++)
        workers[b] = &crew->builders[b].worker;
    for (;;) {
        for (int b = 0; b < jobs && !worker_stop; b++) {
            struct builder *builder = &crew->builders[b];
            if (!builder->dismissed && !builder->worker.busy && take_next(crew, &builder->program))
                ask(crew, builder);
        }
        show_progress(crew);
        const int done = worker_wait(workers, jobs, INFINITY);
        if (done < 0)
            return !worker_stop && crew->num_again == 0;
        take_answer(crew, &crew->builders[done]);
    }
}

static void end(struct crew *crew) {
    for (int b = 0; b < crew->build->jobs; b++) {
        struct worker *worker = &crew->builders[b].worker;
        const bool interrupted = worker->busy;
        worker_end(worker);
        if (interrupted)
            remove_temporary(worker->last);
    }
}

bool build_run(struct build *build) {
    struct crew crew = {.build = build, .terminal = isatty(STDERR_FILENO)};
    bool done = build->counts[BUILD_TO_DO] == 0;
    if (done)
        return true;
    crew.builders = calloc((size_t)build->jobs, sizeof *crew.builders);
    crew.again = calloc((size_t)build->jobs, sizeof *crew.again);
    if (crew.builders && crew.again) {
        for (int b = 0; b < build->jobs; b++)
            crew.builders[b].worker = (struct worker){.words = build->words,
                                                      .answer = &crew.builders[b].answer,
                                                      .answer_size = sizeof(struct build_answer)};
        done = work(&crew);
        end(&crew);
        check_kept(build);
        erase_progress(&crew);
    } else {
        snprintf(build->why, sizeof build->why, "out of memory");
    }
    free(crew.again);
    free(crew.builders);
    return done;
}

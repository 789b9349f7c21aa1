/* SPDX-License-Identifier: Apache-2.0
 * `clgemm tune`: searches for the fastest kernels for shapes on a device, and writes them to its
 * tuning file. */
#define _POSIX_C_SOURCE 200809L /* isatty */
#include "src/tune/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "clgemm.h"
#include "device/select.h"
#include "src/tool.h"
#include "src/tune/plot.h"

size_t tune_shape_count(const struct tune_job *job) {
    return job->shapes.count * job->transposes.count;
}

struct clg_tuning_shape tune_shape_at(const struct tune_job *job, size_t number) {
    const struct shape s = job->shapes.items[number / job->transposes.count];
    const struct transposes t = job->transposes.items[number % job->transposes.count];
    const bool ta = t.ta != CLGEMM_NO_TRANS, tb = t.tb != CLGEMM_NO_TRANS;
    const int64_t lda = ta ? s.k : s.m, ldb = tb ? s.n : s.k;
    const bool aligned = lda % CLG_WIDEST_VECTOR == 0 && ldb % CLG_WIDEST_VECTOR == 0;
    return (struct clg_tuning_shape){.m = s.m,
                                     .n = s.n,
                                     .k = s.k,
                                     .ta = ta,
                                     .tb = tb,
                                     .aligned = aligned,
                                     .type = job->type,
                                     .math = clg_tuning_math(job->math),
                                     .batch = clg_tuning_batch(job->batch)};
}

/* Only queries the devices. The parent process opens none, because an open device holds memory. */
static int choose_device(struct tune_job *job) {
    const struct clg_device_entry *entry = NULL;
    struct clg_device_list list = {0};
    const char *request = job->device ? job->device : clg_env("CLGEMM_DEVICE");
    clgemm_status status = clg_device_list_query(&list);
    if (!status && !(status = clg_device_choose(&list, request, &entry, NULL))) {
        job->facts = entry->facts;
        if (job->builders < 0)
            job->builders = tune_builders(&job->facts);
        snprintf(job->device_name, sizeof job->device_name, "%u:%u", entry->platform,
                 entry->device);
    } else {
        fprintf(stderr, "%s: %s\n", job->command, clgemm_last_error());
    }
    clg_device_list_free(&list);
    return !status ? EXIT_FINE : status == CLGEMM_STATUS_NO_DEVICE ? EXIT_NO_DEVICE : EXIT_FAILED;
}

static void show_progress(const struct tune_result *r, double seconds_left, void *user) {
    const struct tune_finalist *best = &r->finalists[r->best];
    char shape[TUNE_SHAPE_TEXT], text[CLG_DESCRIPTION];
    struct tune_job *job = user;
    if (fabs(job->shown - seconds_left) < 0.1) /* there may be thousands of candidates a second */
        return;
    job->shown = seconds_left;
    fprintf(stderr, "\r\033[K%zu of %zu, %s: %zu tried, ", job->passed_over + job->count + 1,
            tune_shape_count(job), tune_shape_text(shape, &r->shape), tune_tried(r));
    if (isfinite(best->median))
        fprintf(stderr, "best %.4g ms, %.3f times as fast as the model's; %.40s; ",
                1e3 * best->median, tune_ratio(r), clg_candidate_text(text, &best->candidate));
    fprintf(stderr, "%.0f s left", fmax(0, seconds_left));
    fflush(stderr);
}

/* The row for exactly this shape in the device's own file, or NULL. */
static const struct clg_tuning_row *known_row(const struct clg_tuning *tuning,
                                              const struct clg_tuning_shape *shape) {
    for (size_t i = 0; tuning && i < clg_tuning_count(tuning); i++) {
        enum clg_tuning_origin origin;
        bool own_driver;
        const struct clg_tuning_row *row = clg_tuning_at(tuning, i, &origin, &own_driver);
        if (own_driver && origin != CLG_TUNING_BUILT_IN &&
            clg_tuning_same_class(&row->shape, shape))
            return row;
    }
    return NULL;
}

/* Writes the best candidate of a shape. On failure prints a message to stderr and returns false. */
static bool write_row(struct tune_job *job, const struct tune_result *r) {
    const struct tune_finalist *best = &r->finalists[r->best];
    struct clg_tuning_row row = {.shape = r->shape,
                                 .family = best->candidate.family,
                                 .params = best->candidate.params,
                                 .ms = 1e3 * best->median};
    clg_tuning_stamp(row.date, row.version);
    if (!clg_tuning_write(NULL, &job->facts, &row, 1, NULL, job->written, sizeof job->written))
        return true;
    fprintf(stderr, "%s: %s\n", job->command, clgemm_last_error());
    return false;
}

/* Tunes one shape. Returns true if the file and the exports are complete. */
static bool tune_one(struct tune_job *job, struct tune_crew *crew, struct tune_result *r,
                     const struct clg_tuning_row *known) {
    const bool terminal = isatty(STDERR_FILENO);
    const struct tune_settings settings = {.seed = job->seed,
                                           .budget = job->budget,
                                           .progress = terminal ? show_progress : NULL,
                                           .user = job};
    struct clg_problem problem;
    struct clg_candidate row;
    static struct clg_space space; /* large */
    if (clg_measure_problem(&problem, &r->shape)) {
        snprintf(r->why, sizeof r->why, "%s", clgemm_last_error());
        return true;
    }
    clg_space_init(&space, &problem, &job->facts);
    if (job->scheme >= 0)
        clg_space_keep(&space, (enum clg_scheme)job->scheme);
    if (known)
        row = clg_candidate_of(known->family, &known->params);
    tune_shape(r, &space, known ? &row : NULL, &settings, crew);
    if (terminal)
        fputs("\r\033[K", stderr);
    return *r->why || (write_row(job, r) && (!job->exports || tune_export(job, r)));
}

static int tune_all(struct tune_job *job) {
    struct clg_tuning *tuning = clg_tuning_load(&job->facts);
    const struct tune_worker like = {
        .device = job->device_name, .limit = job->limit, .start_limit = TUNE_START_LIMIT};
    static struct tune_crew crew; /* large */
    int code = EXIT_FINE;
    tune_crew_open(&crew, &like, job->builders, job->facts.kind == CLG_DEVICE_CPU);
    for (size_t i = 0; i < tune_shape_count(job) && !worker_stop; i++) {
        struct tune_result *r = &job->results[job->count];
        r->shape = tune_shape_at(job, i);
        const struct clg_tuning_row *known = known_row(tuning, &r->shape);
        if (job->resume && known) {
            job->passed_over++;
            continue;
        }
        if (!tune_one(job, &crew, r, known))
            code = EXIT_USAGE;
        else if (*r->why && code == EXIT_FINE)
            code = EXIT_FAILED;
        job->count++;
    }
    tune_crew_end(&crew);
    clg_tuning_release(tuning);
    return code;
}

static bool lacks_speeds(const struct tune_job *job) {
    bool own_driver = false;
    struct clg_tuning *tuning = clg_tuning_load(&job->facts);
    const bool found = clg_tuning_host_speeds(tuning, &own_driver);
    clg_tuning_release(tuning);
    return !(found && own_driver);
}

/* Whether the device's files have no break-even of that type measured with its driver. */
static bool lacks_break_even(const struct tune_job *job, clgemm_type type) {
    bool own_driver = false;
    struct clg_tuning *tuning = clg_tuning_load(&job->facts);
    const bool found = clg_tuning_break_even(tuning, type, &own_driver);
    clg_tuning_release(tuning);
    return !(found && own_driver);
}

/* For the requested types, or for all types of the device. If `wanted` is not NULL, only for types
 * for which it returns true. Returns the first exit code that is not 0. */
static int measure_break_evens(struct tune_job *job,
                               bool (*wanted)(const struct tune_job *job, clgemm_type type)) {
    int first = EXIT_FINE;
    for (int i = 0; i < CLG_TYPE_COUNT && !worker_stop; i++) {
        const clgemm_type type = (clgemm_type)i;
        const bool asked = job->all_types ? !clg_type_is_narrow(type) &&
                                                !clg_type_unsupported_reason(type, &job->facts)
                                          : type == job->type;
        const int code =
            asked && (!wanted || wanted(job, type)) ? tune_break_even(job, type) : EXIT_FINE;
        if (!first)
            first = code;
    }
    return first;
}

/* Output files are opened before the searches, which may take hours. */
static int search_all(FILE *out, struct tune_job *job) {
    FILE *plot = NULL;
    int code;
    if (job->exports && !output_make_folder(job->command, job->exports))
        return EXIT_USAGE;
    if (!tune_plot_open(job, &plot))
        return EXIT_USAGE;
    job->results = calloc(tune_shape_count(job), sizeof *job->results);
    if (!job->results) {
        fprintf(stderr, "%s: out of memory\n", job->command);
        code = EXIT_FAILED;
    } else {
        code = tune_all(job);
        if (job->plain && lacks_speeds(job))
            tune_host_speeds(job);
        if (job->plain) /* a missing break-even is reported, but is not a failure */
            measure_break_evens(job, lacks_break_even);
        tune_report(out, job);
    }
    return tune_plot_write(job, plot) ? code : EXIT_USAGE;
}

static int report(FILE *out, void *user) {
    struct tune_job *job = user;
    const char *why;
    int code = choose_device(job);
    if (code)
        return code;
    if ((why = clg_type_unsupported_reason(job->type, &job->facts))) {
        fprintf(stderr, "%s: %s\n", job->command, why);
        return EXIT_FAILED;
    }
    if (job->list)
        return tune_report_list(out, job);
    worker_watch_signals();
    if (job->model)
        return tune_model(out, job);
    if (!job->break_even_only)
        return search_all(out, job);
    tune_host_speeds(job); /* first, because host calls are planned by it */
    code = measure_break_evens(job, NULL);
    tune_report(out, job);
    return code;
}

void tune_release(struct tune_job *job) {
    shapes_release(&job->shapes);
    for (size_t i = 0; i < job->count; i++)
        tune_result_release(&job->results[i]);
    free(job->results);
}

int tune_command(int argc, char **argv) {
    struct tune_job job = {.command = argv[0],
                           .argv = argv,
                           .seed = 1,
                           .budget = 60,
                           .limit = 10,
                           .minutes = 10,
                           .builders = -1,
                           .scheme = -1};
    int code;
    if (options_go_on(tune_parse(&job, argc, argv), &code))
        code = job.worker ? tune_worker_main(job.worker)
                          : output_write(&job.output, argv[0], report, &job);
    tune_release(&job);
    return code;
}

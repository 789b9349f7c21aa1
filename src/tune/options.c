/* SPDX-License-Identifier: Apache-2.0
 * The command line of `clgemm tune`: a table of its options. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/option_readers.h"
#include "src/tune/tune.h"

/* "60", "60s", "10m" or "1h" as seconds. */
static bool read_seconds(void *field, const char *text, char *why, size_t room) {
    char *end;
    double value = strtod(text, &end);
    if (end != text && *end && !end[1])
        value *= *end == 's' ? 1 : *end == 'm' ? 60 : *end == 'h' ? 3600 : NAN;
    if (end == text || (*end && end[1]) || !(value > 0 && value < 1e7)) {
        snprintf(why, room, "\"%s\" is not a time such as 60s, 10m or 1h", text);
        return false;
    }
    *(double *)field = value;
    return true;
}

static bool read_minutes(void *field, const char *text, char *why, size_t room) {
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !(value > 0 && value < 1e5)) {
        snprintf(why, room, "\"%s\" is not a number of minutes", text);
        return false;
    }
    *(double *)field = value;
    return true;
}

static bool read_seed(void *field, const char *text, char *why, size_t room) {
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno) {
        snprintf(why, room, "\"%s\" is not a number from 0 up", text);
        return false;
    }
    *(uint64_t *)field = value;
    return true;
}

static bool read_builders(void *field, const char *text, char *why, size_t room) {
    uint64_t value;
    if (!read_seed(&value, text, why, room))
        return false;
    if (value > TUNE_BUILDERS_MAX) {
        snprintf(why, room, "at most %d are possible", TUNE_BUILDERS_MAX);
        return false;
    }
    *(int *)field = (int)value;
    return true;
}

static bool read_report(void *field, const char *text, char *why, size_t room) {
    const size_t length = strlen(text);
    *(const char **)field = text;
    if ((length > 5 && !strcmp(text + length - 5, ".html")) ||
        (length > 4 && !strcmp(text + length - 4, ".svg")))
        return true;
    snprintf(why, room, "\"%.100s\" ends neither in .html nor in .svg", text);
    return false;
}

static bool refuse_strategy(void *field, const char *text, char *why, size_t room) {
    (void)field;
    (void)text;
    snprintf(why, room, "this option is gone, as there is only one search now");
    return false;
}

static bool read_scheme(void *field, const char *text, char *why, size_t room) {
    int *out = field;
    for (*out = 0; *out < CLG_SCHEMES; (*out)++)
        if (!strcmp(text, clg_scheme_names[*out]))
            return true;
    int used = snprintf(why, room, "\"%s\" is not one of", text);
    for (int i = 0; i < CLG_SCHEMES && used > 0 && (size_t)used < room; i++)
        used += snprintf(why + used, room - (size_t)used, " %s", clg_scheme_names[i]);
    return false;
}

#define FIELD(member) offsetof(struct tune_job, member)
static const struct option_row rows[] = {
    {"shape", 0, "MxNxK,...",
     "C is M x N, the inner size is K (default 256x256x256,1024x1024x1024)", option_shapes,
     FIELD(shapes)},
    {"suite", 0, "squares|deepbench|llm|skinny", "a fixed list of shapes (docs/bench.md)",
     option_suite, FIELD(shapes)},
    {"trans", 0, "LIST", "which of A and B are transposed: NN, NT, TN, TT (default NN)",
     option_trans, FIELD(transposes)},
    {"type", 0, "s|d|h|bf16",
     "single, double or half precision, or bfloat16 (default s; for --break-even s, d, c, z)",
     option_type, FIELD(type)},
    {"batch", 0, "N", "number of products in each call (default 1)", option_count, FIELD(batch)},
    {"math", 0, "strict|accurate|normwise|tf32|bf16|f16", "the math mode (default strict)",
     option_math, FIELD(math)},
    {"budget", 0, "TIME", "time for each shape, such as 60s, 10m or 1h (default 60s)", read_seconds,
     FIELD(budget)},
    {"limit", 0, "TIME", "time for each candidate; slower ones are given up (default 10s)",
     read_seconds, FIELD(limit)},
    {"builders", 0, "N",
     "number of processes that compile in advance, 0 to 16 (default: as many as the cores and the "
     "device's memory "
     "allow)",
     read_builders, FIELD(builders)},
    {"strategy", 0, "NAME", NULL, refuse_strategy, 0},
    {"scheme", 0, "NAME", "only candidates of one scheme for blocking A and B (docs/tuning.md)",
     read_scheme, FIELD(scheme)},
    {"seed", 0, "N", "seed of the search's random choices (default 1)", read_seed, FIELD(seed)},
    {"resume", 0, NULL, "skip shapes that the device's file already has", option_on, FIELD(resume)},
    {"break-even", 0, NULL,
     "only measure from which size on calls on host matrices are faster than the CPU's "
     "BLAS, which $CLGEMM_CPU_BLAS may name",
     option_on, FIELD(break_even_only)},
    {"model", 0, NULL,
     "measure what kernels take on this device, from which the library chooses for all shapes",
     option_on, FIELD(model)},
    {"minutes", 0, "N", "time for --model (default 10)", read_minutes, FIELD(minutes)},
    {"list", 0, NULL, "only count the candidates of each family and scheme", option_on,
     FIELD(list)},
    {"report", 0, "FILE", "draw the searches to this file, .html or .svg", read_report,
     FIELD(plot)},
    {"export-kernel", 0, "FOLDER",
     "write source, options and launch of the best candidate to this folder", option_text,
     FIELD(exports)},
    OPTION_DEVICE(struct tune_job, device),
    OPTION_FORMAT(struct tune_job, output.format),
    OPTION_OUT(struct tune_job, output.path, OPTION_OUT_HELP),
    {"worker", 0, "P:D", NULL, option_text, FIELD(worker)},
    OPTION_END,
};

/* Sets the values of missing options. */
static bool set_defaults(struct tune_job *job, char *why, size_t room) {
    job->plain = job->shapes.count == 0;
    job->all_types = !clg_type_is_known(job->type);
    if (job->all_types)
        job->type = CLGEMM_F32;
    return (job->transposes.count || transposes_parse(&job->transposes, "NN", why, room)) &&
           (job->shapes.count ||
            shapes_parse(&job->shapes, "256x256x256,1024x1024x1024", why, room));
}

enum parsed tune_parse(struct tune_job *job, int argc, char **argv) {
    const struct option_table table = {
        .command = argv[0],
        .usage =
            "usage: clgemm tune [options]\n"
            "Searches for the fastest kernels for shapes on a device, checks every candidate,\n"
            "and writes what it finds to the device's tuning file, which the library reads.\n",
        .rows = rows,
        .notes = "Without shapes, the break-even is also measured if the file has none yet.\n"
                 "\n"
                 "The file is in the folder $CLGEMM_TUNING, else ~/.config/clgemm/tuning. Ctrl-C\n"
                 "ends the search and keeps what was found.\n"
                 "\n"
                 "Exit: 0 success, 1 a shape could not be tuned, 2 usage or file error, 77 no\n"
                 "usable device.\n"};
    char why[200] = "";
    job->type = (clgemm_type)CLG_TYPE_COUNT; /* none yet */
    job->batch = 1;
    const enum parsed parsed = options_read(&table, job, argc, argv, NULL);
    if (parsed != PARSED_RUN)
        return parsed;
    if (clg_type_is_known(job->type) && clg_type_is_complex(job->type) && !job->break_even_only)
        return options_refuse(argv[0], "--type %s: complex products run as real ones; tune these",
                              clg_types[job->type].letters);
    if (job->plot && (job->list || job->break_even_only || job->model))
        return options_refuse(argv[0], "--report draws searches, and there is none");
    if (!set_defaults(job, why, sizeof why))
        return options_refuse(argv[0], "%s", why);
    for (size_t i = 0; i < job->shapes.count; i++) {
        const struct shape s = job->shapes.items[i];
        if (s.m < 1 || s.n < 1 || s.k < 1)
            return options_refuse(argv[0], "a shape has a size of 0");
    }
    return PARSED_RUN;
}

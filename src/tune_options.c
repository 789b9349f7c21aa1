/* SPDX-License-Identifier: Apache-2.0
 * The command line of `clgemm tune`. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "tune.h"

enum {
    OPT_OUT = 256,
    OPT_SHAPE,
    OPT_SUITE,
    OPT_TRANS,
    OPT_BUDGET,
    OPT_LIMIT,
    OPT_STRATEGY,
    OPT_SEED,
    OPT_BUILDERS,
    OPT_SCHEME,
    OPT_RESUME,
    OPT_LIST,
    OPT_BREAK_EVEN,
    OPT_EXPORT,
    OPT_REPORT,
    OPT_WORKER
};

/* "60", "60s", "10m" or "1h" as seconds. */
static bool read_seconds(const char *text, double *out, char *why, size_t room) {
    char *end;
    double value = strtod(text, &end);
    if (end != text && *end && !end[1])
        value *= *end == 's' ? 1 : *end == 'm' ? 60 : *end == 'h' ? 3600 : NAN;
    if (end == text || (*end && end[1]) || !(value > 0 && value < 1e7)) {
        snprintf(why, room, "\"%s\" is no time such as 60s, 10m or 1h", text);
        return false;
    }
    *out = value;
    return true;
}

static bool read_seed(const char *text, uint64_t *out, char *why, size_t room) {
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno) {
        snprintf(why, room, "\"%s\" is no number from 0 up", text);
        return false;
    }
    *out = value;
    return true;
}

static bool read_builders(const char *text, int *out, char *why, size_t room) {
    uint64_t value;
    if (!read_seed(text, &value, why, room))
        return false;
    *out = value <= TUNE_BUILDERS_MAX ? (int)value : -1;
    if (*out < 0)
        snprintf(why, room, "at most %d can be had", TUNE_BUILDERS_MAX);
    return *out >= 0;
}

static bool read_report(const char *text, const char **out, char *why, size_t room) {
    const size_t length = strlen(text);
    *out = text;
    if ((length > 5 && !strcmp(text + length - 5, ".html")) ||
        (length > 4 && !strcmp(text + length - 4, ".svg")))
        return true;
    snprintf(why, room, "\"%.100s\" ends neither in .html nor in .svg", text);
    return false;
}

/* Says that the text is none of `count` names. */
static bool refuse(const char *text, const char *const *all, int count, char *why, size_t room) {
    int used = snprintf(why, room, "\"%s\" is none of", text);
    for (int i = 0; i < count && used > 0 && (size_t)used < room; i++)
        used += snprintf(why + used, room - (size_t)used, " %s", all[i]);
    return false;
}

static bool read_strategy(const char *text, const struct clg_strategy **out, char *why,
                          size_t room) {
    const char *all[8];
    int count = 0;
    for (; clg_strategies[count]; count++)
        all[count] = clg_strategies[count]->name;
    *out = clg_strategy_find(text);
    return *out || refuse(text, all, count, why, room);
}

static bool read_scheme(const char *text, int *out, char *why, size_t room) {
    for (*out = 0; *out < CLG_SCHEMES; (*out)++)
        if (!strcmp(text, clg_scheme_names[*out]))
            return true;
    return refuse(text, clg_scheme_names, CLG_SCHEMES, why, room);
}

/* An option with a value that may be wrong; true where it is none of these. */
static bool read_value(struct tune_job *job, int option, const char *text, char *why, size_t room) {
    switch (option) {
    case OPT_SHAPE:
        return shapes_parse(&job->shapes, text, why, room);
    case OPT_SUITE:
        return shapes_add_suite(&job->shapes, text, why, room);
    case OPT_TRANS:
        job->transposes.count = 0;
        return transposes_parse(&job->transposes, text, why, room);
    case OPT_BUDGET:
        return read_seconds(text, &job->budget, why, room);
    case OPT_LIMIT:
        return read_seconds(text, &job->limit, why, room);
    case OPT_SCHEME:
        return read_scheme(text, &job->scheme, why, room);
    case OPT_STRATEGY:
        return read_strategy(text, &job->strategy, why, room);
    case OPT_REPORT:
        return read_report(text, &job->plot, why, room);
    case OPT_SEED:
        return read_seed(text, &job->seed, why, room);
    case OPT_BUILDERS:
        return read_builders(text, &job->builders, why, room);
    default:
        return true;
    }
}

static void set(struct tune_job *job, int option, const char *text) {
    switch (option) {
    case 'd':
        job->device = text;
        break;
    case OPT_OUT:
        job->output.path = text;
        break;
    case OPT_EXPORT:
        job->exports = text;
        break;
    case OPT_WORKER:
        job->worker = text;
        break;
    case OPT_RESUME:
        job->resume = true;
        break;
    case OPT_LIST:
        job->list = true;
        break;
    case OPT_BREAK_EVEN:
        job->break_even_only = true;
        break;
    default:
        break;
    }
}

static const struct option names[] = {
    {"device", required_argument, NULL, 'd'},
    {"output", required_argument, NULL, 'o'},
    {"out", required_argument, NULL, OPT_OUT},
    {"shape", required_argument, NULL, OPT_SHAPE},
    {"suite", required_argument, NULL, OPT_SUITE},
    {"trans", required_argument, NULL, OPT_TRANS},
    {"budget", required_argument, NULL, OPT_BUDGET},
    {"limit", required_argument, NULL, OPT_LIMIT},
    {"strategy", required_argument, NULL, OPT_STRATEGY},
    {"scheme", required_argument, NULL, OPT_SCHEME},
    {"seed", required_argument, NULL, OPT_SEED},
    {"builders", required_argument, NULL, OPT_BUILDERS},
    {"resume", no_argument, NULL, OPT_RESUME},
    {"list", no_argument, NULL, OPT_LIST},
    {"break-even", no_argument, NULL, OPT_BREAK_EVEN},
    {"report", required_argument, NULL, OPT_REPORT},
    {"export-kernel", required_argument, NULL, OPT_EXPORT},
    {"worker", required_argument, NULL, OPT_WORKER},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static const char *name_of(int option) {
    int i = 0;
    while (names[i].name && names[i].val != option)
        i++;
    return names[i].name;
}

/* What was not given. */
static bool set_defaults(struct tune_job *job, char *why, size_t room) {
    job->plain = job->shapes.count == 0;
    return (job->transposes.count || transposes_parse(&job->transposes, "NN", why, room)) &&
           (job->shapes.count ||
            shapes_parse(&job->shapes, "256x256x256,1024x1024x1024", why, room));
}

enum parsed tune_parse(struct tune_job *job, int argc, char **argv) {
    char why[200] = "";
    int option;
    while ((option = getopt_long(argc, argv, "d:o:h", names, NULL)) != -1) {
        if (option == 'h')
            return PARSED_HELP;
        if (option == '?' || (option == 'o' && !output_set_format(&job->output, argv[0], optarg)))
            return PARSED_WRONG;
        if (!read_value(job, option, optarg, why, sizeof why)) {
            fprintf(stderr, "%s: --%s: %s\n", argv[0], name_of(option), why);
            return PARSED_WRONG;
        }
        set(job, option, optarg);
    }
    if (optind < argc)
        snprintf(why, sizeof why, "\"%.100s\" is no option", argv[optind]);
    if (optind >= argc && job->plot && (job->list || job->break_even_only))
        snprintf(why, sizeof why, "--report draws searches, and none is made");
    if (*why || !set_defaults(job, why, sizeof why)) {
        fprintf(stderr, "%s: %s\n", argv[0], why);
        return PARSED_WRONG;
    }
    for (size_t i = 0; i < job->shapes.count; i++) {
        const struct shape s = job->shapes.items[i];
        if (s.m < 1 || s.n < 1 || s.k < 1) {
            fprintf(stderr, "%s: nothing is multiplied where a size is 0\n", argv[0]);
            return PARSED_WRONG;
        }
    }
    return PARSED_RUN;
}

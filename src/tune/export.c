/* SPDX-License-Identifier: Apache-2.0
 * `clgemm tune --export-kernel`: writes the best candidate's kernels as self-contained files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clgemm.h"
#include "program/source.h"
#include "src/tune/tune.h"

static FILE *open_file(const struct tune_job *job, const char *name) {
    char path[PATH_MAX];
    FILE *file = NULL;
    errno = ENAMETOOLONG;
    if (snprintf(path, sizeof path, "%s/%s", job->exports, name) < (int)sizeof path)
        file = fopen(path, "w");
    if (!file)
        fprintf(stderr, "%s: cannot write %s/%s: %s\n", job->command, job->exports, name,
                strerror(errno));
    return file;
}

static bool close_file(const struct tune_job *job, const char *name, FILE *file) {
    const bool good = !ferror(file);
    if ((fclose(file) == 0) & good)
        return true;
    fprintf(stderr, "%s: cannot write %s/%s\n", job->command, job->exports, name);
    return false;
}

static void describe_arg(FILE *file, const struct clg_plan *plan, const struct clg_arg *arg) {
    struct clg_portion first;
    switch (arg->kind) {
    case CLG_ARG_MATRIX:
        fprintf(file, " %c", "ABC"[arg->i]);
        break;
    case CLG_ARG_ALPHA:
    case CLG_ARG_ALPHA_REAL:
        fputs(" alpha", file);
        break;
    case CLG_ARG_BETA:
    case CLG_ARG_BETA_REAL:
        fputs(" beta", file);
        break;
    case CLG_ARG_ONE:
        fputs(" 1", file);
        break;
    case CLG_ARG_WORKSPACE:
        fprintf(file, " workspace:%llu", (unsigned long long)plan->workspaces[arg->i]);
        break;
    case CLG_ARG_OFFSET:
    case CLG_ARG_NUMBERS:
        fputs(" offset", file);
        break;
    case CLG_ARG_FIRST:
        fputs(" 0", file);
        break;
    case CLG_ARG_STORED:
        clg_plan_portion(plan, 0, &first);
        fprintf(file, " %lld", (long long)first.stored);
        break;
    case CLG_ARG_INT:
        fprintf(file, " %d", arg->i);
        break;
    case CLG_ARG_LONG:
        fprintf(file, " %lld", (long long)arg->l);
        break;
    case CLG_ARG_SCALAR:
        fprintf(file, " %g", arg->d);
        break;
    }
}

/* One kernel: its source, after a comment that says how it was built and launched. */
static bool export_step(const struct tune_job *job, const struct clg_plan *plan, int s,
                        const char *shape) {
    const struct clg_step *step = &plan->steps[s];
    const struct clg_source *source = clg_source_find(step->source);
    char name[TUNE_SHAPE_TEXT + 64];
    snprintf(name, sizeof name, "%s-%d-%s.cl", shape, s + 1, step->source);
    for (char *c = name; *c; c++)
        if (*c == ' ')
            *c = '-';
    FILE *file = open_file(job, name);
    if (!file)
        return false;
    fprintf(file,
            "/* clgemm %s, %s: step %d of %d for %s\n * kernel: clg_%s\n * options: %s\n"
            " * work-items per group: %llu, groups: %llu\n * arguments:",
            clgemm_version(), job->facts.name, s + 1, plan->num_steps, shape, step->source,
            step->options, (unsigned long long)step->group_size, (unsigned long long)step->groups);
    for (int a = 0; a < step->num_args; a++)
        describe_arg(file, plan, &step->args[a]);
    fputs(" */\n", file);
    fwrite(source->text, 1, source->length, file);
    return close_file(job, name, file);
}

bool tune_export(const struct tune_job *job, const struct tune_result *result) {
    const struct clg_candidate *best = &result->finalists[result->best].candidate;
    struct clg_problem problem;
    char shape[TUNE_SHAPE_TEXT];
    bool good = true;
    struct clg_plan *plan = calloc(1, sizeof *plan); /* large */
    if (!plan || clg_tuning_problem(&problem, &result->shape)) {
        fprintf(stderr, "%s: out of memory for the export\n", job->command);
        free(plan);
        return false;
    }
    clg_plan_with(plan, best->family, &best->params, &problem, &job->facts);
    tune_shape_text(shape, &result->shape);
    for (int s = 0; s < plan->num_steps && good; s++)
        good = export_step(job, plan, s, shape);
    free(plan);
    return good;
}

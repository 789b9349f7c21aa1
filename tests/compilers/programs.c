/* SPDX-License-Identifier: Apache-2.0
 * Prints the programs that plans for personas need, for personas whose compiler is to be had
 * without a device: "architecture<TAB>source<TAB>options<TAB>work-items of a group", each once. The
 * plans are those of PROBLEMS drawn problems of each type that the device has. Writes the embedded
 * sources, which include nothing, to FOLDER. No device is needed. Usage: compiler_programs FOLDER
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gemm/family.h"
#include "personas/no_opencl.h"
#include "personas/problems.h"
#include "program/source.h"
#include "run/choose.h"

enum { PROBLEMS = 60, OLDEST_NVIDIA = 75, MOST = 1 << 16 };

static char *lines[MOST];
static int count;

/* What compilers call the device's architecture, or "" if none of them knows it. */
static void name_of(const struct clg_facts *facts, char *out, size_t size) {
    static const char *const intel[][2] = {
        {"gen9", "skl"}, {"xe-lp", "tgllp"}, {"xe-hpg", "dg2"}, {"xe-hpc", "pvc"}};
    *out = '\0';
    if (facts->capability >= OLDEST_NVIDIA)
        snprintf(out, size, "sm_%u", facts->capability);
    else if (strncmp(facts->name, "gfx", 3) == 0)
        snprintf(out, size, "%.*s", (int)strcspn(facts->name, ":"), facts->name);
    for (size_t i = 0; i < sizeof intel / sizeof *intel; i++)
        if (strcmp(facts->arch.name, intel[i][0]) == 0)
            snprintf(out, size, "%s", intel[i][1]);
}

static void add_steps(const char *architecture, const struct clg_plan *plan) {
    for (int s = 0; s < plan->num_steps && count < MOST; s++) {
        const struct clg_step *step = &plan->steps[s];
        char line[CLG_MAX_OPTIONS + 128];
        snprintf(line, sizeof line, "%s\t%s\t%s\t%llu", architecture, step->source, step->options,
                 (unsigned long long)step->group_size);
        lines[count++] = strdup(line);
    }
}

static void add_plans(const char *architecture, const struct clg_facts *facts) {
    struct clg_test_random random = {20111};
    int wanted[CLG_TYPE_COUNT], left = 0;
    for (int t = 0; t < CLG_TYPE_COUNT; t++)
        left += wanted[t] = t == CLGEMM_F64 && !facts->has_fp64 ? 0 : PROBLEMS;
    while (left > 0) {
        const struct clg_problem problem = persona_draw_problem(&random);
        struct clg_plan plan;
        if (wanted[problem.type] == 0)
            continue;
        wanted[problem.type]--;
        left--;
        if (!clg_choose_plan(&plan, &problem, facts, NULL))
            add_steps(architecture, &plan);
    }
}

static int compare(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static int write_sources(const char *folder) {
    for (size_t i = 0; i < clg_source_count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.cl", folder, clg_sources[i].name);
        FILE *file = fopen(path, "w");
        if (!file)
            return 1;
        fwrite(clg_sources[i].text, 1, clg_sources[i].length, file);
        if (fclose(file))
            return 1;
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 2 || write_sources(argv[1])) {
        fprintf(stderr, "usage: compiler_programs FOLDER\n");
        return 2;
    }
    for (int i = 0; i < num_personas; i++) {
        char name[32];
        struct clg_facts facts;
        if (persona_facts(&personas[i], &facts))
            continue;
        name_of(&facts, name, sizeof name);
        if (*name)
            add_plans(name, &facts);
    }
    qsort(lines, (size_t)count, sizeof *lines, compare);
    for (int i = 0; i < count; i++)
        if (i == 0 || strcmp(lines[i], lines[i - 1]) != 0)
            puts(lines[i]);
    return count == MOST;
}

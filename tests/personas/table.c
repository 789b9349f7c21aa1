/* SPDX-License-Identifier: Apache-2.0
 * persona_table: prints personas.txt; `--list`: the names of all personas, a line each; `--some`:
 * of every third, chosen by the seed; `--draw`: of one, drawn from those that the library
 * supports. `--choices`: what is chosen for 2000 problems, drawn by the seed, on each persona and
 * on the tests' own devices, a line each: before and after a change, the difference shows what it
 * changes. */
#include <stdio.h>
#include <string.h>

#include "gemm/family.h"
#include "personas/no_opencl.h"
#include "personas/problems.h"
#include "run/choose.h"
#include "support/facts.h"

static const struct {
    int64_t m, n, k;
} shapes[] = {{4096, 4096, 4096}, {1000, 1000, 1000}, {100, 100, 100},
              {4096, 1, 4096},    {64, 64, 65536},    {65536, 64, 64}};
enum { SHAPES = sizeof shapes / sizeof *shapes, SOME = 3, WIDTH = 100, CHOICES = 2000 };

/* A paragraph behind `title`, with lines of at most WIDTH. */
static void print_text(const char *title, const char *text) {
    int column = printf("    %-9s", title);
    while (*text) {
        const int word = (int)strcspn(text, " ");
        if (column + 1 + word > WIDTH)
            column = printf("\n    %-9s", "") - 1;
        column += printf(" %.*s", word, text);
        text += word + (text[word] == ' ');
    }
    printf("\n");
}

static const char *bytes(char *text, size_t size, cl_ulong bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024 && unit < 3; unit++)
        value /= 1024;
    snprintf(text, size, "%.4g %s", value, units[unit]);
    return text;
}

static void print_persona(const struct persona *p) {
    char local[16], buffer[16], global[16];
    printf("%s\n", p->name);
    printf("    device    %s, OpenCL %d.%d\n", p->device, p->opencl / 100, p->opencl / 10 % 10);
    printf("    units     %u at %u MHz, SIMD %u, groups of %zu (%zu along x)\n", p->compute_units,
           p->clock_mhz, p->simd, p->work_group, p->work_items[0]);
    printf("    memory    local %s, largest buffer %s, all %s, alignment %u bits\n",
           bytes(local, sizeof local, p->local), bytes(buffer, sizeof buffer, p->buffer),
           bytes(global, sizeof global, p->global), p->alignment);
    printf("    has       doubles: %s, unified memory: %s, out-of-order queues: %s\n",
           p->fp64 ? "yes" : "no", p->unified ? "yes" : "no", p->out_of_order ? "yes" : "no");
    print_text("facts", p->source);
    print_text("assumed", p->assumed ? p->assumed : "nothing");
}

/* A number below `count`, by the seed. It does not print the seed: the output is names only. */
static int draw(int count) {
    struct clg_test_random random = clg_test_random_start(21);
    return (int)clg_test_range(&random, 0, count - 1);
}

static void print_every(int first, int step) {
    for (int i = first; i < num_personas; i += step)
        puts(personas[i].name);
}

/* The first one from a drawn one on that the library supports. */
static void print_drawn(void) {
    struct clg_facts facts;
    int drawn = draw(num_personas);
    while (persona_facts(&personas[drawn], &facts))
        drawn = (drawn + 1) % num_personas;
    puts(personas[drawn].name);
}

/* Columns are aligned for any vector. */
static struct clg_problem problem_of(int shape) {
    struct clg_call call = {.type = CLGEMM_F32,
                            .math = CLGEMM_MATH_STRICT,
                            .layout = CLGEMM_COL_MAJOR,
                            .ta = CLGEMM_NO_TRANS,
                            .tb = CLGEMM_NO_TRANS,
                            .m = shapes[shape].m,
                            .n = shapes[shape].n,
                            .k = shapes[shape].k,
                            .scalars = {.alpha = 1}};
    for (int i = 0; i < CLG_MATRICES; i++)
        call.operand[i] = (struct clg_operand){
            .ld = i == CLG_B ? call.k : call.m, .bytes = UINT64_MAX, .alignment = 128};
    struct clg_problem problem;
    clg_problem_init(&problem, &call);
    return problem;
}

static void print_choice(const struct clg_facts *facts, int shape) {
    const struct clg_problem problem = problem_of(shape);
    struct clg_plan plan;
    if (clg_choose_plan(&plan, &problem, facts, NULL)) {
        printf("%s\n", clg_last_error());
        return;
    }
    const struct clg_params *p = &plan.params;
    printf("%s %dx%d", plan.family->name, p->tile_m, p->tile_n);
    if (p->tile_k)
        printf("x%d", p->tile_k);
    printf(" by %d", p->wg_m * p->wg_n * (p->wg_k > 1 ? p->wg_k : 1));
    if (p->split_k > 1)
        printf(", split %d", p->split_k);
    if (p->split_tail > 1)
        printf(", tail %d", p->split_tail);
    printf("\n");
}

static void print_architecture(const struct clg_architecture *arch) {
    char local[16];
    printf("    arch      %s: %u registers, SIMD %u; %u lanes a unit; local memory %s for %u\n",
           arch->name, arch->registers, arch->simd, arch->lanes,
           bytes(local, sizeof local, arch->unit_local), arch->local_units);
}

static void print_choices(const struct persona *p) {
    struct clg_facts facts;
    if (persona_facts(p, &facts)) {
        print_text("plans", "none");
        return;
    }
    print_architecture(&facts.arch);
    for (int s = 0; s < SHAPES; s++) {
        char shape[32];
        snprintf(shape, sizeof shape, "%lld x %lld x %lld", (long long)shapes[s].m,
                 (long long)shapes[s].n, (long long)shapes[s].k);
        printf("    %-9s %-20s  ", s ? "" : "plans", shape);
        print_choice(&facts, s);
    }
}

static void print_page(void) {
    for (int i = 0; i < num_personas; i++) {
        printf("\n");
        print_persona(&personas[i]);
        print_choices(&personas[i]);
        print_text("remark", personas[i].remark);
    }
}

/* ---- Choices ---- */

static void print_problem(const struct clg_problem *p) {
    printf("%s %s %lldx%lldx%lld %c%c batch %lld, ld %lld %lld %lld, vectors %u %u %u%s: ",
           clg_types[p->type].name, clg_math_word(p->math), (long long)p->m, (long long)p->n,
           (long long)p->k, "NT"[p->matrix[CLG_A].transposed], "NT"[p->matrix[CLG_B].transposed],
           (long long)p -> batch, (long long)p -> matrix[CLG_A].ld, (long long)p->matrix[CLG_B].ld,
           (long long)p->matrix[CLG_C].ld, p->matrix[CLG_A].vector, p->matrix[CLG_B].vector,
           p->matrix[CLG_C].vector, p->copied ? ", copied" : "");
}

static void print_choices_on(const char *name, const struct clg_facts *facts) {
    struct clg_test_random random = clg_test_random_start(22);
    for (int i = 0; i < CHOICES; i++) {
        const struct clg_problem problem = persona_draw_problem(&random, false);
        struct clg_plan plan;
        char options[512] = "";
        printf("%s: ", name);
        print_problem(&problem);
        if (clg_choose_plan(&plan, &problem, facts, NULL)) {
            printf("%s\n", clg_last_error());
            continue;
        }
        clg_params_options(&plan.params, options, sizeof options);
        printf("%s %s\n", clg_plan_family_name(&plan), options);
    }
}

static void print_all_choices(void) {
    struct clg_facts facts;
    print_choices_on("test-gpu", &clg_test_gpu);
    print_choices_on("test-hopper", &clg_test_hopper);
    print_choices_on("test-cpu", &clg_test_cpu);
    facts = clg_test_cpu; /* one with AVX2 */
    facts.float_vector = 8;
    facts.compute_units = 2;
    facts.core_cache = 1 << 20;
    facts.first_cache = 32 << 10;
    print_choices_on("test-cpu-8", &facts);
    for (int i = 0; i < num_personas; i++)
        if (!persona_facts(&personas[i], &facts))
            print_choices_on(personas[i].name, &facts);
}

int main(int argc, char **argv) {
    const char *what = argc == 2 ? argv[1] : "";
    if (strcmp(what, "--list") == 0)
        print_every(0, 1);
    else if (strcmp(what, "--some") == 0)
        print_every(draw(SOME), SOME);
    else if (strcmp(what, "--draw") == 0)
        print_drawn();
    else if (strcmp(what, "--choices") == 0)
        print_all_choices();
    else if (argc == 1)
        print_page();
    else
        fprintf(stderr, "usage: persona_table [--list | --some | --draw | --choices]\n");
    return argc == 1 || *what == '-' ? 0 : 2;
}

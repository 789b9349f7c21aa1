/* SPDX-License-Identifier: Apache-2.0
 * Reads groups, and decides where each runs. */
#include "blas/arguments.h"
#include "blas/cpu.h"
#include "blas/element.h"
#include "blas/enter.h"
#include "blas/read.h"
#include "blas/trace.h"

static size_t transpose_size(const struct clg_route *route) {
    return route->name->convention == CLG_CBLAS ? sizeof(int) : 1;
}

static int transpose_at(const struct clg_route *route, const void *transposes, int64_t g) {
    return route->name->convention == CLG_CBLAS ? ((const int *)transposes)[g]
                                                : clg_read_trans(((const char *)transposes)[g]);
}

static int64_t size_of(const struct clg_route *route, const struct clg_groups *call, int64_t g) {
    return clg_read_entry(route, call->sizes, g);
}

/* Group g, whose first product is `first`. */
static struct clg_batch group_at(const struct clg_route *route, const struct clg_groups *call,
                                 int64_t g, int64_t first) {
    const clgemm_type type = call->type;
    struct clg_batch batch = {
        .gemm = {.type = type,
                 .layout = call->layout,
                 .ta = transpose_at(route, call->ta, g),
                 .tb = transpose_at(route, call->tb, g),
                 .m = clg_read_entry(route, call->m, g),
                 .n = clg_read_entry(route, call->n, g),
                 .k = clg_read_entry(route, call->k, g),
                 .alpha = clg_element_read(type, clg_element_at(type, call->alpha, g)),
                 .lda = clg_read_entry(route, call->lda, g),
                 .ldb = clg_read_entry(route, call->ldb, g),
                 .beta = clg_element_read(type, clg_element_at(type, call->beta, g)),
                 .ldc = clg_read_entry(route, call->ldc, g)},
        .count = size_of(route, call, g),
        .a = call->a + first,
        .b = call->b + first,
        .c = call->c + first};
    return clg_batch_part(&batch, 0, batch.count);
}

/* Groups [from, end); the first product of group `from` is `first`. */
static struct clg_groups slice_of(const struct clg_route *route, const struct clg_groups *call,
                                  int64_t from, int64_t end, int64_t first) {
    const int64_t letters = from * (int64_t)transpose_size(route);
    return (struct clg_groups){.type = call->type,
                               .layout = call->layout,
                               .ta = (const char *)call->ta + letters,
                               .tb = (const char *)call->tb + letters,
                               .m = clg_entry_at(route, call->m, from),
                               .n = clg_entry_at(route, call->n, from),
                               .k = clg_entry_at(route, call->k, from),
                               .alpha = clg_element_at(call->type, call->alpha, from),
                               .a = call->a + first,
                               .lda = clg_entry_at(route, call->lda, from),
                               .b = call->b + first,
                               .ldb = clg_entry_at(route, call->ldb, from),
                               .beta = clg_element_at(call->type, call->beta, from),
                               .c = call->c + first,
                               .ldc = clg_entry_at(route, call->ldc, from),
                               .count = end - from,
                               .sizes = clg_entry_at(route, call->sizes, from)};
}

static void pass_groups_on(const struct clg_route *route, const struct clg_groups *call) {
    if (route->next) {
        clg_cpu_groups(route, call);
        return;
    }
    int64_t first = 0;
    for (int64_t g = 0; g < call->count; g++) {
        const struct clg_batch group = group_at(route, call, g, first);
        clg_batch_one_by_one(route, &group, 0);
        first += group.count;
    }
}

/* Whether an argument is wrong. If so, reports it to the program's handler. */
static bool is_refused(const struct clg_route *route, const struct clg_groups *call) {
    const enum clg_convention convention = route->name->convention;
    const struct clg_gemm of_none = {.layout = call->layout};
    int wrong = clg_groups_check(call->count, 0, convention);
    if (wrong)
        clg_report_gemm(route, wrong, &of_none);
    for (int64_t g = 0, first = 0; g < call->count && !wrong; g++) {
        const int64_t size = size_of(route, call, g);
        struct clg_batch group = group_at(route, call, g, first);
        wrong = clg_gemm_check(&group.gemm, convention);
        if (!wrong)
            wrong = clg_groups_check(call->count, size, convention);
        if (wrong)
            clg_report_gemm(route, wrong, &group.gemm);
        first += size;
    }
    return wrong != 0;
}

/* Consecutive groups that the CPU is to compute. */
struct waiting {
    int64_t from, end, first;
    enum clg_where why; /* of the first one with work */
    struct clg_noted noted;
};

static void add(struct waiting *waiting, const struct clg_batch *group, int64_t g, int64_t first,
                enum clg_where why) {
    const struct clg_noted one = clg_noted_of(group);
    if (waiting->from == waiting->end)
        *waiting = (struct waiting){.from = g, .first = first, .why = why, .noted = one};
    else {
        waiting->noted.groups++;
        waiting->noted.products += one.products;
        waiting->noted.flops += one.flops;
        waiting->why = waiting->why == CLG_ON_NO_WORK ? why : waiting->why;
    }
    waiting->end = g + 1;
}

static void flush(const struct clg_route *route, const struct clg_groups *call,
                  struct waiting *waiting) {
    const int64_t start = clg_note_start();
    if (waiting->from == waiting->end)
        return;
    const struct clg_groups slice =
        slice_of(route, call, waiting->from, waiting->end, waiting->first);
    pass_groups_on(route, &slice);
    clg_note_batch(route->name->routine, &waiting->noted, waiting->why, start);
    waiting->from = waiting->end;
}

void clg_groups_enter(const struct clg_route *route, const struct clg_groups *call) {
    struct waiting waiting = {0};
    if (clg_depth > 0) {
        pass_groups_on(route, call);
        return;
    }
    if (is_refused(route, call))
        return;
    for (int64_t g = 0, first = 0; g < call->count; g++) {
        const struct clg_batch group = group_at(route, call, g, first);
        const enum clg_where where = clg_batch_choose(&group);
        if (where == CLG_ON_DEVICE) {
            flush(route, call, &waiting);
            const int64_t start = clg_note_start();
            const struct clg_noted noted = clg_noted_of(&group);
            clg_note_batch(route->name->routine, &noted, clg_batch_compute(route, &group), start);
        } else {
            add(&waiting, &group, g, first, where);
        }
        first += group.count;
    }
    flush(route, call, &waiting);
}

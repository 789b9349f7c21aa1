/* SPDX-License-Identifier: Apache-2.0
 * A problem with its judge, for tests of what the judge accepts and refuses. */
#ifndef TESTS_BENCH_JUDGED_H
#define TESTS_BENCH_JUDGED_H

#include "bench/peers/openblas.h"
#include "bench/verify.h"
#include "support/check.h"

/* A problem with its matrices, its judge, and OpenBLAS's result in C. */
struct judged {
    struct problem problem;
    struct judge judge;
    char why[256];
};

static inline struct judged judged_start(const struct options *o, struct shape shape,
                                         struct transposes trans) {
    struct judged j = {0};
    if (!problem_describe(&j.problem, o, shape, trans, j.why, sizeof j.why) ||
        !problem_create(&j.problem, 0, j.why, sizeof j.why) ||
        !judge_create(&j.judge, &j.problem, j.why, sizeof j.why))
        fail_msg("%s", j.why);
    problem_start_c(&j.problem, j.problem.c);
    openblas_run(&j.problem, j.problem.c);
    return j;
}

static inline void judged_end(struct judged *j) {
    judge_release(&j->judge);
    problem_release(&j->problem);
}

static inline bool judged_accepts(struct judged *j) {
    return judge_accepts(&j->judge, &j->problem, j->problem.c, NULL, j->why, sizeof j->why);
}

/* Changes one element of C and restores it after the judge has seen it. */
static inline bool judged_accepts_there(struct judged *j, int64_t at, double value) {
    const clgemm_type type = j->problem.type;
    const double right = clg_element(type, j->problem.c, at);
    clg_element_set(type, j->problem.c, at, value);
    const bool accepted = judged_accepts(j);
    clg_element_set(type, j->problem.c, at, right);
    return accepted;
}

#endif

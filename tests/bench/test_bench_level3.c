/* SPDX-License-Identifier: Apache-2.0
 * The judge of routines other than gemm: it accepts OpenBLAS's results and finds each element that
 * is wrong. No device is needed. */

#include "bench/judged.h"

static struct options options_of(clgemm_routine routine, clgemm_type type, int form) {
    const bool complex = clg_type_is_complex(type);
    const bool real_alpha = routine == CLGEMM_HERK;
    const bool real_beta = real_alpha || routine == CLGEMM_HER2K;
    return (struct options){.routine = routine,
                            .type = type,
                            .batch = 2,
                            .layout = form & 1 ? CLGEMM_COL_MAJOR : CLGEMM_ROW_MAJOR,
                            .side = form & 2 ? CLGEMM_RIGHT : CLGEMM_LEFT,
                            .uplo = form & 4 ? CLGEMM_UPPER : CLGEMM_LOWER,
                            .alpha = {0.5, complex && !real_alpha ? 0.25 : 0},
                            .beta = {form & 8 ? -2 : 0, form & 8 && complex && !real_beta ? 1 : 0}};
}

static struct judged start(const struct options *o, int form) {
    const bool sided = problem_has_side(o->routine);
    const clgemm_transpose turned = !clg_type_is_complex(o->type)      ? CLGEMM_TRANS
                                    : problem_is_hermitian(o->routine) ? CLGEMM_CONJ_TRANS
                                    : problem_is_triangular(o->routine) && form & 32
                                        ? CLGEMM_CONJ_TRANS
                                        : CLGEMM_TRANS;
    const clgemm_transpose trans =
        form & 16 && !problem_is_symmetric(o->routine) ? turned : CLGEMM_NO_TRANS;
    const struct shape shape = {13, sided ? 17 : 13, !sided ? 11 : form & 2 ? 17 : 13};
    return judged_start(o, shape, (struct transposes){trans, trans});
}

static void accept_and_refuse(const struct options *o, int form) {
    struct judged j = start(o, form);
    const int64_t numbers = (int64_t)j.problem.c_count * clg_type_parts(o->type);
    if (!judged_accepts(&j))
        fail_msg("routine %d, type %d, form %d: %s", (int)o->routine, (int)o->type, form, j.why);
    for (int64_t at = 0; at < numbers; at += 7) {
        assert_false(judged_accepts_there(&j, at, 1e4));
    }
    judged_end(&j);
}

static void every_wrong_element_is_found(void **state) {
    static const clgemm_type types[] = {CLGEMM_F32, CLGEMM_F64, CLGEMM_CF32, CLGEMM_CF64};
    (void)state;
    for (int routine = CLGEMM_SYMM; routine <= CLGEMM_TRSM; routine++)
        for (int t = 0; t < 4; t++)
            for (int form = 0; form < 64; form++) {
                const struct options o = options_of((clgemm_routine)routine, types[t], form);
                if (!problem_is_hermitian(o.routine) || clg_type_is_complex(o.type))
                    accept_and_refuse(&o, form);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_wrong_element_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * The rest of level 3 on host memory and on buffers, against the definitions (support/level3.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "routine/routine.h"
#include "support/check.h"
#include "support/device.h"
#include "support/facts.h"
#include "support/level3.h"

enum { A = CLG_TEST_A, B = CLG_TEST_B, C = CLG_TEST_C, MATRICES = CLG_TEST_MATRICES };

static const clgemm_type types[] = {CLGEMM_F32, CLGEMM_CF32, CLGEMM_F64, CLGEMM_CF64};

static int num_types(void) {
    return clg_test_num_types() == CLG_TYPE_COUNT ? 4 : 2;
}

static void assert_right(struct clg_test_level3 *t) {
    const char *fault = clg_test_level3_fault(t);
    if (fault)
        fail_msg("%s", fault);
}

static void run_on_host(struct clg_test_level3 *t) {
    clg_test_assert_success(clg_test_level3_run(t, NULL));
}

/* At odd addresses, so that host memory is copied on every device. */
static void run_on_copies(struct clg_test_level3 *t) {
    float alpha[2], beta[2];
    char *copy[MATRICES];
    void *at[MATRICES];
    for (int which = A; which < MATRICES; which++) {
        const struct clg_test_matrix *m = &t->matrix[which];
        const size_t size = clg_type_size(m->type);
        copy[which] = clg_test_alloc(m->count * size + 1);
        memcpy(copy[which] + 1, m->memory, m->count * size);
        at[which] = copy[which] + 1 + m->offset * size;
    }
    clg_test_assert_success(clgemm_level3(NULL, &t->desc,
                                          clg_test_level3_factor(t, t->alpha, alpha), at[A], at[B],
                                          clg_test_level3_factor(t, t->beta, beta), at[C]));
    memcpy(t->matrix[C].memory, copy[C] + 1, t->matrix[C].count * clg_type_size(t->desc.type));
    for (int which = A; which < MATRICES; which++)
        free(copy[which]);
}

/* By the BLAS's names. `v` and `w` are alpha and beta as the function takes them. */
#define ARGUMENTS_A a, d->lda
#define ARGUMENTS_B b, d->ldb
#define ARGUMENTS_C c, d->ldc
#define CALL_TYPE(l, v, w)                                                                     \
    switch (d->routine) {                                                                      \
    case CLGEMM_SYMM:                                                                          \
        return clgemm_##l##symm(d->layout, d->side, d->uplo, d->m, d->n, v, ARGUMENTS_A,       \
                                ARGUMENTS_B, w, ARGUMENTS_C);                                  \
    case CLGEMM_SYRK:                                                                          \
        return clgemm_##l##syrk(d->layout, d->uplo, d->trans, d->n, d->k, v, ARGUMENTS_A, w,   \
                                ARGUMENTS_C);                                                  \
    case CLGEMM_SYR2K:                                                                         \
        return clgemm_##l##syr2k(d->layout, d->uplo, d->trans, d->n, d->k, v, ARGUMENTS_A,     \
                                 ARGUMENTS_B, w, ARGUMENTS_C);                                 \
    case CLGEMM_TRMM:                                                                          \
        return clgemm_##l##trmm(d->layout, d->side, d->uplo, d->trans, d->diag, d->m, d->n, v, \
                                ARGUMENTS_A, ARGUMENTS_C);                                     \
    case CLGEMM_TRSM:                                                                          \
        return clgemm_##l##trsm(d->layout, d->side, d->uplo, d->trans, d->diag, d->m, d->n, v, \
                                ARGUMENTS_A, ARGUMENTS_C);                                     \
    default:                                                                                   \
        break;                                                                                 \
    }
#define CALL_HERMITIAN(l, v, w, real_v, real_w)                                                \
    switch (d->routine) {                                                                      \
    case CLGEMM_HEMM:                                                                          \
        return clgemm_##l##hemm(d->layout, d->side, d->uplo, d->m, d->n, v, ARGUMENTS_A,       \
                                ARGUMENTS_B, w, ARGUMENTS_C);                                  \
    case CLGEMM_HERK:                                                                          \
        return clgemm_##l##herk(d->layout, d->uplo, d->trans, d->n, d->k, real_v, ARGUMENTS_A, \
                                real_w, ARGUMENTS_C);                                          \
    default:                                                                                   \
        return clgemm_##l##her2k(d->layout, d->uplo, d->trans, d->n, d->k, v, ARGUMENTS_A,     \
                                 ARGUMENTS_B, real_w, ARGUMENTS_C);                            \
    }

static clgemm_status call_by_name(struct clg_test_level3 *t) {
    const clgemm_level3_desc *d = &t->desc;
    const void *a = clg_test_matrix_data(&t->matrix[A]), *b = clg_test_matrix_data(&t->matrix[B]);
    void *c = clg_test_matrix_data(&t->matrix[C]);
    const float v[] = {(float)t->alpha[0], (float)t->alpha[1]},
                w[] = {(float)t->beta[0], (float)t->beta[1]};
    if (d->type == CLGEMM_F32) {
        CALL_TYPE(s, v[0], w[0])
    } else if (d->type == CLGEMM_F64) {
        CALL_TYPE(d, t->alpha[0], t->beta[0])
    } else if (d->type == CLGEMM_CF32) {
        CALL_TYPE(c, v, w)
        CALL_HERMITIAN(c, v, w, v[0], w[0])
    } else {
        CALL_TYPE(z, t->alpha, t->beta)
        CALL_HERMITIAN(z, t->alpha, t->beta, t->alpha[0], t->beta[0])
    }
    return CLGEMM_STATUS_UNSUPPORTED;
}

/* ---- Lists ---- */

static struct clg_ops ops_of(clgemm_routine routine, clgemm_type type, clgemm_math math,
                             uint64_t room, const struct clg_facts *like) {
    enum { SIDE = 1000, DEPTH = 100 };
    static struct clg_routine r;
    static struct clg_facts facts;
    struct clg_ops ops;
    const struct clg_operand operand = {.ld = SIDE, .bytes = UINT64_MAX, .alignment = 64};
    r = (struct clg_routine){.routine = routine,
                             .call = {.type = type,
                                      .math = math,
                                      .layout = CLGEMM_COL_MAJOR,
                                      .ta = CLGEMM_NO_TRANS,
                                      .n = SIDE,
                                      .k = DEPTH,
                                      .scalars = {.alpha = 1},
                                      .operand = {operand, operand, operand}}};
    facts = *like;
    facts.workspace_max = room;
    clg_test_assert_success(clg_routine_plan(&ops, &r, &facts));
    return ops;
}

static bool is_one_product(const struct clg_ops *ops) {
    return ops->list[0].kind == CLG_OP_PRODUCT && ops->list[0].triangle == CLG_LOWER;
}

/* A complex X of 1000 x 100 has up to 300,000 elements in workspace, of which a quarter is meant
 * for them. herk's diagonal is cleared last. */
static void a_rank_update_is_one_product_if_that_pays(void **state) {
    static const struct {
        clgemm_routine routine;
        clgemm_type type;
        clgemm_math math;
        uint64_t room;
        const struct clg_facts *facts;
        size_t count; /* of operations of one product; 0: of blocks */
    } cases[] = {
        {CLGEMM_SYRK, CLGEMM_F32, CLGEMM_MATH_STRICT, 1, &clg_test_gpu, 1},
        {CLGEMM_SYRK, CLGEMM_CF32, CLGEMM_MATH_STRICT, 10000000, &clg_test_gpu, 1},
        {CLGEMM_SYRK, CLGEMM_CF64, CLGEMM_MATH_STRICT, 10000000, &clg_test_gpu, 0},
        {CLGEMM_HERK, CLGEMM_CF64, CLGEMM_MATH_STRICT, 20000000, &clg_test_gpu, 2},
        {CLGEMM_HERK, CLGEMM_CF32, CLGEMM_MATH_ACCURATE, 20000000, &clg_test_gpu, 0},
        {CLGEMM_HERK, CLGEMM_CF32, CLGEMM_MATH_ACCURATE, 20000000, &clg_test_cpu, 2},
        {CLGEMM_HER2K, CLGEMM_CF32, CLGEMM_MATH_STRICT, 20000000, &clg_test_gpu, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clg_ops ops =
            ops_of(cases[i].routine, cases[i].type, cases[i].math, cases[i].room, cases[i].facts);
        const struct clg_op *last = &ops.list[ops.count - 1];
        assert_true(is_one_product(&ops) == (cases[i].count > 0));
        if (cases[i].count)
            assert_int_equal(ops.count, cases[i].count);
        assert_true(last->diagonal == (cases[i].count == 2));
        clg_ops_free(&ops);
    }
}

/* ---- Drawn calls ---- */

static void check(clgemm_routine routine, int64_t most, struct clg_test_random *random,
                  struct clg_test_cl *cl) {
    for (int form = 0; form < 16; form++) {
        struct clg_test_level3 t = clg_test_level3_draw(
            routine, types[clg_test_range(random, 0, num_types() - 1)], form, most, random);
        clg_test_level3_create(&t, random);
        switch (clg_test_range(random, 0, 2)) {
        case 0:
            clg_test_level3_run_on_buffers(&t, cl, NULL);
            break;
        case 1:
            run_on_host(&t);
            break;
        default:
            run_on_copies(&t);
        }
        assert_right(&t);
        clg_test_level3_destroy(&t);
    }
}

static void every_form_is_right(void **state) {
    struct clg_test_random random = clg_test_random_start(540);
    struct clg_test_cl cl;
    (void)state;
    clg_test_cl_open(&cl, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    for (int routine = CLGEMM_SYMM; routine <= CLGEMM_TRSM; routine++) {
        check((clgemm_routine)routine, 40, &random, &cl);
        check((clgemm_routine)routine, 150, &random, &cl);
    }
    clg_test_cl_close(&cl);
}

/* Panels of several strips and chunks, and blocks along k: kernels/panel_pack.cl. */
static void long_sides_are_mirrored(void **state) {
    struct clg_test_random random = clg_test_random_start(547);
    (void)state;
    for (int form = 0; form < 8; form++) {
        struct clg_test_level3 t = clg_test_level3_draw(
            CLGEMM_SYMM, num_types() == 4 && form % 3 ? CLGEMM_F64 : CLGEMM_F32, form, 20, &random);
        *(t.desc.side == CLGEMM_LEFT ? &t.desc.m : &t.desc.n) =
            clg_test_range(&random, 0, 1) ? 1100 : 301;
        clg_test_level3_create(&t, &random);
        run_on_host(&t);
        assert_right(&t);
        clg_test_level3_destroy(&t);
    }
}

/* Two to four slabs, the last of which is short. */
static void large_matrices_cross_in_slabs(void **state) {
    static const clgemm_routine routines[] = {CLGEMM_SYMM, CLGEMM_HEMM, CLGEMM_TRMM, CLGEMM_TRSM};
    enum { SIDE = 8, MOST_BYTES = 1 << 26, LEAST_BYTES = MOST_BYTES / 2 };
    struct clg_test_random random = clg_test_random_start(542);
    (void)state;
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++) {
        const clgemm_type type = types[clg_test_range(&random, 1, num_types() - 1)];
        if (!clg_test_level3_has(routines[i], type))
            continue;
        struct clg_test_level3 t = clg_test_level3_draw(
            routines[i], type, (int)clg_test_range(&random, 0, 15), SIDE, &random);
        const int64_t column = SIDE * (int64_t)clg_type_size(type);
        const bool left = t.desc.side == CLGEMM_LEFT;
        t.desc.batch = 0;
        *(left ? &t.desc.m : &t.desc.n) = SIDE;
        *(left ? &t.desc.n : &t.desc.m) =
            clg_test_range(&random, LEAST_BYTES / column, MOST_BYTES / column);
        clg_test_level3_create(&t, &random);
        run_on_copies(&t);
        assert_right(&t);
        clg_test_level3_destroy(&t);
    }
}

static void names_are_the_routines(void **state) {
    struct clg_test_random random = clg_test_random_start(541);
    (void)state;
    for (int routine = CLGEMM_SYMM; routine <= CLGEMM_TRSM; routine++)
        for (int turn = 0; turn < num_types(); turn++) {
            struct clg_test_level3 t =
                clg_test_level3_draw((clgemm_routine)routine, types[turn], turn * 5, 20, &random);
            t.desc.batch = 0;
            if (!clg_test_level3_has((clgemm_routine)routine, types[turn]))
                continue;
            clg_test_level3_create(&t, &random);
            clg_test_assert_success(call_by_name(&t));
            assert_right(&t);
            clg_test_level3_destroy(&t);
        }
}

static clgemm_level3_desc square(clgemm_routine routine) {
    return (clgemm_level3_desc){.size = sizeof(clgemm_level3_desc),
                                .routine = routine,
                                .layout = CLGEMM_COL_MAJOR,
                                .side = CLGEMM_LEFT,
                                .uplo = CLGEMM_LOWER,
                                .trans = CLGEMM_NO_TRANS,
                                .diag = CLGEMM_NON_UNIT,
                                .m = 2,
                                .n = 2,
                                .k = 2,
                                .lda = 2,
                                .ldb = 2,
                                .ldc = 2};
}

/* With alpha 0, A and B are not read, and need not be there; with beta 0, C is not. */
static void zeros_read_nothing(void **state) {
    static const float zero = 0, one = 1, two = 2;
    (void)state;
    for (int routine = CLGEMM_SYMM; routine <= CLGEMM_TRSM; routine++) {
        const clgemm_level3_desc desc = square((clgemm_routine)routine);
        const bool triangular = routine >= CLGEMM_TRMM;
        const float upper = routine >= CLGEMM_SYRK && !triangular ? 5.0F : 0;
        float c[] = {NAN, NAN, 5, NAN};
        clg_test_assert_success(clgemm_level3(NULL, &desc, &zero, NULL, NULL, &zero, c));
        assert_true(c[0] == 0 && c[1] == 0 && c[2] == upper && c[3] == 0);
        if (triangular)
            continue;
        float scaled[] = {1, 2, 3, 4};
        clg_test_assert_success(clgemm_level3(NULL, &desc, &zero, NULL, NULL, &two, scaled));
        assert_true(scaled[0] == 2 && scaled[1] == 4 && scaled[3] == 8);
        assert_true(scaled[2] == (upper != 0 ? 3 : 6));
        clg_test_assert_success(clgemm_level3(NULL, &desc, &zero, NULL, NULL, &one, NULL));
    }
}

static void empty_calls_do_nothing(void **state) {
    static const float one = 1, zero = 0;
    (void)state;
    for (int routine = CLGEMM_SYMM; routine <= CLGEMM_TRSM; routine++) {
        clgemm_level3_desc desc = square((clgemm_routine)routine);
        desc.m = desc.n = 0;
        clg_test_assert_success(clgemm_level3(NULL, &desc, &one, NULL, NULL, &zero, NULL));
    }
}

static void wrong_arguments_are_named(void **state) {
    static const float one = 1;
    float a[4] = {1, 1, 1, 1}, b[4] = {1, 1, 1, 1}, c[4] = {1, 2, 3, 4};
    const clgemm_level3_desc good = square(CLGEMM_SYMM);
    clgemm_level3_desc bad[16];
    const int expected_status[] = {
        CLGEMM_STATUS_INVALID_DESC,   CLGEMM_STATUS_INVALID_DESC,    CLGEMM_STATUS_UNSUPPORTED,
        CLGEMM_STATUS_INVALID_DESC,   CLGEMM_STATUS_INVALID_DESC,    CLGEMM_STATUS_INVALID_DESC,
        CLGEMM_STATUS_INVALID_LAYOUT, CLGEMM_STATUS_INVALID_M,       CLGEMM_STATUS_INVALID_N,
        CLGEMM_STATUS_INVALID_K,      CLGEMM_STATUS_INVALID_LDA,     CLGEMM_STATUS_INVALID_LDB,
        CLGEMM_STATUS_INVALID_LDC,    CLGEMM_STATUS_INVALID_TRANS_A, CLGEMM_STATUS_INVALID_DESC,
        CLGEMM_STATUS_INVALID_TRANS_A};
    (void)state;
    for (int i = 0; i < 16; i++)
        bad[i] = good;
    bad[0].size = 8;
    bad[1].routine = (clgemm_routine)9;
    bad[2].type = CLGEMM_F16;
    bad[3].type = (clgemm_type)17;
    bad[4].side = (clgemm_side)140;
    bad[5].uplo = (clgemm_uplo)0;
    bad[6].layout = (clgemm_layout)0;
    bad[7].m = -1;
    bad[8].n = -1;
    bad[9].routine = CLGEMM_SYRK, bad[9].k = -1;
    bad[10].lda = 1;
    bad[11].ldb = 1;
    bad[12].ldc = 1;
    bad[13].routine = CLGEMM_TRSM, bad[13].trans = (clgemm_transpose)114;
    bad[14].routine = CLGEMM_TRMM, bad[14].diag = (clgemm_diag)0;
    bad[15].routine = CLGEMM_HERK, bad[15].type = CLGEMM_CF32, bad[15].trans = CLGEMM_TRANS;
    for (int i = 0; i < 16; i++)
        clg_test_assert_status(clgemm_level3(NULL, &bad[i], &one, a, b, &one, c),
                               expected_status[i]);
    clg_test_assert_status(clgemm_level3(NULL, &good, NULL, a, b, &one, c),
                           CLGEMM_STATUS_INVALID_DESC);
    clg_test_assert_status(clgemm_level3(NULL, &good, &one, a, b, NULL, c),
                           CLGEMM_STATUS_INVALID_DESC);
    clg_test_assert_status(clgemm_level3(NULL, &good, &one, NULL, b, &one, c),
                           CLGEMM_STATUS_INVALID_A);
    clg_test_assert_status(clgemm_level3(NULL, &good, &one, a, NULL, &one, c),
                           CLGEMM_STATUS_INVALID_B);
    clg_test_assert_status(clgemm_level3(NULL, &good, &one, a, b, &one, NULL),
                           CLGEMM_STATUS_INVALID_C);
    assert_true(c[0] == 1 && c[1] == 2 && c[2] == 3 && c[3] == 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(zeros_read_nothing),
                                       cmocka_unit_test(empty_calls_do_nothing),
                                       cmocka_unit_test(wrong_arguments_are_named),
                                       cmocka_unit_test(a_rank_update_is_one_product_if_that_pays),
                                       cmocka_unit_test(names_are_the_routines),
                                       cmocka_unit_test(long_sides_are_mirrored),
                                       cmocka_unit_test(large_matrices_cross_in_slabs),
                                       cmocka_unit_test(every_form_is_right)};
    clg_test_require_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

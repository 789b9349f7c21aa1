/* SPDX-License-Identifier: Apache-2.0
 * Calls of batches. The BLAS of the tests need not have such routines, so they are looked up as the
 * program sees them. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "batches.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "judge.h"

enum { MOST_GROUPS = 8, MOST_PRODUCTS = 64 };

typedef void cblas_groups(int layout, const int *ta, const int *tb, const int *m, const int *n,
                          const int *k, const void *alpha, const void *const *a, const int *lda,
                          const void *const *b, const int *ldb, const void *beta, void *const *c,
                          const int *ldc, int count, const int *sizes);
typedef void fortran_groups(const char *ta, const char *tb, const int *m, const int *n,
                            const int *k, const void *alpha, const void *const *a, const int *lda,
                            const void *const *b, const int *ldb, const void *beta, void *const *c,
                            const int *ldc, const int *count, const int *sizes);
typedef void fortran_strided(const char *ta, const char *tb, const int *m, const int *n,
                             const int *k, const void *alpha, const void *a, const int *lda,
                             const int *stride_a, const void *b, const int *ldb,
                             const int *stride_b, const void *beta, void *c, const int *ldc,
                             const int *stride_c, const int *count);
#define CBLAS_STRIDED(type, l, scalar, passed)                                                    \
    typedef void cblas_strided_##type(int layout, int ta, int tb, int m, int n, int k,            \
                                      passed alpha, const void *a, int lda, int stride_a,         \
                                      const void *b, int ldb, int stride_b, passed beta, void *c, \
                                      int ldc, int stride_c, int count);
JUDGE_TYPES(CBLAS_STRIDED)

static void *find(const char *pattern) {
    char name[64];
    snprintf(name, sizeof name, "%s", pattern);
    drop_in_name_type(name);
    void *found = dlsym(RTLD_DEFAULT, name);
    if (!found) {
        fprintf(stderr, "no %s\n", name);
        exit(1);
    }
    return found;
}

static char letter(int value) {
    return value == CLGEMM_NO_TRANS     ? 'N'
           : value == CLGEMM_TRANS      ? 't'
           : value == CLGEMM_CONJ_TRANS ? 'C'
                                        : '?';
}

/* ---- Building groups ---------------------------------------------------------------------- */

static struct groups {
    int count, products;
    int ta[MOST_GROUPS], tb[MOST_GROUPS], m[MOST_GROUPS], n[MOST_GROUPS], k[MOST_GROUPS],
        lda[MOST_GROUPS], ldb[MOST_GROUPS], ldc[MOST_GROUPS], sizes[MOST_GROUPS];
    char ta_letters[MOST_GROUPS], tb_letters[MOST_GROUPS];
    double _Complex alpha[MOST_GROUPS], beta[MOST_GROUPS]; /* of the type */
    const void *a[MOST_PRODUCTS], *b[MOST_PRODUCTS];
    void *c[MOST_PRODUCTS];
} groups;

static void call_groups(int layout, enum names names) {
    struct groups *g = &groups;
    if (names == BY_CBLAS)
        ((cblas_groups *)find("cblas_?gemm_batch"))(layout, g->ta, g->tb, g->m, g->n, g->k,
                                                    g->alpha, g->a, g->lda, g->b, g->ldb, g->beta,
                                                    g->c, g->ldc, g->count, g->sizes);
    else
        ((fortran_groups *)find("?gemm_batch_"))(g->ta_letters, g->tb_letters, g->m, g->n, g->k,
                                                 g->alpha, g->a, g->lda, g->b, g->ldb, g->beta,
                                                 g->c, g->ldc, &g->count, g->sizes);
}

static void add_group(int ta, int tb, int m, int n, int k, double _Complex alpha, int lda, int ldb,
                      double _Complex beta, int ldc, int size) {
    struct groups *g = &groups;
    const int i = g->count++;
    g->ta[i] = ta;
    g->tb[i] = tb;
    g->ta_letters[i] = letter(ta);
    g->tb_letters[i] = letter(tb);
    g->m[i] = m;
    g->n[i] = n;
    g->k[i] = k;
    g->lda[i] = lda;
    g->ldb[i] = ldb;
    g->ldc[i] = ldc;
    g->sizes[i] = size;
    judge_set(drop_in_type, g->alpha, i, alpha);
    judge_set(drop_in_type, g->beta, i, beta);
}

/* ---- One call by strides ------------------------------------------------------------------- */

struct strided {
    int layout, ta, tb, m, n, k, lda, ldb, ldc, stride_a, stride_b, stride_c, count;
    double _Complex alpha, beta;
    void *a, *b, *c;
};

static void call_strided(const struct strided *s, enum names names) {
    if (names == BY_FORTRAN) {
        const char ta = letter(s->ta), tb = letter(s->tb);
        double _Complex alpha, beta;
        judge_set(drop_in_type, &alpha, 0, s->alpha);
        judge_set(drop_in_type, &beta, 0, s->beta);
        ((fortran_strided *)find("?gemm_batch_strided_"))(
            &ta, &tb, &s->m, &s->n, &s->k, &alpha, s->a, &s->lda, &s->stride_a, s->b, &s->ldb,
            &s->stride_b, &beta, s->c, &s->ldc, &s->stride_c, &s->count);
        return;
    }
    void *function = find("cblas_?gemm_batch_strided");
    switch ((int)drop_in_type) {
#define CALL(type, l, scalar, passed)                                                           \
    case CLGEMM_##type: {                                                                       \
        const scalar alpha = (scalar)s->alpha, beta = (scalar)s->beta;                          \
        ((cblas_strided_##type *)function)(s->layout, s->ta, s->tb, s->m, s->n, s->k,           \
                                           JUDGE_PASS(alpha), s->a, s->lda, s->stride_a, s->b,  \
                                           s->ldb, s->stride_b, JUDGE_PASS(beta), s->c, s->ldc, \
                                           s->stride_c, s->count);                              \
        break;                                                                                  \
    }
        JUDGE_TYPES(CALL)
#undef CALL
    }
}

void batches_call(const struct batches_arguments *a, enum form form, enum names names) {
    if (form == BY_STRIDES) {
        const struct strided strided = {a->layout, a->ta,  a->tb,  a->m, a->n, a->k,
                                        a->lda,    a->ldb, a->ldc, 0,    0,    64,
                                        a->count,  1,      0.5,    a->a, a->b, a->c};
        call_strided(&strided, names);
        return;
    }
    groups = (struct groups){0};
    add_group(a->ta, a->tb, a->m, a->n, a->k, 1, a->lda, a->ldb, 0.5, a->ldc, a->count);
    groups.count = a->groups;
    for (int z = 0; z < MOST_PRODUCTS; z++) {
        groups.a[z] = a->a;
        groups.b[z] = a->b;
        groups.c[z] = a->c;
    }
    call_groups(a->layout, names);
}

/* ---- Matrices and their judge -------------------------------------------------------------- */

/* A, B or C of a batch. */
struct operand {
    struct clg_test_matrix matrix;
    bool by_columns, conjugated, backwards;
};

static void create(struct operand *out, const struct clg_test_problem *p, clgemm_transpose trans,
                   int64_t rows, int64_t columns, int64_t gap, bool shared,
                   struct clg_test_random *random) {
    const bool by_columns = (p->layout == CLGEMM_COL_MAJOR) == (trans == CLGEMM_NO_TRANS);
    clg_test_matrices_create(&out->matrix, drop_in_type, by_columns ? rows : columns,
                             by_columns ? columns : rows, gap,
                             shared || p->batch == 0 ? 1 : p->batch, p->between, 0, random);
    out->by_columns = by_columns;
    out->conjugated = trans == CLGEMM_CONJ_TRANS;
    out->backwards = false;
}

/* Where the matrix of product z begins. */
static int64_t place(const struct operand *x, int64_t z) {
    const int64_t last = x->matrix.matrices - 1;
    return x->matrix.stride * (last == 0 ? 0 : x->backwards ? last - z : z);
}

static struct view view_of(const struct operand *x, int64_t z) {
    return (struct view){&x->matrix, x->by_columns, place(x, z), x->conjugated};
}

static void *matrix_at(const struct operand *x, int64_t z) {
    return clg_element_at(drop_in_type, clg_test_matrix_data(&x->matrix), place(x, z));
}

/* The distance from one product's matrix to the next one's. */
static int stride_of(const struct operand *x) {
    return x->matrix.matrices > 1 ? (int)x->matrix.stride : 0;
}

struct batch {
    struct clg_test_problem problem;
    struct operand a, b, c;
};

static void create_batch(struct batch *out, const struct clg_test_problem *p, enum form form) {
    struct clg_test_random random = clg_test_random_start((uint64_t)(p->m * 31 + p->n));
    *out = (struct batch){.problem = *p};
    create(&out->a, p, p->ta, p->m, p->k, p->gap_a, p->shares_a, &random);
    create(&out->b, p, p->tb, p->k, p->n, p->gap_b, p->shares_b, &random);
    create(&out->c, p, CLGEMM_NO_TRANS, p->m, p->n, p->gap_c, false, &random);
    out->a.backwards = form == BY_SCATTERED_ARRAYS;
}

static void judge_and_destroy(struct batch *batch) {
    const struct clg_test_problem *p = &batch->problem;
    for (int64_t z = 0; z < p->batch; z++) {
        const struct product product = {.m = p->m,
                                        .n = p->n,
                                        .k = p->k,
                                        .alpha = drop_in_number(p->alpha, p->alpha_imag),
                                        .beta = drop_in_number(p->beta, p->beta_imag),
                                        .a = view_of(&batch->a, z),
                                        .b = view_of(&batch->b, z),
                                        .c = view_of(&batch->c, z)};
        const char *fault = judge(&product);
        if (fault) {
            fprintf(stderr, "product %d: %s\n", (int)z, fault);
            exit(1);
        }
    }
    clg_test_matrix_destroy(&batch->a.matrix);
    clg_test_matrix_destroy(&batch->b.matrix);
    clg_test_matrix_destroy(&batch->c.matrix);
}

static void add_batch(struct batch *batch) {
    const struct clg_test_problem *p = &batch->problem;
    add_group(p->ta, p->tb, (int)p->m, (int)p->n, (int)p->k,
              drop_in_number(p->alpha, p->alpha_imag), (int)batch->a.matrix.ld,
              (int)batch->b.matrix.ld, drop_in_number(p->beta, p->beta_imag),
              (int)batch->c.matrix.ld, (int)p->batch);
    for (int64_t z = 0; z < p->batch; z++) {
        groups.a[groups.products] = matrix_at(&batch->a, z);
        groups.b[groups.products] = matrix_at(&batch->b, z);
        groups.c[groups.products++] = matrix_at(&batch->c, z);
    }
}

void batches_check_groups(const struct clg_test_problem *problems, int count, enum names names) {
    struct batch batches[MOST_GROUPS];
    groups = (struct groups){0};
    for (int i = 0; i < count; i++) {
        create_batch(&batches[i], &problems[i], BY_EVEN_ARRAYS);
        add_batch(&batches[i]);
    }
    call_groups(problems[0].layout, names);
    for (int i = 0; i < count; i++)
        judge_and_destroy(&batches[i]);
}

void batches_check(const struct clg_test_problem *p, enum form form, enum names names) {
    struct batch batch;
    create_batch(&batch, p, form);
    if (form == BY_STRIDES) {
        const struct strided strided = {.layout = p->layout,
                                        .ta = p->ta,
                                        .tb = p->tb,
                                        .m = (int)p->m,
                                        .n = (int)p->n,
                                        .k = (int)p->k,
                                        .lda = (int)batch.a.matrix.ld,
                                        .ldb = (int)batch.b.matrix.ld,
                                        .ldc = (int)batch.c.matrix.ld,
                                        .stride_a = stride_of(&batch.a),
                                        .stride_b = stride_of(&batch.b),
                                        .stride_c = stride_of(&batch.c),
                                        .count = (int)p->batch,
                                        .alpha = drop_in_number(p->alpha, p->alpha_imag),
                                        .beta = drop_in_number(p->beta, p->beta_imag),
                                        .a = clg_test_matrix_data(&batch.a.matrix),
                                        .b = clg_test_matrix_data(&batch.b.matrix),
                                        .c = clg_test_matrix_data(&batch.c.matrix)};
        call_strided(&strided, names);
    } else {
        groups = (struct groups){0};
        add_batch(&batch);
        call_groups(p->layout, names);
    }
    judge_and_destroy(&batch);
}

/* SPDX-License-Identifier: Apache-2.0
 * Programs with the drop-in before their BLAS. The build defines DROP_IN as its path. */
#define _GNU_SOURCE
#include "drop_in.h"

#include <cblas.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "support/child.h"

enum { MOST_SETTINGS = 16 };

static char output[1 << 20];

/* AddressSanitizer's runtime need not come first if a library is preloaded. */
static const char *sanitizer_options(void) {
    static char options[512];
    const char *given = getenv("ASAN_OPTIONS");
    snprintf(options, sizeof options, "ASAN_OPTIONS=%s%sverify_asan_link_order=0",
             given ? given : "", given ? ":" : "");
    return options;
}

int drop_in_run(const char *role, const char *const *environment) {
    char typed[64];
    const char *settings[MOST_SETTINGS] = {"LD_PRELOAD=" DROP_IN, "CLGEMM_VERBOSE=1",
                                           sanitizer_options()};
    int count = 3;
    for (; environment && *environment; environment++) {
        assert_true(count < MOST_SETTINGS - 1);
        settings[count++] = *environment;
    }
    snprintf(typed, sizeof typed, "? %s", role);
    drop_in_name_type(typed);
    const int status = clg_test_run_self(typed, settings, output, sizeof output);
    if (status == CLG_TEST_SKIP)
        skip();
    return status;
}

void drop_in_succeed(const char *role, const char *const *environment) {
    const int status = drop_in_run(role, environment);
    if (status != 0)
        print_error("%s ended with %d:\n%s\n", role, status, output);
    assert_int_equal(status, 0);
}

int drop_in_lines(const char *pattern) {
    char text[256];
    int count = 0;
    assert_true(strlen(pattern) < sizeof text);
    snprintf(text, sizeof text, "%s", pattern);
    drop_in_name_type(text);
    for (const char *line = output; *line;) {
        const char *end = strchrnul(line, '\n');
        const char *found = strstr(line, text);
        count += found && found < end;
        line = *end ? end + 1 : end;
    }
    return count;
}

void drop_in_assert_lines(const char *text, int expected) {
    enum { HEAD = 4000 };
    const int count = drop_in_lines(text);
    if (count != expected)
        print_error("%d lines, not %d, have \"%s\" in output that begins:\n%.*s\n", count, expected,
                    text, HEAD, output);
    assert_int_equal(count, expected);
}

/* ---- In such a program --------------------------------------------------------------------- */

static void give_up(const char *fault) {
    fprintf(stderr, "%s\n", fault);
    exit(1);
}

static const char *letter(clgemm_transpose value) {
    return (int)value == CONJUGATED_ONLY ? "R"
           : value == CLGEMM_NO_TRANS    ? "N"
           : value == CLGEMM_TRANS       ? "t"
                                         : "C";
}

/* The routines of each type, called with alpha and beta of that type.
 * NOLINTBEGIN(bugprone-macro-parentheses): `scalar` is a type */
#define GEMM_CALL(type, l, scalar, passed)                                                         \
    extern void l##gemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k, \
                         const scalar *alpha, const scalar *a, const int *lda, const scalar *b,    \
                         const int *ldb, const scalar *beta, scalar *c, const int *ldc);           \
    static void gemm_##type(const struct clg_test_problem *p, enum names names, const void *alpha, \
                            const void *a, int lda, const void *b, int ldb, const void *beta,      \
                            void *c, int ldc) {                                                    \
        const int m = (int)p->m, n = (int)p->n, k = (int)p->k;                                     \
        const scalar x = *(const scalar *)alpha, y = *(const scalar *)beta;                        \
        if (names == BY_CBLAS)                                                                     \
            cblas_##l##gemm((CBLAS_ORDER)p->layout, (CBLAS_TRANSPOSE)p->ta,                        \
                            (CBLAS_TRANSPOSE)p->tb, m, n, k, JUDGE_PASS(x), a, lda, b, ldb,        \
                            JUDGE_PASS(y), c, ldc);                                                \
        else                                                                                       \
            l##gemm_(letter(p->ta), letter(p->tb), &m, &n, &k, &x, a, &lda, b, &ldb, &y, c, &ldc); \
    }
JUDGE_TYPES(GEMM_CALL)

/* NOLINTEND(bugprone-macro-parentheses) */

/* By clgemm_type; those in between have no letter. */
static const struct {
    char letter;
    __typeof__(&gemm_F32) gemm;
} types[] = {
#define TYPE_ROW(type, l, scalar, passed) [CLGEMM_##type] = {#l[0], gemm_##type},
    JUDGE_TYPES(TYPE_ROW)
#undef TYPE_ROW
};
enum { TYPES = sizeof types / sizeof types[0] };

static const clgemm_type tested_types[] = {
#define TESTED(type, l, scalar, passed) CLGEMM_##type,
    JUDGE_TYPES(TESTED)
#undef TESTED
};
enum { TESTED_TYPES = sizeof tested_types / sizeof tested_types[0] };

clgemm_type drop_in_type;

void drop_in_name_type(char *text) {
    const char letter = types[drop_in_type].letter;
    for (; (text = strchr(text, '?')); text++)
        *text = (char)(isupper((unsigned char)text[1]) ? toupper(letter) : letter);
}

double _Complex drop_in_number(float real, float imag) {
    return judge_number((double)real, clg_type_is_complex(drop_in_type) ? (double)imag : 0);
}

/* A problem's alpha or beta as a number that a narrower type cannot hold; 0 and 1 are special. */
static double _Complex scalar(float real, float imag) {
    const bool wide = clg_type_real(drop_in_type) == CLGEMM_F64 && real != 1;
    return drop_in_number(real, imag) * (wide ? 1 + 0x1p-40 : 1);
}

/* Memory that holds the number in the type under test. */
static double _Complex element(double _Complex value) {
    double _Complex memory = 0;
    judge_set(drop_in_type, &memory, 0, value);
    return memory;
}

void drop_in_gemm_scaled(const struct clg_test_problem *p, enum names names, const void *alpha,
                         const void *a, int lda, const void *b, int ldb, const void *beta, void *c,
                         int ldc) {
    types[drop_in_type].gemm(p, names, alpha, a, lda, b, ldb, beta, c, ldc);
}

void drop_in_gemm(const struct clg_test_problem *p, enum names names, const void *a, int lda,
                  const void *b, int ldb, void *c, int ldc) {
    const double _Complex alpha = element(scalar(p->alpha, p->alpha_imag)),
                          beta = element(scalar(p->beta, p->beta_imag));
    drop_in_gemm_scaled(p, names, &alpha, a, lda, b, ldb, &beta, c, ldc);
}

/* op(X), with these numbers of rows and columns. */
static struct view create(struct clg_test_matrix *out, const struct clg_test_problem *p,
                          clgemm_transpose trans, int64_t rows, int64_t columns, int64_t gap,
                          struct clg_test_random *random) {
    const bool only_conjugated = (int)trans == CONJUGATED_ONLY;
    const bool by_columns =
        (p->layout == CLGEMM_COL_MAJOR) == (trans == CLGEMM_NO_TRANS || only_conjugated);
    clg_test_matrix_create(out, drop_in_type, by_columns ? rows : columns,
                           by_columns ? columns : rows, gap, 0, random);
    return (struct view){out, by_columns, 0, trans == CLGEMM_CONJ_TRANS || only_conjugated};
}

static void check(const struct product *product) {
    const char *fault = judge(product);
    if (fault)
        give_up(fault);
}

void drop_in_check_gemm(const struct clg_test_problem *p, enum names names) {
    struct clg_test_random random = clg_test_random_start((uint64_t)(p->m * 31 + p->n));
    struct clg_test_matrix a, b, c;
    struct product product = {.m = p->m,
                              .n = p->n,
                              .k = p->k,
                              .alpha = scalar(p->alpha, p->alpha_imag),
                              .beta = scalar(p->beta, p->beta_imag)};
    product.a = create(&a, p, p->ta, p->m, p->k, p->gap_a, &random);
    product.b = create(&b, p, p->tb, p->k, p->n, p->gap_b, &random);
    product.c = create(&c, p, CLGEMM_NO_TRANS, p->m, p->n, p->gap_c, &random);
    drop_in_gemm(p, names, a.memory, (int)a.ld, b.memory, (int)b.ld, c.memory, (int)c.ld);
    check(&product);
    clg_test_matrix_destroy(&a);
    clg_test_matrix_destroy(&b);
    clg_test_matrix_destroy(&c);
}

bool drop_in_is_mapped(const char *name) {
    char line[4096];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && !found && fgets(line, sizeof line, maps))
        found = strstr(line, name) != NULL;
    if (maps)
        fclose(maps);
    return found;
}

void drop_in_multiply(int n, float beta) {
    const struct clg_test_problem problem = {.layout = CLGEMM_ROW_MAJOR,
                                             .ta = CLGEMM_NO_TRANS,
                                             .tb = CLGEMM_TRANS,
                                             .m = n,
                                             .n = n,
                                             .k = n,
                                             .alpha = 1,
                                             .beta = beta,
                                             .gap_c = 1};
    drop_in_check_gemm(&problem, BY_CBLAS);
}

bool drop_in_type_is_drawn(void) {
    return clg_test_is_long() || tested_types[clg_test_draw(TESTED_TYPES)] == drop_in_type;
}

/* "d products": the type's letter and the role. */
static int run_role(const char *name, const struct role *roles, size_t num_roles) {
    for (int t = 0; t < TYPES; t++)
        if (types[t].letter == name[0])
            drop_in_type = (clgemm_type)t;
    for (size_t i = 0; i < num_roles; i++)
        if (strcmp(name + 2, roles[i].name) == 0)
            clg_test_end_child(roles[i].run());
    return 2;
}

int drop_in_main(int argc, char **argv, enum types_tested tested, const struct role *roles,
                 size_t num_roles, int (*own_tests)(void)) {
    if (argc > 1)
        return run_role(argv[1], roles, num_roles);
    const bool drawn = tested == ONE_TYPE && !clg_test_is_long();
    const int first = drawn ? clg_test_draw(TESTED_TYPES) : 0,
              end = drawn ? first + 1 : TESTED_TYPES;
    int code = 0;
    for (int t = first; t < end && code == 0; t++) {
        drop_in_type = tested_types[t];
        printf("type %c\n", types[drop_in_type].letter);
        code = own_tests();
    }
    return code;
}

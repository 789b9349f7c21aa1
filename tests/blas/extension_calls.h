/* SPDX-License-Identifier: Apache-2.0
 * The calls of an extension in one type; extension.c includes this for each. SCALAR is the type in
 * C, PASSED how CBLAS takes alpha and beta; CBLAS(x) and FORTRAN(x) are names of its routines,
 * OF(x) is a name of this file. COMPLEX is defined if the type is complex. Undefines the others. */
typedef void OF(function)(int layout, int ta, int tb, INTEGER m, INTEGER n, INTEGER k, PASSED alpha,
                          const SCALAR *a, INTEGER lda, const SCALAR *b, INTEGER ldb, PASSED beta,
                          SCALAR *c, INTEGER ldc);
extern OF(function) CBLAS(gemm);
extern void FORTRAN(gemm)(const char *ta, const char *tb, const INTEGER *m, const INTEGER *n,
                          const INTEGER *k, const SCALAR *alpha, const SCALAR *a,
                          const INTEGER *lda, const SCALAR *b, const INTEGER *ldb,
                          const SCALAR *beta, SCALAR *c, const INTEGER *ldc);
#ifdef COMPLEX
extern OF(function) CBLAS(gemm3m);
#define ELEMENT(real, imag) ((real) + (imag) * (SCALAR)_Complex_I)
#define PASS(scalar) &(scalar)
#else
extern void CBLAS(syrk)(int layout, int uplo, int trans, INTEGER n, INTEGER k, SCALAR alpha,
                        const SCALAR *a, INTEGER lda, SCALAR beta, SCALAR *c, INTEGER ldc);
#define ELEMENT(real, imag) ((SCALAR)(real))
#define PASS(scalar) (scalar)
#endif

#define A OF(a)
#define B OF(b)
#define C OF(c)

static SCALAR A[N * N], B[N * N], C[N * N];
static const SCALAR OF(two) = ELEMENT(2, 1), OF(three) = ELEMENT(3, -1);

static SCALAR OF(before)(int i) {
    return ELEMENT(i % 3, i % 2);
}

static void OF(fill)(void) {
    for (int i = 0; i < N * N; i++) {
        A[i] = ELEMENT(i % 7 - 3, i % 4);
        B[i] = ELEMENT(i % 5 - 2, i % 6);
        C[i] = OF(before)(i);
    }
}

/* alpha op(A) op(B) + beta C in whole numbers, so that the result is exact. Column-major. `second`
 * is B or A's transpose; `triangle`: only the upper triangle. */
static int OF(is_wrong)(const SCALAR *second, int transposed, int triangle) {
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            SCALAR sum = 0;
            for (int p = 0; p < N; p++)
                sum += A[i + p * N] * (transposed ? second[j + p * N] : second[p + j * N]);
            sum = OF(two) * sum + OF(three) * OF(before)(i + j * N);
            if (triangle && i > j)
                sum = OF(before)(i + j * N);
            if (C[i + j * N] != sum)
                return 1;
        }
    return 0;
}

static int OF(by)(OF(function) * gemm) {
    OF(fill)();
    gemm(102, 111, 111, N, N, N, PASS(OF(two)), A, N, B, N, PASS(OF(three)), C, N);
    return OF(is_wrong)(B, 0, 0);
}

static int OF(by_cblas)(void) {
    return OF(by)(CBLAS(gemm));
}

static int OF(by_fortran)(void) {
    const INTEGER n = N;
    OF(fill)();
    FORTRAN(gemm)("N", "N", &n, &n, &n, &OF(two), A, &n, B, &n, &OF(three), C, &n);
    return OF(is_wrong)(B, 0, 0);
}

#ifdef COMPLEX
static int OF(by_gemm3m)(void) {
    return OF(by)(CBLAS(gemm3m));
}
#else
static int OF(by_syrk)(void) {
    OF(fill)();
    CBLAS(syrk)(102, 121, 111, N, N, OF(two), A, N, OF(three), C, N);
    return OF(is_wrong)(A, 1, 1);
}
#endif

/* Columns of two elements, more than 2^31 elements apart. */
static int OF(far_apart)(void) {
    const int64_t lda = ((int64_t)1 << 31) + 8;
    const INTEGER two = 2, far = (INTEGER)lda;
    const size_t bytes = (size_t)(lda + 2) * sizeof(SCALAR);
    const SCALAR one = 1, zero = 0;
    SCALAR *x = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (x == MAP_FAILED)
        return 1;
    static const SCALAR y[4] = {1, 2, 3, 4},
                        product[4] = {1 * 1 + 2 * 7, 1 * 5 + 2 * 11, 3 * 1 + 4 * 7, 3 * 5 + 4 * 11};
    SCALAR z[4] = {NAN, NAN, NAN, NAN}, z_fortran[4] = {NAN, NAN, NAN, NAN};
    x[0] = 1;
    x[1] = 5;
    x[lda] = 7;
    x[lda + 1] = 11;
    CBLAS(gemm)(102, 111, 111, two, two, two, PASS(one), x, far, y, two, PASS(zero), z, two);
    FORTRAN(gemm)("N", "N", &two, &two, &two, &one, x, &far, y, &two, &zero, z_fortran, &two);
    munmap(x, bytes);
    return memcmp(z, product, sizeof z) || memcmp(z_fortran, product, sizeof z);
}

static int OF(refused)(void) {
    OF(fill)();
    CBLAS(gemm)(102, 111, 111, -1, N, N, PASS(OF(two)), A, N, B, N, PASS(OF(three)), C, N);
    return 0;
}

#undef A
#undef B
#undef C
#undef ELEMENT
#undef PASS
#undef SCALAR
#undef PASSED
#undef CBLAS
#undef FORTRAN
#undef OF

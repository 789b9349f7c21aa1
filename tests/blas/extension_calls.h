/* SPDX-License-Identifier: Apache-2.0
 * The calls of an extension in one type; extension.c includes this for each. SCALAR is the type in
 * C; CBLAS(x) and FORTRAN(x) are names of its routines, OF(x) is a name of this file. */
extern void CBLAS(gemm)(int layout, int ta, int tb, INTEGER m, INTEGER n, INTEGER k, SCALAR alpha,
                        const SCALAR *a, INTEGER lda, const SCALAR *b, INTEGER ldb, SCALAR beta,
                        SCALAR *c, INTEGER ldc);
extern void FORTRAN(gemm)(const char *ta, const char *tb, const INTEGER *m, const INTEGER *n,
                          const INTEGER *k, const SCALAR *alpha, const SCALAR *a,
                          const INTEGER *lda, const SCALAR *b, const INTEGER *ldb,
                          const SCALAR *beta, SCALAR *c, const INTEGER *ldc);
extern void CBLAS(syrk)(int layout, int uplo, int trans, INTEGER n, INTEGER k, SCALAR alpha,
                        const SCALAR *a, INTEGER lda, SCALAR beta, SCALAR *c, INTEGER ldc);

#define A OF(a)
#define B OF(b)
#define C OF(c)

static SCALAR A[N * N], B[N * N], C[N * N];

static void OF(fill)(void) {
    for (int i = 0; i < N * N; i++) {
        A[i] = (SCALAR)(i % 7) - 3;
        B[i] = (SCALAR)(i % 5) - 2;
        C[i] = (SCALAR)(i % 3);
    }
}

/* 2 op(A) op(B) + 3 C in whole numbers, so that the result is exact. Column-major. `second` is B or
 * A's transpose; `triangle`: only the upper triangle. */
static int OF(is_wrong)(const SCALAR *second, int transposed, int triangle) {
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            SCALAR sum = 3 * (SCALAR)((i + j * N) % 3);
            for (int p = 0; p < N; p++)
                sum += 2 * A[i + p * N] * (transposed ? second[j + p * N] : second[p + j * N]);
            if (triangle && i > j)
                sum = (SCALAR)((i + j * N) % 3);
            if (C[i + j * N] != sum)
                return 1;
        }
    return 0;
}

static int OF(by_cblas)(void) {
    OF(fill)();
    CBLAS(gemm)(102, 111, 111, N, N, N, 2, A, N, B, N, 3, C, N);
    return OF(is_wrong)(B, 0, 0);
}

static int OF(by_fortran)(void) {
    const INTEGER n = N;
    const SCALAR two = 2, three = 3;
    OF(fill)();
    FORTRAN(gemm)("N", "N", &n, &n, &n, &two, A, &n, B, &n, &three, C, &n);
    return OF(is_wrong)(B, 0, 0);
}

static int OF(by_syrk)(void) {
    OF(fill)();
    CBLAS(syrk)(102, 121, 111, N, N, 2, A, N, 3, C, N);
    return OF(is_wrong)(A, 1, 1);
}

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
    CBLAS(gemm)(102, 111, 111, two, two, two, 1, x, far, y, two, 0, z, two);
    FORTRAN(gemm)("N", "N", &two, &two, &two, &one, x, &far, y, &two, &zero, z_fortran, &two);
    munmap(x, bytes);
    return memcmp(z, product, sizeof z) || memcmp(z_fortran, product, sizeof z);
}

static int OF(refused)(void) {
    OF(fill)();
    CBLAS(gemm)(102, 111, 111, -1, N, N, 2, A, N, B, N, 3, C, N);
    return 0;
}

#undef A
#undef B
#undef C

/* SPDX-License-Identifier: Apache-2.0
 * CHOLMOD as a client: the supernodal factorization of a Laplacian on a grid, which calls dsyrk,
 * dgemm and dtrsm for each supernode. Judged by the solution of equations. */
#include <stdio.h>
#include <suitesparse/cholmod.h>

enum { EDGE = 14, POINTS = EDGE * EDGE * EDGE };

/* Seven points: 6.5 on the diagonal, -1 for each neighbour. The lower triangle. */
static cholmod_sparse *laplacian(cholmod_common *common) {
    static const int distances[] = {1, EDGE, EDGE * EDGE};
    cholmod_triplet *entries =
        cholmod_allocate_triplet(POINTS, POINTS, 4 * POINTS, -1, CHOLMOD_REAL, common);
    int *row = entries->i, *column = entries->j;
    double *value = entries->x;
    for (int p = 0; p < POINTS; p++) {
        const int at[] = {p % EDGE, p / EDGE % EDGE, p / EDGE / EDGE};
        row[entries->nnz] = column[entries->nnz] = p;
        value[entries->nnz++] = 6.5;
        for (int d = 0; d < 3; d++)
            if (at[d] + 1 < EDGE) {
                row[entries->nnz] = p + distances[d];
                column[entries->nnz] = p;
                value[entries->nnz++] = -1;
            }
    }
    cholmod_sparse *matrix = cholmod_triplet_to_sparse(entries, entries->nnz, common);
    cholmod_free_triplet(&entries, common);
    return matrix;
}

int main(void) {
    cholmod_common common;
    double unit[2] = {1, 0}, minus[2] = {-1, 0};
    cholmod_start(&common);
    common.supernodal = CHOLMOD_SUPERNODAL;
    cholmod_sparse *a = laplacian(&common);
    cholmod_dense *b = cholmod_ones(POINTS, 3, CHOLMOD_REAL, &common);
    cholmod_factor *l = cholmod_analyze(a, &common);
    cholmod_factorize(a, l, &common);
    cholmod_dense *x = cholmod_solve(CHOLMOD_A, l, b, &common);
    cholmod_sdmult(a, 0, minus, unit, x, b, &common); /* b - A x */
    const double residual = cholmod_norm_dense(b, 0, &common);
    printf("CHOLMOD: residual %.3g, %s\n", residual, l->is_super ? "supernodal" : "simplicial");
    const int wrong = common.status != CHOLMOD_OK || !l->is_super || !(residual < 1e-12);
    cholmod_free_dense(&x, &common);
    cholmod_free_dense(&b, &common);
    cholmod_free_factor(&l, &common);
    cholmod_free_sparse(&a, &common);
    cholmod_finish(&common);
    return wrong;
}

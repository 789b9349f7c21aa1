/* SPDX-License-Identifier: Apache-2.0
 * Runs the two examples on host memory of a section of docs/migrate.md: both products of the same
 * matrices must agree. */
#include "migrate.h"

#include <clgemm.h>

int theirs(int m, int n, int k, const float *a, const float *b, float *c);
int ours(int m, int n, int k, const float *a, const float *b, float *c);

int main(void) {
    static struct matrices matrices;
    fill(&matrices);
    if (theirs(M, N, K, matrices.a, matrices.b, matrices.c[0]))
        return 1;
    const int status = ours(M, N, K, matrices.a, matrices.b, matrices.c[1]);
    if (status)
        return status == CLGEMM_STATUS_NO_DEVICE ? SKIP : 1;
    return agree(&matrices);
}

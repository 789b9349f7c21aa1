// SPDX-License-Identifier: Apache-2.0
// dlib as a client: products of matrix<float>, which call cblas_sgemm as Debian builds it.
#include <dlib/matrix.h>

#include "judge.h"

using matrix = dlib::matrix<float>;

static view plain(const matrix &x) {
    return {&x(0, 0), x.nc(), 1};
}

static matrix random_matrix(long rows, long columns, unsigned seed) {
    matrix x(rows, columns);
    fill(&x(0, 0), x.size(), seed);
    return x;
}

int main() {
    const long m = 131, n = 127, k = 119;
    matrix a = random_matrix(m, k, 1), b = random_matrix(k, n, 2), a_t = random_matrix(k, m, 3);
    matrix nn = a * b, tn = dlib::trans(a_t) * b;
    int wrong = judge("dlib product", m, n, k, plain(a), plain(b), plain(nn));
    wrong += judge("dlib transposed product", m, n, k, {&a_t(0, 0), 1, m}, plain(b), plain(tn));
    return wrong != 0;
}

// SPDX-License-Identifier: Apache-2.0
// dlib as a client: products of matrix<float> call cblas_sgemm, as Debian builds it, and those
// of matrix<double> cblas_dgemm.
#include <dlib/matrix.h>

#include "judge.h"

template <typename T> static view plain(const dlib::matrix<T> &x) {
    return {&x(0, 0), x.nc(), 1, sizeof(T)};
}

template <typename T> static dlib::matrix<T> random_matrix(long rows, long columns, unsigned seed) {
    dlib::matrix<T> x(rows, columns);
    fill(&x(0, 0), x.size(), seed);
    return x;
}

template <typename T> static int products() {
    using matrix = dlib::matrix<T>;
    const long m = 131, n = 127, k = 119;
    matrix a = random_matrix<T>(m, k, 1), b = random_matrix<T>(k, n, 2),
           a_t = random_matrix<T>(k, m, 3);
    matrix nn = a * b, tn = dlib::trans(a_t) * b;
    int wrong = judge("dlib product", m, n, k, plain(a), plain(b), plain(nn));
    wrong += judge("dlib transposed product", m, n, k, {&a_t(0, 0), 1, m, sizeof(T)}, plain(b),
                   plain(tn));
    return wrong;
}

int main() {
    return products<float>() + products<double>() != 0;
}

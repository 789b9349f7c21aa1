// SPDX-License-Identifier: Apache-2.0
// Armadillo as a client: products of fmat call sgemm_, those of mat dgemm_, and A A'
// calls ssyrk_ or dsyrk_.
#define ARMA_DONT_USE_WRAPPER
#include <armadillo>

#include "judge.h"

template <typename T> static view plain(const arma::Mat<T> &x) {
    return {x.memptr(), 1, static_cast<long>(x.n_rows), sizeof(T)};
}

template <typename T> static view transposed(const arma::Mat<T> &x) {
    return {x.memptr(), static_cast<long>(x.n_rows), 1, sizeof(T)};
}

template <typename T>
static arma::Mat<T> random_matrix(unsigned rows, unsigned columns, unsigned seed) {
    arma::Mat<T> x(rows, columns);
    fill(x.memptr(), static_cast<long>(x.n_elem), seed);
    return x;
}

template <typename T> static int products() {
    const int m = 131, n = 127, k = 119;
    arma::Mat<T> a = random_matrix<T>(m, k, 1), b = random_matrix<T>(k, n, 2);
    arma::Mat<T> a_t = random_matrix<T>(k, m, 3);
    arma::Mat<T> nn = a * b, tn = a_t.t() * b, square = a * a.t();
    int wrong = judge("product", m, n, k, plain(a), plain(b), plain(nn));
    wrong += judge("transposed product", m, n, k, transposed(a_t), plain(b), plain(tn));
    wrong += judge("times its transpose", m, m, k, plain(a), transposed(a), plain(square));
    return wrong;
}

int main() {
    return products<float>() + products<double>() != 0;
}

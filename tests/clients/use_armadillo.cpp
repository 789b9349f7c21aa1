// SPDX-License-Identifier: Apache-2.0
// Armadillo as a client: products of fmat call sgemm_, and A A' calls ssyrk_.
#define ARMA_DONT_USE_WRAPPER
#include <armadillo>

#include "judge.h"

static view plain(const arma::fmat &x) {
    return {x.memptr(), 1, static_cast<long>(x.n_rows)};
}

static view transposed(const arma::fmat &x) {
    return {x.memptr(), static_cast<long>(x.n_rows), 1};
}

static arma::fmat random_matrix(unsigned rows, unsigned columns, unsigned seed) {
    arma::fmat x(rows, columns);
    fill(x.memptr(), static_cast<long>(x.n_elem), seed);
    return x;
}

int main() {
    const int m = 131, n = 127, k = 119;
    arma::fmat a = random_matrix(m, k, 1), b = random_matrix(k, n, 2);
    arma::fmat a_t = random_matrix(k, m, 3);
    arma::fmat nn = a * b, tn = a_t.t() * b, square = a * a.t();
    int wrong = judge("fmat product", m, n, k, plain(a), plain(b), plain(nn));
    wrong += judge("fmat transposed product", m, n, k, transposed(a_t), plain(b), plain(tn));
    wrong += judge("fmat times its transpose", m, m, k, plain(a), transposed(a), plain(square));
    return wrong != 0;
}

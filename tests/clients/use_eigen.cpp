// SPDX-License-Identifier: Apache-2.0
// Eigen as a client: with EIGEN_USE_BLAS its products call sgemm_ and dgemm_ of the BLAS that is
// linked.
#define EIGEN_USE_BLAS
#include <Eigen/Dense>

#include "judge.h"

template <typename Matrix> static view plain(const Matrix &x) {
    return {x.data(), static_cast<long>(x.rowStride()), static_cast<long>(x.colStride()),
            sizeof(typename Matrix::Scalar)};
}

template <typename Matrix> static Matrix random_matrix(int rows, int columns, unsigned seed) {
    Matrix x(rows, columns);
    fill(x.data(), static_cast<long>(x.size()), seed);
    return x;
}

template <typename T> static int products() {
    const int m = 131, n = 127, k = 119;
    using Columns = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
    using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Columns a = random_matrix<Columns>(m, k, 1), b = random_matrix<Columns>(k, n, 2);
    Columns a_t = random_matrix<Columns>(k, m, 3);
    Rows r = random_matrix<Rows>(k, n, 4);
    Columns nn = a * b, tn = a_t.transpose() * b, mixed = a * r;
    int wrong = judge("product", m, n, k, plain(a), plain(b), plain(nn));
    wrong +=
        judge("transposed product", m, n, k, {a_t.data(), k, 1, sizeof(T)}, plain(b), plain(tn));
    wrong += judge("product by a row-major one", m, n, k, plain(a), plain(r), plain(mixed));
    return wrong;
}

int main() {
    return products<float>() + products<double>() != 0;
}

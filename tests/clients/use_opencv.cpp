// SPDX-License-Identifier: Apache-2.0
// OpenCV as a client: cv::gemm, which calls cblas_sgemm from a hundred rows on.
#include <opencv2/core.hpp>

#include "judge.h"

static view plain(const cv::Mat &x) {
    return {x.ptr<float>(), static_cast<long>(x.step1()), 1, sizeof(float)};
}

static view transposed(const cv::Mat &x) {
    return {x.ptr<float>(), 1, static_cast<long>(x.step1()), sizeof(float)};
}

static cv::Mat random_matrix(int rows, int columns, unsigned seed) {
    cv::Mat x(rows, columns, CV_32F);
    fill(x.ptr<float>(), static_cast<long>(x.total()), seed);
    return x;
}

int main() {
    const int m = 131, n = 127, k = 119;
    cv::Mat a = random_matrix(m, k, 1), b = random_matrix(k, n, 2), c;
    cv::Mat a_t = random_matrix(k, m, 3), b_t = random_matrix(n, k, 4);
    cv::gemm(a, b, 1, cv::noArray(), 0, c);
    int wrong = judge("cv::gemm NN", m, n, k, plain(a), plain(b), plain(c));
    cv::gemm(a_t, b, 1, cv::noArray(), 0, c, cv::GEMM_1_T);
    wrong += judge("cv::gemm TN", m, n, k, transposed(a_t), plain(b), plain(c));
    cv::gemm(a, b_t, 1, cv::noArray(), 0, c, cv::GEMM_2_T);
    wrong += judge("cv::gemm NT", m, n, k, plain(a), transposed(b_t), plain(c));
    // A part of a larger matrix: leading dimensions with gaps.
    cv::Mat whole = random_matrix(200, 200, 5), part = whole(cv::Rect(10, 20, k, m));
    cv::Mat product = part * b;
    wrong += judge("cv::Mat product", m, n, k, plain(part), plain(b), plain(product));
    return wrong != 0;
}

// SPDX-License-Identifier: Apache-2.0
// From C++: the handle is owned by a smart pointer, a failure is an exception.
//
//     c++ -std=c++17 cxx.cpp $(pkg-config --cflags --libs clgemm) && ./a.out
#include <clgemm.h>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(clgemm_status status) {
    if (status != CLGEMM_SUCCESS)
        throw std::runtime_error(std::string(clgemm_status_name(status)) + ": " +
                                 clgemm_last_error());
}

struct Destroy {
    void operator()(clgemm_handle *handle) const {
        clgemm_destroy(handle);
    }
};
using Handle = std::unique_ptr<clgemm_handle, Destroy>;

Handle open(const char *device) {
    clgemm_handle *handle = nullptr;
    check(clgemm_create(&handle, device));
    return Handle(handle);
}

// A matrix by rows.
struct Matrix {
    std::int64_t rows, columns;
    std::vector<float> elements;

    Matrix(std::int64_t m, std::int64_t n)
        : rows(m), columns(n), elements(static_cast<std::size_t>(m * n)) {
    }
    float &at(std::int64_t i, std::int64_t j) {
        return elements[static_cast<std::size_t>(i * columns + j)];
    }
};

Matrix multiply(clgemm_handle *handle, const Matrix &a, const Matrix &b) {
    if (a.columns != b.rows)
        throw std::invalid_argument("the matrices do not fit");
    Matrix c(a.rows, b.columns);
    clgemm_desc desc = {}; // members that later versions add are 0, too
    desc.size = sizeof desc;
    desc.type = CLGEMM_F32;
    desc.layout = CLGEMM_ROW_MAJOR;
    desc.ta = desc.tb = CLGEMM_NO_TRANS;
    desc.m = a.rows;
    desc.n = b.columns;
    desc.k = a.columns;
    desc.lda = a.columns;
    desc.ldb = b.columns;
    desc.ldc = c.columns;
    const float alpha = 1, beta = 0;
    check(clgemm_gemm(handle, &desc, &alpha, a.elements.data(), b.elements.data(), &beta,
                      c.elements.data()));
    return c;
}

} // namespace

int main() try {
    const Handle handle = open(nullptr); // as CLGEMM_DEVICE says, else the best device
    Matrix a(50, 70), b(70, 30);
    for (std::size_t i = 0; i < a.elements.size(); i++)
        a.elements[i] = static_cast<float>(i % 13) - 6;
    for (std::size_t i = 0; i < b.elements.size(); i++)
        b.elements[i] = static_cast<float>(i % 7) - 3;
    Matrix c = multiply(handle.get(), a, b);

    // Sums of small whole numbers are exact, so every element must be equal.
    int wrong = 0;
    for (std::int64_t i = 0; i < c.rows; i++)
        for (std::int64_t j = 0; j < c.columns; j++) {
            float sum = 0;
            for (std::int64_t p = 0; p < a.columns; p++)
                sum += a.at(i, p) * b.at(p, j);
            wrong += c.at(i, j) != sum;
        }
    const auto all = static_cast<int>(c.elements.size());
    std::cout << "cxx: " << all - wrong << " of " << all << " elements are right\n";
    return wrong != 0;
} catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
}

# SPDX-License-Identifier: Apache-2.0
"""SciPy as a client: blas.sgemm and blas.dgemm, and factorizations, which call them from within
LAPACK."""
import functools

import numpy as np
import scipy
from scipy import linalg
from scipy.linalg import blas

import judge

print("scipy", scipy.__version__, scipy.__file__)
for letter, dtype in ("s", np.float32), ("d", np.float64):
    random = functools.partial(judge.random, dtype=dtype)
    gemm, syrk = getattr(blas, letter + "gemm"), getattr(blas, letter + "syrk")
    a, b, t = random(131, 119), random(119, 127, seed=2), random(119, 131, seed=3)
    c = random(131, 127, seed=4)

    judge.product("gemm", gemm(1, a, b), a, b)
    judge.product("gemm TN", gemm(1, t, b, trans_a=True), t.T, b)
    judge.product("gemm, alpha and beta", gemm(1.5, a, b, beta=-0.5, c=c), a, b, 1.5, -0.5, c)
    updated = np.asfortranarray(c)
    gemm(2, a, b, beta=1, c=updated, overwrite_c=True)
    judge.product("gemm in place", updated, a, b, 2, 1, c)
    lower = np.tril(syrk(1, a, lower=True))
    judge.product("syrk", lower + np.tril(lower, -1).T, a, a.T)


def factorizations(dtype):
    n = 300

    def relative(what, got, exact):
        # Backward stability: a modest multiple of n u |A|, in the Frobenius norm.
        bound = 10 * n * judge.roundoff(dtype) * np.linalg.norm(exact)
        judge.report(f"{what}, {dtype.__name__}", np.linalg.norm(got - exact) > bound)

    square = judge.random(n, n, seed=5, dtype=dtype)
    wide = square.astype(np.float64)
    q, r = linalg.qr(square)
    assert q.dtype == dtype
    q, r = q.astype(np.float64), r.astype(np.float64)
    relative("qr: Q R", q @ r, wide)
    relative("qr: Q' Q", q.T @ q, np.eye(n))
    p, low, up = linalg.lu(square)
    assert low.dtype == dtype
    relative("lu: P L U", p.astype(np.float64) @ low @ up.astype(np.float64), wide)
    positive = (wide @ wide.T + n * np.eye(n)).astype(dtype)
    root = linalg.cholesky(positive, lower=True)
    assert root.dtype == dtype
    relative("cholesky: L L'", root.astype(np.float64) @ root.T, positive.astype(np.float64))


factorizations(np.float32)
factorizations(np.float64)
judge.verdict()

# SPDX-License-Identifier: Apache-2.0
"""SciPy as a client: blas.sgemm, and factorizations that call sgemm_ from within LAPACK."""
import numpy as np
import scipy
from scipy import linalg
from scipy.linalg import blas

import judge

print("scipy", scipy.__version__, scipy.__file__)
a, b, t = judge.random(131, 119), judge.random(119, 127, seed=2), judge.random(119, 131, seed=3)
c = judge.random(131, 127, seed=4)

judge.product("sgemm", blas.sgemm(1, a, b), a, b)
judge.product("sgemm TN", blas.sgemm(1, t, b, trans_a=True), t.T, b)
judge.product("sgemm, alpha and beta", blas.sgemm(1.5, a, b, beta=-0.5, c=c), a, b, 1.5, -0.5, c)
updated = np.asfortranarray(c)
blas.sgemm(2, a, b, beta=1, c=updated, overwrite_c=True)
judge.product("sgemm in place", updated, a, b, 2, 1, c)
lower = np.tril(blas.ssyrk(1, a, lower=True))
judge.product("ssyrk", lower + np.tril(lower, -1).T, a, a.T)


def relative(what, got, exact, size):
    # Backward stability: a modest multiple of n u |A|, in the Frobenius norm.
    judge.report(what, np.linalg.norm(got - exact) > 10 * size * judge.ROUNDOFF * np.linalg.norm(exact))


n = 300
square = judge.random(n, n, seed=5)
wide = square.astype(np.float64)
q, r = linalg.qr(square)
assert q.dtype == np.float32
q, r = q.astype(np.float64), r.astype(np.float64)
relative("qr: Q R", q @ r, wide, n)
relative("qr: Q' Q", q.T @ q, np.eye(n), n)
p, low, up = linalg.lu(square)
assert low.dtype == np.float32
relative("lu: P L U", p.astype(np.float64) @ low @ up.astype(np.float64), wide, n)
positive = (wide @ wide.T + n * np.eye(n)).astype(np.float32)
root = linalg.cholesky(positive, lower=True)
assert root.dtype == np.float32
relative("cholesky: L L'", root.astype(np.float64) @ root.T, positive.astype(np.float64), n)
judge.verdict()

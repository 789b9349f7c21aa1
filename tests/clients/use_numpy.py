# SPDX-License-Identifier: Apache-2.0
"""NumPy as a client: matmul, dot and einsum call cblas_sgemm or cblas_dgemm, and A @ A.T
calls cblas_ssyrk or cblas_dsyrk."""
import functools

import numpy as np

import judge

print("numpy", np.__version__, np.__file__)

for dtype in np.float32, np.float64:
    random = functools.partial(judge.random, dtype=dtype)
    a, b, t = random(131, 119), random(119, 127, seed=2), random(119, 131, seed=3)

    judge.product("a @ b", a @ b, a, b)
    judge.product("t.T @ b", t.T @ b, t.T, b)
    judge.product("a @ a.T", a @ a.T, a, a.T)
    judge.product("t.T @ t", t.T @ t, t.T, t)

    out = np.full((131, 127), np.nan, dtype)
    np.dot(a, b, out=out)
    judge.product("dot into an array of NaN", out, a, b)

    wide = random(200, 300, seed=4)
    judge.product("parts of an array", wide[3:134, 7:126] @ b, wide[3:134, 7:126], b)
    judge.product("every other column", wide[:131, :238:2] @ b, wide[:131, :238:2], b)
    judge.product("einsum", np.einsum("ij,jk->ik", a, b, optimize=True), a, b)
    judge.product("tensordot", np.tensordot(a, b, 1), a, b)

    stack_a, stack_b = random(3, 65, 70, seed=5), random(3, 70, 66, seed=6)
    for i, c in enumerate(stack_a @ stack_b):
        judge.product(f"stack {i}", c, stack_a[i], stack_b[i])

# Complex numbers, and problems without work, stay with the BLAS.
a, b = (judge.random(60, 60, seed=i, dtype=np.complex128) * (1 - 2j) for i in (1, 2))
judge.close("complex", np.abs(a @ b - a.astype(np.clongdouble) @ b), 0, 1e-11)
judge.close("k = 0", judge.random(5, 0) @ judge.random(0, 7), np.zeros((5, 7)), 0)
assert (judge.random(0, 5) @ judge.random(5, 7)).shape == (0, 7)
judge.verdict()

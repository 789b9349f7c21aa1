# SPDX-License-Identifier: Apache-2.0
"""The judge of the Python clients: the bound of docs/testing.md, in long double, which NumPy computes
without a BLAS."""
import sys

import numpy as np

faults = 0


def roundoff(dtype):
    return float(np.finfo(dtype).eps) / 2


def random(*shape, seed=1, dtype=np.float32):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(dtype)


def report(what, wrong):
    global faults
    faults += int(wrong)
    print(f"{what}: {int(wrong)} wrong")


def product(what, c, a, b, alpha=1, beta=0, before=0, sums=0):
    """Compares C with alpha A B + beta C0; `sums` counts further additions to an element."""
    dtype = np.result_type(a, b)
    a, b, before = (np.asarray(x, np.longdouble) for x in (a, b, before))
    exact = alpha * (a @ b) + beta * before
    bound = (a.shape[-1] + 2 + sums) * roundoff(dtype) * abs(alpha) * (np.abs(a) @ np.abs(b))
    bound = bound + (2 + sums) * roundoff(dtype) * np.abs(beta * before)
    c = np.asarray(c)
    assert c.dtype == dtype and c.shape == exact.shape, (c.dtype, c.shape)
    report(f"{what}, {dtype}", (~(np.abs(c - exact) <= bound)).sum())  # a NaN is wrong


def close(what, got, exact, bound):
    """Every element of `got` must be within `bound` of the exact one."""
    report(what, (~(np.abs(np.asarray(got, np.float64) - exact) <= bound)).sum())


def verdict():
    sys.exit(faults != 0)

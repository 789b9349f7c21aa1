# SPDX-License-Identifier: Apache-2.0
"""multiprocessing by fork, before the first product and after it: a child's results are right, and
it never waits for a device that only its parent has."""
import multiprocessing
import os

import numpy as np

import judge

a, b = judge.random(131, 119), judge.random(119, 127, seed=2)


def work(i):
    return os.getpid(), (a * np.float32(i)) @ b


def in_children(what):
    with multiprocessing.get_context("fork").Pool(3) as pool:
        # Fails in time instead of hanging.
        answers = pool.map_async(work, range(1, 7)).get(timeout=120)
    for i, (child, c) in enumerate(answers, start=1):
        judge.product(f"{what}, product {i}", c, a * np.float32(i), b)
        assert child != os.getpid()


in_children("before first use")
judge.product("parent", a @ b, a, b)
in_children("after first use")
judge.product("parent again", a @ b, a, b)
judge.verdict()

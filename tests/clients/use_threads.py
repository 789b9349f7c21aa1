# SPDX-License-Identifier: Apache-2.0
"""Sixteen threads, each with its own products, while the device is opened and afterwards."""
import threading
from concurrent.futures import ThreadPoolExecutor

import judge

THREADS, ROUNDS = 16, 8
gate = threading.Barrier(THREADS)


def work(thread):
    a, b = judge.random(90 + thread, 119, seed=thread), judge.random(119, 127, seed=100 + thread)
    gate.wait()
    first = a @ b
    gate.wait()
    return a, b, [first] + [a @ b for _ in range(ROUNDS)]


with ThreadPoolExecutor(THREADS) as pool:
    for thread, (a, b, answers) in enumerate(pool.map(work, range(THREADS))):
        for answer in answers:
            judge.product(f"thread {thread}", answer, a, b)
judge.verdict()

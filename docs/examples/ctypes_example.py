#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From Python by ctypes, without another package. docs/python.md has NumPy's arrays and pyopencl's buffers.

    python3 ctypes_example.py
"""
import ctypes
import sys

ROW_MAJOR, NO_TRANS = 101, 111  # values of cblas.h

lib = ctypes.CDLL("libclgemm.so.0")
lib.clgemm_status_name.restype = lib.clgemm_last_error.restype = ctypes.c_char_p
FLOATS, INT, INT64, FLOAT = ctypes.POINTER(ctypes.c_float), ctypes.c_int, ctypes.c_int64, ctypes.c_float
# Without argtypes ctypes would pass int64_t as int, and refuse float.
lib.clgemm_sgemm.argtypes = [INT, INT, INT, INT64, INT64, INT64, FLOAT, FLOATS, INT64, FLOATS, INT64,
                             FLOAT, FLOATS, INT64]

m, n, k = 30, 20, 40
a = (ctypes.c_float * (m * k))(*(i % 13 - 6 for i in range(m * k)))
b = (ctypes.c_float * (k * n))(*(i % 7 - 3 for i in range(k * n)))
c = (ctypes.c_float * (m * n))()

status = lib.clgemm_sgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, m, n, k, 1.0, a, k, b, n, 0.0, c, n)
if status:
    sys.exit(f"{lib.clgemm_status_name(status).decode()}: {lib.clgemm_last_error().decode()}")

# Sums of small whole numbers are exact, so every element must be equal.
wrong = sum(c[i * n + j] != sum(a[i * k + p] * b[p * n + j] for p in range(k))
            for i in range(m) for j in range(n))
print(f"ctypes: {m * n - wrong} of {m * n} elements are right")
sys.exit(wrong != 0)

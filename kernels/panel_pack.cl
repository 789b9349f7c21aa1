/* SPDX-License-Identifier: Apache-2.0
 * Packs op(B) into the panels that clg_panel multiplies, with zeros past the last column.
 *
 *      op(B) (k x n)                    packed: panels of REG_N columns, cut every kc steps
 *
 *      b[p + j * ldb]  B_ALONG_K = 1      packed[k0 * pad_n + (j / REG_N * kn + p - k0) * REG_N
 *      b[j + p * ldb]  B_ALONG_K = 0             + j % REG_N]
 *
 *                                         k0 = p / kc * kc, kn = min(kc, k - k0),
 *                                         pad_n: n rounded up to whole panels
 *
 * A work-group is one work-item. It packs CHUNK steps of one panel if the source runs along k, else
 * CHUNK steps of STRIP columns. It packs few panels at a time, so that their cache lines, which may
 * be a power of two apart, stay in the L1 cache. STORED: op(B) is stored, and read, where
 * p >= j (`later`), or else where p <= j; what is beside that is left out (1), or its mirror image (2). */
#include "real.h"

#ifndef B_ALONG_K
#define B_ALONG_K 1
#endif
#ifndef STORED
#define STORED 0
#endif
#include "panel_strip.h"

#if B_ALONG_K && STORED != 2
#define CHUNK 512
#define STRIP REG_N
#else
#define CHUNK 256
#define STRIP (96 / REG_N * REG_N)
#endif

#if STORED
#define STORED_ARG const int later,
#else
#define STORED_ARG
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
clg_panel_pack(const int n, const int k, const int kc, STORED_ARG const __global element *b,
               const long b_offset, const long ldb BATCH_STRIDE(b),
               __global real *packed BATCH_STRIDE(packed) BATCH_ARGS) {
    const int pad_n = (n + REG_N - 1) / REG_N * REG_N;
    const int strips = (n + STRIP - 1) / STRIP, chunks = (kc + CHUNK - 1) / CHUNK;
    const int group = GROUP_ID;
    const int k0 = group / strips / chunks * kc, kn = min(kc, k - k0);
    const int p0 = group / strips % chunks * CHUNK, j0 = group % strips * STRIP;
    const long step = k0 + p0;
    __global real *to = packed + PRODUCT_OF(packed) + (long)k0 * pad_n + (long)j0 * kn + (long)p0 * REG_N;
    const __global element *from = b + b_offset + PRODUCT_OF(b);
    const int j1 = min(j0 + STRIP, pad_n), steps = min(CHUNK, kn - p0);
    if (steps <= 0)
        return;
#if STORED
    pack_stored(to, (long)REG_N * kn, from, ldb, n, j0, j1, (int)step, (int)step + steps, later,
                B_ALONG_K, STORED == 2, REG_N);
#else
    pack_strip(to, (long)REG_N * kn, from + (B_ALONG_K ? step : step * ldb), ldb, n, j0, j1, steps,
               B_ALONG_K, REG_N);
#endif
}

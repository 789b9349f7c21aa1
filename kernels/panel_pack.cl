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
 * be a power of two apart, stay in the L1 cache. Of a triangle it packs the chunks that are used: with
 * `triangle` 1 those with a step p >= j, with 2 with a p <= j.
 *
 * MIRRORED: op(B) is symmetric, and b[p + j * ldb] is stored, and read, where p >= j (`triangle` 1) or
 * p <= j (2). */
#include "real.h"

#ifndef VEC
#define VEC 16
#endif
#ifndef REG_N
#define REG_N 12
#endif
#ifndef B_ALONG_K
#define B_ALONG_K 1
#endif
#ifndef MIRRORED
#define MIRRORED 0
#endif
#include "panel_strip.h"

#if B_ALONG_K && !MIRRORED
#define CHUNK 512
#define STRIP REG_N
#else
#define CHUNK 256
#define STRIP (96 / REG_N * REG_N)
#endif

#if MIRRORED
/* Packs those of steps p0 .. p1 - 1 that are before or after j0 .. j1 - 1, which are columns of one or
 * more panels: in memory they run along k on one side of the diagonal, and across it on the other. */
static void pack_beside(__global real *to, const long panel_size, const __global element *b,
                        const long ldb, const int n, const int j0, const int j1, const int p0,
                        const int p1, const int lower) {
    for (int after = 0; after < 2; after++) {
        const int from = after ? clamp(j1, p0, p1) : p0, end = after ? p1 : clamp(j0, p0, p1);
        __global real *at = to + (long)(from - p0) * REG_N;
        if (from >= end)
            continue;
        if (after == lower)
            pack_strip(at, panel_size, b + from, ldb, n, j0, j1, end - from, 1, REG_N);
        else
            pack_strip(at, panel_size, b + from * ldb, ldb, n, j0, j1, end - from, 0, REG_N);
    }
}

/* Packs the steps of a strip: what is beside its square on the diagonal, then panel by panel what is
 * beside theirs, and these. */
static void pack_mirrored(__global real *to, const long panel_size, const __global element *b,
                          const long ldb, const int n, const int j0, const int j1, const int p0,
                          const int p1, const int lower) {
    const int first = clamp(j0, p0, p1), last = clamp(j1, p0, p1);
    pack_beside(to, panel_size, b, ldb, n, j0, j1, p0, p1, lower);
    to += (long)(first - p0) * REG_N;
    for (int panel = j0; panel < j1; panel += REG_N, to += panel_size) {
        const int end = min(panel + REG_N, last);
        pack_beside(to, panel_size, b, ldb, n, panel, panel + REG_N, first, last, lower);
        for (int p = max(panel, first); p < end; p++)
            for (int e = 0; e < REG_N; e++) {
                const int j = panel + e, along = (p >= j) == lower || p == j;
                to[(long)(p - first) * REG_N + e] =
                    j >= n ? 0 : LOAD(b, along ? p + j * ldb : j + p * ldb);
            }
    }
}
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
clg_panel_pack(const int n, const int k, const int kc, const int triangle,
               const __global element *b, const long b_offset, const long ldb BATCH_STRIDE(b),
               __global real *packed BATCH_STRIDE(packed) BATCH_ARGS) {
    const int pad_n = (n + REG_N - 1) / REG_N * REG_N;
    const int strips = (n + STRIP - 1) / STRIP, chunks = (kc + CHUNK - 1) / CHUNK;
    const int group = GROUP_ID;
    const int k0 = group / strips / chunks * kc, kn = min(kc, k - k0);
    const int p0 = group / strips % chunks * CHUNK, j0 = group % strips * STRIP;
    const long step = k0 + p0;
#if MIRRORED
    if (p0 < kn)
        pack_mirrored(packed + PRODUCT_OF(packed) + (long)k0 * pad_n + (long)j0 * kn + (long)p0 * REG_N,
                      (long)REG_N * kn, b + b_offset + PRODUCT_OF(b), ldb, n, j0,
                      min(j0 + STRIP, pad_n), (int)step, (int)step + min(CHUNK, kn - p0),
                      triangle == 1);
#else
    const bool used = triangle == 1 ? step + CHUNK > j0 : triangle != 2 || step < j0 + STRIP;
    if (p0 < kn && used)
        pack_strip(packed + PRODUCT_OF(packed) + (long)k0 * pad_n + (long)j0 * kn +
                       (long)p0 * REG_N,
                   (long)REG_N * kn,
                   b + b_offset + PRODUCT_OF(b) + (B_ALONG_K ? step : step * ldb), ldb, n, j0,
                   min(j0 + STRIP, pad_n), min(CHUNK, kn - p0), B_ALONG_K, REG_N);
#endif
}

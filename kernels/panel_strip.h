/* SPDX-License-Identifier: Apache-2.0
 * Copies a strip of an operand into panels: for clg_panel (A) and clg_panel_pack (B). The build
 * puts this text in place of the #include.
 *
 * A panel is `width` neighbours along the outer dimension (m or n) by `depth` steps along k. The
 * neighbours are consecutive: panel[p * width + o]. */

#ifndef VEC
#define VEC 16
#endif
#ifndef REG_N
#define REG_N 12
#endif

/* Prefetches a cache line into the L1 cache or (FAR) the L2 cache. The compilers of PoCL and Intel's
 * CPU runtime take Clang's builtin, while prefetch() does nothing in PoCL and halves the speed in
 * Intel's. Mesa's translator to SPIR-V ends the process at the builtin. */
#if defined(POCL_DEVICE_ADDRESS_BITS) || defined(cl_intel_vec_len_hint)
#define PREFETCH(address) __builtin_prefetch(address)
#define PREFETCH_FAR(address) __builtin_prefetch(address, 0, 2)
#else
#define PREFETCH(address) prefetch((const __global char *)(address), 1)
#define PREFETCH_FAR PREFETCH
#endif

#define vec GLUE(real, VEC)
#define load GLUE(vload, VEC)
#define store GLUE(vstore, VEC)
#define PANEL_M (2 * VEC)
#define TRANSPOSE_K ((int)(64 / sizeof(element))) /* steps along k: a cache line of the source */

/* Copies one step along k of a panel; `width` is a constant. */
static inline void copy_step(__global real *to, const __global element *from, const int width) {
    if (width == PANEL_M) {
        *(__global vec *)to = LOAD_VECTOR(VEC, 0, from);
        *(__global vec *)(to + VEC) = LOAD_VECTOR(VEC, 1, from);
        return;
    }
    for (int v = 0; v < width / 4; v++)
        vstore4(LOAD_VECTOR(4, v, from), v, to);
    for (int e = width / 4 * 4; e < width; e++)
        to[e] = LOAD(from, e);
}

/* Transposes a square of four steps by four neighbours; the source runs along k. */
static inline void transpose_4x4(__global real *to, const __global element *from, const long ld,
                                 const long width) {
    const real4 r0 = LOAD_VECTOR(4, 0, from), r1 = LOAD_VECTOR(4, 0, from + ld);
    const real4 r2 = LOAD_VECTOR(4, 0, from + 2 * ld), r3 = LOAD_VECTOR(4, 0, from + 3 * ld);
    const real4 a = (real4)(r0.x, r1.x, r0.y, r1.y), b = (real4)(r2.x, r3.x, r2.y, r3.y);
    const real4 c = (real4)(r0.z, r1.z, r0.w, r1.w), d = (real4)(r2.z, r3.z, r2.w, r3.w);
    vstore4((real4)(a.x, a.y, b.x, b.y), 0, to);
    vstore4((real4)(a.z, a.w, b.z, b.w), 0, to + width);
    vstore4((real4)(c.x, c.y, d.x, d.y), 0, to + 2 * width);
    vstore4((real4)(c.z, c.w, d.z, d.w), 0, to + 3 * width);
}

/* Transposes TRANSPOSE_K steps of a whole panel. */
static inline void transpose_steps(__global real *to, const __global element *from, const long ld,
                                   const int width) {
    for (int o = 0; o + 4 <= width; o += 4) {
        for (int r = 0; r < 4; r++)
            PREFETCH(from + (o + r) * ld + 4 * TRANSPOSE_K);
        for (int p = 0; p < TRANSPOSE_K; p += 4)
            transpose_4x4(to + o + p * width, from + p + o * ld, ld, width);
    }
    for (int o = width / 4 * 4; o < width; o++)
        for (int p = 0; p < TRANSPOSE_K; p++)
            to[p * width + o] = LOAD(from, p + o * ld);
}

/* Packs `depth` steps of the panels that start at o0 .. o1 - 1, with zeros from `outer` on. Panels
 * are panel_size elements apart; x is the source at outer index 0. `along_k` (consecutive elements
 * of the source run along k) and `width` are constants. */
static inline void pack_strip(__global real *to, const long panel_size, const __global element *x,
                              const long ld, const int outer, const int o0, const int o1,
                              const int depth, const int along_k, const int width) {
    if (along_k) {
        for (int o = o0; o < o1; o += width, to += panel_size) {
            int p = 0;
            if (outer - o >= width)
                for (; p + TRANSPOSE_K <= depth; p += TRANSPOSE_K)
                    transpose_steps(to + (long)p * width, x + p + o * ld, ld, width);
            for (; p < depth; p++)
                for (int e = 0; e < width; e++)
                    to[(long)p * width + e] = o + e < outer ? LOAD(x, p + (o + e) * ld) : 0;
        }
        return;
    }
    const int whole = min(o1, outer / width * width);
    for (int p = 0; p < depth; p++, x += ld) {
        __global real *panel = to + (long)p * width;
        int o = o0;
        for (; o < whole; o += width, panel += panel_size)
            copy_step(panel, x + o, width);
        for (; o < o1; o += width, panel += panel_size) {
            int e = 0;
            if (width == PANEL_M && outer - o >= VEC) { /* the panel's first vector is whole */
                *(__global vec *)panel = LOAD_VECTOR(VEC, 0, x + o);
                e = VEC;
            }
            for (; e < width; e++)
                panel[e] = o + e < outer ? LOAD(x, o + e) : 0;
        }
    }
}

/* Packs those of steps p0 .. p1 - 1 that are before or after o0 .. o1 - 1, as pack_stored does. */
static inline void pack_beside(__global real *to, const long panel_size, const __global element *x,
                               const long ld, const int outer, const int o0, const int o1,
                               const int p0, const int p1, const int later, const int along_k,
                               const int mirrored, const int width) {
    for (int after = 0; after < 2; after++) {
        const int from = after ? clamp(o1, p0, p1) : p0, end = after ? p1 : clamp(o0, p0, p1);
        __global real *at = to + (long)(from - p0) * width;
        if (from >= end || !(mirrored || after == later))
            continue;
        if (mirrored ? along_k == (after == later) : along_k)
            pack_strip(at, panel_size, x + from, ld, outer, o0, o1, end - from, 1, width);
        else
            pack_strip(at, panel_size, x + from * ld, ld, outer, o0, o1, end - from, 0, width);
    }
}

/* Packs steps p0 .. p1 - 1 of a matrix that is stored, and read, where p >= o (`later`) or p <= o. What
 * is beside that is its mirror image if `mirrored`, which runs along k where the other does not; else
 * it is left out, or zeros in squares on the diagonal. The steps beside the strip's square are packed
 * at once, those in it panel by panel. x is the source at step 0, too; `mirrored` is a constant. */
static inline void pack_stored(__global real *to, const long panel_size, const __global element *x,
                               const long ld, const int outer, const int o0, const int o1,
                               const int p0, const int p1, const int later, const int along_k,
                               const int mirrored, const int width) {
    const int first = clamp(o0, p0, p1), last = clamp(o1, p0, p1);
    pack_beside(to, panel_size, x, ld, outer, o0, o1, p0, p1, later, along_k, mirrored, width);
    to += (long)(first - p0) * width;
    for (int o = o0; o < o1; o += width, to += panel_size) {
        const int end = min(o + width, last);
        pack_beside(to, panel_size, x, ld, outer, o, o + width, first, last, later, along_k, mirrored,
                    width);
        for (int p = max(o, first); p < end; p++)
            for (int e = 0; e < width; e++) {
                const int stored = later ? p >= o + e : p <= o + e;
                const long at = along_k == stored ? p + (o + e) * ld : o + e + p * ld;
                const int is_in = o + e < outer && (stored || mirrored);
                to[(long)(p - first) * width + e] = is_in ? LOAD(x, at) : 0;
            }
    }
}

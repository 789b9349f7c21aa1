/* SPDX-License-Identifier: Apache-2.0
 * Copying a strip of an operand into panels: what clg_panel (for A) and clg_panel_pack (for B) have
 * in common. The build puts this text in place of their #include.
 *
 * A panel is `width` neighbours of the outer dimension (m or n) by `depth` steps along k, the
 * neighbours consecutive: panel[p * width + o]. */

/* A line that will be read soon, to the nearest cache or (FAR) the second. OpenCL's prefetch() does
 * nothing in some runtimes; BUILTIN_PREFETCH=0 is for those that do not know the other. */
#ifndef BUILTIN_PREFETCH
#if defined(__clang__) && !defined(__NV_CL_C_VERSION)
#define BUILTIN_PREFETCH 1
#else
#define BUILTIN_PREFETCH 0
#endif
#endif
#if BUILTIN_PREFETCH
#define PREFETCH(address) __builtin_prefetch(address)
#define PREFETCH_FAR(address) __builtin_prefetch(address, 0, 2)
#else
#define PREFETCH(address)
#define PREFETCH_FAR PREFETCH
#endif

#define GLUE_(a, b) a##b
#define GLUE(a, b) GLUE_(a, b)
#define vec GLUE(float, VEC)
#define load GLUE(vload, VEC)
#define store GLUE(vstore, VEC)
#define PANEL_M (2 * VEC)
#define TURN 16 /* steps along k turned at a time: a line of the source */

/* Copies the panel's `width` floats of one step along k; `width` is a constant. */
static inline void copy_step(__global float *to, const __global float *from, const int width) {
    if (width == PANEL_M) {
        *(__global vec *)to = load(0, from);
        *(__global vec *)(to + VEC) = load(1, from);
        return;
    }
    for (int v = 0; v < width / 4; v++)
        vstore4(vload4(v, from), v, to);
    for (int e = width / 4 * 4; e < width; e++)
        to[e] = from[e];
}

/* Turns a square: four steps of four neighbours, which run along k in the source. */
static inline void turn_four(__global float *to, const __global float *from, const long ld,
                             const int width) {
    const float4 r0 = vload4(0, from), r1 = vload4(0, from + ld);
    const float4 r2 = vload4(0, from + 2 * ld), r3 = vload4(0, from + 3 * ld);
    const float4 a = (float4)(r0.x, r1.x, r0.y, r1.y), b = (float4)(r2.x, r3.x, r2.y, r3.y);
    const float4 c = (float4)(r0.z, r1.z, r0.w, r1.w), d = (float4)(r2.z, r3.z, r2.w, r3.w);
    vstore4((float4)(a.x, a.y, b.x, b.y), 0, to);
    vstore4((float4)(a.z, a.w, b.z, b.w), 0, to + width);
    vstore4((float4)(c.x, c.y, d.x, d.y), 0, to + 2 * width);
    vstore4((float4)(c.z, c.w, d.z, d.w), 0, to + 3 * width);
}

/* Turns TURN steps of a whole panel. */
static inline void turn_steps(__global float *to, const __global float *from, const long ld,
                              const int width) {
    for (int o = 0; o + 4 <= width; o += 4) {
        for (int r = 0; r < 4; r++)
            PREFETCH(from + (o + r) * ld + 4 * TURN);
        for (int p = 0; p < TURN; p += 4)
            turn_four(to + o + p * width, from + p + o * ld, ld, width);
    }
    for (int o = width / 4 * 4; o < width; o++)
        for (int p = 0; p < TURN; p++)
            to[p * width + o] = from[p + o * ld];
}

/* Packs `depth` steps of the panels that start at o0 .. o1 - 1 of `outer`, zeros from there on.
 * Panels lie panel_size apart; x is the source at outer index 0. `along_k` (consecutive elements of
 * the source run along k) and `width` are constants. */
static inline void pack_strip(__global float *to, const long panel_size, const __global float *x,
                              const long ld, const int outer, const int o0, const int o1,
                              const int depth, const int along_k, const int width) {
    if (along_k) {
        for (int o = o0; o < o1; o += width, to += panel_size) {
            int p = 0;
            if (outer - o >= width)
                for (; p + TURN <= depth; p += TURN)
                    turn_steps(to + (long)p * width, x + p + o * ld, ld, width);
            for (; p < depth; p++)
                for (int e = 0; e < width; e++)
                    to[(long)p * width + e] = o + e < outer ? x[p + (o + e) * ld] : 0.0f;
        }
        return;
    }
    const int whole = min(o1, outer / width * width);
    for (int p = 0; p < depth; p++, x += ld) {
        __global float *panel = to + (long)p * width;
        int o = o0;
        for (; o < whole; o += width, panel += panel_size)
            copy_step(panel, x + o, width);
        for (; o < o1; o += width, panel += panel_size)
            for (int e = 0; e < width; e++)
                panel[e] = o + e < outer ? x[o + e] : 0.0f;
    }
}

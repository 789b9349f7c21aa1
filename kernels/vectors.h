/* SPDX-License-Identifier: Apache-2.0
 * Loads and stores of 4, 2 or 1 elements, to and from arrays in registers; `width` is a constant in
 * all calls. The build puts this text in place of the #include, after real.h. */

static void read_global(real *to, const __global element *from, const int width) {
    if (width == 4)
        vstore4(LOAD_ALIGNED(4, from), 0, to);
    else if (width == 2)
        vstore2(LOAD_ALIGNED(2, from), 0, to);
    else
        *to = LOAD(from, 0);
}

static void write_global(__global element *to, const real *from, const int width) {
    if (width == 4)
        STORE_ALIGNED(4, vload4(0, from), to);
    else if (width == 2)
        STORE_ALIGNED(2, vload2(0, from), to);
    else
        STORE(to, 0, *from);
}

static void read_local(real *to, const __local real *from, const int width) {
    if (width == 4)
        vstore4(*(const __local real4 *)from, 0, to);
    else if (width == 2)
        vstore2(*(const __local real2 *)from, 0, to);
    else
        *to = *from;
}

static void write_local(__local real *to, const real *from, const int width) {
    if (width == 4)
        *(__local real4 *)to = vload4(0, from);
    else if (width == 2)
        *(__local real2 *)to = vload2(0, from);
    else
        *to = *from;
}

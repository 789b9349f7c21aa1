/* SPDX-License-Identifier: Apache-2.0
 * For kernels with a triangle T, of numbers: `values`, elements of a row of X or sums of them, of
 * type `lanes`. They have real parts and, if they are complex, imaginary ones. */
#ifdef COMPLEX
#define ONE (number)(1, 0)
typedef struct {
    lanes re, im;
} values;
#define ADD_TIMES(sum, t, value)                                   \
    (sum).re += (t).x * (value).re - (t).y * (value).im;           \
    (sum).im += (t).x * (value).im + (t).y * (value).re
#else
#define ONE 1
typedef struct {
    lanes re;
} values;
#define ADD_TIMES(sum, t, value) (sum).re += (t) * (value).re
#endif
#define SUBTRACT_TIMES(sum, t, value) ADD_TIMES(sum, -(t), value)

/* Row and column of element e of rows x columns, in the order of X in memory. */
#define ROW_OF(e, rows, columns) (ALONG_ROWS ? (e) % (rows) : (e) / (columns))
#define COLUMN_OF(e, rows, columns) (ALONG_ROWS ? (e) / (rows) : (e) % (columns))

/* Divides by the larger part first, so that no square overflows (Smith, Algorithm 116, 1962). */
static inline values quotient(values x, const number t) {
#ifdef COMPLEX
    values out;
    if (fabs(t.x) >= fabs(t.y)) {
        const real ratio = t.y / t.x, scale = t.x + t.y * ratio;
        out.re = (x.re + x.im * ratio) / scale;
        out.im = (x.im - x.re * ratio) / scale;
    } else {
        const real ratio = t.x / t.y, scale = t.x * ratio + t.y;
        out.re = (x.re * ratio + x.im) / scale;
        out.im = (x.im * ratio - x.re) / scale;
    }
    return out;
#else
    x.re /= t;
    return x;
#endif
}

/* SPDX-License-Identifier: Apache-2.0
 * The table of elements. */
#include "bench/element.h"

#include <stdio.h>

const struct element *element_of(clgemm_type type) {
    static const struct element elements[] = {
        [CLGEMM_F32] = {"f32", "SGEMM", 9, 24},   [CLGEMM_F64] = {"f64", "DGEMM", 17, 54},
        [CLGEMM_F16] = {"f16", "HGEMM", 9, 11},   [CLGEMM_BF16] = {"bf16", "BF16 GEMM", 9, 8},
        [CLGEMM_CF32] = {"cf32", "CGEMM", 9, 24}, [CLGEMM_CF64] = {"cf64", "ZGEMM", 17, 54},
    };
    return &elements[type];
}

/* Not inline: GCC 12 (-O2) then drops the conversions if two neighbouring values are rounded. */
double element_round(clgemm_type type, double value) {
    return clg_type_real(type) == CLGEMM_F64 ? value : (double)(float)value;
}

const char *factor_text(char text[FACTOR_TEXT], clgemm_type type, struct factor factor) {
    const int digits = element_of(type)->digits;
    const int length = snprintf(text, FACTOR_TEXT, "%.*g", digits, factor.re);
    if (factor.im != 0)
        snprintf(text + length, FACTOR_TEXT - (size_t)length, ",%.*g", digits, factor.im);
    return text;
}

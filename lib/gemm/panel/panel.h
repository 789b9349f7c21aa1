/* SPDX-License-Identifier: Apache-2.0
 * What the parts of the panel family share. */
#ifndef CLG_GEMM_PANEL_H
#define CLG_GEMM_PANEL_H

#include "gemm/family.h"

/* A CPU's vector registers as panels use them: AVX-512 has 32 of 64 bytes, AVX2 16 of 32, Neon 32
 * of 16. */
struct clg_panel_registers {
    int elements, count;
};
struct clg_panel_registers clg_panel_registers_of(clgemm_type type, const struct clg_facts *facts);

/* The choice of panels and tiles for a problem. False where another family is the better choice: on
 * other devices than CPUs, without a fast fma, and for what is too small. */
bool clg_panel_shape(const struct clg_problem *problem, const struct clg_facts *facts,
                     struct clg_params *out);

/* What the tuner asks of the family (gemm/panel/axes.c). */
extern const struct clg_axes clg_panel_axes;
enum clg_scheme clg_panel_scheme(const struct clg_params *params);
void clg_panel_describe(char text[CLG_DESCRIPTION], const struct clg_params *params);

#endif

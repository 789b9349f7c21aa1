/* SPDX-License-Identifier: Apache-2.0
 * What the parts of the panel family share. */
#ifndef CLG_GEMM_PANEL_H
#define CLG_GEMM_PANEL_H

#include "gemm/family.h"

/* A CPU's vector registers: AVX-512 has 32 of 64 bytes, AVX2 16 of 32, Neon 32 of 16. */
struct clg_panel_registers {
    int elements, count;
    int columns; /* of a panel that suits them */
};
struct clg_panel_registers clg_panel_registers_of(clgemm_type type, const struct clg_facts *facts);

/* Groups for each unit, which take work one by one. More than one, because some runtimes give the
 * first thread two groups. */
enum { CLG_PANEL_GROUPS = 2 };

/* Chooses panels and tiles for a problem. False if the device is not a CPU with a fast FMA, or if a
 * dimension is too large. */
bool clg_panel_shape(const struct clg_problem *problem, const struct clg_facts *facts,
                     const struct clg_costs *costs, struct clg_params *out);

/* How the kernel divides its work. */
struct clg_panel_work {
    int64_t slice_k, slices, tiles, tasks, groups;
    int64_t block;  /* elements of a group's block of A */
    bool sums;      /* are kept in workspace: k is split, or C is narrow and takes several blocks */
    double size;    /* bytes of a number in workspace */
    double bytes;   /* of all workspace */
    double largest; /* bytes of the largest workspace */
};

struct clg_panel_work clg_panel_divide(const struct clg_problem *problem,
                                       const struct clg_facts *facts, const struct clg_params *p);

/* Whether the operand is packed before the call. */
bool clg_panel_is_ahead(const struct clg_problem *problem, enum clg_matrix_index which);

/* Whether all of it must be packed: it was before the call, C may be in its place, or half of it is
 * mirrored. */
bool clg_panel_must_pack(const struct clg_problem *problem, enum clg_matrix_index which);

/* Columns of B's panels, or rows of A's; and elements of a packed matrix, in whole panels. */
int clg_panel_width(const struct clg_params *p, enum clg_matrix_index which);
int64_t clg_panel_packed_size(const struct clg_problem *problem, const struct clg_params *p,
                              enum clg_matrix_index which);

/* Adds the steps (gemm/panel/steps.c). */
void clg_panel_plan(struct clg_plan *plan, const struct clg_problem *problem,
                    const struct clg_facts *facts, const struct clg_params *p);

/* Adds the step that packs op(A) or op(B), of a triangle what is used, in panels of `width` rows or
 * columns that are cut every tile_k steps, and returns the workspace (kernels/panel_pack.cl). */
int clg_panel_pack(struct clg_plan *plan, const struct clg_problem *problem,
                   const struct clg_params *p, enum clg_matrix_index which, int width);

/* The packed layout of an operand that is packed already; else all 0. */
const struct clg_params *clg_panel_form(const struct clg_problem *problem);

#endif

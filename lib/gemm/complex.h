/* SPDX-License-Identifier: Apache-2.0
 * Complex products as real ones. Elements are pairs (re, im), so the m x n matrix C is stored as a
 * real one of 2m x n, and the k x n matrix B as one of 2k x n. With each column of A as two,
 *
 *     (re, im) and (-im, re)      for every element,
 *
 * A becomes a real 2m x 2k matrix, and C = A B holds for the three real matrices: the 8 m n k
 * operations of four real products, in one. Every family, mode and batch of real numbers serves. A
 * is written so before (kernels/complex_pack.cl), times alpha and with op() applied; B only if it
 * is transposed. A complex beta scales C before; a real one is the real product's.
 *
 * A family may also compute complex products itself, as `direct` does. */
#ifndef CLG_GEMM_COMPLEX_H
#define CLG_GEMM_COMPLEX_H

#include "gemm/plan.h"

/* The real product; a problem that is not complex itself. */
struct clg_problem clg_real_problem(const struct clg_problem *problem);

/* A problem as a family is asked for it. */
struct clg_posed {
    const struct clg_problem *problem; /* the given one, or `real` */
    const struct clg_facts *facts;     /* likewise, or `rest` */
    const char *unsupported_reason;    /* why the family cannot be asked, or NULL */
    double packed;                     /* bytes of the real operands, which are written before */
    int steps;                         /* and the steps that write them */
    struct clg_problem real;
    struct clg_facts rest; /* with the workspace that is left beside the real operands */
};

/* Poses the problem to a family that computes these types (clg_family.types) itself. *out points
 * into itself: it must not be copied. */
void clg_pose(struct clg_posed *out, unsigned types, const struct clg_problem *problem,
              const struct clg_facts *facts);

/* Begins and ends the plan of the posed problem: the family's steps belong between them. */
void clg_posed_begin(struct clg_plan *plan, const struct clg_posed *posed);
void clg_posed_end(struct clg_plan *plan, const struct clg_posed *posed,
                   const struct clg_problem *problem);

#endif

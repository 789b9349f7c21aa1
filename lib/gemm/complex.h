/* SPDX-License-Identifier: Apache-2.0
 * Complex products as real ones. Elements are pairs (re, im), so a matrix as it is stored is a real
 * one whose columns are twice as long. The 8 m n k operations of four real products are then one
 * real product, for which every family, mode and batch of real numbers serves. There are four
 * forms, by where pairs become numbers:
 *
 *     form            A         B         product
 *     CLG_FORM_INSIDE 2m x 2k   2k x n    2m x n, which is C
 *     CLG_FORM_A      the same
 *     CLG_FORM_B      m x 2k    2k x 2n   m x 2n: for each column of C its real and imaginary parts
 *     CLG_FORM_PARTS  2m x k    k x 2n    2m x 2n: all products of parts
 *
 * The operand with both sides twice as long is expanded: each of its columns is written as two, x
 * and i x (kernels/complex_pack.cl). Any other is used in place if its pairs run along the side
 * that is twice as long, else it is written transposed. A product that is not C is written to
 * workspace, from where kernels/complex_join.cl makes C. So the largest matrix is used in place,
 * whichever it is: of all forms that fit the workspace, that is taken which reads and writes least.
 *
 * In CLG_FORM_INSIDE the kernel expands A while it multiplies, and nothing is written. A family
 * that can do so takes it if alpha is real, B is in place and C not narrow.
 *
 * If only a triangle of C is computed, the real C has two rows for each column if it is the
 * product, and blocks of 2 x 2 along the diagonal in CLG_FORM_PARTS (kernels/triangle.h).
 * CLG_FORM_B is not used.
 *
 * CLG_FORM_A has alpha in A. Where C is the product, that has a real beta; a complex one scales C
 * before.
 *
 * Where no form fits, the last two serve for slabs of C's columns, one after the other: A stays in
 * place in one of them, and all that is in workspace is as wide as the slab (struct clg_portion).
 *
 * A family may also compute complex products itself, as `direct` does. */
#ifndef CLG_GEMM_COMPLEX_H
#define CLG_GEMM_COMPLEX_H

#include "gemm/plan.h"

/* The real product of CLG_FORM_A; a problem that is not complex itself. */
struct clg_problem clg_real_problem(const struct clg_problem *problem);

/* A problem as a family is asked for it. */
struct clg_posed {
    const struct clg_problem *problem; /* the given one, or `real` */
    const struct clg_facts *facts;     /* likewise, or `rest` */
    const char *unsupported_reason;    /* why the family cannot be asked, or NULL */
    enum clg_form form;                /* CLG_FORM_OPEN if the problem is the given one */
    double workspace;                  /* bytes of matrices that are written before or after */
    double moved;                      /* bytes that the steps for this read and write */
    int steps;                         /* the steps, but that which scales C */
    int64_t slab, apart;               /* as in the plan */
    struct clg_problem real;           /* of a slab */
    struct clg_facts rest;             /* with the workspace that is left */
};

/* Poses the problem to a family that computes these types (clg_family.types) itself, others in this
 * form, or CLG_FORM_OPEN; CLG_FORM_INSIDE only if it `expands`. *out points into itself: it must
 * not be copied. */
void clg_pose(struct clg_posed *out, unsigned types, enum clg_form only, bool expands,
              const struct clg_problem *problem, const struct clg_facts *facts);

/* Begins and ends the plan of the posed problem: the family's steps belong between them. */
void clg_posed_begin(struct clg_plan *plan, const struct clg_posed *posed);
void clg_posed_end(struct clg_plan *plan, const struct clg_posed *posed,
                   const struct clg_problem *problem);

#endif

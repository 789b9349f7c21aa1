/* SPDX-License-Identifier: Apache-2.0
 * What the families that multiply residues share: the steps before and after the product
 * (kernels/residues.h). */
#ifndef CLG_GEMM_RESIDUES_H
#define CLG_GEMM_RESIDUES_H

#include "gemm/family.h"

/* As in the kernels. A row's stage has as many bytes as steps of k. */
enum { CLG_RESIDUES_ROW_BYTES = 128 };

/* How a family multiplies residues, and who computes the tiles that have an infinity or a NaN. */
struct clg_residues {
    const char *source; /* the kernel of the product, */
    const char *norms;  /* and that of norms */
    const char *product_options;
    const char *options; /* for the other kernels that know its layout of residues */
    int crt_each[2];     /* elements of a work-item that puts them together: real, complex */
    int group_size;      /* of that kernel; 0: WG_M x WG_N */
    bool stays;          /* a group computes tiles until none is left; else one */
    const struct clg_family *rest;
    const struct clg_params *rest_params;
};

/* Why the steps cannot compute the problem with these parameters, or NULL. */
const char *clg_residues_unsupported_reason(const struct clg_residues *how,
                                            const struct clg_problem *problem,
                                            const struct clg_facts *facts,
                                            const struct clg_params *p);

/* Adds all steps. */
void clg_residues_plan(struct clg_plan *plan, const struct clg_residues *how,
                       const struct clg_facts *facts, const struct clg_params *p);

/* Programs depend on remainders by the tile of `rest` as well. */
struct clg_tile clg_residues_tile(const struct clg_residues *how, const struct clg_params *p);

/* Columns of C whose residues fit the device's memory at a time: the plan's slab; 0 if too few do.
 */
int64_t clg_residues_slab(const struct clg_problem *problem, const struct clg_facts *facts,
                          const struct clg_params *p);

/* Tiles of so many columns of C, and stages of k. */
int64_t clg_residues_tiles(const struct clg_problem *problem, const struct clg_params *p,
                           int64_t columns);
int64_t clg_residues_stages(const struct clg_problem *problem);

/* Whether a further product, of magnitudes, certifies the error: in mode accurate. */
bool clg_residues_is_certified(const struct clg_problem *problem);

/* Products of bytes for each tile of C: one for each modulus (14, or 13 where that keeps the bound
 * of normwise), two for complex numbers; and one for the magnitudes. */
int clg_residues_planes(const struct clg_problem *problem);

/* Microseconds of all steps, of which the products take so many for a slab. */
double clg_residues_us(const struct clg_problem *problem, const struct clg_costs *costs,
                       int64_t slab, double products_us);

#endif

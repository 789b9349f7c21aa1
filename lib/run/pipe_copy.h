/* SPDX-License-Identifier: Apache-2.0
 * Copies between host matrices and slots of pinned memory. */
#ifndef CLG_RUN_PIPE_COPY_H
#define CLG_RUN_PIPE_COPY_H

#include "run/host_matrices.h"
#include "run/pipe_steps.h"

/* Copies a piece of the problem's matrices into its slot, or back. Gaps between columns are not
 * touched on either side. */
void clg_pipe_copy(const struct clg_problem *problem, const struct clg_host_matrices *host,
                   const struct clg_pipe_piece *piece, char *slot, bool to_host);

/* The address of the piece's first element in the host's matrix. */
void *clg_pipe_host_place(const struct clg_problem *problem, const struct clg_host_matrices *host,
                          const struct clg_pipe_piece *piece);

#endif

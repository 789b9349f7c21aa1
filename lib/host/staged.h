/* SPDX-License-Identifier: Apache-2.0
 * Transfers of matrices through pinned memory that threads fill and empty. */
#ifndef CLG_HOST_STAGED_H
#define CLG_HOST_STAGED_H

#include "device/buffer.h"
#include "device/device.h"

/* The part of a matrix that is transferred: of column j the rows from j on, or those up to j. To
 * the device some elements beside a triangle may go, too; on the host nothing beside it is
 * written. */
enum clg_part { CLG_PART_ALL, CLG_PART_FROM_DIAGONAL, CLG_PART_TO_DIAGONAL };

/* Transfers that part of the matrix from `memory` to the device, or back, after all earlier
 * commands of the in-order queue. `element` is the size of an element in bytes. Returns when the
 * host's memory is no longer used, to the device perhaps before the transfer has ended. */
clgemm_status clg_staged_transfer(struct clg_device *device, cl_command_queue queue,
                                  enum clg_direction direction, const struct clg_strided *matrix,
                                  size_t element, enum clg_part part, void *memory);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * The first line of a tuning file. */
#ifndef CLG_GEMM_TUNING_HEAD_H
#define CLG_GEMM_TUNING_HEAD_H

#include "gemm/tuning_file.h"
#include "gemm/tuning_scan.h"

/* {"schema": "...", "device": {...}, "break_even": {...}, "rows": [
 * and nothing more. Without a break-even, *break_even stays as it is. False, with the scan's `why`,
 * where it is no such line. */
bool clg_tuning_head_read(struct clg_scan *scan, struct clg_tuning_device *device,
                          struct clg_break_even *break_even);

#endif

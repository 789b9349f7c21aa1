/* SPDX-License-Identifier: Apache-2.0
 * A row of a tuning file: one line of text. */
#ifndef CLG_TUNING_ROW_TEXT_H
#define CLG_TUNING_ROW_TEXT_H

#include "base/json_scan.h"
#include "base/json_writer.h"
#include "tuning/table.h"

enum clg_tuning_row_kind {
    CLG_TUNING_ROW_GOOD,
    CLG_TUNING_ROW_UNSERVED, /* for something that this version does not support; a later may */
    CLG_TUNING_ROW_DAMAGED
};

/* Reads a line, an object with or without a comma after it, into `row` if it is good; else the
 * scan's `why` has the reason. Unknown members are skipped, and counted by the scan. */
enum clg_tuning_row_kind clg_tuning_row_read(struct clg_json_scan *scan,
                                             struct clg_tuning_row *row);

/* Reads {"TILE_M": 128, ...}; tunables that are not named are 0. False if a name is unknown. */
bool clg_tuning_params_read(struct clg_json_scan *scan, struct clg_params *out);

/* Writes them as the member "params". */
void clg_tuning_params_write(struct clg_json *json, const struct clg_params *params);

/* Writes a row as the next value. */
void clg_tuning_row_write(struct clg_json *json, const struct clg_tuning_row *row);

#endif

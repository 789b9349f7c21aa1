/* SPDX-License-Identifier: Apache-2.0
 * A row of a tuning file: one line of its text. */
#ifndef CLG_TUNING_ROW_TEXT_H
#define CLG_TUNING_ROW_TEXT_H

#include "base/json_scan.h"
#include "base/json_writer.h"
#include "tuning/table.h"

enum clg_tuning_row_kind {
    CLG_TUNING_ROW_GOOD,
    CLG_TUNING_ROW_UNSERVED, /* for what this version does not know or serve; a later one may */
    CLG_TUNING_ROW_DAMAGED
};

/* Reads a line that is an object, with or without a comma behind it, into `row` if it is good; else
 * the scan's `why` says why not. Members that nobody knows are skipped, and counted by the scan. */
enum clg_tuning_row_kind clg_tuning_row_read(struct clg_json_scan *scan,
                                             struct clg_tuning_row *row);

/* Writes a row as the next value. */
void clg_tuning_row_write(struct clg_json *json, const struct clg_tuning_row *row);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * The text of a tuning file: JSON, one object a line, of one device with one driver.
 *
 *     {"schema": "clgemm-tuning/1", "device": {"name": "...", ...}, "break_even": {...},
 *      "host": {...}, "rows": [
 *     {"m": 1024, "n": 1024, "k": 1024, "ta": false, ..., "params": {"TILE_M": 64, ...}, ...},
 *     ...
 *     ]}
 *
 * A line is good or bad by itself: a row that cannot be understood is left out, the rest serves. So
 * it is with rows for what this version does not know or serve, which are no damage: a later
 * version wrote them.
 * docs/tuning.md describes every member. */
#ifndef CLG_TUNING_FILE_H
#define CLG_TUNING_FILE_H

#include "tuning/head.h"

enum { CLG_TUNING_FILE_MOST = 1 << 20 }; /* bytes */

struct clg_tuning_file {
    struct clg_tuning_device device;
    struct clg_break_even break_evens[CLG_TYPE_COUNT]; /* flops 0: the file has none */
    struct clg_host_speeds speeds;                     /* up_mb_s 0: the file has none */
    struct clg_tuning_row *rows;
    int *lines; /* of the rows, from 1 */
    size_t count, rows_room, lines_room;
    char *unserved; /* rows that this version does not serve, as they are, each with a newline
                       behind it; NULL: none */
    size_t num_unserved, unserved_size, unserved_room;
    bool out_of_memory; /* before the end */
    size_t faults;
    char why[CLG_TUNING_WHY]; /* the first: "NAME:LINE: ..."; "" if none */
};

/* Reads a text that `name` names in messages; of a device that is not `only` (NULL: any) no more
 * than the head. False where the head is no good, or memory is short: then it has nothing that
 * counts. Each fault is counted and logged; rows that are not served and members that are not known
 * are logged once. Release it either way. */
bool clg_tuning_file_parse(struct clg_tuning_file *out, const char *name, const char *text,
                           size_t size, const struct clg_tuning_device *only);
void clg_tuning_file_release(struct clg_tuning_file *file);

/* Counts and logs a fault; line 0: the file's as a whole. */
void clg_tuning_file_fault(struct clg_tuning_file *file, const char *name, int line,
                           const char *why);

/* The whole text of what a file has, owned by the caller (free), or NULL where memory is short. */
char *clg_tuning_file_format(const struct clg_tuning_file *file, size_t *size);

#endif

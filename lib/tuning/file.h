/* SPDX-License-Identifier: Apache-2.0
 * The text of a tuning file for one device with one driver: JSON, one object a line.
 *
 *     {"schema": "clgemm-tuning/1", "device": {"name": "...", ...}, "break_even": {...},
 *      "host": {...}, "rows": [
 *     {"m": 1024, "n": 1024, "k": 1024, "ta": false, ..., "params": {"TILE_M": 64, ...}, ...},
 *     ...
 *     ]}
 *
 * Each line is valid or invalid by itself: a row that cannot be read is skipped, and the others are
 * used. Rows for something that this version does not support are skipped too, but are not faults:
 * a later version wrote them. docs/tuning.md describes every member. */
#ifndef CLG_TUNING_FILE_H
#define CLG_TUNING_FILE_H

#include "tuning/head.h"

enum { CLG_TUNING_FILE_MOST = 1 << 20 }; /* bytes */

struct clg_tuning_file {
    struct clg_tuning_device device;
    struct clg_tuning_once once;
    struct clg_tuning_row *rows;
    int *lines; /* of the rows, from 1 */
    size_t count, rows_room, lines_room;
    char *unserved; /* the text of rows that this version does not support, each with a newline at
                       its end; NULL: none */
    size_t num_unserved, unserved_size, unserved_room;
    bool out_of_memory; /* the file was not read to its end */
    size_t faults;
    char why[CLG_TUNING_WHY]; /* the first: "NAME:LINE: ..."; "" if none */
};

/* Reads a text, which messages call `name`. If its device is not `only` (NULL: any), reads only the
 * head. Returns false if the head is invalid or memory is short: then the result must not be used.
 * Each fault is counted and logged; unsupported rows and unknown members are logged once for the
 * file. Release it in any case. */
bool clg_tuning_file_parse(struct clg_tuning_file *out, const char *name, const char *text,
                           size_t size, const struct clg_tuning_device *only);
void clg_tuning_file_release(struct clg_tuning_file *file);

/* The whole text of a file, which the caller frees, or NULL if memory is short. */
char *clg_tuning_file_format(const struct clg_tuning_file *file, size_t *size);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * The text of a tuning file: JSON, one object a line, of one device with one driver.
 *
 *     {"schema": "clgemm-tuning/1", "device": {"name": "...", ...}, "break_even": {...}, "rows": [
 *     {"m": 1024, "n": 1024, "k": 1024, "ta": false, ..., "params": {"TILE_M": 64, ...}, ...},
 *     ...
 *     ]}
 *
 * A line is good or bad by itself: a row that cannot be understood is left out, the rest serves.
 * docs/tuning.md describes every member. */
#ifndef CLG_GEMM_TUNING_FILE_H
#define CLG_GEMM_TUNING_FILE_H

#include "gemm/tuning.h"

#define CLG_TUNING_SCHEMA "clgemm-tuning/1"

enum { CLG_TUNING_FILE_MOST = 1 << 20 }; /* bytes */

/* What rows of a file were measured on. */
struct clg_tuning_device {
    char name[CLG_FACT_TEXT], vendor[CLG_FACT_TEXT], platform[CLG_FACT_TEXT];
    char driver[CLG_FACT_TEXT];
    uint32_t compute_units;
};

struct clg_tuning_device clg_tuning_device_of(const struct clg_facts *facts);

/* The same device, whatever its driver: name, platform and compute units. */
bool clg_tuning_same_device(const struct clg_tuning_device *left,
                            const struct clg_tuning_device *right);

enum { CLG_TUNING_FILE_NAME = 64 };

/* "NVIDIA-H200-0123abcd.json": other for another device, platform, number of units or driver. */
void clg_tuning_file_name(const struct clg_tuning_device *device, char out[CLG_TUNING_FILE_NAME]);

struct clg_tuning_file {
    struct clg_tuning_device device;
    struct clg_break_even break_even; /* flops 0: the file has none */
    struct clg_tuning_row *rows;
    int *lines; /* of the rows, from 1 */
    size_t count;
    size_t faults;
    char why[CLG_TUNING_WHY]; /* the first: "NAME:LINE: ..."; "" if none */
};

/* Reads a text that `name` names in messages; of a device that is not `only` (NULL: any) no more
 * than the head. False where the head is no good, or memory is out: then there are no rows. Each
 * fault is counted and logged. Release it either way. */
bool clg_tuning_file_parse(struct clg_tuning_file *out, const char *name, const char *text,
                           size_t size, const struct clg_tuning_device *only);
void clg_tuning_file_release(struct clg_tuning_file *file);

/* Counts and logs a fault; line 0: the file's as a whole. */
void clg_tuning_file_fault(struct clg_tuning_file *file, const char *name, int line,
                           const char *why);

/* The whole text, owned by the caller (free), or NULL where memory is out. `break_even` may have
 * none. */
char *clg_tuning_file_format(const struct clg_tuning_device *device,
                             const struct clg_break_even *break_even,
                             const struct clg_tuning_row *rows, size_t count, size_t *size);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * The first line of a tuning file, and the device that it names. */
#ifndef CLG_TUNING_HEAD_H
#define CLG_TUNING_HEAD_H

#include "base/json_scan.h"
#include "base/json_writer.h"
#include "tuning/table.h"

#define CLG_TUNING_SCHEMA "clgemm-tuning/1"

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

/* A text of a file, which may have what a driver says as it is: as UTF-8, and no longer than fits,
 * so that it can be written and read again. At most CLG_FACT_TEXT bytes. */
bool clg_tuning_read_text(struct clg_json_scan *scan, char *out, size_t size);

/* {"schema": "...", "device": {...}, "break_even": {...}, "host": {...}, "rows": [
 * in any order between the first and the last, and nothing behind; members that nobody knows are
 * skipped. A type's break-even that is not there stays as it is in `break_evens`, and so
 * do `speeds`. False, with the
 * scan's `why`, where it is no such line. */
bool clg_tuning_head_read(struct clg_json_scan *scan, struct clg_tuning_device *device,
                          struct clg_break_even break_evens[CLG_TYPE_COUNT],
                          struct clg_host_speeds *speeds);

/* The member "host" as it is in the head; nothing, where it was not measured. */
void clg_host_speeds_write(struct clg_json *json, const struct clg_host_speeds *speeds);

/* The member that has something of a type: "break_even_f64" for "break_even" and F64 into text,
 * which it returns; of F32 "break_even", as it was when there was no other. */
enum { CLG_TYPE_MEMBER = 32 };
const char *clg_type_member(char text[CLG_TYPE_MEMBER], const char *of_f32, clgemm_type type);

#endif

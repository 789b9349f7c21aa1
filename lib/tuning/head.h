/* SPDX-License-Identifier: Apache-2.0
 * The first line of a tuning file, and the device that it names. */
#ifndef CLG_TUNING_HEAD_H
#define CLG_TUNING_HEAD_H

#include "base/json_scan.h"
#include "base/json_writer.h"
#include "tuning/table.h"

#define CLG_TUNING_SCHEMA "clgemm-tuning/1"

/* The device on which the rows of a file were measured. */
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

/* "NVIDIA-H200-0123abcd.json", for example; depends on device, platform, units and driver. */
void clg_tuning_file_name(const struct clg_tuning_device *device, char out[CLG_TUNING_FILE_NAME]);

/* Reads a text, which may contain any bytes from a driver. Makes it valid UTF-8 that fits in `size`
 * bytes (at most CLG_FACT_TEXT), so that it can be written and read again. */
bool clg_tuning_read_text(struct clg_json_scan *scan, char *out, size_t size);

/* Reads the line
 *
 *     {"schema": "...", "device": {...}, "break_even": {...}, "host": {...}, "rows": [
 *
 * with the members between the first and the last in any order, and nothing after it. Unknown
 * members are skipped. If a break-even or the host speeds are missing, `break_evens` or `speeds`
 * keep their values. Returns false, with the scan's `why`, if the line is invalid. */
bool clg_tuning_head_read(struct clg_json_scan *scan, struct clg_tuning_device *device,
                          struct clg_break_even break_evens[CLG_TYPE_COUNT],
                          struct clg_host_speeds *speeds);

/* The head's member "device": its value, and the whole of it. */
bool clg_tuning_device_read(struct clg_json_scan *scan, struct clg_tuning_device *out);
void clg_tuning_device_write(struct clg_json *json, const struct clg_tuning_device *device);

/* Writes the head's member "host"; nothing if the speeds were not measured. */
void clg_host_speeds_write(struct clg_json *json, const struct clg_host_speeds *speeds);

/* Writes the name of a type's member to `text`, and returns it: "break_even_f64" for "break_even"
 * and F64. F32 has no suffix, because it was once the only type. */
enum { CLG_TYPE_MEMBER = 32 };
const char *clg_type_member(char text[CLG_TYPE_MEMBER], const char *of_f32, clgemm_type type);

#endif

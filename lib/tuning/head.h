/* SPDX-License-Identifier: Apache-2.0
 * What tuning files say of a device: its names, break-evens and host speeds. */
#ifndef CLG_TUNING_HEAD_H
#define CLG_TUNING_HEAD_H

#include "tuning/fields.h"
#include "tuning/table.h"

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

/* Counts and logs a fault of a file; `first` gets the first one. line 0: of the file as a whole. */
void clg_tuning_fault(size_t *faults, char first[CLG_TUNING_WHY], const char *name, int line,
                      const char *why);

/* Of struct clg_tuning_device, struct clg_break_even and struct clg_host_speeds. */
extern const struct clg_fields clg_tuning_device_fields, clg_break_even_fields,
    clg_host_speeds_fields;

/* Writes the member "host"; nothing if the speeds were not measured. */
void clg_host_speeds_write(struct clg_json *json, const struct clg_host_speeds *speeds);

/* Writes the name of a type's member to `text`, and returns it: "break_even_f64" for "break_even"
 * and F64. F32 has no suffix, because it was once the only type. */
enum { CLG_TYPE_MEMBER = 32 };
const char *clg_type_member(char text[CLG_TYPE_MEMBER], const char *of_f32, clgemm_type type);

#endif

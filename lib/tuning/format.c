/* SPDX-License-Identifier: Apache-2.0
 * Writes the text of a tuning file. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuning/file.h"
#include "tuning/row_text.h"

void clg_tuning_device_write(struct clg_json *json, const struct clg_tuning_device *device) {
    clg_json_open(json, "device", '{');
    clg_json_text(json, "name", device->name);
    clg_json_text(json, "vendor", device->vendor);
    clg_json_text(json, "platform", device->platform);
    clg_json_text(json, "driver", device->driver);
    clg_json_count(json, "compute_units", device->compute_units);
    clg_json_close(json, '}');
}

static void write_break_even(struct clg_json *json, const struct clg_break_even *break_even) {
    char member[CLG_TYPE_MEMBER];
    if (!break_even->flops)
        return;
    clg_json_open(json, clg_type_member(member, "break_even", break_even->type), '{');
    clg_json_count(json, "flops", (uint64_t)break_even->flops);
    clg_json_text(json, "against", break_even->against);
    clg_json_text(json, "date", break_even->date);
    clg_json_text(json, "version", break_even->version);
    clg_json_close(json, '}');
}

void clg_host_speeds_write(struct clg_json *json, const struct clg_host_speeds *speeds) {
    if (!speeds->up_mb_s)
        return;
    clg_json_open(json, "host", '{');
#define WRITE_SPEED(name) clg_json_count(json, #name, (uint64_t)speeds->name);
    CLG_HOST_SPEEDS(WRITE_SPEED)
#undef WRITE_SPEED
    clg_json_text(json, "date", speeds->date);
    clg_json_text(json, "version", speeds->version);
    clg_json_close(json, '}');
}

static void write_rows(struct clg_json *json, const struct clg_tuning_file *file) {
    clg_json_open(json, "rows", '[');
    for (size_t i = 0; i < file->count; i++) {
        clg_json_line(json, 0);
        clg_tuning_row_write(json, &file->rows[i]);
    }
    const char *line = file->unserved;
    for (size_t i = 0; i < file->num_unserved; i++) {
        const size_t size = strcspn(line, "\n");
        clg_json_line(json, 0);
        clg_json_raw(json, NULL, line, size);
        line += size + 1;
    }
    clg_json_line(json, 0);
    clg_json_close(json, ']');
}

char *clg_tuning_file_format(const struct clg_tuning_file *file, size_t *size) {
    char *text = NULL;
    struct clg_json json = {.out = open_memstream(&text, size), .flat = true};
    if (!json.out)
        return NULL;
    clg_json_open(&json, NULL, '{');
    clg_json_text(&json, "schema", CLG_TUNING_SCHEMA);
    clg_tuning_device_write(&json, &file->device);
    for (int type = 0; type < CLG_TYPE_COUNT; type++)
        write_break_even(&json, &file->break_evens[type]);
    clg_host_speeds_write(&json, &file->speeds);
    write_rows(&json, file);
    clg_json_close(&json, '}');
    if (fclose(json.out) == 0 && !json.failed)
        return text;
    free(text);
    return NULL;
}

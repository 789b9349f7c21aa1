/* SPDX-License-Identifier: Apache-2.0
 * Writing the text of a tuning file. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gemm/family.h"
#include "gemm/tuning_file.h"

/* A text that grows. Once memory is out it stays as it is. */
struct text {
    char *bytes;
    size_t used, room;
    bool failed;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...) {
    char part[512];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(part, sizeof part, format, args);
    va_end(args);
    if (text->used + (size_t)length >= text->room) {
        const size_t room = 2 * text->room + (size_t)length + 1024;
        char *grown = realloc(text->bytes, room);
        text->failed |= !grown;
        text->bytes = grown ? grown : text->bytes;
        text->room = grown ? room : text->room;
    }
    if (!text->failed)
        memcpy(text->bytes + text->used, part, (size_t)length + 1);
    text->used += text->failed ? 0 : (size_t)length;
}

static void add_string(struct text *text, const char *name, const char *value) {
    add(text, "\"%s\": \"", name);
    for (; *value; value++)
        if (*value == '"' || *value == '\\')
            add(text, "\\%c", *value);
        else if ((unsigned char)*value < 0x20)
            add(text, "\\u%04x", (unsigned char)*value);
        else
            add(text, "%c", *value);
    add(text, "\"");
}

static void add_stamp(struct text *text, const char *date, const char *version) {
    add_string(text, "date", date);
    add(text, ", ");
    add_string(text, "version", version);
}

static void add_row(struct text *text, const struct clg_tuning_row *row) {
    const struct clg_tuning_shape *shape = &row->shape;
    const int64_t rounded = llround(row->ms * 1e6), ns = rounded < 1 ? 1 : rounded;
    const char *comma = "";
    add(text,
        "{\"m\": %" PRId64 ", \"n\": %" PRId64 ", \"k\": %" PRId64 ", \"ta\": %s, \"tb\": %s, "
        "\"aligned\": %s, \"family\": \"%s\", \"params\": {",
        shape->m, shape->n, shape->k, shape->ta ? "true" : "false", shape->tb ? "true" : "false",
        shape->aligned ? "true" : "false", row->family->name);
    for (size_t i = 0; i < CLG_TUNABLE_COUNT; i++) {
        const int value = clg_params_get(&row->params, &clg_tunables[i]);
        if (value) {
            add(text, "%s\"%s\": %d", comma, clg_tunables[i].name, value);
            comma = ", ";
        }
    }
    /* Not by %f, whose point depends on the locale. */
    add(text, "}, \"ms\": %" PRId64 ".%06" PRId64 ", ", ns / 1000000, ns % 1000000);
    add_stamp(text, row->date, row->version);
    add(text, "}");
}

static void add_break_even(struct text *text, const struct clg_break_even *break_even) {
    add(text, "\"break_even\": {\"flops\": %" PRId64 ", ", break_even->flops);
    add_string(text, "against", break_even->against);
    add(text, ", ");
    add_stamp(text, break_even->date, break_even->version);
    add(text, "}, ");
}

char *clg_tuning_file_format(const struct clg_tuning_device *device,
                             const struct clg_break_even *break_even,
                             const struct clg_tuning_row *rows, size_t count, size_t *size) {
    struct text text = {NULL, 0, 0, false};
    add(&text, "{\"schema\": \"" CLG_TUNING_SCHEMA "\", \"device\": {");
    add_string(&text, "name", device->name);
    add(&text, ", ");
    add_string(&text, "vendor", device->vendor);
    add(&text, ", ");
    add_string(&text, "platform", device->platform);
    add(&text, ", ");
    add_string(&text, "driver", device->driver);
    add(&text, ", \"compute_units\": %" PRIu32 "}, ", device->compute_units);
    if (break_even->flops)
        add_break_even(&text, break_even);
    add(&text, "\"rows\": [\n");
    for (size_t i = 0; i < count; i++) {
        add_row(&text, &rows[i]);
        add(&text, i + 1 < count ? ",\n" : "\n");
    }
    add(&text, "]}\n");
    if (text.failed) {
        free(text.bytes);
        return NULL;
    }
    *size = text.used;
    return text.bytes;
}

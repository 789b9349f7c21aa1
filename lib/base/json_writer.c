/* SPDX-License-Identifier: Apache-2.0
 * Writes JSON. */
#include "base/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/format.h"

/* A double printed with %f: 309 digits, a point, and at most this many decimals. */
enum { MOST_DECIMALS = 32, NUMBER = 320 + MOST_DECIMALS };

/* ---- Bytes ---- */

static void put(struct clg_json *json, const char *bytes, size_t size) {
    json->failed = json->failed || fwrite(bytes, 1, size, json->out) != size;
}

static void put_text(struct clg_json *json, const char *text) {
    put(json, text, strlen(text));
}

static void put_string(struct clg_json *json, const char *text) {
    char escape[8];
    put_text(json, "\"");
    while (*text) {
        const size_t length = clg_utf8_length(text);
        const unsigned char first = (unsigned char)*text;
        if (first == '"' || first == '\\') {
            put_text(json, "\\");
            put(json, text, 1);
        } else if (first < 0x20 || first == 0x7f) {
            snprintf(escape, sizeof escape, "\\u%04x", first);
            put_text(json, escape);
        } else if (length) {
            put(json, text, length);
        } else {
            put_text(json, CLG_UTF8_REPLACEMENT);
        }
        text += length ? length : 1;
    }
    put_text(json, "\"");
}

static void put_line(struct clg_json *json, int indentation) {
    put_text(json, "\n");
    for (int i = 0; i < indentation; i++)
        put_text(json, " ");
}

/* ---- Values ---- */

/* Writes what precedes a value: comma, newline, key. */
static void begin(struct clg_json *json, const char *key) {
    if (json->started)
        put_text(json, ",");
    if (!json->flat && json->depth)
        put_line(json, 2 * json->depth);
    else if (json->line)
        put_line(json, json->line - 1);
    else if (json->started)
        put_text(json, " ");
    if (key) {
        put_string(json, key);
        put_text(json, ": ");
    }
    json->started = true;
    json->line = 0;
}

void clg_json_open(struct clg_json *json, const char *key, char bracket) {
    begin(json, key);
    put(json, &bracket, 1);
    json->depth++;
    json->started = false;
}

void clg_json_close(struct clg_json *json, char bracket) {
    json->depth--;
    if (!json->flat && json->started)
        put_line(json, 2 * json->depth);
    else if (json->line)
        put_line(json, json->line - 1);
    put(json, &bracket, 1);
    json->started = true;
    json->line = 0;
    if (json->depth == 0)
        put_text(json, "\n");
}

void clg_json_line(struct clg_json *json, int indentation) {
    json->line = json->flat ? indentation + 1 : 0;
}

void clg_json_raw(struct clg_json *json, const char *key, const char *value, size_t size) {
    begin(json, key);
    put(json, value, size);
}

void clg_json_text(struct clg_json *json, const char *key, const char *text) {
    begin(json, key);
    if (text)
        put_string(json, text);
    else
        put_text(json, "null");
}

void clg_json_count(struct clg_json *json, const char *key, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    begin(json, key);
    put_text(json, text);
}

void clg_json_bool(struct clg_json *json, const char *key, bool value) {
    begin(json, key);
    put_text(json, value ? "true" : "false");
}

static void write_number(struct clg_json *json, const char *key, const char *text, double value) {
    begin(json, key);
    if (isfinite(value))
        put_text(json, text);
    else
        put_text(json, "null");
}

void clg_json_number(struct clg_json *json, const char *key, double value) {
    clg_json_digits(json, key, value, 9);
}

void clg_json_digits(struct clg_json *json, const char *key, double value, int digits) {
    char text[NUMBER];
    clg_format(text, sizeof text, "%.*g", digits, value);
    write_number(json, key, text, value);
}

void clg_json_decimals(struct clg_json *json, const char *key, double value, int decimals) {
    char text[NUMBER];
    clg_format(text, sizeof text, "%.*f", decimals < MOST_DECIMALS ? decimals : MOST_DECIMALS,
               value);
    write_number(json, key, text, value);
}

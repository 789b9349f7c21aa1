/* SPDX-License-Identifier: Apache-2.0
 * Writes JSON, with commas, lines and escapes. Independent of the locale. */
#ifndef CLG_BASE_JSON_WRITER_H
#define CLG_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* If all but `out` is zero, each value is written on a line of its own, indented. */
struct clg_json {
    FILE *out;
    bool flat;    /* on one line, except where clg_json_line asks for a new one */
    bool failed;  /* a write failed, and nothing is written any more. ferror() is not enough: that
                     of an open_memstream() stream stays 0 when memory is short */
    bool started; /* the innermost object or array has a member */
    int depth;
    int line; /* flat: the indentation of the line due next, plus one; 0: none is due */
};

/* In each, `key` is NULL within arrays and for the outermost value. */

/* Opens an object ('{') or array ('['); closes one with '}' or ']'. A newline follows the outermost
 * one. */
void clg_json_open(struct clg_json *json, const char *key, char bracket);
void clg_json_close(struct clg_json *json, char bracket);

/* A string. NULL becomes null. Bytes that are not UTF-8 become U+FFFD, because JSON is always
 * UTF-8. */
void clg_json_text(struct clg_json *json, const char *key, const char *text);
void clg_json_count(struct clg_json *json, const char *key, uint64_t value);
void clg_json_bool(struct clg_json *json, const char *key, bool value);

/* A number with nine significant digits, with `digits` of them, or with `decimals` decimals. NaN
 * and infinities become null. */
void clg_json_number(struct clg_json *json, const char *key, double value);
void clg_json_digits(struct clg_json *json, const char *key, double value, int digits);
void clg_json_decimals(struct clg_json *json, const char *key, double value, int decimals);

/* A value that is JSON already. */
void clg_json_raw(struct clg_json *json, const char *key, const char *value, size_t size);

/* With `flat`: the next value or closing bracket begins a new line with this indentation. */
void clg_json_line(struct clg_json *json, int indentation);

#endif

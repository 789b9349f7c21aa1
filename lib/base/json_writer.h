/* SPDX-License-Identifier: Apache-2.0
 * Writing JSON: commas, lines and escapes. The same in every locale. */
#ifndef CLG_BASE_JSON_WRITER_H
#define CLG_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* All zero but for `out` writes each value on a line of its own, indented. */
struct clg_json {
    FILE *out;
    bool flat; /* on one line, but for clg_json_line */
    bool
        failed;   /* something could not be written; from then on nothing is. ferror() does not tell
                     it of every stream: that of open_memstream() has no error when memory is short */
    bool started; /* the innermost object or array has a member */
    int depth;
    int line; /* flat: one more than the indentation of the line that is due; 0: none is */
};

/* In each, `key` is NULL within arrays and for the outermost value. */

/* Opens an object ('{') or array ('['); closes one with '}' or ']'. A newline follows the outermost
 * one. */
void clg_json_open(struct clg_json *json, const char *key, char bracket);
void clg_json_close(struct clg_json *json, char bracket);

/* A string; NULL becomes null. Bytes that are not UTF-8 become U+FFFD, as JSON is UTF-8 only. */
void clg_json_text(struct clg_json *json, const char *key, const char *text);
void clg_json_count(struct clg_json *json, const char *key, uint64_t value);
void clg_json_bool(struct clg_json *json, const char *key, bool value);

/* A number with nine significant digits, with so many, or with so many decimals. NaN and infinite
 * ones become null. */
void clg_json_number(struct clg_json *json, const char *key, double value);
void clg_json_digits(struct clg_json *json, const char *key, double value, int digits);
void clg_json_decimals(struct clg_json *json, const char *key, double value, int decimals);

/* A value that is JSON already. */
void clg_json_raw(struct clg_json *json, const char *key, const char *value, size_t size);

/* In the flat form: what comes next, a value or a closing bracket, begins a line, indented so. */
void clg_json_line(struct clg_json *json, int indentation);

#endif

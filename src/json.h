/* SPDX-License-Identifier: Apache-2.0
 * A small JSON writer: commas, indentation and escaping. */
#ifndef CLGEMM_JSON_H
#define CLGEMM_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    int depth;
    bool started; /* the innermost object or array has a member */
};

/* In each, `key` is NULL within arrays and for the outermost value. */

/* Opens an object ('{') or array ('['); closes one with '}' or ']'. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);

/* A string; NULL becomes null. Bytes that are not UTF-8 become U+FFFD, as JSON is UTF-8 only. */
void json_text(struct json *json, const char *key, const char *text);
void json_count(struct json *json, const char *key, uint64_t value);
void json_number(struct json *json, const char *key, double value); /* NaN, infinite: null */
void json_bool(struct json *json, const char *key, bool value);

#endif

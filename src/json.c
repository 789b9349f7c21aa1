/* SPDX-License-Identifier: Apache-2.0
 * A small JSON writer. */
#include "json.h"

#include <inttypes.h>
#include <math.h>

/* Bytes of the UTF-8 sequence at `text`, 0 if it is none: overlong forms, surrogates and values
 * past U+10FFFF are none (RFC 3629, section 4). */
static int utf8_length(const unsigned char *text) {
    unsigned char first = text[0], low = 0x80, high = 0xbf;
    int length = first < 0x80                     ? 1
                 : first >= 0xc2 && first <= 0xdf ? 2
                 : first >= 0xe0 && first <= 0xef ? 3
                 : first >= 0xf0 && first <= 0xf4 ? 4
                                                  : 0;
    if (first == 0xe0)
        low = 0xa0;
    else if (first == 0xed)
        high = 0x9f;
    else if (first == 0xf0)
        low = 0x90;
    else if (first == 0xf4)
        high = 0x8f;
    for (int i = 1; i < length; i++) { /* stops at the end of the text: NUL is out of range */
        if (text[i] < low || text[i] > high)
            return 0;
        low = 0x80;
        high = 0xbf;
    }
    return length;
}

static void write_string(FILE *out, const char *string) {
    const unsigned char *text = (const unsigned char *)string;
    fputc('"', out);
    while (*text) {
        int length = utf8_length(text);
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if (*text < 0x20 || *text == 0x7f)
            fprintf(out, "\\u%04x", *text);
        else if (length)
            fwrite(text, 1, (size_t)length, out);
        else
            fputs("\\ufffd", out);
        text += length ? length : 1;
    }
    fputc('"', out);
}

/* What stands before a value. */
static void begin(struct json *json, const char *key) {
    if (json->started)
        fputc(',', json->out);
    if (json->depth)
        fprintf(json->out, "\n%*s", 2 * json->depth, "");
    if (key) {
        write_string(json->out, key);
        fputs(": ", json->out);
    }
    json->started = true;
}

void json_open(struct json *json, const char *key, char bracket) {
    begin(json, key);
    fputc(bracket, json->out);
    json->depth++;
    json->started = false;
}

void json_close(struct json *json, char bracket) {
    json->depth--;
    if (json->started)
        fprintf(json->out, "\n%*s", 2 * json->depth, "");
    fputc(bracket, json->out);
    json->started = true;
    if (json->depth == 0)
        fputc('\n', json->out);
}

void json_text(struct json *json, const char *key, const char *text) {
    begin(json, key);
    if (text)
        write_string(json->out, text);
    else
        fputs("null", json->out);
}

void json_count(struct json *json, const char *key, uint64_t value) {
    begin(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

void json_number(struct json *json, const char *key, double value) {
    begin(json, key);
    if (isfinite(value))
        fprintf(json->out, "%.9g", value);
    else
        fputs("null", json->out);
}

void json_bool(struct json *json, const char *key, bool value) {
    begin(json, key);
    fputs(value ? "true" : "false", json->out);
}

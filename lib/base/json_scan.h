/* SPDX-License-Identifier: Apache-2.0
 * Reads JSON of a known structure: objects with known member names, in any order. Other members are
 * skipped. Independent of the locale. */
#ifndef CLG_BASE_JSON_SCAN_H
#define CLG_BASE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLG_JSON_SCAN_WHY = 192, CLG_JSON_SCAN_NAME = 32 };

struct clg_json_scan {
    const char *at, *end;
    char why[CLG_JSON_SCAN_WHY]; /* the first error; "" if none */
    size_t unknown;              /* members that were skipped, and the first one's name */
    char unknown_name[CLG_JSON_SCAN_NAME];
};

struct clg_json_scan clg_json_scan_start(const char *text, size_t size);

/* Each of these skips blanks and reads what its name says. False, with `why` set, if it finds
 * something else, and after any earlier error. */
bool clg_json_scan_mark(struct clg_json_scan *scan, char mark);
bool clg_json_scan_text(struct clg_json_scan *scan, char *out, size_t size); /* "..." */
bool clg_json_scan_integer(struct clg_json_scan *scan, int64_t least, int64_t most, int64_t *out);
bool clg_json_scan_flag(struct clg_json_scan *scan, bool *out); /* true or false */
bool clg_json_scan_skip(struct clg_json_scan *scan);            /* any value */

/* "NAME": with its colon. A name that does not fit is cut. */
bool clg_json_scan_name(struct clg_json_scan *scan, char *out, size_t size);

/* "2026-01-31" */
enum { CLG_JSON_SCAN_DATE = 11 };
bool clg_json_scan_date(struct clg_json_scan *scan, char out[CLG_JSON_SCAN_DATE]);

/* A number of fewer characters than this. */
enum { CLG_JSON_SCAN_NUMBER = 64 };
bool clg_json_scan_number(struct clg_json_scan *scan, double *out);

/* Whether the mark, or the word, is next. If so, it is consumed. */
bool clg_json_scan_has(struct clg_json_scan *scan, char mark);
bool clg_json_scan_has_word(struct clg_json_scan *scan, const char *word);

/* The next character, which is not consumed. NUL at the end and after an error. */
char clg_json_scan_next(struct clg_json_scan *scan);

/* Whether only blanks are left. */
bool clg_json_scan_at_end(struct clg_json_scan *scan);

/* Records an error unless there is one already. Returns false. */
bool clg_json_scan_fail(struct clg_json_scan *scan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A member of an object, and the function that reads its value into `out`. */
struct clg_json_member {
    const char *name;
    bool (*read)(struct clg_json_scan *scan, void *out);
    bool optional;
};

enum { CLG_JSON_MEMBERS = 128 };

/* Reads {"NAME": VALUE, ...}. Each of the `count` members, at most CLG_JSON_MEMBERS, occurs once;
 * those marked optional may be missing. Other members are skipped and counted. */
bool clg_json_scan_object(struct clg_json_scan *scan, const struct clg_json_member *members,
                          size_t count, void *out);

/* The same after the {, up to the } or, if it is not NULL, the name `until`. Members are the first
 * part of something `size` bytes large; `read` reads them instead of their own function. */
typedef bool clg_json_read(struct clg_json_scan *scan, const struct clg_json_member *member,
                           void *out);
bool clg_json_scan_members(struct clg_json_scan *scan, const void *members, size_t size,
                           size_t count, const char *until, clg_json_read *read, void *out);

/* Skips the value of an unknown member, and counts it. */
bool clg_json_scan_unknown(struct clg_json_scan *scan, const char *name);

/* Reads [VALUE, ...], each value into the same `out`. */
bool clg_json_scan_array(struct clg_json_scan *scan,
                         bool (*read)(struct clg_json_scan *scan, void *out), void *out);

#endif

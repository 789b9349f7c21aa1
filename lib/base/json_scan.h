/* SPDX-License-Identifier: Apache-2.0
 * Reading JSON of a known form: objects with members of known names, in any order; other members
 * are skipped. The same in every locale. */
#ifndef CLG_BASE_JSON_SCAN_H
#define CLG_BASE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLG_JSON_SCAN_WHY = 192, CLG_JSON_SCAN_NAME = 32 };

struct clg_json_scan {
    const char *at, *end;
    char why[CLG_JSON_SCAN_WHY]; /* the first thing amiss; "" if all is well */
    size_t unknown;              /* members that were skipped as nobody knows them, and the first */
    char unknown_name[CLG_JSON_SCAN_NAME];
};

struct clg_json_scan clg_json_scan_start(const char *text, size_t size);

/* Each of these skips blanks and takes what it is named after. False, with `why` set, where
 * something else is there, and from then on. */
bool clg_json_scan_mark(struct clg_json_scan *scan, char mark);
bool clg_json_scan_text(struct clg_json_scan *scan, char *out, size_t size); /* "..." */
bool clg_json_scan_integer(struct clg_json_scan *scan, int64_t least, int64_t most, int64_t *out);
bool clg_json_scan_flag(struct clg_json_scan *scan, bool *out); /* true or false */
bool clg_json_scan_skip_text(struct clg_json_scan *scan);       /* of any length */
bool clg_json_scan_skip(struct clg_json_scan *scan);            /* any value, whatever is in it */

/* "NAME": with its colon. A name that does not fit is cut. */
bool clg_json_scan_name(struct clg_json_scan *scan, char *out, size_t size);

/* "2026-01-31" */
enum { CLG_JSON_SCAN_DATE = 11 };
bool clg_json_scan_date(struct clg_json_scan *scan, char out[CLG_JSON_SCAN_DATE]);

/* A positive decimal number without an exponent; what is past the sixth decimal is dropped. */
bool clg_json_scan_decimal(struct clg_json_scan *scan, double *out);

/* Any number: the nearest double of up to fifteen digits with powers of ten to 22, else one that is
 * within a few units of its last place. */
bool clg_json_scan_number(struct clg_json_scan *scan, double *out);

/* Whether the mark comes next, or the word, which then is taken. */
bool clg_json_scan_has(struct clg_json_scan *scan, char mark);
bool clg_json_scan_has_word(struct clg_json_scan *scan, const char *word);

/* What comes next, which stays there; NUL at the end, and once something was amiss. */
char clg_json_scan_next(struct clg_json_scan *scan);

/* Whether only blanks are left. */
bool clg_json_scan_at_end(struct clg_json_scan *scan);

/* Notes what is amiss, unless something was before; returns false. */
bool clg_json_scan_fail(struct clg_json_scan *scan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A member of an object: its value goes into `out`. */
struct clg_json_member {
    const char *name;
    bool (*read)(struct clg_json_scan *scan, void *out);
    bool optional;
};

/* {"NAME": VALUE, ...} with all of `count` members but the optional, each once; there are 32 at
 * most. Others, of any value, are skipped and counted. */
bool clg_json_scan_object(struct clg_json_scan *scan, const struct clg_json_member *members,
                          size_t count, void *out);

/* Skips the value of a member that nobody knows, and counts it. */
bool clg_json_scan_unknown(struct clg_json_scan *scan, const char *name);

/* [VALUE, ...], each read into the same `out`. */
bool clg_json_scan_array(struct clg_json_scan *scan,
                         bool (*read)(struct clg_json_scan *scan, void *out), void *out);

#endif

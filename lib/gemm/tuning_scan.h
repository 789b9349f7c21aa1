/* SPDX-License-Identifier: Apache-2.0
 * Reading JSON of a known form from one line, for tuning files: objects whose members are all
 * known, all there, and there once, in any order. */
#ifndef CLG_GEMM_TUNING_SCAN_H
#define CLG_GEMM_TUNING_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLG_SCAN_WHY = 192 };

struct clg_scan {
    const char *at, *end;
    char why[CLG_SCAN_WHY]; /* the first thing amiss; "" if all is well */
};

struct clg_scan clg_scan_start(const char *text, size_t size);

/* Each of these skips blanks and takes what it is named after. False, with `why` set, where
 * something else is there, and from then on. */
bool clg_scan_mark(struct clg_scan *scan, char mark);
bool clg_scan_text(struct clg_scan *scan, char *out, size_t size); /* "..." */
bool clg_scan_integer(struct clg_scan *scan, int64_t least, int64_t most, int64_t *out);
bool clg_scan_flag(struct clg_scan *scan, bool *out); /* true or false */

/* "2026-01-31" */
enum { CLG_SCAN_DATE = 11 };
bool clg_scan_date(struct clg_scan *scan, char out[CLG_SCAN_DATE]);

/* A positive decimal number without an exponent; what is past the sixth decimal is dropped. The
 * same in every locale. */
bool clg_scan_decimal(struct clg_scan *scan, double *out);

/* Whether the mark comes next, which then is taken. */
bool clg_scan_has(struct clg_scan *scan, char mark);

/* Whether only blanks are left. */
bool clg_scan_at_end(struct clg_scan *scan);

/* Notes what is amiss, unless something was before; returns false. */
bool clg_scan_fail(struct clg_scan *scan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A member of an object: its value goes into `out`. */
struct clg_member {
    const char *name;
    bool (*read)(struct clg_scan *scan, void *out);
};

/* {"NAME": VALUE, ...} with all of `count` members, of which there are 32 at most. */
bool clg_scan_object(struct clg_scan *scan, const struct clg_member *members, size_t count,
                     void *out);

#endif

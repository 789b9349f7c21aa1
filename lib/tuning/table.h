/* SPDX-License-Identifier: Apache-2.0
 * Tables of rows measured on a device. A row has a shape, the family and parameters that were
 * fastest for it, and their time. Planning searches the table before it asks the families.
 *
 * A table is for one device. It does not change once it is built, so that any number of threads may
 * read it. It is freed with its last owner. */
#ifndef CLG_TUNING_TABLE_H
#define CLG_TUNING_TABLE_H

#include "gemm/costs.h"
#include "gemm/plan.h"

/* A class of problems, in column-major terms. */
struct clg_tuning_shape {
    int64_t m, n, k;
    bool ta, tb;
    bool aligned; /* every column of A and B is aligned for the widest vectors */
    clgemm_type type;
    clgemm_math math; /* CLGEMM_MATH_DEFAULT: strict */
    int64_t batch;    /* products of one call, each with its own matrices; 0: one */
};

/* A mode as stored in a shape. */
static inline clgemm_math clg_tuning_math(clgemm_math math) {
    return math == CLGEMM_MATH_STRICT ? CLGEMM_MATH_DEFAULT : math;
}

/* A number of products as stored in a shape. */
static inline int64_t clg_tuning_batch(int64_t batch) {
    return batch > 1 ? batch : 0;
}

enum { CLG_TUNING_DATE = 11, CLG_TUNING_VERSION = 16, CLG_TUNING_WHY = 512 };

struct clg_tuning_row {
    struct clg_tuning_shape shape;
    const struct clg_family *family;
    struct clg_params params;
    double ms;                        /* median time of one call's commands on the device */
    char date[CLG_TUNING_DATE];       /* of the measurement, as in "2026-11-21" */
    char version[CLG_TUNING_VERSION]; /* of the library that measured it, as in "0.1.0" */
};

/* From where on a product of host matrices is faster than with the CPU's BLAS. */
enum { CLG_BREAK_EVEN_AGAINST = 128 };
struct clg_break_even {
    clgemm_type type;
    int64_t flops;                        /* 2 m n k; INT64_MAX: never; 0: not measured */
    char against[CLG_BREAK_EVEN_AGAINST]; /* the name of that BLAS */
    char date[CLG_TUNING_DATE], version[CLG_TUNING_VERSION]; /* as in a row */
};

/* How fast the host copies, and how fast the bus transfers to a device with its own memory:
 *
 * up_mb_s, down_mb_s   10^6 bytes a second of long transfers in each direction
 * transfer_ns          the fixed cost of a transfer in nanoseconds
 * copy_mb_s            10^6 bytes a second that one thread copies between plain and pinned memory
 * copy_all_mb_s        the same of `threads` threads together */
#define CLG_HOST_SPEEDS(X) \
    X(up_mb_s) X(down_mb_s) X(transfer_ns) X(copy_mb_s) X(copy_all_mb_s) X(threads)

struct clg_host_speeds {
#define CLG_HOST_SPEED(name) int64_t name; /* 0: not measured */
    CLG_HOST_SPEEDS(CLG_HOST_SPEED)
#undef CLG_HOST_SPEED
    char date[CLG_TUNING_DATE], version[CLG_TUNING_VERSION]; /* as in a row */
};

/* What is measured once for all shapes. */
struct clg_tuning_once {
    struct clg_break_even break_evens[CLG_TYPE_COUNT]; /* flops 0: not measured */
    struct clg_host_speeds speeds;                     /* up_mb_s 0: not measured */
};

/* The class of a problem, and a problem of a class. The columns of an aligned one are padded to
 * whole vectors, otherwise to odd numbers of elements. A batch's matrices are consecutive. */
struct clg_tuning_shape clg_tuning_shape_of(const struct clg_problem *problem);
clgemm_status clg_tuning_problem(struct clg_problem *out, const struct clg_tuning_shape *shape);

bool clg_tuning_same_class(const struct clg_tuning_shape *left,
                           const struct clg_tuning_shape *right);

/* Sets the version to the library's, and the date (UTC) to today. */
void clg_tuning_stamp(char date[CLG_TUNING_DATE], char version[CLG_TUNING_VERSION]);

/* Why the device can never run the row, or NULL if it can: the family's unsupported_reason for a
 * problem of its class, with all of the device's memory. */
const char *clg_tuning_unsupported_reason(const struct clg_tuning_row *row,
                                          const struct clg_facts *facts);

/* Whether `row` replaces `old` of the same class: it was measured on a later day, or on the same
 * day and is faster. */
bool clg_tuning_supersedes(const struct clg_tuning_row *row, const struct clg_tuning_row *old);

/* ---- Tables ---- */

/* Origins of rows, in the order of precedence. */
enum clg_tuning_origin {
    CLG_TUNING_IMPORTED,
    CLG_TUNING_GIVEN,  /* CLGEMM_TUNING; this and the next two in the order of clg_paths_tuning() */
    CLG_TUNING_USER,   /* the user's folder */
    CLG_TUNING_SYSTEM, /* the system's folder */
    CLG_TUNING_BUILT_IN,
    CLG_TUNING_ORIGINS
};

/* The contents of one origin for the device. */
struct clg_tuning_source {
    size_t rows, other_rows;  /* measured with the device's driver; with other versions of it */
    size_t faults;            /* files and lines that could not be used */
    char why[CLG_TUNING_WHY]; /* the first of these: "FILE:LINE: ..."; "" if none */
};

struct clg_tuning;

/* An empty table; NULL if memory is short. */
struct clg_tuning *clg_tuning_new(void);

/* Loads everything in the search paths and the library for the device; nothing with
 * CLGEMM_TUNING=0. Faults of files are logged and recorded. NULL if memory is short. */
struct clg_tuning *clg_tuning_load(const struct clg_facts *facts);

/* A copy of `base` (NULL: empty) with the rows for the device in a file, or in all "*.json" of a
 * folder, as imported ones. A row replaces an imported one of the same class. If a part is invalid,
 * *out still gets the valid part; the status is CLGEMM_STATUS_INVALID_TUNING, and the error text
 * names file and line. */
clgemm_status clg_tuning_import(struct clg_tuning **out, const struct clg_tuning *base,
                                const struct clg_facts *facts, const char *path);

/* Adds or removes an owner. Both accept NULL. */
struct clg_tuning *clg_tuning_retain(struct clg_tuning *tuning);
void clg_tuning_release(struct clg_tuning *tuning);

/* The row for a problem, or NULL; it lives as long as the table.
 *
 * A row is eligible if
 *
 * - it has the problem's type, mode, transposes and alignment;
 * - its m, n, k and batch are within a factor of 1.5 of the problem's, and both or neither are
 *   batches;
 * - its family carries its parameters over to the problem and supports them there.
 *
 * Among these precede, in this order: those of the device's own driver; the earlier origin; the
 * nearest in log2 of m, n, k and batch (sum of squares); the faster; the first. */
const struct clg_tuning_row *clg_tuning_find(const struct clg_tuning *tuning,
                                             const struct clg_problem *problem,
                                             const struct clg_facts *facts);

/* The rows of all origins, ordered by origin. */
size_t clg_tuning_count(const struct clg_tuning *tuning);
const struct clg_tuning_row *clg_tuning_at(const struct clg_tuning *tuning, size_t index,
                                           enum clg_tuning_origin *origin, bool *own_driver);
const struct clg_tuning_source *clg_tuning_source(const struct clg_tuning *tuning,
                                                  enum clg_tuning_origin origin);

/* The measured break-even of the type, or NULL. The device's own driver precedes others, then the
 * order of origins; `own_driver`, if not NULL, tells which. It lives as long as the table. Built-in
 * tables have none, because they were measured with another CPU. */
const struct clg_break_even *clg_tuning_break_even(const struct clg_tuning *tuning,
                                                   clgemm_type type, bool *own_driver);

/* The device's costs, or NULL: measured ones, chosen as break-evens are, else computed ones. They
 * live as long as the table. */
const struct clg_costs *clg_tuning_costs(const struct clg_tuning *tuning);

/* Operations a second of the fastest row with that type and mode, of any driver, among products
 * that are large enough to reach the device's full rate; 0 if there is none. */
double clg_tuning_rate(const struct clg_tuning *tuning, clgemm_type type, clgemm_math math);

/* The measured speeds of host and bus, or NULL; chosen as break-evens are. */
const struct clg_host_speeds *clg_tuning_host_speeds(const struct clg_tuning *tuning,
                                                     bool *own_driver);

/* ---- Construction: a table has only one owner meanwhile ---- */

/* Adds a row after those of its origin. A row of the same class, origin and driver is replaced
 * instead, if the new one supersedes it or `always` is set. False if memory is short. */
bool clg_tuning_add(struct clg_tuning *table, const struct clg_tuning_row *row,
                    enum clg_tuning_origin origin, bool own_driver, bool always);

/* Replaces each of what was measured, with such an origin and driver, if the new one was measured
 * on a later day or `always` is set. */
void clg_tuning_add_once(struct clg_tuning *table, const struct clg_tuning_once *once,
                         enum clg_tuning_origin origin, bool own_driver, bool always);

/* Takes measured costs over, if none with such an origin and driver are there. False if memory is
 * short. */
bool clg_tuning_add_costs(struct clg_tuning *table, const struct clg_costs *costs,
                          enum clg_tuning_origin origin, bool own_driver, bool always);

/* Adds to the faults of an origin; `why` is the first of them. */
void clg_tuning_add_faults(struct clg_tuning *table, enum clg_tuning_origin origin, size_t faults,
                           const char *why);

/* Adds all rows, break-evens, speeds and faults of another table (NULL: none); they replace those
 * of this one. False if memory is short. */
bool clg_tuning_add_all(struct clg_tuning *table, const struct clg_tuning *other);

/* ---- Writing ---- */

/* Adds rows to the device's file, and what was measured once (NULL: nothing). `path` is the file,
 * or a folder in which the file is named after the device; NULL: CLGEMM_TUNING if that is set, else
 * the user's folder. A row replaces one of the same class if it supersedes it, anything else what
 * was not measured on a later day. Readers see the old file or the new one; writers wait for each
 * other. A file of another device, driver or schema is not changed. `written`, if not NULL,
 * receives the file's path. Fails with CLGEMM_STATUS_INVALID_TUNING. */
clgemm_status clg_tuning_write(const char *path, const struct clg_facts *facts,
                               const struct clg_tuning_row *rows, size_t count,
                               const struct clg_tuning_once *once, char *written,
                               size_t written_size);

/* Writes a device's measured costs to a file of their own, beside that of its rows. */
clgemm_status clg_tuning_write_costs(const char *path, const struct clg_facts *facts,
                                     const struct clg_costs *costs, char *written,
                                     size_t written_size);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * What was measured on a device: rows of a shape, the family and parameters that were quickest for
 * it, and their time. A plan asks a table of such rows before the families' own choice.
 *
 * A table is for one device. It does not change once it is made, so that any number of threads may
 * look into it; it goes with its last owner. */
#ifndef CLG_TUNING_TABLE_H
#define CLG_TUNING_TABLE_H

#include "gemm/plan.h"

/* A class of problems, as column-major ones. */
struct clg_tuning_shape {
    int64_t m, n, k;
    bool ta, tb;
    bool aligned; /* every column of A and B is aligned for the widest vectors */
    clgemm_type type;
    clgemm_math math; /* CLGEMM_MATH_DEFAULT: strict */
    int64_t batch;    /* products of one call, each with matrices of its own; 0: one */
};

/* A mode as shapes have it. */
static inline clgemm_math clg_tuning_math(clgemm_math math) {
    return math == CLGEMM_MATH_STRICT ? CLGEMM_MATH_DEFAULT : math;
}

/* A number of products as shapes have it. */
static inline int64_t clg_tuning_batch(int64_t batch) {
    return batch > 1 ? batch : 0;
}

enum { CLG_TUNING_DATE = 11, CLG_TUNING_VERSION = 16, CLG_TUNING_WHY = 512 };

struct clg_tuning_row {
    struct clg_tuning_shape shape;
    const struct clg_family *family;
    struct clg_params params;
    double ms;                        /* of one call's commands on the device, the median */
    char date[CLG_TUNING_DATE];       /* when it was measured, "2026-11-21" */
    char version[CLG_TUNING_VERSION]; /* of the library that measured it, "0.1.0" */
};

/* From where on a product of host matrices is quicker than the CPU's BLAS makes it. */
enum { CLG_BREAK_EVEN_AGAINST = 128 };
struct clg_break_even {
    clgemm_type type;
    int64_t flops;                        /* 2 m n k; INT64_MAX: nowhere; 0: not measured */
    char against[CLG_BREAK_EVEN_AGAINST]; /* that BLAS, for the reader */
    char date[CLG_TUNING_DATE], version[CLG_TUNING_VERSION]; /* as in a row */
};

/* How fast the host copies, and the bus between it and a device with memory of its own takes what
 * has been copied: megabytes (of 10^6) a second of long transfers in each direction, nanoseconds
 * that a transfer takes beside that, megabytes a second that one thread copies between the host's
 * memory and the driver's, and that `threads` of them do together. */
#define CLG_HOST_SPEEDS(X) \
    X(up_mb_s) X(down_mb_s) X(transfer_ns) X(copy_mb_s) X(copy_all_mb_s) X(threads)

struct clg_host_speeds {
#define CLG_HOST_SPEED(name) int64_t name; /* 0: not measured */
    CLG_HOST_SPEEDS(CLG_HOST_SPEED)
#undef CLG_HOST_SPEED
    char date[CLG_TUNING_DATE], version[CLG_TUNING_VERSION]; /* as in a row */
};

/* The class of a problem; and a problem of a class: aligned, its columns are padded to whole
 * vectors; not aligned, to odd numbers of elements. A batch's matrices lie one behind the other. */
struct clg_tuning_shape clg_tuning_shape_of(const struct clg_problem *problem);
clgemm_status clg_tuning_problem(struct clg_problem *out, const struct clg_tuning_shape *shape);

bool clg_tuning_same_class(const struct clg_tuning_shape *left,
                           const struct clg_tuning_shape *right);

/* Set version, and date (UTC), to those of now. */
void clg_tuning_stamp(struct clg_tuning_row *row);
void clg_break_even_stamp(struct clg_break_even *break_even);
void clg_host_speeds_stamp(struct clg_host_speeds *speeds);

/* Why the device can never run the row, or NULL: the family's unsupported_reason for a problem of
 * its class, with all of the device's memory. */
const char *clg_tuning_unsupported_reason(const struct clg_tuning_row *row,
                                          const struct clg_facts *facts);

/* Whether `row`, of the same class as `old`, is to take its place: measured on a later day, or on
 * the same day and faster. */
bool clg_tuning_supersedes(const struct clg_tuning_row *row, const struct clg_tuning_row *old);

/* ---- Tables ---- */

/* Where rows come from, the first to be asked first. */
enum clg_tuning_origin {
    CLG_TUNING_IMPORTED,
    CLG_TUNING_GIVEN, /* these three as clg_paths_tuning has them: CLGEMM_TUNING, */
    CLG_TUNING_USER,  /* the user's folder, */
    CLG_TUNING_SYSTEM,
    CLG_TUNING_BUILT_IN,
    CLG_TUNING_ORIGINS
};

/* What one origin has for the device. */
struct clg_tuning_source {
    size_t rows, other_rows;  /* measured with the device's driver, and with other versions of it */
    size_t faults;            /* files and lines that could not be used */
    char why[CLG_TUNING_WHY]; /* the first of these: "FILE:LINE: ..."; "" if none */
};

struct clg_tuning;

/* An empty table; NULL where memory is short. */
struct clg_tuning *clg_tuning_new(void);

/* All that the places and the library have for the device; with CLGEMM_TUNING=0, nothing. What is
 * amiss with files is logged and noted. NULL where memory is short. */
struct clg_tuning *clg_tuning_load(const struct clg_facts *facts);

/* A copy of `base` (NULL: empty) in which these rows, measured with the device's own driver, come
 * first; a row replaces an imported one of the same class. NULL where memory is short. */
struct clg_tuning *clg_tuning_with(const struct clg_tuning *base, const struct clg_tuning_row *rows,
                                   size_t count);

/* The same with what a file, or all "*.json" of a folder, has for the device. *out is made with
 * what is good also where a part is not; that fails with CLGEMM_STATUS_INVALID_TUNING and a text
 * that names file and line. */
clgemm_status clg_tuning_import(struct clg_tuning **out, const struct clg_tuning *base,
                                const struct clg_facts *facts, const char *path);

/* One owner more; one less. NULL is fine. */
struct clg_tuning *clg_tuning_retain(struct clg_tuning *tuning);
void clg_tuning_release(struct clg_tuning *tuning);

/* The row for a problem, or NULL; it lives as long as the table.
 *
 * Rows have the problem's type, transposes and alignment, and each of m, n, k and batch within a
 * factor of CLG_TUNING_REACH of its own, and the family says that they carry over; of these, the
 * device's driver goes before others, then the order of origins; then the nearest in log2 of m, n,
 * k and batch (sum of squares), then the faster, then the first. Rows of one product are not for
 * batches, nor theirs for it. A row whose parameters the family refuses for this very problem is
 * passed over. */
#define CLG_TUNING_REACH 1.5
const struct clg_tuning_row *clg_tuning_find(const struct clg_tuning *tuning,
                                             const struct clg_problem *problem,
                                             const struct clg_facts *facts);

/* The rows of all origins, in the order in which origins are asked. */
size_t clg_tuning_count(const struct clg_tuning *tuning);
const struct clg_tuning_row *clg_tuning_at(const struct clg_tuning *tuning, size_t index,
                                           enum clg_tuning_origin *origin, bool *own_driver);
const struct clg_tuning_source *clg_tuning_source(const struct clg_tuning *tuning,
                                                  enum clg_tuning_origin origin);

/* What was measured with that type, or NULL: by rank as rows, the device's driver before others,
 * then the order of origins; `own_driver`, if not NULL, says which. It lives as long as the table.
 * The library's own table has none: its machine's CPU is not this one. */
const struct clg_break_even *clg_tuning_break_even(const struct clg_tuning *tuning,
                                                   clgemm_type type, bool *own_driver);

/* Operations a second of the quickest row with that type and mode, whoever's driver, of a product
 * that is large enough to tell what the device can do; 0 where there is none. */
double clg_tuning_rate(const struct clg_tuning *tuning, clgemm_type type, clgemm_math math);

/* How fast host and bus are, or NULL; as for break-evens. */
const struct clg_host_speeds *clg_tuning_host_speeds(const struct clg_tuning *tuning,
                                                     bool *own_driver);

/* ---- Writing ---- */

/* Adds rows to the device's file at `path`: a file, or a folder in which it has a name of its own;
 * NULL: CLGEMM_TUNING if that is set, else the user's folder. A row takes the place of the file's
 * of the same class if it supersedes that. Readers see the old file or the new one; writers wait
 * for each other. A file of another device or driver, or of another schema, is left as it is.
 * `written`, if not NULL, receives the file's path. Fails with CLGEMM_STATUS_INVALID_TUNING. */
clgemm_status clg_tuning_write(const char *path, const struct clg_facts *facts,
                               const struct clg_tuning_row *rows, size_t count, char *written,
                               size_t written_size);

/* The same with what was measured of a type's break-even, in place of what the file has of that
 * type unless that was measured on a later day. */
clgemm_status clg_tuning_write_break_even(const char *path, const struct clg_facts *facts,
                                          const struct clg_break_even *break_even, char *written,
                                          size_t written_size);

/* The same with how fast host and bus are. */
clgemm_status clg_tuning_write_host_speeds(const char *path, const struct clg_facts *facts,
                                           const struct clg_host_speeds *speeds, char *written,
                                           size_t written_size);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Divides a product of host matrices among devices, so that the last of them ends as soon as
 * possible. PURE: the same devices get the same shares every time.
 *
 *     columns of C              rows of C              a grid, for devices that are alike
 *     +------+-----+---+        +--------------+       +-------+-------+
 *     |      |     |   |        |      0       |       |   0   |   1   |
 *     |  0   |  1  | 2 |        +--------------+       +-------+-------+
 *     |      |     |   |        |      1       |       |   2   |   3   |
 *     +------+-----+---+        +--------------+       +-------+-------+
 *
 * A device needs the rows of op(A) and the columns of op(B) that belong to its share of C, and all
 * of k. So columns cost each device the whole of A, and rows the whole of B. The way that takes the
 * least time is taken. The products of a batch can be divided as well. So can k, if C is small:
 * then each device needs a slice of A and B, and the sums of the others are added to the first
 * one's on the host, in their order. */
#ifndef CLG_HOST_SPLIT_H
#define CLG_HOST_SPLIT_H

#include "device/select.h"
#include "host/host.h"
#include "tuning/table.h"

/* A rectangle of C (column-major), in some products of the batch, for a slice of k. */
struct clg_split_share {
    int device;
    int64_t row, rows, col, cols, product, products, k, depth;
    double seconds; /* expected */
};

struct clg_split {
    int count; /* shares, at least 1; no device has two */
    struct clg_split_share shares[CLG_DEVICES_MOST];
    double seconds; /* expected, of the share that ends last */
    double alone;   /* of the fastest device for the whole */
};

/* Seconds that a device takes for a problem while so many devices work; HUGE_VAL: it cannot compute
 * it. */
typedef double clg_split_seconds(void *user, const struct clg_problem *problem, int device,
                                 int devices);

/* Divides a problem among `count` devices, at most CLG_DEVICES_MOST. Sides of shares are multiples
 * of CLG_PIPE_SIDE, except the last, so they begin at addresses that are aligned as the matrix is.
 * A device that would not shorten the call has no share. A small problem is one share, the first
 * device's. */
void clg_split_by(struct clg_split *out, const struct clg_problem *problem, int count,
                  clg_split_seconds *seconds, void *user);

/* A device as the split knows it. */
struct clg_split_device {
    const struct clg_facts *facts;
    const struct clg_tuning *tuning; /* NULL: none */
    bool copies;                     /* matrices are copied to it */
};

/* The same by the devices' plans. `processors`: number that the library may use. */
void clg_split_make(struct clg_split *out, const struct clg_problem *problem, bool has_beta,
                    const struct clg_split_device devices[], int count, int processors);

/* Whether the share's sum is for a C of its own, which is dense (clg_split_problem), begins at a
 * cache line, and is added to that of the first share. */
static inline bool clg_split_is_apart(const struct clg_split_share *share) {
    return share->k > 0;
}

/* A share as a problem of its own, and its place in the matrices. */
struct clg_problem clg_split_problem(const struct clg_problem *whole,
                                     const struct clg_split_share *share);
struct clg_host_matrices clg_split_matrices(const struct clg_problem *whole,
                                            const struct clg_host_matrices *matrices,
                                            const struct clg_split_share *share);

/* Writes "P:D rows 0-511 columns 0-255, ...", with the products of a batch and slices of k.
 * `places`: of the devices. Cut to `size`. */
void clg_split_describe(const struct clg_split *split, const struct clg_problem *whole,
                        const char *const places[], char *out, size_t size);

#endif

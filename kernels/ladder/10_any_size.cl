/* SPDX-License-Identifier: Apache-2.0
 * Step 10 of the ladder: any size, by adding zeros up to whole tiles.
 *
 *        k  zeros              n zeros                       n zeros
 *     +-----+---+          +------+--+                   +------+--+
 *     |     | 0 |          |      |  |                   |      |  |
 *   m |  A  |   |     *  k |  B   |0 |     =           m |  C   |  |
 *     |     |   |          |      |  |                   |      |  |
 *     +-----+   |          +------+  |                   +------+  |
 *     |    0    | whole    |   0     | whole             |         | only C is copied out
 *     +---------+ tiles    +---------+ tiles             +---------+
 *
 * Zeros along k add nothing to a sum; zeros along m and n only affect elements outside C.
 *
 * New: before the product, pad.cl copies A and the transposed B into larger matrices; after it,
 * unpad.cl copies C out of a larger one. The kernel is step 9's under another name. Every size
 * works, and no inner loop has an `if`. The copies are part of this step's time: work of order
 * m k + k n + m n beside m n k, so they matter most for small matrices.
 *
 * Parameters as in step 9; the launch has the padded sizes. */
#define clg_09_prefetch clg_10_any_size
#include "09_prefetch.cl"

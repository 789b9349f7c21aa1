/* SPDX-License-Identifier: Apache-2.0
 * How kernels on tensor cores multiply what parts cannot represent (kernels/tensor_promote.h),
 * without such cores: the threads of this program are a warp, and compute what the cores would.
 * Sums of small integers must be exact, and infinities and NaN where they belong: with few and many
 * exceptional rows of either operand, alone and together, at the ends of the matrices. With one
 * part (SPLIT 1, FP16) no row is marked, and all is computed again. */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>

#include "support/check.h"
#include "support/random.h"

enum { LANES = 32, LEFTS = 16, RIGHTS = 2 * SUMS_OF_16, BLOCKS = 3 };
enum { N = 27, M = RIGHTS + 7, K_MOST = BLOCKS * BLOCK_K };

/* Of exceptional.cl: element (outer, k) of an operand. */
struct operand {
    const float *x;
    long along_outer, along_k;
    int outers, depth;
};
void promote_block(float *total, float *sum, const float *lefts_roots, const float *rights_roots,
                   const struct operand *left, int lefts, const struct operand *right, int rights,
                   int block);
void repeat(float *total, const struct operand *left, int lefts, const struct operand *right,
            int rights);
int own_id(void);
float from_lane(float x, int lane);
unsigned warp_votes(bool mine);
float exchange(float x, int bits);

/* ---- A warp ---- */

static _Thread_local int own_lane;
static pthread_barrier_t together;
static float given[LANES];
static bool votes[LANES];

int own_id(void) {
    return 2 * LANES + own_lane; /* of the third warp */
}

float from_lane(float x, int lane) {
    given[own_lane] = x;
    pthread_barrier_wait(&together);
    const float got = given[lane % LANES];
    pthread_barrier_wait(&together);
    return got;
}

float exchange(float x, int bits) {
    return from_lane(x, own_lane ^ bits);
}

unsigned warp_votes(bool mine) {
    unsigned all = 0;
    votes[own_lane] = mine;
    pthread_barrier_wait(&together);
    for (int i = 0; i < LANES; i++)
        all |= (unsigned)votes[i] << i;
    pthread_barrier_wait(&together);
    return all;
}

/* ---- Its part of a product ---- */

static float left_memory[N * K_MOST], right_memory[M * K_MOST], result[LEFTS][RIGHTS];
static struct operand left, right;
static float left_roots[BLOCKS][LEFTS], right_roots[BLOCKS][RIGHTS];
static int lefts, rights; /* where the warp's rows begin */

static float *element_of(const struct operand *operand, int outer, int k) {
    return (float *)operand->x + outer * operand->along_outer + k * operand->along_k;
}

static int row_of(int sum) {
    return 8 * (sum / 4) + 2 * (own_lane % 4) + sum % 2;
}

static int column_of(int sum) {
    return own_lane / 4 + sum % 4 / 2 * 8;
}

/* What tensor cores compute: the sum divided by the scales, whose parts are 0 without a scale. */
static float sum_of(int block, int l, int r) {
    const float roots = left_roots[block][l] * right_roots[block][r];
    float sum = 0;
    if (!(left_roots[block][l] > 0 && right_roots[block][r] > 0))
        return 0;
    for (int k = block * BLOCK_K; k < left.depth && k < (block + 1) * BLOCK_K; k++)
        sum += *element_of(&left, lefts + l, k) * *element_of(&right, rights + r, k);
    return sum / roots / roots;
}

static void sum_blocks(float *total) {
#if SPLIT > 1
    float sum[SUMS_OF_16];
    for (int block = 0; block * BLOCK_K < left.depth; block++) {
        for (int s = 0; s < SUMS_OF_16; s++)
            sum[s] = sum_of(block, column_of(s), row_of(s));
        promote_block(total, sum, left_roots[block], right_roots[block], &left, lefts, &right,
                      rights, block);
    }
#else /* one sum is not finite, of one lane */
    for (int s = 0; s < SUMS_OF_16; s++)
        total[s] = own_lane == 9 && s == SUMS_OF_16 - 1 ? INFINITY : sum_of(0, 0, 0);
    repeat(total, &left, lefts, &right, rights);
#endif
}

static void *compute(void *lane) {
    float total[SUMS_OF_16] = {0};
    own_lane = *(const int *)lane;
    sum_blocks(total);
    for (int s = 0; s < SUMS_OF_16; s++)
        result[column_of(s)][row_of(s)] = total[s];
    return NULL;
}

/* ---- Data ---- */

static struct operand draw(float *x, int outers, int depth, struct clg_test_random *random) {
    const bool along_k = clg_test_range(random, 0, 1);
    for (int i = 0; i < outers * depth; i++)
        x[i] = (float)clg_test_range(random, -4, 4);
    return (struct operand){x, along_k ? depth : 1, along_k ? 1 : outers, outers, depth};
}

/* Draws what packing would find in the warp's rows, of which some are past the end; a part of
 * `share` hundredths is exceptional, and of that some have an infinity. */
static void draw_roots(float *roots, int count, const struct operand *x, int first, int block,
                       int share, struct clg_test_random *random) {
    const int begin = block * BLOCK_K;
    const int last = (x->depth < begin + BLOCK_K ? x->depth : begin + BLOCK_K) - 1;
    for (int r = 0; r < count; r++) {
        const int k = (int)clg_test_range(random, begin, last);
        roots[r] = ldexpf(1, (int)clg_test_range(random, -3, 3));
        if (first + r >= x->outers) {
            roots[r] = NAN;
        } else if (clg_test_range(random, 0, 99) < share) {
            roots[r] = -1;
            if (clg_test_range(random, 0, 3) == 0)
                *element_of(x, first + r, k) = clg_test_range(random, 0, 1) ? INFINITY : -INFINITY;
        } else if (clg_test_range(random, 0, 99) == 0) {
            roots[r] = NAN;
            *element_of(x, first + r, k) = NAN;
        }
    }
}

static void check_results(void) {
    for (int l = 0; l < LEFTS && lefts + l < N; l++)
        for (int r = 0; r < RIGHTS && rights + r < M; r++) {
            double exact = 0;
            for (int k = 0; k < left.depth; k++)
                exact += (double)*element_of(&left, lefts + l, k) *
                         (double)*element_of(&right, rights + r, k);
            const double is = (double)result[l][r];
            if (isnan(exact) ? !isnan(is) : is != exact)
                fail_msg("(%d, %d) is %g, not %g", l, r, is, exact);
        }
}

static void exceptional_rows_are_added_once(void **state) {
    static const int shares[] = {0, 1, 5, 40, 100}; /* of right rows: few, many */
    struct clg_test_random random = clg_test_random_start(1);
    (void)state;
    for (int trial = 0; trial < 30; trial++) {
        pthread_t threads[LANES];
        int lanes[LANES];
        lefts = trial % 2 ? 0 : N - 3 - trial % 11;
        rights = trial % 3 ? trial % 8 : RIGHTS / 2;
        const int depth = (int)clg_test_range(&random, 1, K_MOST);
        left = draw(left_memory, N, depth, &random);
        right = draw(right_memory, M, depth, &random);
        for (int b = 0; b * BLOCK_K < depth; b++) {
            draw_roots(left_roots[b], LEFTS, &left, lefts, b, shares[trial % 4 + 1], &random);
            draw_roots(right_roots[b], RIGHTS, &right, rights, b, shares[trial % 5], &random);
        }
        for (int i = 0; i < LANES; i++) {
            lanes[i] = i;
            assert_int_equal(pthread_create(&threads[i], NULL, compute, &lanes[i]), 0);
        }
        for (int i = 0; i < LANES; i++)
            pthread_join(threads[i], NULL);
        check_results();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(exceptional_rows_are_added_once)};
    pthread_barrier_init(&together, NULL, LANES);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

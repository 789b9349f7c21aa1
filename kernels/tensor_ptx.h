/* SPDX-License-Identifier: Apache-2.0
 * The instructions of Hopper's tensor cores and bulk copies (PTX ISA 8, sm_90a), one function each.
 *
 * NVIDIA's OpenCL compiles for sm_90, which lacks some of them. These are written as comments, "//@
 * ..."; the library removes the marks from the PTX that the driver returns for the program, and has
 * the PTX assembled for sm_90a (lib/program/rewrite.c).
 *
 * Addresses of local memory are 32-bit ones of PTX's shared space. */
/* ---- Barriers in local memory on which copies and work-items arrive ---- */

static inline void barrier_init(const uint at, const uint arrivals) {
    PTX("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(arrivals) : "memory");
}

/* Called by the work-item that initialised the barriers, after the last of them. */
static inline void barriers_ready(void) {
    PTX("fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;" ::: "memory");
}

/* Makes what this work-item has stored in local memory visible to bulk copies and tensor cores. */
static inline void stores_ready(void) {
    PTX("fence.proxy.async.shared::cta;" ::: "memory");
}

static inline void barrier_arrive(const uint at) {
    PTX("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(at) : "memory");
}

/* Arrives, and makes the phase wait for `bytes` bytes of copies, too. */
static inline void barrier_expect(const uint at, const uint bytes) {
    PTX("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1; }" ::"r"(at),
        "r"(bytes)
        : "memory");
}

/* Waits until the phase of that parity is complete. */
static inline void barrier_wait(const uint at, const uint parity) {
    uint over = 1;
    do
        PTX("{ .reg .pred over; mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2;"
            " selp.u32 %0, 1, 0, over; }"
            : "=r"(over)
            : "r"(at), "r"(parity)
            : "memory");
    while (!over);
}

/* A place in a ring of STAGES stages, and the number of rounds so far (mod 2): the parity of its
 * barriers' phase. */
struct ring {
    int place;
    uint parity;
};

static inline void advance(struct ring *ring) {
    if (++ring->place == STAGES) {
        ring->place = 0;
        ring->parity ^= 1;
    }
}

/* Copies multiples of 16 bytes from global to local memory, and then arrives on the barrier. */
static inline void copy_bulk(const uint to, const __global uchar *from, const uint bytes,
                      const uint arrive_on) {
    PTX("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            to),
        "l"(from), "r"(bytes), "r"(arrive_on)
        : "memory");
}

/* copy_or_clear: each work-item copies 4, 2 or 1 floats from global to local memory; only `bytes`
 * bytes are read, the others are zero. copies_arrive: one more arrival on the barrier when all
 * copies of the work-item are complete. */
static inline void copy_or_clear(const int floats, const uint to, const __global float *from,
                                 const int bytes) {
    if (floats == 4)
        PTX("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    else if (floats == 2)
        PTX("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    else
        PTX("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}
static inline void copies_arrive(const uint at) {
    PTX("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(at) : "memory");
}

/* ---- Two teams take turns: barrier `name` of the group's sixteen ---- */

static inline void turn_wait(const uint name) {
    PTX("bar.sync %0, 256;" ::"r"(name) : "memory");
}
static inline void turn_give(const uint name) {
    PTX("bar.arrive %0, 256;" ::"r"(name) : "memory");
}

/* A barrier for all work-items of a team; each of the two teams has its own. */
static inline void team_together(const int team) {
    PTX("bar.sync %0, 128;" ::"r"(3 + team) : "memory");
}

/* ---- Registers are redistributed within the group (only in groups of a fixed size) ---- */

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define REGISTERS_FEWER(count) PTX("//@ setmaxnreg.dec.sync.aligned.u32 " TEXT(count) ";")
#define REGISTERS_MORE(count) PTX("//@ setmaxnreg.inc.sync.aligned.u32 " TEXT(count) ";")

/* ---- The tensor cores, called by the 128 work-items of a team ---- */

/* The descriptor of a matrix in local memory whose rows have ROW_BYTES along k, with the swizzle of
 * that size, and the distance from eight rows to the next eight. */
static inline ulong matrix_at(const uint address) {
    return (ulong)(ROW_BYTES == 128 ? 0x40000040u : 0x80000020u) << 32 | 0x10000u | (address >> 4 & 0x3fff);
}

/* The descriptor of one whose lines of 128 bytes, with the swizzle of that size, are 64 rows at one
 * k: eight lines to the next eight of k, and STAGE_K lines to the next rows. */
static inline ulong matrix_of_lines_at(const uint address) {
    return (ulong)0x40000040u << 32 | (uint)(STAGE_K * 128 / 16) << 16 | (address >> 4 & 0x3fff);
}

static inline void products_begin(void) {
    PTX("//@ wgmma.fence.sync.aligned;" ::: "memory");
}
/* Ends a set of products; sets complete in order. */
static inline void products_commit(void) {
    PTX("//@ wgmma.commit_group.sync.aligned;" ::: "memory");
}
/* Waits until all sets but the last are complete: their operands may then be overwritten. */
static inline void products_wait_but_last(void) {
    PTX("//@ wgmma.wait_group.sync.aligned 1;" ::: "memory");
}

#define S8 4 /* a PART_TYPE of whole numbers, beside those of tensor_parts.h */
#if PART_TYPE == S8
typedef int sum_t;
#define SUM(x) "+r"(x)
#else
typedef float sum_t;
#define SUM(x) "+f"(x)
#endif

/* Ten accumulators' names, and these as operands: t0 ... t9, for t = (none), 1, 2 ... */
#define NAMES10(t) "%" #t "0,%" #t "1,%" #t "2,%" #t "3,%" #t "4,%" #t "5,%" #t "6,%" #t "7,%" #t "8,%" #t "9"
#define SUMS10(t)                                                                              \
    SUM(sum[t##0]), SUM(sum[t##1]), SUM(sum[t##2]), SUM(sum[t##3]), SUM(sum[t##4]),       \
        SUM(sum[t##5]), SUM(sum[t##6]), SUM(sum[t##7]), SUM(sum[t##8]), SUM(sum[t##9])
#define NAMES60 NAMES10() "," NAMES10(1) "," NAMES10(2) "," NAMES10(3) "," NAMES10(4) "," NAMES10(5)
#define SUMS60 SUMS10(), SUMS10(1), SUMS10(2), SUMS10(3), SUMS10(4), SUMS10(5)

/* PRODUCT_N is the number of columns of an instruction's sums; a work-item has half as many sums.
 * BEHIND(i) is the name of the i-th operand after them. */
#if PRODUCT_N == 32
#define NAMES NAMES10() ",%10,%11,%12,%13,%14,%15"
#define SUMS SUMS10(), SUM(sum[10]), SUM(sum[11]), SUM(sum[12]), SUM(sum[13]), SUM(sum[14]), SUM(sum[15])
#define BEHIND(i) GLUE(BEHIND_16_, i)
#define SHAPE "m64n32"
#elif PRODUCT_N == 64
#define NAMES NAMES10() "," NAMES10(1) "," NAMES10(2) ",%30,%31"
#define SUMS SUMS10(), SUMS10(1), SUMS10(2), SUM(sum[30]), SUM(sum[31])
#define BEHIND(i) GLUE(BEHIND_32_, i)
#define SHAPE "m64n64"
#elif PRODUCT_N == 128
#define NAMES NAMES60 ",%60,%61,%62,%63"
#define SUMS SUMS60, SUM(sum[60]), SUM(sum[61]), SUM(sum[62]), SUM(sum[63])
#define BEHIND(i) GLUE(BEHIND_64_, i)
#define SHAPE "m64n128"
#elif PRODUCT_N == 160
#define NAMES NAMES60 "," NAMES10(6) "," NAMES10(7)
#define SUMS SUMS60, SUMS10(6), SUMS10(7)
#define BEHIND(i) GLUE(BEHIND_80_, i)
#define SHAPE "m64n160"
#elif PRODUCT_N == 192
#define NAMES NAMES60 "," NAMES10(6) "," NAMES10(7) "," NAMES10(8) ",%90,%91,%92,%93,%94,%95"
#define SUMS                                                                                   \
    SUMS60, SUMS10(6), SUMS10(7), SUMS10(8), SUM(sum[90]), SUM(sum[91]), SUM(sum[92]),      \
        SUM(sum[93]), SUM(sum[94]), SUM(sum[95])
#define BEHIND(i) GLUE(BEHIND_96_, i)
#define SHAPE "m64n192"
#elif PRODUCT_N == 256
#define NAMES                                                                                  \
    NAMES60 "," NAMES10(6) "," NAMES10(7) "," NAMES10(8) "," NAMES10(9) "," NAMES10(           \
        10) "," NAMES10(11) ",%120,%121,%122,%123,%124,%125,%126,%127"
#define SUMS                                                                                   \
    SUMS60, SUMS10(6), SUMS10(7), SUMS10(8), SUMS10(9), SUMS10(10), SUMS10(11),                \
        SUM(sum[120]), SUM(sum[121]), SUM(sum[122]), SUM(sum[123]), SUM(sum[124]),        \
        SUM(sum[125]), SUM(sum[126]), SUM(sum[127])
#define BEHIND(i) GLUE(BEHIND_128_, i)
#define SHAPE "m64n256"
#else
#error PRODUCT_N is none of 32, 64, 128, 160, 192 and 256
#endif
#define BEHIND_16_0 "%16"
#define BEHIND_16_1 "%17"
#define BEHIND_16_2 "%18"
#define BEHIND_16_3 "%19"
#define BEHIND_16_4 "%20"
#define BEHIND_16_5 "%21"
#define BEHIND_32_0 "%32"
#define BEHIND_32_1 "%33"
#define BEHIND_32_2 "%34"
#define BEHIND_32_3 "%35"
#define BEHIND_32_4 "%36"
#define BEHIND_32_5 "%37"
#define BEHIND_64_0 "%64"
#define BEHIND_64_1 "%65"
#define BEHIND_64_2 "%66"
#define BEHIND_64_3 "%67"
#define BEHIND_64_4 "%68"
#define BEHIND_64_5 "%69"
#define BEHIND_80_0 "%80"
#define BEHIND_80_1 "%81"
#define BEHIND_80_2 "%82"
#define BEHIND_96_0 "%96"
#define BEHIND_96_1 "%97"
#define BEHIND_96_2 "%98"
#define BEHIND_128_0 "%128"
#define BEHIND_128_1 "%129"
#define BEHIND_128_2 "%130"

#if PART_TYPE == S8
#define SHAPE_K "k32.s32.s8.s8"
#elif PART_TYPE == TF32
#define SHAPE_K "k8.f32.tf32.tf32"
#elif PART_TYPE == BF16
#define SHAPE_K "k16.f32.bf16.bf16"
#else
#define SHAPE_K "k16.f32.f16.f16"
#endif

/* The signs of both matrices, which only floats have, and which matrices consist of lines across k,
 * for 16-bit elements. */
#if PART_TYPE == S8
#define SIGNS ""
#else
#define SIGNS ", 1, 1"
#endif
#if PART_TYPE == TF32 || PART_TYPE == S8
#define ACROSS_K_ARE ""
#elif LEFT_LINES && RIGHT_LINES
#define ACROSS_K_ARE ", 1, 1"
#elif LEFT_LINES
#define ACROSS_K_ARE ", 1, 0"
#elif RIGHT_LINES
#define ACROSS_K_ARE ", 0, 1"
#else
#define ACROSS_K_ARE ", 0, 0"
#endif

/* One instruction: multiplies 32 bytes along k of 64 rows of `left` by those of PRODUCT_N rows of
 * `right`, and adds the products to the sums, or starts the sums with them unless it continues. */
static inline void multiply(sum_t *sum, const ulong left, const ulong right, const uint continues) {
    PTX("//@ { .reg .pred continues; setp.ne.u32 continues, " BEHIND(2) ", 0; "
        "wgmma.mma_async.sync.aligned." SHAPE SHAPE_K " {" NAMES "}, " BEHIND(0) ", " BEHIND(1)
        ", continues" SIGNS ACROSS_K_ARE "; }"
        : SUMS
        : "l"(left), "l"(right), "r"(continues)
        : "memory");
}

#if PRODUCT_N <= 128 && PART_TYPE != TF32 && PART_TYPE != S8
/* The same with the left rows in registers: a warp has 16 of them, and a work-item rows lane / 4
 * and lane / 4 + 8. Of each row it has two neighbours along k from lane % 4 * 2 on (left[0] and
 * left[1]), and two from 8 further on (left[2] and left[3]). */
static inline void multiply_held(float *sum, const uint left[4], const ulong right,
                                 const uint continues) {
    PTX("//@ { .reg .pred continues; setp.ne.u32 continues, " BEHIND(5) ", 0; "
        "wgmma.mma_async.sync.aligned." SHAPE SHAPE_K " {" NAMES "}, {" BEHIND(0) "," BEHIND(
            1) "," BEHIND(2) "," BEHIND(3) "}, " BEHIND(4) ", continues, 1, 1, 0; }"
        : SUMS
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "l"(right), "r"(continues)
        : "memory");
}
#endif

/* Waits until all products are complete. The sums are operands, so that no code that uses them
 * moves before it. */
static inline void products_wait(sum_t *sum) {
    PTX("//@ wgmma.wait_group.sync.aligned 0;" : SUMS : : "memory");
}

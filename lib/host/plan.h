/* SPDX-License-Identifier: Apache-2.0
 * Plans a product of host matrices on a device with its own memory: what is transferred and
 * multiplied meanwhile, and how long that takes. Made without calling OpenCL.
 *
 *     pieces   are transferred up one by one, through slots of pinned memory that threads fill
 *     steps    are products, in order; each waits for the pieces that it needs
 *     pieces   of C are transferred down as soon as their step has ended
 *
 * If all three matrices fit in the memory that a call may use, C is one block:
 *
 *         slabs of k, each twice as deep as the last:      then the rest of k, in panels:
 *            A        B            C                          A        B          C
 *          +-+---   +------+    +------+                    ---+--+   |  :  |    |  :  |
 *          |0|1 |   |__0___|    | all  |  += A0 B0,           |  |   +--+--+    |p0:p1|  += ...
 *          | |  |   |  1   |    |      |  += A1 B1            |  |   |p0:p1|    |  :  |
 *          +-+---   +------+    +------+                    ---+--+   +--+--+    +--+--+
 *
 * So the device begins after the first slab, not after the last element of A, and a panel of C is
 * transferred while later ones are computed. Panels are columns of C, or rows if C is tall. With
 * beta, parts of C are transferred up before their first product.
 *
 * Where products are quick beside transfers, C grows from a corner instead: panels of A's rows and
 * of B's columns take turns, and each is multiplied with all panels of the other that are there. So
 * the first part of C is transferred down after one panel of each, and little is left to be
 * computed after the last.
 *
 *            B 1 3 5
 *          A +-+-+-+         The numbers are the order of the panels, and
 *          0 |1| | |         in C the panel after which a part is computed.
 *            +-+3| |
 *          2 |2| |5|
 *            +-+-+ |
 *          4 | 4 | |
 *            +---+-+
 *
 * If the matrices do not fit, C is cut into blocks. Each stays on the device while slabs of A and B
 * pass through two places each. Each element of C then crosses the bus once in each direction, A
 * once for each column of blocks, and B once for each row of blocks.
 *
 * A small problem is joint: its matrices lie side by side in one slot and in one buffer, and cross
 * the bus in one transfer each way, in one queue, by the work of the calling thread. This is
 * fastest if a transfer costs more than its bytes, and waking a thread more than its share of
 * copying.
 *
 *     the buffer   | A | B | C |      up: all with beta, else A and B; down: C */
#ifndef CLG_HOST_PLAN_H
#define CLG_HOST_PLAN_H

#include "tuning/table.h"

/* Columns of a matrix, or a part of one column, in one transfer. On the host they are columns `col`
 * ... of the stored matrix; in a batch, the columns of all its matrices are counted on. On the
 * device they are `ld` elements apart, from element `at` of the matrix's buffer on; in a slot
 * `slot_ld`, which is less for a few of a matrix's rows. */
struct clg_pipe_piece {
    int matrix;
    int64_t row, rows, col, cols, at, ld, slot_ld;
    int step;  /* up: the last step that uses that place, or -1; down: the step that computes it */
    int after; /* up: number of pieces that must have been transferred down before */
};

/* A product, or several of a batch. */
struct clg_pipe_step {
    struct clg_problem problem; /* as it is in the buffers */
    int kind;   /* steps with the same problem are of one kind; kinds count from 0 */
    bool first; /* the first that writes this part of C: beta applies */
    int needs;  /* pieces that must have been transferred up before */
    int after;  /* pieces that must have been transferred down before */
};

/* All matrices are transferred without slots, because there is no pinned memory for these. The
 * driver then stages the matrices. */
enum { CLG_PIPE_UNSTAGED = 1 << CLG_MATRICES | ((1 << CLG_MATRICES) - 1) };

struct clg_pipe_plan {
    struct clg_pipe_step *steps;
    struct clg_pipe_piece *up, *down;
    int num_steps, num_up, num_down, num_kinds;
    size_t steps_room, up_room, down_room;
    bool joint;                     /* all pieces are in A's buffer */
    int64_t elements[CLG_MATRICES]; /* of each buffer; 0: none */
    size_t slot;                    /* bytes of the largest piece in a slot; 0: none needs a slot */
    unsigned direct; /* bits of matrices that are transferred without slots, or CLG_PIPE_UNSTAGED */
    int threads;     /* that copy, the caller included */
    double seconds;  /* expected */
};

/* Releases what a plan holds. A plan of zeros is fine. */
void clg_pipe_plan_free(struct clg_pipe_plan *plan);

/* How often an element of that matrix crosses the bus on average. */
double clg_pipe_crossings(const struct clg_pipe_plan *plan, const struct clg_problem *problem,
                          int matrix);

/* Whether that piece is transferred without a slot. */
static inline bool clg_pipe_is_direct(const struct clg_pipe_plan *plan,
                                      const struct clg_pipe_piece *piece) {
    return plan->direct >> piece->matrix & 1U;
}

/* Elements of a slot from the piece's first to its last. */
static inline int64_t clg_pipe_elements(const struct clg_pipe_piece *piece) {
    return piece->cols == 1 ? piece->rows : piece->cols * piece->slot_ld;
}

/* Elements of a joint plan's buffer that are transferred up, from the first on. */
static inline int64_t clg_pipe_joint_up(const struct clg_pipe_plan *plan) {
    const struct clg_pipe_piece *last = plan->num_up > 0 ? &plan->up[plan->num_up - 1] : NULL;
    return last ? last->at + last->ld * last->cols : 0;
}

/* ---- Time: time.c ---- */

struct clg_pipe_speeds {
    double up, down;          /* bytes per second of long transfers from and to pinned memory */
    double transfer;          /* fixed seconds per transfer */
    double copy, copy_all;    /* bytes per second that one thread copies, and all together */
    int threads;              /* number that may copy */
    int more_threads;         /* number for a plan that would wait for copies, or the same */
    double wake;              /* seconds to wake threads other than the caller */
    double operations;        /* per second, in a large product */
    double pack;              /* seconds per element of A and B, beside its operations */
    double memory;            /* bytes per second of the device's memory */
    double launch;            /* fixed seconds per product */
    int64_t elements_to_fill; /* elements of C that keep the whole device busy */
};

/* Threads that copy for one device, on a bus of 55 GB/s; and the most, for plans that wait for
 * copies alone and for devices that work at a time, whose threads slow each other down. */
enum { CLG_PIPE_THREADS = 8, CLG_PIPE_MORE_THREADS = 12, CLG_PIPE_MOST_THREADS = 16 };

/* The number of threads that copy, of at most `threads`, and the bytes of a piece, for so many
 * bytes through pinned memory. */
struct clg_copying {
    int threads;
    size_t piece;
};
struct clg_copying clg_copying_of(double bytes, int threads);

/* The speeds for products of the problem's type and mode, with the measurements in `measured`
 * (NULL: none): those of bus and copies, and the rate of its fastest large row. Else those to
 * expect of a device on PCI Express 5.0 x16, of a host with this many processors for the library,
 * and of the kernel that is chosen for large products, if this is one. A plan made for too fast a
 * bus suits a slower one too, because the bus then limits the time. */
struct clg_pipe_speeds clg_pipe_speeds_of(const struct clg_tuning *measured,
                                          const struct clg_facts *facts,
                                          const struct clg_problem *problem, int processors);

/* The same with so many threads that copy. */
struct clg_pipe_speeds clg_pipe_speeds_with(const struct clg_pipe_speeds *speeds, int threads);

/* Leaves a device its part of what the host has, for when so many devices work at a time: threads
 * that copy, and the memory that these share. A CPU's own work has that part, too. */
void clg_pipe_speeds_share(struct clg_pipe_speeds *speeds, const struct clg_facts *facts,
                           int processors, int devices);

/* Seconds from the call to C's last element. Threads, bus and device each do their work in order,
 * one thing at a time. Pieces may be larger than plan->slot; they would be transferred in parts of
 * that size. */
double clg_pipe_seconds(const struct clg_pipe_plan *plan, const struct clg_pipe_speeds *speeds);

/* The same of a joint plan. */
double clg_pipe_joint_seconds(const struct clg_pipe_plan *plan,
                              const struct clg_pipe_speeds *speeds);

/* Seconds in which a thread adds another C to the problem's. */
double clg_pipe_adding_seconds(const struct clg_problem *problem);

/* Seconds of a problem whose matrices the device uses in place, without a plan. */
double clg_pipe_seconds_in_place(const struct clg_problem *problem,
                                 const struct clg_pipe_speeds *speeds);

/* ---- Schedules: schedule.c cuts the pieces and lists the products, for given sizes ---- */

/* What a plan is made for. */
struct clg_pipe_task {
    const struct clg_problem *problem; /* with the host's matrices */
    bool has_beta;
    unsigned direct; /* see struct clg_pipe_plan */
};

/* Each step along k rounds C to its type, which must happen only once if its elements are narrow.
 */
static inline bool clg_pipe_may_cut_k(const struct clg_problem *problem) {
    return problem->batch == 1 && !clg_type_is_narrow(problem->type);
}

struct clg_pipe_way {
    int64_t rows, cols; /* of C in a panel; no rows: all. In a batch, products are its columns */
    int64_t tail;       /* the last panels of columns, or of rows if all columns are in one, are
                           halved down to this; 0: they are not */
    int64_t slab, rest; /* k of the first slab (0: no slabs); k left to the panels */
};

/* The blocks of C, and the depth of their slabs. */
struct clg_pipe_blocks {
    int64_t m, n, k;
};

/* Sides of panels and blocks are multiples of this, so that they begin at addresses aligned for
 * vectors and cache lines, whatever the type. */
enum { CLG_PIPE_SIDE = 64 };

/* The first three make *out, which is empty or was made before. Pieces have at most `slot` bytes
 * (or one column, if that is longer), except those that need no slot. False if memory is short. */

/* A schedule with whole matrices side by side on the device. */
bool clg_pipe_schedule_whole(struct clg_pipe_plan *out, const struct clg_pipe_task *task,
                             const struct clg_pipe_way *way, size_t slot);

/* A schedule for one product whose C is cut into blocks, with two places each for slabs of A and B.
 */
bool clg_pipe_schedule_blocks(struct clg_pipe_plan *out, const struct clg_pipe_task *task,
                              const struct clg_pipe_blocks *blocks, size_t slot);

/* A joint schedule, with one piece a matrix. */
bool clg_pipe_schedule_joint(struct clg_pipe_plan *out, const struct clg_pipe_task *task);

/* The most elements of each matrix's buffer that these blocks need. */
void clg_pipe_blocks_elements(int64_t out[CLG_MATRICES], const struct clg_pipe_task *task,
                              const struct clg_pipe_blocks *blocks);

/* ---- Plans: plan.c chooses the sizes ---- */

struct clg_pipe_limits {
    uint64_t bytes;   /* of all three buffers */
    uint64_t largest; /* of one */
    size_t slot;      /* bytes of the largest slot of pinned memory */
};

/* Makes a plan with pieces, or a joint one. False if memory is short for the plan itself, or if a
 * batch or a joint plan exceeds the limits. If even the smallest blocks do, these are used. Free
 * *out in any case. */
bool clg_pipe_plan_make(struct clg_pipe_plan *out, const struct clg_pipe_task *task,
                        const struct clg_pipe_speeds *speeds, const struct clg_pipe_limits *limits);
bool clg_pipe_plan_joint(struct clg_pipe_plan *out, const struct clg_pipe_task *task,
                         const struct clg_pipe_speeds *speeds,
                         const struct clg_pipe_limits *limits);

/* Makes the faster of both for as many products at a time as fit, and returns their number; 0 if
 * memory is short for the plan. Free *out, which begins as zeros, in any case. */
int64_t clg_pipe_make(struct clg_pipe_plan *out, const struct clg_pipe_task *task,
                      const struct clg_facts *facts, const struct clg_pipe_speeds *speeds);

/* The first products of a batch, or just one, as a problem of their own. */
struct clg_problem clg_pipe_part(const struct clg_problem *problem, int64_t products);

#endif

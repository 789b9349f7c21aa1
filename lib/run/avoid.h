/* SPDX-License-Identifier: Apache-2.0
 * What an engine does not use, and why: the one record of programs that were wrong, could not be
 * built or spill registers, and of families that were refuted. */
#ifndef CLG_RUN_AVOID_H
#define CLG_RUN_AVOID_H

#include <pthread.h>

#include "base/hash.h"
#include "gemm/plan.h"

enum clg_avoid {
    CLG_AVOID_WRONG,   /* the programs gave wrong results, or none */
    CLG_AVOID_UNBUILT, /* they could not be built */
    CLG_AVOID_SPILLS,  /* their kernels spill: others are used if they spill less */
    CLG_AVOID_REFUTED  /* in that type and mode the family could not be proved, or does not pay */
};

/* Of more the oldest are forgotten, and found out again. */
enum { CLG_AVOIDED_MOST = 128 };

struct clg_avoided_entry {
    enum clg_avoid why;
    struct clg_hash programs; /* 0 for a family */
    const struct clg_family *family;
    clgemm_type type;
    clgemm_math math; /* 0 for programs */
    uint64_t spills;  /* bytes (clg_kernel_spills), for that reason */
};

struct clg_avoided {
    bool widths;          /* a program may be wrong for wide launches alone (gemm/small.h) */
    pthread_mutex_t lock; /* guards all below */
    struct clg_avoided_entry entries[CLG_AVOIDED_MOST];
    int count, oldest;
};

void clg_avoided_open(struct clg_avoided *avoided, bool widths);
void clg_avoided_close(struct clg_avoided *avoided);

/* Records the plan's programs, or its family in its type and mode. */
void clg_avoid(struct clg_avoided *avoided, const struct clg_plan *plan, enum clg_avoid why);

/* Records that the plan's programs spill so many bytes. */
void clg_avoid_spills(struct clg_avoided *avoided, const struct clg_plan *plan, uint64_t bytes);

/* The bytes that they are known to spill, or 0. */
uint64_t clg_avoided_spills(struct clg_avoided *avoided, const struct clg_plan *plan);

/* Whether they are recorded for that reason. */
bool clg_is_avoided(struct clg_avoided *avoided, const struct clg_plan *plan, enum clg_avoid why);

/* The number of wrong programs of the plan's family and type. */
int clg_avoided_alike(struct clg_avoided *avoided, const struct clg_plan *plan);

/* The families that are refuted in the problem's type and mode, as their clg_family_bit. */
unsigned clg_avoided_families(struct clg_avoided *avoided, const struct clg_problem *problem);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * The helper: a process that builds programs into the cache on disk, so that no compiler runs in
 * the caller's process. Its program lies beside the library (clgemm/clgemm-build).
 *
 * The program cannot tell that it is there: it is nobody's child, and a page of shared memory
 * takes the place of descriptors:
 *
 *     program --clone, no exit signal--> an intermediate, which starts the helper and ends
 *
 * Nobody waits for the intermediate: it stays a zombie, which wait() does not see, because one that
 * is waited for would count in RUSAGE_CHILDREN. An exec() would give a child its exit signal back,
 * so the helper itself cannot be the child.
 *
 * There is none in programs that adopt orphans (process 1, subreapers), if the library is linked
 * statically, or if the cache on disk is off. */
#ifndef CLG_RUN_HELPER_H
#define CLG_RUN_HELPER_H

#include "base/hash.h"
#include "device/device.h"
#include "gemm/family.h"

/* What a helper is asked: to build the programs of a plan, to check them, and to keep both. Or only
 * to open a device that it has not opened yet, with the general programs. */
struct clg_errand {
    char device[CLG_FACT_TEXT];
    bool opens;
    uint64_t room;          /* then, of address space; 0: not limited */
    uint64_t workspace_max; /* of the asking process */
    struct clg_hash programs;
    struct clg_problem problem;
    int family, ahead; /* indices in clg_families, or -1 */
    struct clg_params params;
};

enum clg_help {
    CLG_HELP_NONE,  /* it cannot use the device, or keep programs */
    CLG_HELP_DONE,  /* all is on disk */
    CLG_HELP_FAILED /* they cannot be built */
};

/* ---- In the program ---- */

struct clg_helper;

/* Starts no process yet. NULL if memory is short, or if there is no helper beside the library. */
struct clg_helper *clg_helper_new(void);

/* Ends its process. NULL is fine. */
void clg_helper_free(struct clg_helper *helper);

/* Has the programs of a plan for an open device built, and waits; threads take turns. A success
 * too if there is no helper, or it cannot help: then the caller must build them. Fails if they
 * cannot be built, or if the compiler ended the helper. */
clgemm_status clg_helper_build(struct clg_helper *helper, const struct clg_device *device,
                               const struct clg_plan *plan);

/* Has the device that `request` names (may be NULL) opened, with the general programs, in so much
 * more address space than the helper has at its start; 0: not limited. */
clgemm_status clg_helper_open(struct clg_helper *helper, const char *request, uint64_t room);

/* Lets all calls of clg_helper_build fail with CLGEMM_STATUS_EXITING, at once. */
void clg_helper_stop(struct clg_helper *helper);

/* ---- In the helper ---- */

struct clg_desk;

/* Takes over the shared memory behind a descriptor, which is closed. NULL if it is none, or that of
 * another version. */
struct clg_desk *clg_desk_open(int file);

/* Waits for the next errand. NULL if the program has ended, or has asked for nothing for a while.
 */
const struct clg_errand *clg_desk_wait(struct clg_desk *desk);

/* Answers it; unless it is done, with the last error. */
void clg_desk_answer(struct clg_desk *desk, enum clg_help help, clgemm_status status);

#endif

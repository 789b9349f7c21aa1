/* SPDX-License-Identifier: Apache-2.0
 * Which plans an engine trusts: those whose programs have been checked on the device (run/check.h),
 * now, by another engine, or by an earlier process whose finding is on disk. */
#ifndef CLG_RUN_TRUST_H
#define CLG_RUN_TRUST_H

#include "base/hash.h"
#include "program/finding.h"
#include "run/exec.h"

enum { CLG_TRUST_WRONG = 32 };

/* Programs that were found wrong, by the hash of their key. */
struct clg_wrong {
    struct clg_hash key;
    const struct clg_family *family;
    clgemm_type type;
};

struct clg_trust {
    struct clg_device *device;
    struct clg_binaries *store; /* where findings are kept; NULL: nowhere */
    int verify;                 /* a clgemm_verify; atomic */
    pthread_mutex_t lock;       /* guards all below */
    struct clg_wrong wrong[CLG_TRUST_WRONG];
    int num_wrong;
};

void clg_trust_open(struct clg_trust *trust, struct clg_device *device, struct clg_binaries *store);
void clg_trust_close(struct clg_trust *trust);

/* Whether the plan's programs are known to give wrong results; or nothing is known of them, and two
 * others of its family and type do, which then has no third try: each may have to be compiled. */
bool clg_trust_is_wrong(struct clg_trust *trust, const struct clg_plan *plan);

/* Whether the plan's family pays on the device (its `pays`), by an earlier finding, or measured
 * now. False says why in clgemm_last_error(). */
bool clg_trust_pays(struct clg_trust *trust, const struct clg_plan *plan);

/* What is known of the prepared plan, which is checked where that is due and nothing is: unless
 * CLGEMM_VERIFY_OFF says not to, but for families to be proven. Notes, logs and keeps the finding;
 * of CLG_FINDING_NONE and _WRONG clgemm_last_error() says why. */
enum clg_finding clg_trust_check(struct clg_trust *trust, const struct clg_prepared *prepared);

#endif

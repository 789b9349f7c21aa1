/* SPDX-License-Identifier: Apache-2.0
 * Decides which plans an engine trusts: those whose programs have been checked on the device
 * (run/check.h), by this engine, by another one, or by an earlier process whose result is on disk.
 */
#ifndef CLG_RUN_TRUST_H
#define CLG_RUN_TRUST_H

#include "program/finding.h"
#include "run/avoid.h"
#include "run/exec.h"

struct clg_trust {
    struct clg_device *device;
    struct clg_binaries *store;  /* where results are kept; NULL: nowhere */
    struct clg_avoided *avoided; /* where programs that are wrong or spill are recorded */
    int verify;                  /* a clgemm_verify; atomic */
};

/* Whether the plan's programs are known to give wrong results. Also true if nothing is known of
 * them but two others of their family and type are wrong. There is no third try, because each may
 * require a compilation. */
bool clg_trust_is_wrong(struct clg_trust *trust, const struct clg_plan *plan);

/* Whether the plan's family pays on the device (its `pays`), from an earlier measurement or a new
 * one. If false, clgemm_last_error() says why. */
bool clg_trust_pays(struct clg_trust *trust, const struct clg_plan *plan);

/* The result for the prepared plan, which is checked now if it has to be and has not been; as a
 * product of its kinds (gemm/small.h), too, unless that takes seconds and not all is verified.
 * CLGEMM_VERIFY_OFF prevents checks, except of families whose use requires one. Records, logs and
 * keeps the result, and what the plan's kernels spill. For CLG_FINDING_NONE and CLG_FINDING_WRONG,
 * clgemm_last_error() says why. */
enum clg_finding clg_trust_check(struct clg_trust *trust, const struct clg_prepared *prepared);

/* Whether clg_trust_check need not run the plan's kernels: the result is known, or there will be
 * none. */
bool clg_trust_knows(struct clg_trust *trust, const struct clg_plan *plan);

#endif

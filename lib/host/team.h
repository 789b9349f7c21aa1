/* SPDX-License-Identifier: Apache-2.0
 * Several devices that share calls on host matrices: each computes its share as a call of its own,
 * from a thread of its own. */
#ifndef CLG_HOST_TEAM_H
#define CLG_HOST_TEAM_H

#include "host/split.h"

struct clg_team;

/* Opens a team of at most CLG_DEVICES_MOST hosts, which must outlive it. NULL if memory is short.
 */
struct clg_team *clg_team_open(struct clg_host *const hosts[], int count);

/* Ends its threads. No call may be in progress. NULL is fine. */
void clg_team_close(struct clg_team *team);

/* As clg_host_gemm: the devices that shorten the call have a share each, the others none. *first,
 * if not NULL, receives the device whose plan call->plan receives. The first failure of a share is
 * that of the call. A device that is lost is left out by later calls; without any device, fails
 * with CL_DEVICE_NOT_AVAILABLE. */
clgemm_status clg_team_gemm(struct clg_team *team, const struct clg_host_call *call,
                            const struct clg_device **first);

/* The same by these shares. */
clgemm_status clg_team_carry_out(struct clg_team *team, const struct clg_split *split,
                                 const struct clg_host_call *call);

/* As clg_host_warm, for the shares of calls with beta and without. */
clgemm_status clg_team_warm(struct clg_team *team, const struct clg_problem *problem);

/* Forgets shares, after the devices' tuning tables have changed. */
void clg_team_forget(struct clg_team *team);

#endif

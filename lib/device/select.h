/* SPDX-License-Identifier: Apache-2.0
 * Lists the devices of the machine, and chooses among them. */
#ifndef CLG_DEVICE_SELECT_H
#define CLG_DEVICE_SELECT_H

#include "device/facts.h"

struct clg_device_entry {
    cl_device_id id;
    unsigned platform, device; /* P and D of "P:D", from 0 */
    struct clg_facts facts;
};

struct clg_device_list {
    struct clg_device_entry *entries;
    size_t count;
};

/* Lists every device of every platform. An empty list is a success. Platforms and devices that do
 * not answer are left out. Release with clg_device_list_free. */
clgemm_status clg_device_list_query(struct clg_device_list *out);
void clg_device_list_free(struct clg_device_list *list);

/* Why a device cannot be used, or NULL if it can. */
const char *clg_device_unusable(const struct clg_facts *facts);

/* Why a device is only used if a request names it, or NULL: its runtime is known to compute wrong
 * results that a check of a small product does not see. "cpu" and "gpu" are no names. */
const char *clg_device_distrusted(const struct clg_facts *facts);

enum { CLG_DEVICES_MOST = 64 }; /* in one request */

struct clg_device_choice {
    const struct clg_device_entry *devices[CLG_DEVICES_MOST];
    int count;        /* at least 1 after a success, 0 after a failure */
    unsigned sharers; /* with "%R/N": processes, of N, that use the first device; else 1 */
    const char *why;  /* a phrase that explains the choice */
};

/* Chooses the devices that `request` names, as in clgemm_create(). NULL: the best GPU, else an
 * accelerator, else a CPU. The best one has the highest product of compute units and clock rate; of
 * equal ones the first is chosen. Distrusted ones are not.
 *
 * "gpu:*", "cpu:*" and "all" are lists of every such device, the best first; what is joined by "+"
 * is a list of what each part names. A list may name a device only once.
 *
 * A suffix "%R/N" spreads N processes over the devices of a list, of which each has a part of its
 * own, or shares one if there are fewer; without a list, over all devices of the same platform and
 * kind as the chosen one that the request also matches.
 *
 * Calls no OpenCL function. Fails with CLGEMM_STATUS_NO_DEVICE and a text of what there is. */
clgemm_status clg_device_choose_all(const struct clg_device_list *list, const char *request,
                                    struct clg_device_choice *out);

/* The first of them, for what uses one device. *why may be NULL. */
clgemm_status clg_device_choose(const struct clg_device_list *list, const char *request,
                                const struct clg_device_entry **out, const char **why);

#endif

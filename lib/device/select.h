/* SPDX-License-Identifier: Apache-2.0
 * Lists the devices of the machine, and chooses one. */
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

/* Chooses the device that `request` names, as in clgemm_create(). NULL: the best GPU, else an
 * accelerator, else a CPU. The best one has the highest product of compute units and clock rate; of
 * equal ones the first is chosen. Distrusted ones are not.
 *
 * A suffix "%R/N" spreads N processes over all devices of the same platform and kind as the chosen
 * one that the request also matches.
 *
 * *why, if not NULL, is set to a phrase that explains the choice. Calls no OpenCL function. Fails
 * with CLGEMM_STATUS_NO_DEVICE and a text of what was tried. */
clgemm_status clg_device_choose(const struct clg_device_list *list, const char *request,
                                const struct clg_device_entry **out, const char **why);

/* How many of N processes share the device that clg_device_choose() chooses for a request with
 * "%R/N". 1 without that suffix. */
unsigned clg_device_sharers(const struct clg_device_list *list, const char *request);

#endif

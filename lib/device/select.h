/* SPDX-License-Identifier: Apache-2.0
 * The machine's devices, and the choice of one. */
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

/* Lists every device of every platform. An empty list is a success; platforms or devices that do
 * not answer are left out. Release with clg_device_list_free. */
clgemm_status clg_device_list_query(struct clg_device_list *out);
void clg_device_list_free(struct clg_device_list *list);

/* Why a device cannot be used, or NULL if it can. */
const char *clg_device_unusable(const struct clg_facts *facts);

/* Picks from the list what `request` names (as clgemm_create() takes it; NULL: the best GPU, else
 * an accelerator, else a CPU; among equals the most compute units times clock, then the first). A
 * share behind it, "%R/N", spreads N processes over the devices that are like the picked one: of
 * the same platform and kind, and named by the request as well.
 * *why, if not NULL, receives one word-like phrase on the choice. Pure: calls no OpenCL. Fails with
 * CLGEMM_STATUS_NO_DEVICE and a text of what was tried. */
clgemm_status clg_device_choose(const struct clg_device_list *list, const char *request,
                                const struct clg_device_entry **out, const char **why);

/* How many of the N processes of such a share have the device that clg_device_choose() picks; 1
 * for a request without one. */
unsigned clg_device_sharers(const struct clg_device_list *list, const char *request);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * What `clgemm info` has found, and its reports. */
#ifndef CLGEMM_INFO_INFO_H
#define CLGEMM_INFO_INFO_H

#include <stdio.h>

#include "base/env.h"
#include "device/select.h"
#include "src/info/probe.h"
#include "tuning/table.h"

#define INFO_SCHEMA "clgemm-info/1"

/* From how many operations on calls on host matrices of a type pay. */
struct info_break_even {
    int64_t flops;
    const char *from; /* "measured", "guessed", or "not supported" if the device lacks the type;
                         NULL: no device, or no kernel for the type */
};

struct info {
    struct clg_device_list list;
    struct clg_probes *probes;             /* one for each device of the list */
    const char *request, *request_from;    /* NULL if no device was requested */
    struct clg_device_choice choice;       /* of several devices if a list was requested */
    const struct clg_device_entry *chosen; /* the first of them; NULL if there is none */
    char
        shares[1024]; /* how several devices would share a large product, and why; "": one device */
    const char *why;  /* NULL if no device was chosen; then `error` says why */
    char error[2048]; /* why no device was chosen */
    struct clg_path programs;
    struct clg_path tuning[CLG_TUNING_PATHS + 1];       /* the last is the library's own table */
    struct info_break_even break_evens[CLG_TYPE_COUNT]; /* of the chosen device */
    struct clg_tuning *table;   /* of the chosen device; NULL if there is none */
    char costs[CLG_COSTS_TEXT]; /* where its costs are from */
    const char *cache_off;      /* why programs are not kept on disk; NULL if they are */
    uint64_t cache_entries, cache_bytes;
    /* Numbers of program kinds that gave wrong results, and that spill, on the chosen device. */
    size_t cache_wrong, cache_spilling;
};

/* Whether the device is one of those chosen. */
bool info_is_chosen(const struct info *info, const struct clg_device_entry *entry);

/* Write the report. Errors are left in the stream's state. */
void info_write_md(FILE *out, const struct info *info);
void info_write_json(FILE *out, const struct info *info);

#endif

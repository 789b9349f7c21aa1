/* SPDX-License-Identifier: Apache-2.0
 * The ladder: eleven kernels from the naive one on (kernels/ladder/, docs/ladder.md), as one table
 * of what each is, how it is launched and which sizes it can do. */
#ifndef CLGEMM_COMMON_LADDER_STEPS_H
#define CLGEMM_COMMON_LADDER_STEPS_H

#include "device/facts.h"
#include "program/source.h"
#include "src/common/shape.h"

enum { LADDER_STEPS = 11, LADDER_SETTINGS = 10, LADDER_OPTIONS = 256, LADDER_NAME = 24 };

/* A parameter of a kernel: a -D option. */
struct ladder_setting {
    const char *name;
    int value;
};

/* What a step needs beside its kernel; its time counts as the step's. */
enum ladder_needs {
    LADDER_NOTHING,
    LADDER_TRANSPOSED_B, /* transpose.cl */
    LADDER_PADDED        /* transpose.cl, pad.cl before and unpad.cl after */
};

/* How a step with its settings runs. */
struct ladder_launch {
    int tile_m, tile_n, tile_k; /* what a work-group computes; sizes are multiples of these */
    int group_m, group_n;       /* work-items */
    int64_t local_bytes;        /* of local memory */
};

struct ladder_step {
    int number; /* 1 to LADDER_STEPS */
    enum ladder_needs needs;
    const char *variant; /* where a step has several, else "" */
    const char *source;  /* its kernel is "clg_" + source */
    const char *title;
    struct ladder_setting settings[LADDER_SETTINGS]; /* a NULL name ends them */
    void (*launch)(const struct ladder_step *step, struct ladder_launch *out);
    /* Why the settings do not go together, or NULL. */
    const char *(*wrong)(const struct ladder_step *step, const struct ladder_launch *launch);
};

/* By number, with the tutorial's settings. */
extern const struct ladder_step ladder_steps[];
extern const int ladder_step_count;

/* The ladder's kernels: the steps and their helpers. NULL where there is none of that name. */
const struct clg_source *ladder_source_find(const char *name);

/* A setting's value, or `otherwise` where the step has no such. */
int ladder_value(const struct ladder_step *step, const char *name, int otherwise);

/* What --set has asked for. */
struct ladder_settings {
    struct {
        char name[LADDER_NAME];
        int value;
    } items[LADDER_SETTINGS * 2];
    int count;
};

/* Takes "NAME=VALUE"; false with a sentence where no step has the name or the value is none. */
bool ladder_set(struct ladder_settings *settings, const char *text, char *why, size_t room);

/* Puts what the step has of the settings into it. Whether anything was. */
bool ladder_apply(struct ladder_step *step, const struct ladder_settings *settings);

/* Why the step cannot run on the device with its settings, or NULL. Fills *out where it can. */
const char *ladder_unsupported_reason(const struct ladder_step *step, const struct clg_facts *facts,
                                      struct ladder_launch *out);

/* Whether the step can do that size; if not, `why` says so and names the nearest that it can. */
bool ladder_takes(const struct ladder_step *step, struct shape shape, char *why, size_t room);

/* All settings into `out`, which it returns: "TS=32 WPT=8" for the prefix "". With "-D" these are
 * the build options. */
const char *ladder_options(const struct ladder_step *step, const char *prefix,
                           char out[LADDER_OPTIONS]);

/* Reads "1-11" or "1,3,5-7" into a set of bits, bit s for step s. */
bool ladder_parse_steps(unsigned *steps, const char *text, char *why, size_t room);

/* Turns on those of step 8's device extras that work on the device with the step's settings, found
 * out by running extras_probe.cl in a context of its own. Other steps, and extras that `asked`
 * names, stay as they are. */
void ladder_find_extras(struct ladder_step *step, cl_device_id id,
                        const struct ladder_settings *asked);

/* Whether the name is among the device's extensions, alone or as a part of one. */
bool ladder_has_extension(cl_device_id id, const char *name);

#endif

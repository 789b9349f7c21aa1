/* SPDX-License-Identifier: Apache-2.0
 * The ladder: eleven kernels, from the naive one on (kernels/ladder/, docs/ladder.md). One table
 * says what each is, how it is launched and which sizes it can do. */
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

/* The helper kernels of a step. Their time is part of the step's. */
enum ladder_needs {
    LADDER_NOTHING,
    LADDER_TRANSPOSED_B, /* transpose.cl */
    LADDER_PADDED        /* transpose.cl, pad.cl before and unpad.cl after */
};

/* How a step runs with its settings. */
struct ladder_launch {
    int tile_m, tile_n,
        tile_k;           /* the part of C that a work-group computes; sizes are multiples of it */
    int group_m, group_n; /* work-items */
    int64_t local_bytes;  /* of local memory, in bytes */
};

struct ladder_step {
    int number; /* 1 to LADDER_STEPS */
    enum ladder_needs needs;
    const char *variant; /* if a step has several variants, else "" */
    const char *source;  /* its kernel is "clg_" + source */
    const char *title;
    struct ladder_setting settings[LADDER_SETTINGS]; /* ends with a NULL name */
    void (*launch)(const struct ladder_step *step, struct ladder_launch *out);
    /* Why the settings do not fit together, or NULL. */
    const char *(*wrong)(const struct ladder_step *step, const struct ladder_launch *launch);
};

/* By number, with the tutorial's settings. */
extern const struct ladder_step ladder_steps[];
extern const int ladder_step_count;

/* The ladder's kernels: the steps and their helpers. NULL if no kernel has that name. */
const struct clg_source *ladder_source_find(const char *name);

/* A setting's value, or `otherwise` if the step does not have it. */
int ladder_value(const struct ladder_step *step, const char *name, int otherwise);

/* The settings that --set gives. */
struct ladder_settings {
    struct {
        char name[LADDER_NAME];
        int value;
    } items[LADDER_SETTINGS * 2];
    int count;
};

/* Takes "NAME=VALUE". False with a sentence if no step has the name or the value is not valid. */
bool ladder_set(struct ladder_settings *settings, const char *text, char *why, size_t room);

/* Applies those of the settings that the step has. Returns whether there were any. */
bool ladder_apply(struct ladder_step *step, const struct ladder_settings *settings);

/* Why the step cannot run on the device with its settings, or NULL, with *out filled. */
const char *ladder_unsupported_reason(const struct ladder_step *step, const struct clg_facts *facts,
                                      struct ladder_launch *out);

/* Whether the step can do that size. If not, `why` says so and names the nearest size that it can
 * do. */
bool ladder_takes(const struct ladder_step *step, struct shape shape, char *why, size_t room);

/* Writes all settings into `out`, which it returns: "TS=32 WPT=8" for the prefix "". With "-D"
 * these are the build options. */
const char *ladder_options(const struct ladder_step *step, const char *prefix,
                           char out[LADDER_OPTIONS]);

/* Reads "1-11" or "1,3,5-7" into a bit set: bit s stands for step s. */
bool ladder_parse_steps(unsigned *steps, const char *text, char *why, size_t room);

/* Turns on those of step 8's device extras that work on the device with the step's settings. To
 * find out, it runs extras_probe.cl in a separate context. Other steps, and extras that `asked`
 * names, stay unchanged. */
void ladder_find_extras(struct ladder_step *step, cl_device_id id,
                        const struct ladder_settings *asked);

/* Whether the name is among the device's extensions, alone or as part of a name. */
bool ladder_has_extension(cl_device_id id, const char *name);

#endif

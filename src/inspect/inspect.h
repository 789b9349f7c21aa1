/* SPDX-License-Identifier: Apache-2.0
 * What the parts of `clgemm inspect` share: the programs, the findings about each, the report. */
#ifndef CLGEMM_INSPECT_INSPECT_H
#define CLGEMM_INSPECT_INSPECT_H

#include <limits.h>

#include "device/device.h"
#include "gemm/family.h"
#include "src/common/ladder_steps.h"
#include "src/output.h"

#define INSPECT_SCHEMA "clgemm-inspect/1"

enum { INSPECT_MAX = 8, INSPECT_NAME = 48, INSPECT_OPTIONS = 512 };

/* A program to be inspected: a step of a plan, or of the ladder. */
struct inspect_subject {
    char name[INSPECT_NAME]; /* also the name of its files */
    const struct clg_source *source;
    char options[INSPECT_OPTIONS];
    uint64_t group[2]; /* work-items */
    const struct clg_plan *plan;
    int plan_step; /* if there is a plan */
    struct ladder_step step;
    struct ladder_launch launch; /* if there is no plan */
};

/* Counts in the text of one kernel. */
enum inspect_count {
    COUNT_ALL,
    COUNT_FMA,
    COUNT_GLOBAL_LOADS,
    COUNT_GLOBAL_STORES,
    COUNT_LOCAL_LOADS,
    COUNT_LOCAL_STORES,
    COUNT_LOADS, /* if the text does not tell global from local memory */
    COUNT_STORES,
    COUNT_STACK_LOADS, /* of values that did not fit in registers */
    COUNT_STACK_STORES,
    COUNT_SHUFFLES,
    COUNT_MOVES,
    COUNTS
};

/* Their names in JSON and in Markdown. */
extern const char *const inspect_count_keys[COUNTS];
extern const char *const inspect_count_labels[COUNTS];

struct inspect_finding {
    char *log;                                    /* of the build; owned, may be NULL */
    int64_t values[COUNTS];                       /* -1: this text does not tell */
    const char *counted;                          /* what was counted in; NULL: nothing */
    const char *uncounted;                        /* why nothing was counted */
    int64_t registers, spill_stores, spill_loads; /* of a work-item, from the log; -1: not known */
    uint64_t local_memory, private_memory;        /* bytes, as OpenCL reports them */
    uint64_t max_group;                           /* the largest work-group that can run it */
    unsigned char *binary;                        /* as OpenCL returns it; owned, may be NULL */
    size_t binary_size;
    const char *binary_kind;
    char *text;              /* what was counted in; owned, may be NULL */
    char failure[1024];      /* why it could not be built; "" if it was */
    char files[2][PATH_MAX]; /* the files written; "" if none */
};

struct inspect_job {
    const char *command, *target, *device, *folder; /* folder: where files go, or NULL */
    struct output output;
    struct ladder_settings settings;
    clgemm_type type; /* of plans */
    clgemm_math math; /* the same; 0: strict */
    /* Found by inspect_find; plans is what subjects point to. */
    struct clg_plan plan;
    struct clg_list list; /* what the plan was chosen from; empty if the target is no plan */
    uint64_t spills[CLG_CANDIDATES]; /* bytes that each of these is known to spill */
    struct inspect_subject subjects[INSPECT_MAX];
    int count;
    struct inspect_finding findings[INSPECT_MAX];
};

/* Finds the programs that the target names. Returns false with a sentence in `why`. */
bool inspect_find(struct inspect_job *job, struct clg_device *device, char *why, size_t room);

/* Builds the subject, launches it once, and collects all findings. Release it in any case. */
void inspect_program(const struct inspect_subject *subject, struct clg_device *device,
                     struct inspect_finding *out);
void inspect_release(struct inspect_finding *finding);

/* The machine code of one program: an ELF file inside the binary, as PoCL has it. NULL if there is
 * none. */
const unsigned char *inspect_elf(const struct inspect_finding *finding, size_t *size);

/* Counts instructions of the kernel in PTX, or in the text of inspect_disassemble. Returns false if
 * the text has no such kernel. */
bool inspect_count_ptx(const char *text, const char *kernel, int64_t values[COUNTS]);
bool inspect_count_x86(const char *text, const char *kernel, int64_t values[COUNTS]);

/* The disassembly of an ELF file for x86-64 by objdump, owned by the caller (free); NULL with a
 * reason. */
char *inspect_disassemble(const unsigned char *elf, size_t size, const char **why);

/* Writes the binary and the text to the job's folder, which it makes. On failure prints a message
 * and returns false. */
bool inspect_write_files(struct inspect_job *job);

void inspect_report(FILE *out, const struct inspect_job *job, const struct clg_facts *facts);

#endif

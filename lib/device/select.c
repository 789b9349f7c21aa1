/* SPDX-License-Identifier: Apache-2.0
 * Lists the devices of the machine, and chooses among them. */
#include "device/select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/env.h"
#include "base/format.h"
#include "base/log.h"
#include "device/error.h"
#include "device/signals.h"

#define INSTALL_HINT                                                                  \
    "install an OpenCL driver: the GPU vendor's, or pocl-opencl-icd to use the CPU; " \
    "`clgemm info` lists what is found"

/* Appends one platform's devices. Devices that do not answer are left out. A lack of memory is an
 * error, because otherwise another device, or none, would be chosen. */
static clgemm_status append_platform(struct clg_device_list *list, cl_platform_id platform,
                                     unsigned number) {
    cl_uint count = 0;
    cl_int error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
    if (error || count == 0)
        return CLGEMM_SUCCESS;
    cl_device_id *ids = calloc(count, sizeof *ids);
    struct clg_device_entry *grown =
        realloc(list->entries, (list->count + count) * sizeof *list->entries);
    if (grown)
        list->entries = grown;
    if (!ids || !grown) {
        free(ids);
        return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a list of devices");
    }
    error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids, NULL);
    for (cl_uint d = 0; d < count && !error; d++) {
        struct clg_device_entry *entry = &list->entries[list->count];
        *entry = (struct clg_device_entry){.id = ids[d], .platform = number, .device = d};
        const clgemm_status status = clg_facts_query(ids[d], &entry->facts);
        if ((cl_int)status == CL_OUT_OF_HOST_MEMORY) {
            free(ids);
            return status;
        }
        if (status == CLGEMM_SUCCESS)
            list->count++;
        else
            clg_log(CLG_LOG_PLANS, "device %u:%u left out: %s", number, d, clg_last_error());
    }
    free(ids);
    return CLGEMM_SUCCESS;
}

clgemm_status clg_device_list_query(struct clg_device_list *out) {
    *out = (struct clg_device_list){0};
    clgemm_status status = CLGEMM_SUCCESS;
    cl_platform_id *platforms = NULL;
    cl_uint count = 0;

    clg_env_keep_loaders();
    clg_signals_save();
    cl_int error = clGetPlatformIDs(0, NULL, &count);
    if (error || count == 0) {
        clg_fail(CLGEMM_STATUS_NO_DEVICE,
                 "no OpenCL platform (clGetPlatformIDs: %s); " INSTALL_HINT,
                 error && clg_cl_error_name(error) ? clg_cl_error_name(error) : "none found");
        goto out; /* an empty list is not a failure here */
    }
    platforms = calloc(count, sizeof *platforms);
    if (!platforms) {
        status = clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a list of platforms");
        goto out;
    }
    error = clGetPlatformIDs(count, platforms, NULL);
    for (cl_uint p = 0; p < count && !error && !status; p++) {
        clg_signals_save(); /* again, because loading the drivers took long */
        status = append_platform(out, platforms[p], p);
        clg_signals_restore();
    }
out:
    clg_signals_restore();
    free(platforms);
    if (status)
        clg_device_list_free(out);
    return status;
}

void clg_device_list_free(struct clg_device_list *list) {
    free(list->entries);
    *list = (struct clg_device_list){0};
}

/* Whether a driver may lack functions that the library calls. OpenCL's loader would look them up
 * beyond the end of the driver's table. */
static bool is_older_than_1_2(const struct clg_facts *facts) {
    int major, minor;
    return sscanf(facts->version, "OpenCL %d.%d", &major, &minor) == 2 &&
           (major < 1 || (major == 1 && minor < 2));
}

const char *clg_device_unusable(const struct clg_facts *facts) {
    if (!facts->available)
        return "is not available";
    if (!facts->has_compiler)
        return "has no OpenCL compiler";
    if (is_older_than_1_2(facts))
        return "is older than OpenCL 1.2";
    return NULL;
}

const char *clg_device_distrusted(const struct clg_facts *facts) {
    static const char long_loops[] = "ends loops after 65535 iterations, so results are wrong; it "
                                     "is used only if it is named";
    static const char preview[] = "is a preview of PoCL with known faults; it is used only if it "
                                  "is named";
    if (strcmp(facts->platform, "rusticl") == 0 && strstr(facts->name, "llvmpipe"))
        return long_loops;
    return strstr(facts->platform_version, "PoCL 3.0-rc") ? preview : NULL;
}

/* GPUs rank above accelerators, and these above CPUs, whatever their size. */
static double preference(const struct clg_facts *facts) {
    double kind = facts->kind == CLG_DEVICE_GPU ? 2 : facts->kind == CLG_DEVICE_ACCELERATOR ? 1 : 0;
    return kind * 0x1p40 + (double)facts->compute_units * (facts->clock_mhz ? facts->clock_mhz : 1);
}

/* Reads digits, and nothing else, of a number that fits. */
static bool read_number(const char **text, unsigned *out) {
    const char *at = *text;
    for (*out = 0; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(*out, 10U, out) ||
            __builtin_add_overflow(*out, (unsigned)(*at - '0'), out))
            return false;
    const bool has_digits = at > *text;
    *text = at;
    return has_digits;
}

/* Reads two numbers with the mark between them, and nothing else. */
static bool read_pair(const char *text, char mark, unsigned *first, unsigned *second) {
    return read_number(&text, first) && *text++ == mark && read_number(&text, second) &&
           *text == '\0';
}

static bool is_group(const char *request) {
    return strcasecmp(request, "all") == 0 || strcasecmp(request, "gpu:*") == 0 ||
           strcasecmp(request, "cpu:*") == 0;
}

static bool is_list(const char *request) {
    return request && (is_group(request) || strchr(request, '+'));
}

/* Whether it names devices by what they are. */
static bool is_kind(const char *request) {
    return strcasecmp(request, "cpu") == 0 || strcasecmp(request, "gpu") == 0 || is_group(request);
}

static bool matches(const struct clg_device_entry *entry, const char *request) {
    unsigned platform, device;
    if (read_pair(request, ':', &platform, &device))
        return entry->platform == platform && entry->device == device;
    if (strcasecmp(request, "all") == 0)
        return true;
    if (is_kind(request))
        return entry->facts.kind ==
               (strncasecmp(request, "cpu", 3) == 0 ? CLG_DEVICE_CPU : CLG_DEVICE_GPU);
    return clg_find_text(entry->facts.name, request) != NULL;
}

/* Writes every device, and why it is not chosen. */
static void describe(const struct clg_device_list *list, char *out, size_t size) {
    size_t used = 0;
    *out = '\0';
    for (size_t i = 0; i < list->count && used < size - 1; i++) {
        const struct clg_device_entry *entry = &list->entries[i];
        const char *reason = clg_device_unusable(&entry->facts);
        reason = reason ? reason : clg_device_distrusted(&entry->facts);
        int wrote = snprintf(out + used, size - used, "%s%u:%u %.64s (%s)", i ? ", " : "",
                             entry->platform, entry->device, entry->facts.name,
                             reason ? reason : clg_device_kind_name(entry->facts.kind));
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

enum { DESCRIPTION = 1024 };

static clgemm_status fail_no_device(const struct clg_device_list *list, const char *request) {
    char seen[DESCRIPTION];
    describe(list, seen, sizeof seen);
    if (list->count == 0)
        return clg_fail(
            CLGEMM_STATUS_NO_DEVICE, "there is no OpenCL device%s%.128s%s; " INSTALL_HINT,
            request ? " (asked for \"" : "", request ? request : "", request ? "\")" : "");
    if (request)
        return clg_fail(CLGEMM_STATUS_NO_DEVICE,
                        "no usable OpenCL device matches \"%.128s\" (P:D, part of a name, cpu or "
                        "gpu, gpu:*, cpu:* or all, or several joined by +); there are: "
                        "%s; " INSTALL_HINT,
                        request, seen);
    return clg_fail(CLGEMM_STATUS_NO_DEVICE,
                    "no usable OpenCL device; there are: %s; " INSTALL_HINT, seen);
}

struct request {
    const char *name; /* NULL: none */
    unsigned rank, ranks;
    char buffer[512];
};

static void parse(const char *text, struct request *out) {
    *out = (struct request){.name = text, .rank = 0, .ranks = 1};
    const char *mark = text ? strrchr(text, '%') : NULL;
    unsigned rank, ranks;
    if (!mark || (size_t)(mark - text) >= sizeof out->buffer ||
        !read_pair(mark + 1, '/', &rank, &ranks) || rank >= ranks)
        return; /* the whole text is a name */
    memcpy(out->buffer, text, (size_t)(mark - text));
    out->name = mark > text ? out->buffer : NULL;
    out->rank = rank;
    out->ranks = ranks;
}

static bool may_be(const struct clg_device_entry *entry, const struct request *request) {
    const bool is_named = request->name && !is_kind(request->name);
    return !clg_device_unusable(&entry->facts) &&
           (is_named || !clg_device_distrusted(&entry->facts)) &&
           (!request->name || matches(entry, request->name));
}

/* Whether a device precedes another in the order of preference; equal ones keep the list's. */
static bool precedes(const struct clg_device_entry *left, const struct clg_device_entry *right) {
    const double x = preference(&left->facts), y = preference(&right->facts);
    return x != y ? x > y : left < right;
}

/* The best one, or the best of those after `after`. NULL if there is none. */
static const struct clg_device_entry *find_best(const struct clg_device_list *list,
                                                const struct request *request,
                                                const struct clg_device_entry *after) {
    const struct clg_device_entry *best = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct clg_device_entry *entry = &list->entries[i];
        if (may_be(entry, request) && (!after || precedes(after, entry)) &&
            (!best || precedes(entry, best)))
            best = entry;
    }
    return best;
}

/* Counts the devices of the same platform and kind as the best one, itself included. *own becomes
 * the one at `place`, if it exists. */
static unsigned count_like(const struct clg_device_list *list, const struct request *request,
                           const struct clg_device_entry *best, unsigned place,
                           const struct clg_device_entry **own) {
    unsigned count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct clg_device_entry *entry = &list->entries[i];
        if (entry->platform != best->platform || entry->facts.kind != best->facts.kind ||
            !may_be(entry, request))
            continue;
        if (count++ == place)
            *own = entry;
    }
    return count;
}

/* Finds this process's device, and how many of all processes share it. */
static unsigned share(const struct clg_device_list *list, const struct request *request,
                      const struct clg_device_entry *best, const struct clg_device_entry **own) {
    *own = best;
    if (request->ranks == 1)
        return 1;
    const unsigned count = count_like(list, request, best, 0, own);
    const unsigned place = count > 1 ? request->rank % count : 0;
    count_like(list, request, best, place, own);
    return count > 1 ? (request->ranks - place - 1) / count + 1 : request->ranks;
}

/* ---- Lists ---- */

/* Adds a device of a list, which may name it only once. */
static clgemm_status add(const struct clg_device_list *list, const char *text,
                         const struct clg_device_entry *entry, struct clg_device_choice *out) {
    char seen[DESCRIPTION];
    bool again = false;
    for (int i = 0; i < out->count; i++)
        again |= out->devices[i] == entry;
    if (!again && out->count < CLG_DEVICES_MOST) {
        out->devices[out->count++] = entry;
        return CLGEMM_SUCCESS;
    }
    describe(list, seen, sizeof seen);
    return again ? clg_fail(CLGEMM_STATUS_NO_DEVICE,
                            "\"%.128s\" names device %u:%u twice; there are: %s", text,
                            entry->platform, entry->device, seen)
                 : clg_fail(CLGEMM_STATUS_NO_DEVICE,
                            "\"%.128s\" names more than %d devices; there are: %s", text,
                            CLG_DEVICES_MOST, seen);
}

/* Adds what one word of a list names: the best such device, or all of a group in their order. */
static clgemm_status add_word(const struct clg_device_list *list, const char *text,
                              const char *word, struct clg_device_choice *out) {
    const struct request one = {.name = word, .ranks = 1};
    const struct clg_device_entry *best = *word ? find_best(list, &one, NULL) : NULL;
    clgemm_status status = best ? add(list, text, best, out) : fail_no_device(list, text);
    while (is_group(word) && !status && (best = find_best(list, &one, best)))
        status = add(list, text, best, out);
    return status;
}

static clgemm_status choose_list(const struct clg_device_list *list, const char *text,
                                 const struct request *request, struct clg_device_choice *out) {
    clgemm_status status = CLGEMM_SUCCESS;
    for (const char *at = request->name; at && !status;) {
        char word[128];
        const size_t length = strcspn(at, "+");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        status =
            length < sizeof word ? add_word(list, text, word, out) : fail_no_device(list, text);
        at = at[length] ? at + length + 1 : NULL;
    }
    return status;
}

/* Leaves this process's part of a list. */
static void take_part(const struct request *request, struct clg_device_choice *out) {
    const uint64_t count = (uint64_t)out->count, rank = request->rank, ranks = request->ranks;
    const uint64_t first = count < ranks ? rank % count : count * rank / ranks;
    const uint64_t end = count < ranks ? first + 1 : count * (rank + 1) / ranks;
    memmove(out->devices, out->devices + first, (end - first) * sizeof *out->devices);
    out->count = (int)(end - first);
    out->sharers = count < ranks ? (unsigned)((ranks - first - 1) / count + 1) : 1;
}

/* ---- The choice ---- */

static const char *reason_for(const struct request *request, const struct clg_device_entry *best) {
    return request->ranks > 1                   ? "it is this process's share"
           : request->name                      ? "it was asked for"
           : best->facts.kind == CLG_DEVICE_GPU ? "it is the best GPU"
           : best->facts.kind == CLG_DEVICE_CPU ? "there is no GPU or accelerator"
                                                : "there is no GPU";
}

clgemm_status clg_device_choose_all(const struct clg_device_list *list, const char *text,
                                    struct clg_device_choice *out) {
    struct request request;
    clgemm_status status = CLGEMM_SUCCESS;
    parse(text, &request);
    *out = (struct clg_device_choice){.sharers = 1};
    if (is_list(request.name)) {
        status = choose_list(list, text, &request, out);
        if (!status && out->count > 0)
            take_part(&request, out);
    } else {
        const struct clg_device_entry *best = find_best(list, &request, NULL);
        if (best)
            out->sharers = share(list, &request, best, &out->devices[out->count++]);
        else
            status = fail_no_device(list, text);
    }
    if (status)
        out->count = 0;
    else if (out->count > 0)
        out->why = reason_for(&request, out->devices[0]);
    return status;
}

clgemm_status clg_device_choose(const struct clg_device_list *list, const char *request,
                                const struct clg_device_entry **out, const char **why) {
    struct clg_device_choice choice;
    const clgemm_status status = clg_device_choose_all(list, request, &choice);
    *out = status ? NULL : choice.devices[0];
    if (why && !status)
        *why = choice.why;
    return status;
}

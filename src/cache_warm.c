/* SPDX-License-Identifier: Apache-2.0
 * `clgemm cache warm`: builds programs ahead of time, through the library's public warm-up, and
 * makes sure that they were kept. */
#define _POSIX_C_SOURCE 200809L /* isatty */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/handle.h"
#include "cache.h"
#include "shape.h"
#include "tool.h"
#include "transposes.h"

struct work {
    struct shape_list shapes;
    struct transpose_list transposes;
};

/* One scaling, one tiny product, and squares around powers of two, which reach each size of tiles
 * on any number of compute units, as these sizes are powers of two themselves: with whole tiles and
 * with tiles that reach past C, each with a k whose columns are aligned for vectors, and one with
 * columns that are not where the device uses them in place. */
static bool add_default_shapes(struct shape_list *shapes, char *why, size_t room) {
    enum { FIRST = 8, LAST = 16384, VECTOR = 4 };
    bool good = shapes_add(shapes, (struct shape){1, 1, 0}, why, room) &&
                shapes_add(shapes, (struct shape){1, 1, 1}, why, room);
    for (int64_t size = FIRST; size <= LAST; size *= 2)
        for (int form = 0; form < 4 && good; form++) {
            const int64_t side = form & 1 ? size + VECTOR : size;
            const int64_t depth = form & 2 ? size + 1 : size;
            good = shapes_add(shapes, (struct shape){side, side, depth}, why, room);
        }
    return good;
}

static bool read_work(struct work *work, const struct cache_job *job) {
    char why[160] = "";
    const char *transposes = job->transposes ? job->transposes : "NN,NT,TN,TT";
    if ((job->shapes ? shapes_parse(&work->shapes, job->shapes, why, sizeof why)
                     : add_default_shapes(&work->shapes, why, sizeof why)) &&
        transposes_parse(&work->transposes, transposes, why, sizeof why))
        return true;
    fprintf(stderr, "%s: %s\n", job->command, why);
    return false;
}

/* Compiling takes a while, so a terminal is told. */
static bool build(clgemm_handle *handle, const struct work *work, const char *command) {
    const bool terminal = isatty(STDERR_FILENO);
    clgemm_status status = CLGEMM_SUCCESS;
    struct shape shape = {0, 0, 0};
    for (size_t i = 0; i < work->shapes.count && !status; i++) {
        clgemm_shape wanted[MAX_TRANSPOSES];
        shape = work->shapes.items[i];
        for (size_t t = 0; t < work->transposes.count; t++)
            wanted[t] = (clgemm_shape){shape.m, shape.n, shape.k, work->transposes.items[t].ta,
                                       work->transposes.items[t].tb};
        if (terminal)
            fprintf(stderr, "\r\033[Kshape %zu of %zu ...", i + 1, work->shapes.count);
        status = clgemm_warmup(handle, wanted, work->transposes.count);
    }
    if (terminal)
        fputs("\r\033[K", stderr);
    if (status)
        fprintf(stderr, "%s: %" PRId64 "x%" PRId64 "x%" PRId64 ": %s: %s\n", command, shape.m,
                shape.n, shape.k, clgemm_status_name(status), clgemm_last_error());
    return !status;
}

/* Failing to keep a program fails no call, so that it is said here. */
static int report(FILE *out, clgemm_handle *handle, const struct cache_job *job) {
    struct clg_programs *programs = handle->programs;
    const struct clg_facts *facts = &clg_programs_device(programs)->facts;
    const unsigned compiled = clg_programs_count(programs, CLG_FROM_SOURCE);
    const unsigned kept = clg_programs_kept(programs);
    fprintf(out,
            "programs compiled: %u, loaded from disk: %u, from memory: %u, for %s, driver %s\n",
            compiled, clg_programs_count(programs, CLG_FROM_DISK),
            clg_programs_count(programs, CLG_FROM_MEMORY), facts->name, facts->driver);
    if (kept < compiled)
        fprintf(stderr, "%s: only %u of them were kept in %s; CLGEMM_VERBOSE=2 says why\n",
                job->command, kept, job->folder.path);
    return kept < compiled ? TOOL_FAILED : TOOL_OK;
}

int cache_warm(FILE *out, void *user) {
    struct cache_job *job = user;
    struct work work = {0};
    clgemm_handle *handle = NULL;
    int code = TOOL_USAGE;
    if (!read_work(&work, job))
        goto out;
    clgemm_status status = clgemm_create(&handle, job->device);
    if (status) {
        fprintf(stderr, "%s: %s\n", job->command, clgemm_last_error());
        code = status == CLGEMM_STATUS_NO_DEVICE ? TOOL_NO_DEVICE : TOOL_FAILED;
        goto out;
    }
    code = build(handle, &work, job->command) ? report(out, handle, job) : TOOL_FAILED;
out:
    clgemm_destroy(handle);
    shapes_release(&work.shapes);
    return code;
}

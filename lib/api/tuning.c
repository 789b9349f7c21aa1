/* SPDX-License-Identifier: Apache-2.0
 * clgemm_tuning_import, _export, _forget, clgemm_min_flops and clgemm_min_flops_of. */
#include <stdlib.h>

#include "api/handle.h"
#include "base/caller.h"
#include "tuning/break_even.h"

static clgemm_status load(struct clg_tuning **out, const struct clg_tuning *base,
                          const struct clg_facts *facts, const char *path) {
    if (path)
        return clg_tuning_import(out, base, facts, path);
    *out = clg_tuning_load(facts);
    return *out ? CLGEMM_SUCCESS
                : clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a tuning table");
}

/* Replaces the table of one device, by none if `forget`. */
static clgemm_status change_table(struct clg_engine *engine, const char *path, bool forget) {
    clgemm_status status = CLGEMM_SUCCESS;
    for (bool done = false; !done;) { /* again if another thread changed the table */
        struct clg_tuning *base = clg_engine_tuning(engine), *table = NULL;
        if (!forget)
            status = load(&table, base, &engine->device->facts, path);
        /* A file with faults may have good rows as well. */
        done = (status && !table) || clg_engine_retune(engine, base, table);
        if (!done)
            clg_tuning_release(table);
        clg_tuning_release(base);
    }
    return status;
}

/* The same for all devices of a handle. A file is for one kind of them: the others refuse it. */
static clgemm_status change_rows(clgemm_handle *handle, const char *path, bool forget) {
    clgemm_handle *used;
    bool taken = false;
    clgemm_status status = clg_shared_use(handle, &used);
    if (status)
        return status;
    clgemm_handle *each = used;
    do {
        status = change_table(&each->engine, path, forget);
        taken |= status == CLGEMM_SUCCESS;
    } while ((each = each->next));
    if (used->team)
        clg_team_forget(used->team);
    status = taken ? CLGEMM_SUCCESS : status;
    clg_shared_end(handle, used, status);
    return status;
}

/* Whether an earlier row is of the same class, and is used instead. */
static bool is_hidden(const struct clg_tuning_row *rows, size_t count,
                      const struct clg_tuning_row *row) {
    for (size_t i = 0; i < count; i++)
        if (clg_tuning_same_class(&rows[i].shape, &row->shape))
            return true;
    return false;
}

static clgemm_status write_rows(const struct clg_tuning *tuning, const struct clg_facts *facts,
                                const char *path) {
    const size_t most = clg_tuning_count(tuning);
    struct clg_tuning_row *rows = malloc((most + 1) * sizeof *rows);
    struct clg_tuning_once once = {.speeds = {0}};
    size_t count = 0;
    bool own_driver;
    if (!rows)
        return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for tuning rows");
    for (size_t i = 0; i < most; i++) {
        enum clg_tuning_origin origin;
        const struct clg_tuning_row *row = clg_tuning_at(tuning, i, &origin, &own_driver);
        if (own_driver && !is_hidden(rows, count, row))
            rows[count++] = *row;
    }
    for (int type = 0; type < CLG_TYPE_COUNT; type++) {
        const struct clg_break_even *break_even =
            clg_tuning_break_even(tuning, (clgemm_type)type, &own_driver);
        if (break_even && own_driver)
            once.break_evens[type] = *break_even;
    }
    const struct clg_host_speeds *speeds = clg_tuning_host_speeds(tuning, &own_driver);
    if (speeds && own_driver)
        once.speeds = *speeds;
    const clgemm_status status = clg_tuning_write(path, facts, rows, count, &once, NULL, 0);
    free(rows);
    return status;
}

static clgemm_status export_rows(clgemm_handle *handle, const char *path) {
    clgemm_handle *used;
    clgemm_status status = clg_shared_use(handle, &used);
    if (status)
        return status;
    for (clgemm_handle *each = used; each && !status; each = each->next) {
        struct clg_tuning *tuning = clg_engine_tuning(&each->engine);
        status = write_rows(tuning, &each->engine.device->facts, path);
        clg_tuning_release(tuning);
    }
    clg_shared_end(handle, used, status);
    return status;
}

static int64_t min_flops(clgemm_handle *handle, clgemm_type type) {
    clgemm_handle *used;
    if (!clg_type_is_known(type)) {
        clg_fail(CLGEMM_STATUS_UNSUPPORTED, "%d is not a clgemm_type", (int)type);
        return INT64_MAX;
    }
    if (clg_shared_use(handle, &used))
        return INT64_MAX;
    struct clg_tuning *tuning = clg_engine_tuning(&used->engine);
    const int64_t flops = clg_break_even_flops(tuning, type, &used->engine.device->facts);
    clg_tuning_release(tuning);
    clg_shared_end(handle, used, CLGEMM_SUCCESS);
    return flops;
}

/* ---- Public ---- */

clgemm_status clgemm_tuning_import(clgemm_handle *handle, const char *path) {
    const struct clg_caller caller = clg_caller_hold();
    return clg_caller_release(&caller, change_rows(handle, path, false));
}

clgemm_status clgemm_tuning_export(clgemm_handle *handle, const char *path) {
    const struct clg_caller caller = clg_caller_hold();
    return clg_caller_release(&caller, export_rows(handle, path));
}

clgemm_status clgemm_tuning_forget(clgemm_handle *handle) {
    const struct clg_caller caller = clg_caller_hold();
    return clg_caller_release(&caller, change_rows(handle, NULL, true));
}

int64_t clgemm_min_flops_of(clgemm_handle *handle, clgemm_type type) {
    const struct clg_caller caller = clg_caller_hold();
    const int64_t flops = min_flops(handle, type);
    clg_caller_release(&caller, CLGEMM_SUCCESS);
    return flops;
}

int64_t clgemm_min_flops(clgemm_handle *handle) {
    return clgemm_min_flops_of(handle, CLGEMM_F32);
}

int clgemm_shares_memory(clgemm_handle *handle) {
    const struct clg_caller caller = clg_caller_hold();
    clgemm_handle *used;
    int shares = 0;
    if (!clg_shared_use(handle, &used)) {
        shares = 1;
        for (const clgemm_handle *each = used; each; each = each->next)
            shares &= each->engine.device->facts.shares_host_memory;
        clg_shared_end(handle, used, CLGEMM_SUCCESS);
    }
    clg_caller_release(&caller, CLGEMM_SUCCESS);
    return shares;
}

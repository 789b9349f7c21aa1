/* SPDX-License-Identifier: Apache-2.0
 * clgemm_tuning_import, clgemm_tuning_export, clgemm_tuning_forget, clgemm_min_flops. */
#include <stdlib.h>

#include "api/handle.h"
#include "gemm/break_even.h"

/* Finds the handle meant; ended with let_go(). */
static clgemm_status choose(clgemm_handle *handle, clgemm_handle **out) {
    *out = handle;
    return handle ? clg_handle_check(handle) : clg_shared_default(out);
}

static clgemm_status let_go(const clgemm_handle *handle, clgemm_handle *used,
                            clgemm_status status) {
    if (!handle)
        clg_shared_release(used, status);
    return status;
}

static clgemm_status load(struct clg_tuning **out, const struct clg_tuning *base,
                          const struct clg_facts *facts, const char *path) {
    if (path)
        return clg_tuning_import(out, base, facts, path);
    *out = clg_tuning_load(facts);
    return *out ? CLGEMM_SUCCESS
                : clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a tuning table");
}

clgemm_status clgemm_tuning_import(clgemm_handle *handle, const char *path) {
    clgemm_handle *used;
    clgemm_status status = choose(handle, &used);
    if (status)
        return status;
    const struct clg_facts *facts = &clg_programs_device(used->programs)->facts;
    for (bool done = false; !done;) { /* again where another thread was quicker */
        struct clg_tuning *base = clg_memo_tuning(&used->memo), *table = NULL;
        status = load(&table, base, facts, path);
        done = !table || clg_memo_retune(&used->memo, base, table);
        if (!done)
            clg_tuning_release(table);
        clg_tuning_release(base);
    }
    return let_go(handle, used, status);
}

/* Whether a row before this one is of the same class: that one is in force. */
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
    size_t count = 0;
    bool break_even_is_current;
    const struct clg_break_even *break_even = clg_tuning_break_even(tuning, &break_even_is_current);
    if (!rows)
        return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for tuning rows");
    for (size_t i = 0; i < most; i++) {
        enum clg_tuning_origin origin;
        bool own_driver;
        const struct clg_tuning_row *row = clg_tuning_at(tuning, i, &origin, &own_driver);
        if (own_driver && !is_hidden(rows, count, row))
            rows[count++] = *row;
    }
    clgemm_status status = clg_tuning_write(path, facts, rows, count, NULL, 0);
    if (!status && break_even && break_even_is_current)
        status = clg_tuning_write_break_even(path, facts, break_even, NULL, 0);
    free(rows);
    return status;
}

clgemm_status clgemm_tuning_export(clgemm_handle *handle, const char *path) {
    clgemm_handle *used;
    clgemm_status status = choose(handle, &used);
    if (status)
        return status;
    struct clg_tuning *tuning = clg_memo_tuning(&used->memo);
    status = write_rows(tuning, &clg_programs_device(used->programs)->facts, path);
    clg_tuning_release(tuning);
    return let_go(handle, used, status);
}

clgemm_status clgemm_tuning_forget(clgemm_handle *handle) {
    clgemm_handle *used;
    clgemm_status status = choose(handle, &used);
    if (status)
        return status;
    for (bool done = false; !done;) {
        struct clg_tuning *base = clg_memo_tuning(&used->memo);
        done = clg_memo_retune(&used->memo, base, NULL);
        clg_tuning_release(base);
    }
    return let_go(handle, used, CLGEMM_SUCCESS);
}

int64_t clgemm_min_flops(clgemm_handle *handle) {
    clgemm_handle *used;
    if (choose(handle, &used))
        return INT64_MAX;
    struct clg_tuning *tuning = clg_memo_tuning(&used->memo);
    const int64_t flops = clg_break_even_flops(tuning, &clg_programs_device(used->programs)->facts);
    clg_tuning_release(tuning);
    let_go(handle, used, CLGEMM_SUCCESS);
    return flops;
}

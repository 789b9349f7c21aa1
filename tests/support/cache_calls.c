/* SPDX-License-Identifier: Apache-2.0
 * Calls in fresh processes that report where their programs came from. */
#include "support/cache_calls.h"

#include <stdio.h>
#include <string.h>

#include "api/handle.h"
#include "support/check.h"
#include "support/child.h"

#define LINE "programs: "

static int call_and_print(const struct clg_test_problem *problem, enum clg_host_access access) {
    struct clg_test_random random = clg_test_random_start(1);
    struct clg_test_case test;
    clgemm_handle *handle = NULL;
    clg_test_case_create(&test, problem, &random);
    clgemm_status status = clgemm_create(&handle, NULL);
    if (!status) {
        handle->host.access = access;
        status = clg_test_case_run(&test, handle);
    }
    const char *fault = status ? clgemm_last_error() : clg_test_case_fault(&test);
    if (fault)
        printf("%s: %s\n", clgemm_status_name(status), fault);
    else
        printf(LINE "%u compiled, %u from memory, %u from disk\n",
               clg_programs_count(handle->engine.programs, CLG_FROM_SOURCE),
               clg_programs_count(handle->engine.programs, CLG_FROM_MEMORY),
               clg_programs_count(handle->engine.programs, CLG_FROM_DISK));
    clgemm_destroy(handle);
    clg_test_case_destroy(&test);
    return fault ? 1 : 0;
}

int clg_test_call_problem_and_print(const struct clg_test_problem *problem) {
    return call_and_print(problem, CLG_HOST_UNKNOWN);
}

int clg_test_call_and_print(void) {
    const struct clg_test_problem problem = clg_test_small_problem();
    return clg_test_call_problem_and_print(&problem);
}

int clg_test_call_one_and_print(void) {
    const struct clg_test_problem problem = clg_test_small_problem();
    return call_and_print(&problem, CLG_HOST_COPY);
}

void clg_test_run_calls(const char *role, const char *const *environment,
                        struct clg_test_origins *out, int count) {
    char output[8192];
    int found = 0;
    int status = clg_test_run_self(role, environment, output, sizeof output);
    for (const char *line = output; (line = strstr(line, LINE)); line++)
        if (found < count &&
            sscanf(line, LINE "%u compiled, %u from memory, %u from disk", &out[found].compiled,
                   &out[found].memory, &out[found].disk) == 3)
            found++;
    if (status != 0 || found != count)
        print_error("role %s, status %d, %d lines:\n%s\n", role, status, found, output);
    assert_int_equal(status, 0);
    assert_int_equal(found, count);
}

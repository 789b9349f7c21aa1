/* SPDX-License-Identifier: Apache-2.0
 * Spaces of the tuner for devices that are not there. */
#include "support/space.h"

#include "support/check.h"

const struct clg_facts clg_test_gpu = {.kind = CLG_DEVICE_GPU,
                                       .name = "test GPU",
                                       .available = true,
                                       .has_compiler = true,
                                       .compute_units = 80,
                                       .clock_mhz = 1500,
                                       .float_vector = 1,
                                       .global_memory = 8ULL << 30,
                                       .workspace_max = 2ULL << 30,
                                       .local_memory = 48 << 10,
                                       .max_allocation = 2ULL << 30,
                                       .max_work_group = 1024,
                                       .max_work_items = {1024, 1024, 64}};

const struct clg_facts clg_test_cpu = {.kind = CLG_DEVICE_CPU,
                                       .name = "test CPU",
                                       .available = true,
                                       .has_compiler = true,
                                       .shares_host_memory = true,
                                       .fast_fma = true,
                                       .compute_units = 8,
                                       .clock_mhz = 3000,
                                       .float_vector = 16,
                                       .global_memory = 8ULL << 30,
                                       .workspace_max = 2ULL << 30,
                                       .local_memory = 256 << 10,
                                       .max_allocation = 2ULL << 30,
                                       .max_work_group = 4096,
                                       .max_work_items = {4096, 4096, 4096}};

static struct clg_operand operand(int64_t ld, int64_t columns) {
    return (struct clg_operand){.present = true,
                                .ld = ld,
                                .bytes = (uint64_t)(ld * columns) * sizeof(float),
                                .alignment = 64};
}

void clg_test_space(struct clg_space *out, const struct clg_facts *facts, int64_t m, int64_t n,
                    int64_t k) {
    const struct clg_call call = {.layout = CLGEMM_COL_MAJOR,
                                  .ta = CLGEMM_NO_TRANS,
                                  .tb = CLGEMM_NO_TRANS,
                                  .m = m,
                                  .n = n,
                                  .k = k,
                                  .alpha = 1,
                                  .a = operand(m, k),
                                  .b = operand(k, n),
                                  .c = operand(m, n)};
    struct clg_problem problem;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    clg_space_init(out, &problem, facts);
}

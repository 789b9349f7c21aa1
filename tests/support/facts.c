/* SPDX-License-Identifier: Apache-2.0
 * Devices that are not there, as plans and the tuner see them. */
#include "support/facts.h"

const struct clg_facts clg_test_gpu = {.kind = CLG_DEVICE_GPU,
                                       .name = "test GPU",
                                       .available = true,
                                       .has_compiler = true,
                                       .has_fp64 = true,
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
                                       .has_fp64 = true,
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

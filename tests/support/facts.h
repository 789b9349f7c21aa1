/* SPDX-License-Identifier: Apache-2.0
 * Made-up devices, as plans and the tuner see them. */
#ifndef CLG_TEST_FACTS_H
#define CLG_TEST_FACTS_H

#include "device/facts.h"

extern const struct clg_facts clg_test_gpu, clg_test_cpu, clg_test_hopper;

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Readers of option values that only this program has, each with the type of its field. */
#ifndef BENCH_OPTION_READERS_H
#define BENCH_OPTION_READERS_H

#include "src/common/option_readers.h"

option_reader option_peers;     /* unsigned: PEER_ bits */
option_reader option_families;  /* unsigned: bits of clg_families */
option_reader option_factor;    /* struct factor */
option_reader option_gate;      /* double */
option_reader option_layout;    /* clgemm_layout */
option_reader option_routine;   /* clgemm_routine; 0: gemm */
option_reader option_side;      /* clgemm_side */
option_reader option_uplo;      /* clgemm_uplo */
option_reader option_coretypes; /* struct coretype_list */
option_reader option_repeat;    /* int */
option_reader option_samples;   /* int */
option_reader option_largest;   /* int */
option_reader option_steps;     /* unsigned: bits of the ladder's steps */

#endif

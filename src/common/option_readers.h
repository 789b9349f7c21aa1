/* SPDX-License-Identifier: Apache-2.0
 * Options that several programs have: readers of their values, with the type of each field, and
 * complete rows. */
#ifndef CLGEMM_COMMON_OPTION_READERS_H
#define CLGEMM_COMMON_OPTION_READERS_H

#include "src/common/options.h"

option_reader option_on, option_off; /* bool: turned on, or off; these take no value */
option_reader option_text;           /* const char *: the value itself */
option_reader option_shapes;         /* struct shape_list: adds shapes MxNxK,... */
option_reader option_sizes;          /* struct shape_list: adds squares */
option_reader option_suite;          /* struct shape_list: adds a suite */
option_reader option_trans;          /* struct transpose_list */
option_reader option_type;           /* clgemm_type: one that this version supports */
option_reader option_math;           /* clgemm_math, by name */
option_reader option_format;         /* enum format: md or json */
option_reader option_format_csv;     /* enum format: md, csv or json */
option_reader option_count;          /* int: at least 1 */
option_reader option_ladder_setting; /* struct ladder_settings: adds NAME=V */

/* Read a finite number, and an integer from `least` to `most`. Other readers use them. */
bool option_read_number(double *value, const char *text, char *why, size_t room);
bool option_read_count(int *count, int least, int most, const char *text, char *why, size_t room);

/* Rows for a `type` with a member of the reader's type. */
#define OPTION_DEVICE(type, member)                                                              \
    {                                                                                            \
        "device", 'd', "DEVICE",                                                                 \
            "P:D, part of a name, cpu or gpu (default: $CLGEMM_DEVICE, else the best GPU, else " \
            "an accelerator, else a CPU)",                                                       \
            option_text, offsetof(type, member)                                                  \
    }
#define OPTION_FORMAT(type, member)                                                   \
    {                                                                                 \
        "output", 'o', "md|json", "format of the report (default md)", option_format, \
            offsetof(type, member)                                                    \
    }
#define OPTION_OUT(type, member, help) \
    { "out", 0, "FILE", help, option_text, offsetof(type, member) }
#define OPTION_OUT_HELP "write to this file, not to standard output"
#define OPTION_END \
    { NULL, 0, NULL, NULL, NULL, 0 }

#endif

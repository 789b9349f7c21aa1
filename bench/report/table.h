/* SPDX-License-Identifier: Apache-2.0
 * A Markdown table, aligned so that it reads well on a terminal. */
#ifndef BENCH_REPORT_TABLE_H
#define BENCH_REPORT_TABLE_H

#include <stdio.h>

enum { TABLE_CELL = 512, TABLE_COLUMNS_MAX = 32 };

struct table {
    size_t rows; /* without the heading */
    int columns;
    unsigned left; /* bit c: column c is text, aligned left */
    /* Writes the text of a cell; row 0 is the heading. */
    void (*fill)(char cell[TABLE_CELL], const void *arg, size_t row, int column);
    const void *arg;
};

void table_write(FILE *out, const struct table *table);

#endif

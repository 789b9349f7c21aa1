/* SPDX-License-Identifier: Apache-2.0
 * Writes a table in two passes: the first finds the widths. */
#include "bench/report/table.h"

#include <stdbool.h>
#include <string.h>

static bool is_left(const struct table *t, int column) {
    return t->left >> column & 1;
}

static void fill(const struct table *t, char cell[TABLE_CELL], size_t row, int column) {
    t->fill(cell, t->arg, row, column);
    /* A bar would end the cell. */
    for (char *bar = cell; (bar = strchr(bar, '|'));)
        *bar = '/';
}

static void write_rule(FILE *out, const struct table *t, const int *widths) {
    for (int c = 0; c < t->columns; c++) {
        fputs("|", out);
        for (int i = 0; i < widths[c] + 1; i++)
            fputc('-', out);
        fputc(is_left(t, c) ? '-' : ':', out);
    }
    fputs("|\n", out);
}

void table_write(FILE *out, const struct table *t) {
    int widths[TABLE_COLUMNS_MAX] = {0};
    char cell[TABLE_CELL];
    for (size_t row = 0; row <= t->rows; row++)
        for (int c = 0; c < t->columns; c++) {
            fill(t, cell, row, c);
            int width = (int)strlen(cell);
            widths[c] = width > widths[c] ? width : widths[c];
        }
    for (size_t row = 0; row <= t->rows; row++) {
        for (int c = 0; c < t->columns; c++) {
            fill(t, cell, row, c);
            fprintf(out, is_left(t, c) ? "| %-*s " : "| %*s ", widths[c], cell);
        }
        fputs("|\n", out);
        if (row == 0)
            write_rule(out, t, widths);
    }
}

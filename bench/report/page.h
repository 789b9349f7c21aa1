/* SPDX-License-Identifier: Apache-2.0
 * A report as a page: one HTML file with the report's JSON inside, which its script draws. */
#ifndef BENCH_REPORT_PAGE_H
#define BENCH_REPORT_PAGE_H

#include <stdio.h>

/* Writes the page (bench/report/page/) around a report's JSON. Leaves write errors to the caller's
 * ferror(). */
void page_write(FILE *out, const char *json);

#endif

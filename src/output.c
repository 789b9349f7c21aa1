/* SPDX-License-Identifier: Apache-2.0
 * Makes folders and writes Markdown. */
#include "src/output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

bool output_make_folder(const char *command, const char *path) {
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    fprintf(stderr, "%s: cannot make the folder %s: %s\n", command, path, strerror(errno));
    return false;
}

void md_cell(FILE *out, const char *text) {
    for (; *text; text++)
        if (*text == '|')
            fputs("\\|", out);
        else
            fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
}

void md_bytes(FILE *out, uint64_t bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double scaled = (double)bytes;
    int unit = 0;
    for (; scaled >= 1024 && unit < 4; unit++)
        scaled /= 1024;
    fprintf(out, "%.4g %s", scaled, units[unit]);
}

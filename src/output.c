/* SPDX-License-Identifier: Apache-2.0
 * The options -o and --out, folders, and Markdown. */
#include "output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "tool.h"

bool output_set_format(struct output *output, const char *command, const char *word) {
    output->json = !strcmp(word, "json");
    if (output->json || !strcmp(word, "md"))
        return true;
    fprintf(stderr, "%s: \"%s\" is neither md nor json\n", command, word);
    return false;
}

int output_write(const struct output *output, const char *command,
                 int (*report)(FILE *out, void *user), void *user) {
    FILE *out = output->path ? fopen(output->path, "w") : stdout;
    bool written = false;
    int code = TOOL_USAGE;
    if (out) {
        code = report(out, user);
        written = !ferror(out);
        written &= (out == stdout ? fflush(out) : fclose(out)) == 0;
    }
    if (written)
        return code;
    fprintf(stderr, "%s: cannot write %s: %s\n", command,
            output->path ? output->path : "standard output", strerror(errno));
    return TOOL_USAGE;
}

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

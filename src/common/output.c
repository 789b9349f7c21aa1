/* SPDX-License-Identifier: Apache-2.0
 * Formats of reports, and the files for them. */
#include "src/common/output.h"

#include <errno.h>
#include <string.h>

#include "src/common/exit.h"

bool format_parse(enum format *format, const char *text, bool csv, char *why, size_t room) {
    static const char *const words[] = {
        [FORMAT_MD] = "md", [FORMAT_CSV] = "csv", [FORMAT_JSON] = "json"};
    for (int i = FORMAT_MD; i <= FORMAT_JSON; i++)
        if (!strcmp(text, words[i]) && (csv || i != FORMAT_CSV)) {
            *format = (enum format)i;
            return true;
        }
    snprintf(why, room,
             csv ? "\"%s\" is not one of md, csv, json" : "\"%s\" is neither md nor json", text);
    return false;
}

static bool refuse(const char *path, const char *command) {
    fprintf(stderr, "%s: cannot write %s: %s\n", command, path ? path : "standard output",
            errno ? strerror(errno) : "write error");
    return false;
}

bool output_open(FILE **file, const char *path, const char *command) {
    return !path || (*file = fopen(path, "we")) || refuse(path, command);
}

bool output_close(FILE **file, const char *path, const char *command) {
    FILE *closed = *file;
    if (!closed)
        return true;
    *file = NULL;
    errno = 0;
    bool written = !fflush(closed) && !ferror(closed);
    if (closed != stdout && closed != stderr && fclose(closed))
        written = false;
    return written || refuse(path, command);
}

int output_write(const struct output *output, const char *command,
                 int (*report)(FILE *out, void *user), void *user) {
    FILE *out = stdout;
    if (!output_open(&out, output->path, command))
        return EXIT_USAGE;
    const int code = report(out, user);
    return output_close(&out, output->path, command) ? code : EXIT_USAGE;
}

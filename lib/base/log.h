/* SPDX-License-Identifier: Apache-2.0
 * The verbose log: CLGEMM_VERBOSE=0..3 to stderr or CLGEMM_LOGFILE. Nothing else prints.
 *
 * The environment is read once. The file is opened for each line, because a descriptor kept open
 * could be closed by the program, as daemons do, and reused for a file of its own. If the file
 * cannot be opened, lines go to stderr.
 *
 * Logging never ends the program, fails a call or blocks. A line that cannot be written (closed
 * pipe, size limit, full FIFO) is lost. The program sees no signal and no change of errno, and
 * logging is not a cancellation point. */
#ifndef CLG_BASE_LOG_H
#define CLG_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CLG_LOG_ALWAYS is for lines that are printed whatever CLGEMM_VERBOSE says. */
enum { CLG_LOG_ALWAYS = 0, CLG_LOG_CALLS = 1, CLG_LOG_PLANS = 2, CLG_LOG_PROBES = 3 };

/* `clgemm run` names a file by CLGEMM_SUMMARY that begins with this: the last line of a level up to
 * CLG_LOG_PLANS, whether or not it was printed, for when the program does not survive the next. */
#define CLG_SUMMARY_VARIABLE "CLGEMM_SUMMARY"
enum { CLG_SUMMARY_VERSION = 5, CLG_LAST_LINE = 248 };
struct clg_log_last {
    uint64_t version;
    char line[CLG_LAST_LINE]; /* with an end */
};

/* Maps the first `size` bytes of that file. NULL if there is none, or if it is of another version.
 */
struct clg_log_last *clg_log_map_last(size_t size);

/* Whether lines of this level are printed. Cheap, so it can guard the work of composing one. */
bool clg_log_on(int level);

/* Writes one line, with "clgemm: " before it and a newline after it. Lines of several threads do
 * not mix. */
void clg_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

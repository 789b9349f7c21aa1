/* SPDX-License-Identifier: Apache-2.0
 * The command line of `clgemm tune`, the tool's largest: if it is accepted, there are shapes to
 * run. */
#include "command_line.h"
#include "fuzz.h"
#include "src/tune/tune.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct command_line line;
    struct tune_job job = {0};
    command_line_make(&line, data, size);
    if (tune_parse(&job, line.argc, line.argv) == PARSED_RUN)
        for (size_t i = 0; i < job.shapes.count; i++)
            FUZZ_CHECK(job.shapes.items[i].m > 0 && job.shapes.items[i].k > 0);
    shapes_release(&job.shapes);
    command_line_release(&line);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * The command line of clgemm-bench: if it is accepted, there are a batch and transposes to run. */
#include "bench/options.h"
#include "command_line.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct command_line line;
    struct options options;
    command_line_make(&line, data, size);
    if (options_parse(&options, line.argc, line.argv) == PARSED_RUN)
        FUZZ_CHECK(options.batch > 0 && options.trans.count > 0);
    options_release(&options);
    command_line_release(&line);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * The drop-in's configuration file: whatever it says, the settings are within their bounds. Its
 * source is included here, because a process reads its settings once. */
#include "blas/config.c" /* NOLINT(bugprone-suspicious-include) */

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = fuzz_text(data, size);
    config = (struct clg_config){.min_flops = -1};
    ini_parse_string(text, take_line, NULL);
    FUZZ_CHECK(config.min_flops >= 0 || (int)config.min_flops == -1);
    FUZZ_CHECK(config.pblas_nb >= 0 && config.pblas_nb <= 1 << 20);
    FUZZ_CHECK(memchr(config.cpu_blas, '\0', sizeof config.cpu_blas));
    FUZZ_CHECK(memchr(config.device, '\0', sizeof config.device));
    free(text);
    return 0;
}

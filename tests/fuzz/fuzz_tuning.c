/* SPDX-License-Identifier: Apache-2.0
 * Tuning files: whatever the text, a row that was read can be checked, written, and read again. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "support/tuning.h"

static char *written(const struct clg_tuning_file *file, size_t *size) {
    char *text = clg_tuning_file_format(file, size);
    FUZZ_CHECK(text);
    return text;
}

/* What was read can be written, and that text is read and written unchanged. Bytes that are not
 * UTF-8 are replaced the first time. */
static void check_again(const struct clg_tuning_file *file) {
    struct clg_tuning_file again;
    size_t size, size_again;
    char *text = written(file, &size);
    FUZZ_CHECK(clg_tuning_file_parse(&again, "again", text, size, NULL));
    FUZZ_CHECK(again.count == file->count && again.faults == 0);
    char *text_again = written(&again, &size_again);
    FUZZ_CHECK(size == size_again && memcmp(text, text_again, size) == 0);
    clg_tuning_file_release(&again);
    free(text_again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct clg_facts facts = clg_test_cpu_facts();
    struct clg_tuning_file file;
    if (clg_tuning_file_parse(&file, "fuzz", (const char *)data, size, NULL)) {
        for (size_t i = 0; i < file.count; i++)
            clg_tuning_unsupported_reason(&file.rows[i], &facts);
        check_again(&file);
    } else {
        FUZZ_CHECK(file.faults > 0);
    }
    clg_tuning_file_release(&file);
    return 0;
}

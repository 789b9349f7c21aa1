/* SPDX-License-Identifier: Apache-2.0
 * Runs a target without libFuzzer: every file of its corpus, then COUNT inputs made from them by
 * the run's seed. If the program ends on an input, that is left in a file.
 * Usage: fuzz_NAME CORPUS COUNT */
#define _GNU_SOURCE
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "support/cache.h"
#include "support/random.h"

enum { MOST_FILES = 64, LARGEST = 4096, MOST_EDITS = 8 };

static struct input {
    unsigned char *bytes;
    size_t size;
} inputs[MOST_FILES];
static size_t num_inputs;

static unsigned char now[LARGEST];
static size_t now_size;

/* The program ends here, so it does no harm that a handler may not call stdio. */
static void on_end(int number) {
    static const char said[] = "the input is in ./fuzz-crash\n";
    FILE *file = fopen("fuzz-crash", "wb");
    if (file && fwrite(now, 1, now_size, file) == now_size && !fclose(file))
        fputs(said, stderr);
    signal(number, SIG_DFL);
    raise(number);
}

static void try(const unsigned char *bytes, size_t size) {
    now_size = size < LARGEST ? size : LARGEST;
    memcpy(now, bytes, now_size);
    LLVMFuzzerTestOneInput(now, now_size);
}

static void load(const char *corpus) {
    DIR *folder = opendir(corpus);
    for (const struct dirent *item; folder && (item = readdir(folder));) {
        char path[CLG_TEST_PATH];
        if (*item->d_name == '.' || num_inputs == MOST_FILES)
            continue;
        clg_test_join(path, corpus, item->d_name);
        struct input *input = &inputs[num_inputs++];
        input->bytes = clg_test_file_read(path, &input->size);
    }
    if (folder)
        closedir(folder);
}

static size_t below(struct clg_test_random *random, size_t count) {
    return (size_t)clg_test_range(random, 0, (int64_t)count - 1);
}

/* One edit of a text of at most LARGEST bytes: a bit or byte changed, a piece removed, or a piece
 * of another input inserted. */
static size_t edit(struct clg_test_random *random, unsigned char *text, size_t size) {
    const struct input *other = &inputs[below(random, num_inputs)];
    const size_t at = size > 0 ? below(random, size) : 0;
    const size_t length = 1 + below(random, 16);
    switch (below(random, 4)) {
    case 0:
        if (size > 0)
            text[at] ^= (unsigned char)(1 << below(random, 8));
        return size;
    case 1:
        if (size > 0)
            text[at] = (unsigned char)below(random, 256);
        return size;
    case 2:
        if (at + length > size)
            return at;
        memmove(text + at, text + at + length, size - at - length);
        return size - length;
    default:
        if (other->size < length || size + length > LARGEST)
            return size;
        memmove(text + at + length, text + at, size - at);
        memcpy(text + at, other->bytes + below(random, other->size - length + 1), length);
        return size + length;
    }
}

static void try_edited(struct clg_test_random *random) {
    static unsigned char text[LARGEST];
    const struct input *from = &inputs[below(random, num_inputs)];
    size_t size = from->size < LARGEST ? from->size : LARGEST;
    memcpy(text, from->bytes, size);
    for (size_t edits = 1 + below(random, MOST_EDITS); edits > 0; edits--)
        size = edit(random, text, size);
    try(text, size);
}

int main(int argc, char **argv) {
    struct clg_test_random random = clg_test_random_start(1);
    const long count = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
    if (count < 1)
        return 2;
    signal(SIGABRT, on_end);
    signal(SIGSEGV, on_end);
    load(argv[1]);
    fuzz_check(num_inputs > 0, "the corpus has files", argv[1], 0);
    for (size_t i = 0; i < num_inputs; i++)
        try(inputs[i].bytes, inputs[i].size);
    for (long i = 0; i < count; i++)
        try_edited(&random);
    for (size_t i = 0; i < num_inputs; i++)
        free(inputs[i].bytes);
    fprintf(stderr, "%zu files, %ld inputs made of them; CLGEMM_TEST_SEED=%llu\n", num_inputs,
            count, (unsigned long long)clg_test_seed());
    return 0;
}

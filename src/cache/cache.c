/* SPDX-License-Identifier: Apache-2.0
 * `clgemm cache`: manages the compiled programs that the library keeps on disk. */
#include "src/cache/cache.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "program/disk.h"
#include "src/common/build.h"
#include "src/common/option_readers.h"
#include "src/tool.h"

static int print_path(FILE *out, void *user) {
    const struct cache_job *job = user;
    fprintf(out, "%s\n", job->folder.path);
    return EXIT_FINE;
}

static int clear(FILE *out, void *user) {
    const struct cache_job *job = user;
    const struct cache_folder *folder = &job->folder;
    size_t removed[2] = {0, 0}; /* count of temporary files, count of entries */
    uint64_t bytes = 0;
    int code = EXIT_FINE;
    for (size_t i = 0; i < folder->count; i++) {
        const struct clg_file_info *file = &folder->files[i];
        clg_file_remove(folder->descriptor, file->name);
        if (clg_file_exists(folder->descriptor, file->name)) {
            fprintf(stderr, "%s: cannot remove %s\n", job->command, file->name);
            code = EXIT_FAILED;
        } else {
            removed[clg_disk_is_entry(file->name)]++;
            bytes += file->bytes;
        }
    }
    fprintf(out, "removed entries: %zu, temporary files: %zu, bytes: %" PRIu64 ", from %s\n",
            removed[1], removed[0], bytes, folder->path);
    return code;
}

static bool read_jobs(void *field, const char *text, char *why, size_t room) {
    enum { MOST = 16 };
    char *end;
    const long value = strtol(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || value < 1 || value > MOST) {
        snprintf(why, room, "\"%s\" is not a number from 1 to %d", text, MOST);
        return false;
    }
    *(int *)field = (int)value;
    return true;
}

static const struct option_row no_rows[] = {OPTION_END};
static const struct option_row list_rows[] = {
    OPTION_FORMAT(struct cache_job, output.format),
    OPTION_OUT(struct cache_job, output.path, OPTION_OUT_HELP),
    OPTION_END,
};
static const struct option_row verify_rows[] = {
    {"fix", 0, NULL, "also remove bad entries", option_on, offsetof(struct cache_job, fix)},
    OPTION_END,
};
static const struct option_row warm_rows[] = {
    OPTION_DEVICE(struct cache_job, device),
    {"shape", 0, "MxNxK,...", "only for these shapes (default: for all)", option_shapes,
     offsetof(struct cache_job, shapes)},
    {"trans", 0, "LIST", "which of A and B are transposed (default NN,NT,TN,TT)", option_trans,
     offsetof(struct cache_job, transposes)},
    {"type", 0, "s|d|h|bf16|c|z",
     "single, double or half precision, bfloat16, complex of single or double (default s)",
     option_type, offsetof(struct cache_job, type)},
    {"all", 0, NULL, "also less likely programs (default: the 512 likeliest)", option_on,
     offsetof(struct cache_job, all)},
    {"jobs", 0, "N",
     "number of processes that compile, 1 to 16 (default: as many as the cores and the device's "
     "memory allow)",
     read_jobs, offsetof(struct cache_job, jobs)},
    {"worker", 0, "P:D", NULL, option_text, offsetof(struct cache_job, worker)},
    OPTION_END,
};

static const struct action {
    const char *name, *summary;
    cache_action *run;
    const struct option_row *rows;
    bool creates; /* whether it makes the folder */
} actions[] = {
    {"path", "print the folder", print_path, no_rows, false},
    {"list", "list the entries, last used first", cache_list, list_rows, false},
    {"verify", "read and check every entry; print the bad ones", cache_verify, verify_rows, false},
    {"warm", "compile in advance what calls will need", cache_warm, warm_rows, true},
    {"clear", "remove all entries and files of interrupted writers", clear, no_rows, false},
};
enum { ACTIONS = sizeof actions / sizeof actions[0] };

static const char notes[] =
    "Exit: 0 success, 1 the cache is off, an entry is bad, or one could not be\n"
    "compiled, kept or removed, 2 usage or file error, 77 no usable device, or not the\n"
    "requested one.\n";

static const char usage_of_all[] =
    "usage: clgemm cache path | list | verify | warm | clear [options]\n"
    "Manages the compiled programs that the library keeps on disk, so that a second\n"
    "process need not compile them. The folder is $CLGEMM_CACHE_DIR, else\n"
    "$XDG_CACHE_HOME/clgemm, else ~/.cache/clgemm, with a subfolder for each format.\n";

static void print_help(FILE *out) {
    fprintf(out, "%s\n", usage_of_all);
    for (int i = 0; i < ACTIONS; i++) {
        fprintf(out, "  %-22s%s\n", actions[i].name, actions[i].summary);
        options_print_rows(out, actions[i].rows, 4);
    }
    fprintf(out, "  %-22s%s\n\n%s", "-h, --help", "print this help and exit", notes);
}

static void describe(void) {
    struct clg_json json;
    options_describe_begin(&json, usage_of_all, notes);
    for (int i = 0; i < ACTIONS; i++)
        options_describe_command(&json, actions[i].name, actions[i].summary);
    options_describe_end(&json);
}

static enum parsed parse(struct cache_job *job, const struct action *action, int argc,
                         char **argv) {
    char usage[128];
    snprintf(usage, sizeof usage, "usage: %s [options]\nCompiled programs on disk: %s.\n", argv[0],
             action->summary);
    const struct option_table table = {
        .command = argv[0], .usage = usage, .rows = action->rows, .notes = notes};
    return options_read(&table, job, argc, argv, NULL);
}

static int run(const struct action *action, struct cache_job *job) {
    int code = EXIT_FAILED;
    if (job->worker)
        return build_worker_main(job->worker);
    if (!cache_folder_open(&job->folder, action->creates))
        fprintf(stderr, "%s: cannot read %s\n", job->command, job->folder.path);
    else if (cache_folder_is_on(&job->folder, job->command))
        code = output_write(&job->output, job->command, action->run, job);
    else if (action->creates && job->folder.unusable)
        code = EXIT_USAGE;
    cache_folder_close(&job->folder);
    return code;
}

static const struct action *find(const char *name) {
    for (int i = 0; i < ACTIONS; i++)
        if (!strcmp(name, actions[i].name))
            return &actions[i];
    return NULL;
}

int cache_command(int argc, char **argv) {
    char title[48]; /* getopt_long begins its messages with it */
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")) {
        print_help(stdout);
        return EXIT_FINE;
    }
    if (!strcmp(argv[1], "--option-table")) {
        describe();
        return EXIT_FINE;
    }
    const struct action *action = find(argv[1]);
    if (!action) {
        fprintf(stderr, "%s: \"%s\" is not one of its commands; -h lists the commands\n", argv[0],
                argv[1]);
        return EXIT_USAGE;
    }
    snprintf(title, sizeof title, "%s %s", argv[0], action->name);
    argv[1] = title;
    struct cache_job job = {.command = title};
    int code;
    if (options_go_on(parse(&job, action, argc - 1, argv + 1), &code))
        code = run(action, &job);
    shapes_release(&job.shapes);
    return code;
}

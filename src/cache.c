/* SPDX-License-Identifier: Apache-2.0
 * `clgemm cache`: looks after the built programs that the library keeps on disk. */
#include "cache.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "program/disk.h"
#include "tool.h"

static const char help[] =
    "usage: clgemm cache path | list | verify | warm | clear [options]\n"
    "Looks after the built programs that the library keeps on disk, so that a second process\n"
    "need not compile. The folder is $CLGEMM_CACHE_DIR, else $XDG_CACHE_HOME/clgemm, else\n"
    "~/.cache/clgemm, and in it one folder for each format.\n"
    "\n"
    "  path                  print the folder\n"
    "  list                  the entries, last used first\n"
    "    -o, --output FORMAT   md or json (default md)\n"
    "        --out FILE        write there, not to standard output\n"
    "  verify                read every entry and check it; print the bad ones\n"
    "        --fix             also remove these\n"
    "  warm                  build ahead of time what calls will need\n"
    "    -d, --device DEVICE   P:D, part of a name, cpu or gpu (default: $CLGEMM_DEVICE, else\n"
    "                          the best GPU, else an accelerator, else a CPU)\n"
    "        --shape MxNxK,... for these shapes (default: for all of clgemm_sgemm()'s)\n"
    "        --trans LIST      which of A and B are transposed (default NN,NT,TN,TT)\n"
    "  clear                 remove every entry, and what interrupted writers left\n"
    "  -h, --help            print this and do nothing else\n"
    "\n"
    "Exit: 0 fine, 1 the cache is off, an entry was bad, or one could not be kept or removed,\n"
    "2 usage or file error, 77 no usable device, or none that was asked for.\n";

static int print_path(FILE *out, void *user) {
    const struct cache_job *job = user;
    fprintf(out, "%s\n", job->folder.path);
    return TOOL_OK;
}

static int clear(FILE *out, void *user) {
    const struct cache_job *job = user;
    const struct cache_folder *folder = &job->folder;
    size_t removed[2] = {0, 0}; /* temporary files, entries */
    uint64_t bytes = 0;
    int code = TOOL_OK;
    for (size_t i = 0; i < folder->count; i++) {
        const struct clg_file_info *file = &folder->files[i];
        clg_file_remove(folder->descriptor, file->name);
        if (clg_file_exists(folder->descriptor, file->name)) {
            fprintf(stderr, "%s: cannot remove %s\n", job->command, file->name);
            code = TOOL_FAILED;
        } else {
            removed[clg_disk_is_entry(file->name)]++;
            bytes += file->bytes;
        }
    }
    fprintf(out, "removed entries: %zu, temporary files: %zu, bytes: %" PRIu64 ", from %s\n",
            removed[1], removed[0], bytes, folder->path);
    return code;
}

enum { OPT_OUT = 256, OPT_FIX, OPT_SHAPE, OPT_TRANS };

#define OPTION_HELP \
    { "help", no_argument, NULL, 'h' }
#define OPTION_END \
    { NULL, 0, NULL, 0 }
static const struct option no_options[] = {OPTION_HELP, OPTION_END};
static const struct option list_options[] = {{"output", required_argument, NULL, 'o'},
                                             {"out", required_argument, NULL, OPT_OUT},
                                             OPTION_HELP,
                                             OPTION_END};
static const struct option verify_options[] = {
    {"fix", no_argument, NULL, OPT_FIX}, OPTION_HELP, OPTION_END};
static const struct option warm_options[] = {{"device", required_argument, NULL, 'd'},
                                             {"shape", required_argument, NULL, OPT_SHAPE},
                                             {"trans", required_argument, NULL, OPT_TRANS},
                                             OPTION_HELP,
                                             OPTION_END};

static const struct action {
    const char *name;
    cache_action *run;
    const struct option *options;
    const char *letters;
    bool creates; /* makes the folder */
} actions[] = {
    {"path", print_path, no_options, "h", false},
    {"list", cache_list, list_options, "o:h", false},
    {"verify", cache_verify, verify_options, "h", false},
    {"warm", cache_warm, warm_options, "d:h", true},
    {"clear", clear, no_options, "h", false},
};

static enum parsed parse(struct cache_job *job, const struct action *action, int argc,
                         char **argv) {
    int option;
    while ((option = getopt_long(argc, argv, action->letters, action->options, NULL)) != -1) {
        switch (option) {
        case 'h':
            return PARSED_HELP;
        case 'o':
            if (!output_set_format(&job->output, argv[0], optarg))
                return PARSED_WRONG;
            break;
        case OPT_OUT:
            job->output.path = optarg;
            break;
        case OPT_FIX:
            job->fix = true;
            break;
        case 'd':
            job->device = optarg;
            break;
        case OPT_SHAPE:
            job->shapes = optarg;
            break;
        case OPT_TRANS:
            job->transposes = optarg;
            break;
        default: /* getopt_long has said so */
            return PARSED_WRONG;
        }
    }
    if (optind == argc)
        return PARSED_RUN;
    fprintf(stderr, "%s: \"%s\" is not an option\n", argv[0], argv[optind]);
    return PARSED_WRONG;
}

static int run(const struct action *action, struct cache_job *job) {
    int code = TOOL_FAILED;
    if (!cache_folder_open(&job->folder, action->creates))
        fprintf(stderr, "%s: cannot read %s\n", job->command, job->folder.path);
    else if (cache_folder_is_on(&job->folder, job->command))
        code = output_write(&job->output, job->command, action->run, job);
    cache_folder_close(&job->folder);
    return code;
}

static const struct action *find(const char *name) {
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (!strcmp(name, actions[i].name))
            return &actions[i];
    return NULL;
}

int cache_command(int argc, char **argv) {
    char title[48]; /* what getopt_long's messages begin with */
    if (argc < 2) {
        fputs(help, stderr);
        return TOOL_USAGE;
    }
    if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    const struct action *action = find(argv[1]);
    if (!action) {
        fprintf(stderr, "%s: \"%s\" is not one of its commands; -h lists them\n", argv[0], argv[1]);
        return TOOL_USAGE;
    }
    snprintf(title, sizeof title, "%s %s", argv[0], action->name);
    argv[1] = title;
    struct cache_job job = {.command = title};
    int code;
    if (tool_goes_on(parse(&job, action, argc - 1, argv + 1), title, help, &code))
        code = run(action, &job);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0
 * The `clgemm` command line tool: looks up the command in a table and runs it. */
#include <stdio.h>
#include <string.h>

#include "clgemm.h"
#include "src/common/options.h"
#include "src/tool.h"

static const struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"info", "shows the devices, the default choice and its reason, and where files are",
     info_command},
    {"cache", "lists, verifies, warms and clears the compiled programs on disk", cache_command},
    {"inspect",
     "shows what the device's compiler made of a kernel, a plan, or a step of the ladder",
     inspect_command},
    {"run", "runs a program with its matrix products on the device, without a rebuild",
     run_command},
    {"tune", "searches for the fastest kernels for given shapes, and keeps them", tune_command},
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const char usage[] = "usage: clgemm COMMAND [options]\n"
                            "       clgemm -h | --version\n";
static const char notes[] =
    "Exit: 0 success, 1 a check failed, 2 usage or file error, 77 no device.\n";

static void print_help(FILE *out) {
    fprintf(out, "%s\nCommands (clgemm COMMAND -h shows its options)\n", usage);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
    fprintf(out, "\n%s", notes);
}

static void describe(void) {
    struct clg_json json;
    options_describe_begin(&json, usage, notes);
    for (int i = 0; i < COMMANDS; i++)
        options_describe_command(&json, commands[i].name, commands[i].summary);
    options_describe_end(&json);
}

static int run(const struct command *command, int argc, char **argv) {
    char title[32]; /* getopt_long begins its messages with it */
    snprintf(title, sizeof title, "clgemm %s", command->name);
    argv[0] = title;
    return command->run(argc, argv);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    const char *word = argv[1];
    if (!strcmp(word, "-h") || !strcmp(word, "--help")) {
        print_help(stdout);
        return EXIT_FINE;
    }
    if (!strcmp(word, "--version")) {
        printf("clgemm %s\n", clgemm_version());
        return EXIT_FINE;
    }
    if (!strcmp(word, "--option-table")) {
        describe();
        return EXIT_FINE;
    }
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(word, commands[i].name))
            return run(&commands[i], argc - 1, argv + 1);
    fprintf(stderr, "clgemm: \"%s\" is not a command; -h lists the commands\n", word);
    return EXIT_USAGE;
}

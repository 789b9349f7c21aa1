/* SPDX-License-Identifier: Apache-2.0
 * Command lines by a table: its rows read the options and print the help. */
#ifndef CLGEMM_COMMON_OPTIONS_H
#define CLGEMM_COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/json_writer.h"

/* Reads an option's value, NULL if it takes none, into the field that its row names. Returns false
 * with a sentence in `why` for a value that is not valid. */
typedef bool option_reader(void *field, const char *text, char *why, size_t room);

/* A row with help but no name is a heading. A row of zeros ends the table. */
struct option_row {
    const char *name;     /* the long name, without "--" */
    char letter;          /* the short name, or 0 */
    const char *argument; /* the name of its value in the help; NULL: it takes none */
    const char *help;     /* NULL: a hidden option */
    option_reader *read;
    size_t field; /* offsetof the field in the struct that options_read fills */
};

/* Every table also has -h, --help and --version, and the hidden option --option-table. It prints
 * the table as JSON, from which manual pages and shell completion are made. Completion knows values
 * that are named "a|b", FILE or FOLDER. */
struct option_table {
    const char *command; /* what messages begin with */
    const char *usage;   /* the help before the options */
    const struct option_row *rows;
    const char *notes;            /* the help after the options */
    const char *(*version)(void); /* NULL: there is no --version */
    bool stops; /* stops at the first word that is not an option: the rest belongs to another
                   program */
};

/* The result of reading a command line. DONE: help or version was printed. WRONG: a message was
 * printed to stderr. */
enum parsed { PARSED_RUN, PARSED_DONE, PARSED_WRONG };

/* Reads the options, in their order, into the struct `out`. Words that are not options move behind
 * them, and *words is the index of the first one. If `words` is NULL, such words are an error. */
enum parsed options_read(const struct option_table *table, void *out, int argc, char **argv,
                         int *words);

/* Prints to stderr what is wrong and where the options are listed. Always returns PARSED_WRONG. */
enum parsed options_refuse(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether to go on; if not, *code is the exit code. */
bool options_go_on(enum parsed parsed, int *code);

/* Print the whole help, or only the lines of these rows, indented. */
void options_print_help(FILE *out, const struct option_table *table);
void options_print_rows(FILE *out, const struct option_row *rows, int indent);

/* What --option-table prints: one table; or, for a program with commands, a table for each command,
 * with their names between a beginning and an end. */
void options_describe(FILE *out, const struct option_table *table);
void options_describe_begin(struct clg_json *json, const char *usage, const char *notes);
void options_describe_command(struct clg_json *json, const char *name, const char *summary);
void options_describe_end(struct clg_json *json);

#endif

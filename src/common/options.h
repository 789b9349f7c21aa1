/* SPDX-License-Identifier: Apache-2.0
 * Command lines by a table: its rows read the options, and are what the help prints. */
#ifndef CLGEMM_COMMON_OPTIONS_H
#define CLGEMM_COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/json_writer.h"

/* Reads an option's value, NULL where it takes none, into the field that its row names. False with
 * a sentence in `why` for what it does not understand. */
typedef bool option_reader(void *field, const char *text, char *why, size_t room);

/* A row with help but no name is a heading; one of zeros ends the rows. */
struct option_row {
    const char *name;     /* the long name, without "--" */
    char letter;          /* the short name, or 0 */
    const char *argument; /* what the help calls its value; NULL: it takes none */
    const char *help;     /* NULL: an option that the program only gives to itself */
    option_reader *read;
    size_t field; /* offsetof the field in the struct that options_read fills */
};

/* -h, --help and --version come of themselves, and so does --option-table, which no help lists:
 * the table as JSON, of which manual pages and the shells' completion are made. What is written
 * "a|b" as the name of a value, or FILE or FOLDER, completion knows. */
struct option_table {
    const char *command; /* what messages begin with */
    const char *usage;   /* the help ahead of the options */
    const struct option_row *rows;
    const char *notes;            /* the help behind the options */
    const char *(*version)(void); /* or NULL: then there is no such option */
    bool stops; /* at the first word that is no option: the rest is another program's */
};

/* What a command line asks for. DONE: help or version, which were printed; WRONG: stderr has been
 * told. */
enum parsed { PARSED_RUN, PARSED_DONE, PARSED_WRONG };

/* Reads the options, in their order, into the struct `out`. Words that are no options are moved
 * behind them: *words is then the index of the first; where `words` is NULL there may be none. */
enum parsed options_read(const struct option_table *table, void *out, int argc, char **argv,
                         int *words);

/* Says on stderr what is wrong, and where the options are listed. Always PARSED_WRONG. */
enum parsed options_refuse(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether to go on; else *code is the exit code. */
bool options_go_on(enum parsed parsed, int *code);

/* The whole help; and its lines about these rows alone, moved to the right. */
void options_print_help(FILE *out, const struct option_table *table);
void options_print_rows(FILE *out, const struct option_row *rows, int indent);

/* What --option-table prints: a table; or of a program that has commands, each with one of its own,
 * their names between a beginning and an end. */
void options_describe(FILE *out, const struct option_table *table);
void options_describe_begin(struct clg_json *json, const char *usage, const char *notes);
void options_describe_command(struct clg_json *json, const char *name, const char *summary);
void options_describe_end(struct clg_json *json);

#endif

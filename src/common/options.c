/* SPDX-License-Identifier: Apache-2.0
 * Passes a table's options to getopt_long, has their values read, and prints the table as help. */
#include "src/common/options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/exit.h"

/* The help's columns: where texts begin, and where lines are broken. */
enum { TEXT_COLUMN = 24, LINE_WIDTH = 80 };

/* getopt_long's return values: a row's index plus ROW, or one of the options without a row. '?' is
 * getopt_long's own. */
enum { HELP = 'h', WRONG = '?', VERSION = 256, DESCRIBE, ROW };

static const struct option_row help_row = {
    .name = "help", .letter = HELP, .help = "print this help and exit"};
static const struct option_row version_row = {.name = "version",
                                              .help = "print the version and exit"};
static const struct option_row describe_row = {.name = "option-table"};

enum parsed options_refuse(const char *command, const char *format, ...) {
    va_list args;
    fprintf(stderr, "%s: ", command);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n%s: -h lists the options\n", command);
    return PARSED_WRONG;
}

bool options_go_on(enum parsed parsed, int *code) {
    *code = parsed == PARSED_WRONG ? EXIT_USAGE : EXIT_FINE;
    return parsed == PARSED_RUN;
}

/* ---- Help ---- */

/* Breaks the text at spaces; `column` is the current position. */
static void print_wrapped(FILE *out, const char *text, int column, int indent) {
    fprintf(out, "%*s", indent - column, "");
    column = indent;
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (column > indent && column + 1 + length > LINE_WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", length, text);
        column += length;
        text += length + strspn(text + length, " ");
    }
    fputc('\n', out);
}

/* If the option is too wide for its column, its text begins on the next line. */
static void print_row(FILE *out, const struct option_row *row, int indent) {
    const char letter[] = {'-', row->letter, ',', ' ', '\0'};
    int column = fprintf(out, "%*s%s--%s", indent, "", row->letter ? letter : "", row->name);
    if (row->argument)
        column += fprintf(out, " %s", row->argument);
    if (column > indent + TEXT_COLUMN - 4) {
        fputc('\n', out);
        column = 0;
    }
    print_wrapped(out, row->help, column, indent + TEXT_COLUMN - 2);
}

void options_print_rows(FILE *out, const struct option_row *rows, int indent) {
    for (; rows->name || rows->help; rows++)
        if (!rows->name)
            print_wrapped(out, rows->help, 0, indent - 2);
        else if (rows->help)
            print_row(out, rows, indent);
}

void options_print_help(FILE *out, const struct option_table *table) {
    fprintf(out, "%s\n", table->usage);
    options_print_rows(out, table->rows, 2);
    print_row(out, &help_row, 2);
    if (table->version)
        print_row(out, &version_row, 2);
    fprintf(out, "\n%s", table->notes);
}

/* ---- Description ---- */

static void describe_option(struct clg_json *json, const struct option_row *row) {
    const char letter[] = {row->letter, '\0'};
    clg_json_open(json, NULL, '{');
    clg_json_text(json, "name", row->name);
    clg_json_text(json, "letter", row->letter ? letter : NULL);
    clg_json_text(json, "argument", row->argument);
    clg_json_text(json, "help", row->help);
    clg_json_close(json, '}');
}

void options_describe(FILE *out, const struct option_table *table) {
    struct clg_json json = {.out = out};
    clg_json_open(&json, NULL, '{');
    clg_json_text(&json, "usage", table->usage);
    clg_json_text(&json, "notes", table->notes);
    clg_json_bool(&json, "stops", table->stops);
    clg_json_open(&json, "options", '[');
    for (const struct option_row *row = table->rows; row->name || row->help; row++)
        if (row->help)
            describe_option(&json, row);
    describe_option(&json, &help_row);
    if (table->version)
        describe_option(&json, &version_row);
    clg_json_close(&json, ']');
    clg_json_close(&json, '}');
}

void options_describe_begin(struct clg_json *json, const char *usage, const char *notes) {
    *json = (struct clg_json){.out = stdout};
    clg_json_open(json, NULL, '{');
    clg_json_text(json, "usage", usage);
    clg_json_text(json, "notes", notes);
    clg_json_open(json, "commands", '[');
}

void options_describe_command(struct clg_json *json, const char *name, const char *summary) {
    clg_json_open(json, NULL, '{');
    clg_json_text(json, "name", name);
    clg_json_text(json, "summary", summary);
    clg_json_close(json, '}');
}

void options_describe_end(struct clg_json *json) {
    clg_json_close(json, ']');
    clg_json_close(json, '}');
}

/* ---- Reading ---- */

/* The arguments of getopt_long. */
struct names {
    struct option *longs;
    char letters[64];
};

static struct option long_name(const struct option_row *row, int value) {
    return (struct option){row->name, row->argument ? required_argument : no_argument, NULL, value};
}

/* Returns false if memory is short. Free the long names in any case. */
static bool name_all(struct names *names, const struct option_table *table) {
    size_t rows = 0, used = 0, letters = 0;
    while (table->rows[rows].name || table->rows[rows].help)
        rows++;
    if (!(names->longs = calloc(rows + 4, sizeof *names->longs)))
        return false;
    if (table->stops)
        names->letters[letters++] = '+';
    names->letters[letters++] = HELP;
    for (size_t i = 0; i < rows; i++) {
        const struct option_row *row = &table->rows[i];
        if (row->name)
            names->longs[used++] = long_name(row, ROW + (int)i);
        if (row->letter && letters + 3 < sizeof names->letters) {
            names->letters[letters++] = row->letter;
            if (row->argument)
                names->letters[letters++] = ':';
        }
    }
    names->longs[used++] = long_name(&help_row, HELP);
    names->longs[used++] = long_name(&describe_row, DESCRIBE);
    if (table->version)
        names->longs[used] = long_name(&version_row, VERSION);
    return true;
}

/* The row of getopt_long's return value, for a short or a long name. */
static const struct option_row *row_of(const struct option_table *table, int option) {
    const struct option_row *row = table->rows;
    if (option >= ROW)
        return row + (option - ROW);
    while (row->letter != option)
        row++;
    return row;
}

/* Reads one option, whose value is in optarg. */
static enum parsed take(const struct option_table *table, void *out, int option) {
    char why[256] = "";
    if (option == HELP) {
        options_print_help(stdout, table);
        return PARSED_DONE;
    }
    if (option == DESCRIBE) {
        options_describe(stdout, table);
        return PARSED_DONE;
    }
    if (option == VERSION) {
        printf("%s %s\n", table->command, table->version());
        return PARSED_DONE;
    }
    if (option == WRONG) /* getopt_long has printed its name */
        return options_refuse(table->command, "the message above says what is wrong");
    const struct option_row *row = row_of(table, option);
    if (!row->read((char *)out + row->field, optarg, why, sizeof why))
        return options_refuse(table->command, "--%s: %s", row->name, why);
    return PARSED_RUN;
}

enum parsed options_read(const struct option_table *table, void *out, int argc, char **argv,
                         int *words) {
    struct names names = {0};
    enum parsed parsed = PARSED_RUN;
    int option;
    if (!name_all(&names, table))
        parsed = options_refuse(table->command, "out of memory");
    optind = 0; /* start afresh, whatever was parsed before */
    while (parsed == PARSED_RUN &&
           (option = getopt_long(argc, argv, names.letters, names.longs, NULL)) != -1)
        parsed = take(table, out, option);
    free(names.longs);
    if (parsed == PARSED_RUN && !words && optind < argc)
        parsed = options_refuse(table->command, "\"%s\" is not an option", argv[optind]);
    if (words)
        *words = optind;
    return parsed;
}

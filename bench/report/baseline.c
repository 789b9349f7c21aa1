/* SPDX-License-Identifier: Apache-2.0
 * Reads our own JSON: what identifies problems, and our figures. */
#include "bench/report/baseline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/format.h"
#include "base/json_scan.h"
#include "bench/console.h"
#include "bench/report/report.h"

/* ---- One result ---- */

/* As its members have it. */
struct result_text {
    char shape[SHAPE_TEXT], trans[8], layout[8], part[CORETYPE_NAME]; /* core type or family */
    struct factor alpha, beta;
    double figures[BASELINE_FIGURES];
};

#define TEXT(field)                                                           \
    static bool read_##field(struct clg_json_scan *scan, void *out) {         \
        struct result_text *result = out;                                     \
        return clg_json_scan_text(scan, result->field, sizeof result->field); \
    }
TEXT(shape)
TEXT(trans)
TEXT(layout)
TEXT(part)
#undef TEXT

#define NUMBER(name, field)                                                     \
    static bool read_##name(struct clg_json_scan *scan, void *out) {            \
        return clg_json_scan_number(scan, &((struct result_text *)out)->field); \
    }
NUMBER(alpha, alpha.re)
NUMBER(beta, beta.re)
NUMBER(alpha_imag, alpha.im)
NUMBER(beta_imag, beta.im)
NUMBER(growth, figures[BASELINE_GROWTH])
#undef NUMBER

static bool read_number(struct clg_json_scan *scan, void *out) {
    return clg_json_scan_has_word(scan, "null") || clg_json_scan_number(scan, out);
}

/* The rate of a contender; unchanged if there is none. */
static bool read_rate(struct clg_json_scan *scan, double *out) {
    static const struct clg_json_member members[] = {{"gflops", read_number, true}};
    return clg_json_scan_object(scan, members, 1, out);
}

static bool read_host(struct clg_json_scan *scan, void *out) {
    return read_rate(scan, &((struct result_text *)out)->figures[OURS_HOST]);
}

static bool read_device(struct clg_json_scan *scan, void *out) {
    return read_rate(scan, &((struct result_text *)out)->figures[OURS_DEVICE]);
}

static bool read_series(struct clg_json_scan *scan, void *out) {
    const struct clg_json_member members[] = {{ours_host_ops.key, read_host, true},
                                              {ours_device_ops.key, read_device, true}};
    return clg_json_scan_object(scan, members, 2, out);
}

/* The best rate of calls that took so many microseconds; unchanged if there is none. */
static bool read_calls(struct clg_json_scan *scan, double *out) {
    static const struct clg_json_member members[] = {{"min_us", read_number, false}};
    double microseconds = 0;
    const bool good = clg_json_scan_object(scan, members, 1, &microseconds);
    if (microseconds > 0)
        *out = 1e6 / microseconds;
    return good;
}

static bool read_cold(struct clg_json_scan *scan, void *out) {
    return read_calls(scan, &((struct result_text *)out)->figures[BASELINE_COLD]);
}

static bool read_warm(struct clg_json_scan *scan, void *out) {
    return read_calls(scan, &((struct result_text *)out)->figures[BASELINE_WARM]);
}

static bool read_figures(struct clg_json_scan *scan, void *out) {
    static const struct clg_json_member members[] = {{"cold", read_cold, true},
                                                     {"warm", read_warm, true}};
    return clg_json_scan_object(scan, members, 2, out);
}

static const struct clg_json_member result_members[] = {{"shape", read_shape, false},
                                                        {"trans", read_trans, false},
                                                        {"layout", read_layout, false},
                                                        {"alpha", read_alpha, false},
                                                        {"beta", read_beta, false},
                                                        {"series", read_series, true},
                                                        {"figures", read_figures, true},
                                                        {"growth_bytes", read_growth, true},
                                                        {"alpha_imag", read_alpha_imag, true},
                                                        {"beta_imag", read_beta_imag, true},
                                                        {"coretype", read_part, true},
                                                        {"family", read_part, true}};

static void make_key(char key[BASELINE_KEY], const struct result_text *result) {
    snprintf(key, BASELINE_KEY, "%s %s %s %s", result->shape, result->trans, result->layout,
             result->part);
}

/* ---- The file ---- */

/* Adds a result. */
static bool read_result(struct clg_json_scan *scan, void *out) {
    struct baseline *b = out;
    struct result_text result = {0};
    if (!clg_json_scan_object(scan, result_members, sizeof result_members / sizeof *result_members,
                              &result))
        return false;
    if (!clg_array_reserve(&b->entries, &b->room, b->count + 1, sizeof *b->entries))
        return clg_json_scan_fail(scan, "out of memory");
    struct baseline_entry *entry = &b->entries[b->count++];
    make_key(entry->key, &result);
    entry->alpha = result.alpha;
    entry->beta = result.beta;
    memcpy(entry->figures, result.figures, sizeof entry->figures);
    return true;
}

static bool read_results(struct clg_json_scan *scan, void *out) {
    return clg_json_scan_array(scan, read_result, out);
}

static bool read_schema(struct clg_json_scan *scan, void *out) {
    char schema[64];
    if (!clg_json_scan_text(scan, schema, sizeof schema))
        return false;
    const bool growth = strcmp(schema, GROWTH_SCHEMA) == 0;
    ((struct baseline *)out)->growth = growth;
    return growth || !strcmp(schema, REPORT_SCHEMA) || clg_json_scan_fail(scan, "it is %s", schema);
}

static bool read_context_device(struct clg_json_scan *scan, void *out) {
    return clg_json_scan_text(scan, ((struct baseline *)out)->device, BASELINE_DEVICE);
}

static bool read_context_type(struct clg_json_scan *scan, void *out) {
    struct baseline *b = out;
    return clg_json_scan_text(scan, b->type, sizeof b->type);
}

static bool read_context_batch(struct clg_json_scan *scan, void *out) {
    struct baseline *b = out;
    return clg_json_scan_text(scan, b->batch, sizeof b->batch);
}

static bool read_context(struct clg_json_scan *scan, void *out) {
    static const struct clg_json_member members[] = {{"device", read_context_device, true},
                                                     {"type", read_context_type, true},
                                                     {"batch", read_context_batch, true}};
    return clg_json_scan_object(scan, members, 3, out);
}

static bool read_report(struct baseline *b, const char *text, size_t size, char *why, size_t room) {
    static const struct clg_json_member members[] = {{"schema", read_schema, false},
                                                     {"context", read_context, true},
                                                     {"results", read_results, false}};
    struct clg_json_scan scan = clg_json_scan_start(text, size);
    if (clg_json_scan_object(&scan, members, 3, b) && !clg_json_scan_at_end(&scan))
        clg_json_scan_fail(&scan, "there is text after it");
    if (!*scan.why && !b->count)
        clg_json_scan_fail(&scan, "it has no results");
    snprintf(why, room,
             "not a JSON report of clgemm-bench (" REPORT_SCHEMA " or " GROWTH_SCHEMA "): %s",
             scan.why);
    return !*scan.why;
}

/* The whole file; free it. NULL with why. */
static char *read_file(const char *path, size_t *size, char *why, size_t why_room) {
    enum { MORE = 1 << 16 };
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0, got = 1;
    bool good = file != NULL;
    snprintf(why, why_room, "%s", strerror(errno));
    for (*size = 0; good && got > 0; *size += got) {
        good = clg_array_reserve(&text, &room, *size + MORE, 1);
        got = good ? fread(text + *size, 1, room - *size, file) : 0;
    }
    if (file && (!good || ferror(file))) {
        snprintf(why, why_room, "%s", good ? strerror(errno) : "out of memory");
        good = false;
    }
    if (file)
        fclose(file);
    if (good)
        return text;
    free(text);
    return NULL;
}

bool baseline_read(struct baseline *b, const char *path, char *why, size_t room) {
    char reason[320];
    size_t size;
    /* Before reports named the type and the batch, they had one type and single products only. */
    *b = (struct baseline){.type = "f32", .batch = "1"};
    char *text = read_file(path, &size, reason, sizeof reason);
    const bool good = text && read_report(b, text, size, reason, sizeof reason);
    snprintf(why, room, "%s: %s", path, reason);
    free(text);
    return good;
}

void baseline_release(struct baseline *b) {
    free(b->entries);
    *b = (struct baseline){0};
}

bool baseline_is_of(const struct baseline *b, const char *device) {
    char name[BASELINE_DEVICE];
    clg_utf8_copy(name, sizeof name, device);
    return strncmp(b->device, name, strlen(name)) == 0;
}

bool baseline_is_alike(const struct baseline *b, const struct options *o, char *why, size_t room) {
    const char *type = element_of(o->type)->name;
    char batch[sizeof b->batch];
    snprintf(batch, sizeof batch, "%d", o->batch);
    const bool type_alike = strcmp(b->type, type) == 0;
    if (b->growth != o->growth)
        snprintf(why, room, "it measured %s", b->growth ? "--growth" : "rates, not --growth");
    else if (type_alike)
        snprintf(why, room, "it measured batches of %s, not of %s", b->batch, batch);
    else
        snprintf(why, room, "it measured %s, not %s", b->type, type);
    return b->growth == o->growth && type_alike && strcmp(b->batch, batch) == 0;
}

bool baseline_open(struct baseline *b, const struct options *o) {
    char why[512];
    *b = (struct baseline){0};
    if (!o->baseline)
        return true;
    if (!baseline_read(b, o->baseline, why, sizeof why)) {
        complain("--baseline %s", why);
        return false;
    }
    if (!baseline_is_alike(b, o, why, sizeof why)) {
        complain("--baseline %s: %s", o->baseline, why);
        return false;
    }
    return true;
}

const struct baseline *baseline_for(const struct baseline *b, const struct options *o,
                                    const char *device) {
    if (!o->baseline)
        return NULL;
    if (!baseline_is_of(b, device))
        complain("note: the baseline was measured on another device, %s", b->device);
    return b;
}

/* Alpha and beta as values of the type, with however many digits they were written. */
static bool is_of_problem(const struct baseline_entry *entry, const char *key,
                          const struct options *o) {
    const struct factor alpha = factor_round(o->type, entry->alpha);
    const struct factor beta = factor_round(o->type, entry->beta);
    return strcmp(entry->key, key) == 0 && alpha.re == o->alpha.re && alpha.im == o->alpha.im &&
           beta.re == o->beta.re && beta.im == o->beta.im;
}

double baseline_figure(const struct baseline *b, const struct options *o, struct shape shape,
                       struct transposes trans, const char *part, int figure) {
    struct result_text text = {0};
    char key[BASELINE_KEY];
    shape_text(text.shape, shape);
    snprintf(text.trans, sizeof text.trans, "%s", trans_name(trans));
    snprintf(text.layout, sizeof text.layout, "%s", o->layout == CLGEMM_ROW_MAJOR ? "row" : "col");
    snprintf(text.part, sizeof text.part, "%s", part);
    make_key(key, &text);
    for (size_t i = 0; i < b->count; i++)
        if (is_of_problem(&b->entries[i], key, o) && b->entries[i].figures[figure] > 0)
            return b->entries[i].figures[figure];
    return 0;
}

double baseline_ratio(const struct baseline *b, const struct options *o, const struct result *r,
                      int ours) {
    const double rate = baseline_figure(b, o, r->shape, r->trans, result_coretype(r), ours);
    const struct series *s = &r->series[ours];
    return rate <= 0 ? 0 : s->outcome == OUTCOME_OK ? s->gflops / rate : -1;
}

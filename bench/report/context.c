/* SPDX-License-Identifier: Apache-2.0
 * Collects the circumstances of a run. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/console.h"
#include "bench/report/report.h"
#include "src/common/svg.h"

void context_add(struct context *context, const char *key, const char *format, ...) {
    if (context->count == CONTEXT_ITEMS)
        return;
    va_list args;
    va_start(args, format);
    snprintf(context->items[context->count].key, CONTEXT_KEY, "%s", key);
    vsnprintf(context->items[context->count].value, sizeof context->items->value, format, args);
    va_end(args);
    context->count++;
}

/* The host's processor, which OpenBLAS uses; left out if the system does not tell. */
static void add_cpu(struct context *context) {
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        found = value && !strncmp(line, "model name", 10);
        if (found)
            context_add(context, "cpu", "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
    }
    if (file)
        fclose(file);
}

/* What decides which threads share a core: the number of cores, and the user's settings for
 * libraries. Nothing is set here. */
static void add_threads(struct context *context, const struct clg_facts *facts) {
    const char *timeout = getenv("OPENBLAS_THREAD_TIMEOUT"), *affinity = getenv("POCL_AFFINITY");
    context_add(context, "cores", "%d", heaps_cores());
    if (timeout)
        context_add(context, "openblas_thread_timeout", "%s", timeout);
    if (strstr(facts->platform, "Portable Computing Language"))
        context_add(context, "pocl_affinity", "%s",
                    affinity ? affinity : "not set: its threads run where the scheduler puts them");
}

static void add_date(struct context *context) {
    char text[32] = "?";
    time_t seconds = time(NULL);
    struct tm date;
    if (gmtime_r(&seconds, &date))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &date);
    context_add(context, "date", "%s", text);
}

/* Without the path of the program. */
static void add_command(struct context *context, char *const *argv) {
    char text[sizeof context->items->value];
    size_t used = 0;
    for (int i = 0; argv && argv[i] && used < sizeof text; i++) {
        const char *slash = i ? NULL : strrchr(argv[i], '/');
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "",
                                 slash ? slash + 1 : argv[i]);
    }
    if (used)
        context_add(context, "command", "%s", text);
}

void context_fill(struct context *context, const struct device *device,
                  const struct contender contenders[CONTENDERS], const struct options *o) {
    const struct clg_facts *facts = &device->open->facts;
    const struct element *element = element_of(o->type);
    char factor[FACTOR_TEXT], routine[ROUTINE_TEXT];
    *context = (struct context){0};
    context_add(context, "library", "libclgemm %s", clgemm_version());
    add_date(context);
    context_add(context, "device", "%s (%u compute units, %u MHz)", facts->name,
                facts->compute_units, facts->clock_mhz);
    context_add(context, "platform", "%s, %s", facts->platform, facts->platform_version);
    context_add(context, "driver", "%s", facts->driver);
    add_cpu(context);
    add_threads(context, facts);
    for (int i = OPENBLAS; i < CONTENDERS; i++) {
        const struct contender *c = &contenders[i];
        if (c->wanted && !(i == OPENBLAS && o->coretypes.count))
            context_add(context, c->ops->key, "%s%s%s",
                        c->open ? "" : "not available: ", c->open ? c->about : c->why,
                        c->open && c->ops->loops && o->batch > 1 ? ", a loop of calls" : "");
    }
    context_add(context, "routine", "%s", routine_text(routine, o));
    context_add(context, "type", "%s", element->name);
    context_add(context, "batch", "%d", o->batch);
    context_add(context, "layout", "%s", o->layout == CLGEMM_ROW_MAJOR ? "row" : "col");
    context_add(context, "alpha", "%s", factor_text(factor, o->type, o->alpha));
    context_add(context, "beta", "%s", factor_text(factor, o->type, o->beta));
    context_add(context, "seed", "%d", PROBLEM_SEED);
    if (o->random.count)
        context_add(context, "random_shapes", "%d of seed %d, sizes %d to %d", o->random.count,
                    o->random.seed, RANDOM_SMALLEST, o->random.largest);
    context_add(context, "verify", "%s", o->verify ? "yes" : "no");
    add_command(context, o->argv);
}

int context_open(struct context *context, struct device *device, const struct options *o) {
    struct contender contenders[CONTENDERS];
    const int code = device_require(device, o->device);
    if (code)
        return code;
    contenders_open(contenders, device, 0);
    context_fill(context, device, contenders, o);
    contenders_close(contenders);
    return EXIT_FINE;
}

const char *context_value(const struct context *context, const char *key) {
    for (int i = 0; i < context->count; i++)
        if (!strcmp(context->items[i].key, key))
            return context->items[i].value;
    return "";
}

void context_caption(FILE *out, const struct context *context, const struct options *o, int height,
                     int left) {
    char origin[640];
    snprintf(origin, sizeof origin, "%.10s, %s, driver %s", context_value(context, "date"),
             context_value(context, "library"), context_value(context, "driver"));
    svg_caption(out, height, left, origin, o->argv);
}

void context_write(FILE *out, const struct context *context) {
    for (int i = 0; i < context->count; i++)
        fprintf(out, "- %s: %s\n", context->items[i].key, context->items[i].value);
    fputc('\n', out);
}

const char *shape_text(char text[SHAPE_TEXT], struct shape s) {
    snprintf(text, SHAPE_TEXT, "%" PRId64 "x%" PRId64 "x%" PRId64, s.m, s.n, s.k);
    return text;
}

const char *routine_text(char text[ROUTINE_TEXT], const struct options *o) {
    snprintf(text, ROUTINE_TEXT, "%s%s%s", routine_name(o->routine),
             !problem_has_side(o->routine) ? ""
             : o->side == CLGEMM_LEFT      ? " left"
                                           : " right",
             !o->routine               ? ""
             : o->uplo == CLGEMM_LOWER ? " lower"
                                       : " upper");
    return text;
}

int report_rival(const struct report *report, int contender) {
    return report->contenders[contender].ops->host_matrices ? OURS_HOST : OURS_DEVICE;
}

struct mean report_mean(const struct report *r, int contender, size_t first, size_t count) {
    const int rival = report_rival(r, contender);
    struct mean mean = {0};
    for (size_t row = first; row < first + count; row++)
        mean_add(&mean, result_ratio(&r->results[row], rival, contender), row);
    return mean;
}

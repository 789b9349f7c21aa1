/* SPDX-License-Identifier: Apache-2.0
 * The processes of --coretype, and the best of their results. */
#include "bench/coretype.h"

#include <cblas.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench/console.h"
#include "bench/spawn.h"

/* A process's answer, followed by its results. */
struct answer {
    char about[sizeof((struct contender *)0)->about];
    struct result results[];
};

static size_t answer_size(size_t problems) {
    return sizeof(struct answer) + problems * sizeof(struct result);
}

size_t coretype_blocks(const struct options *o) {
    return o->coretypes.count && !o->coretype_child ? o->coretypes.count + 1 : 1;
}

/* This program's command line plus one word. The strings are not copied. Free it. */
static const char **child_arguments(char **argv) {
    size_t count = 0;
    while (argv[count])
        count++;
    const char **out = calloc(count + 2, sizeof *out);
    for (size_t i = 0; out && i < count; i++)
        out[i] = argv[i];
    if (out)
        out[count] = "--coretype-child";
    return out;
}

/* Every problem of a process that gave no answer has failed. */
static void fail_all(struct result *results, size_t problems, const struct options *o,
                     const char *why) {
    for (size_t i = 0; i < problems; i++) {
        results[i] = (struct result){.shape = o->shapes.items[i / o->trans.count],
                                     .trans = o->trans.items[i % o->trans.count]};
        for (int c = 0; c < CONTENDERS; c++) {
            struct series *s = &results[i].series[c];
            s->outcome = OUTCOME_FAILED;
            snprintf(s->why, sizeof s->why, "%s", why);
        }
    }
}

/* Measures one core type in a process of its own. A cache size that was set for another core type
 * would spoil it. */
static void play(struct result *results, size_t problems, const struct options *o,
                 const char *coretype, struct context *context) {
    struct answer *answer = malloc(answer_size(problems));
    const char **arguments = child_arguments(o->argv);
    char setting[CORETYPE_NAME + 32], key[CORETYPE_NAME + 16], why[256] = "out of memory";
    snprintf(setting, sizeof setting, "OPENBLAS_CORETYPE=%s", coretype);
    snprintf(key, sizeof key, "openblas_%s", coretype);
    const char *settings[] = {setting, "OPENBLAS_L2_SIZE=", NULL};
    if (answer && arguments &&
        spawn_self(arguments, settings, answer, answer_size(problems), why, sizeof why)) {
        memcpy(results, answer->results, problems * sizeof *results);
        context_add(context, key, "%s", answer->about);
    } else {
        fail_all(results, problems, o, why);
        context_add(context, key, "%s", why);
    }
    for (size_t i = 0; i < problems; i++)
        snprintf(results[i].coretype, sizeof results[i].coretype, "%s", coretype);
    free(answer);
    free(arguments);
}

/* The result of a problem from the process whose OpenBLAS was the fastest. */
static struct result best_of(const struct result *results, size_t problems, size_t blocks,
                             size_t problem) {
    const struct result *best = &results[problem];
    for (size_t b = 1; b < blocks; b++) {
        const struct result *other = &results[b * problems + problem];
        if (other->series[OPENBLAS].gflops > best->series[OPENBLAS].gflops)
            best = other;
    }
    struct result out = *best;
    out.is_best = true;
    return out;
}

void coretype_measure(struct result *results, size_t problems, const struct options *o,
                      struct context *context) {
    const size_t blocks = o->coretypes.count;
    context_add(context, "coretypes",
                "each in a process of its own, OPENBLAS_L2_SIZE unset; best is the process whose "
                "OpenBLAS was the fastest");
    for (size_t b = 0; b < blocks; b++)
        play(results + b * problems, problems, o, o->coretypes.names[b], context);
    for (size_t i = 0; i < problems; i++)
        results[blocks * problems + i] = best_of(results, problems, blocks, i);
}

void coretype_check(struct contender *openblas) {
    const char *asked = getenv("OPENBLAS_CORETYPE");
    if (!openblas->open || !asked || !strcasecmp(asked, openblas_get_corename()))
        return;
    openblas->open = false;
    contender_say(openblas, OUTCOME_SKIPPED, "OpenBLAS chose core type %s, not %s",
                  openblas_get_corename(), asked);
}

int coretype_answer(const struct result *results, size_t problems,
                    const struct contender contenders[CONTENDERS]) {
    const struct contender *openblas = &contenders[OPENBLAS];
    struct answer *answer = calloc(1, answer_size(problems));
    if (!answer)
        return EXIT_FAILED;
    snprintf(answer->about, sizeof answer->about, "%.*s", (int)sizeof answer->about - 1,
             openblas->open ? openblas->about : openblas->why);
    memcpy(answer->results, results, problems * sizeof *results);
    const bool sent = spawn_answer(answer, answer_size(problems));
    free(answer);
    if (!sent)
        complain("--coretype-child is for --coretype only");
    return sent ? EXIT_FINE : EXIT_USAGE;
}

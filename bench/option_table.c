/* SPDX-License-Identifier: Apache-2.0
 * The command line of clgemm-bench: a table of its options, and what they mean together. */
#include "bench/options.h"

#include <math.h>

#include "bench/element.h"
#include "bench/option_readers.h"

#define FIELD(member) offsetof(struct options, member)
static const struct option_row rows[] = {
    {.help = "What to measure (adds up; default: squares 256-2048*2 and 1000x777x513)"},
    {"suite", 0, "squares|deepbench|llm|skinny", "a fixed list of shapes (docs/bench.md)",
     option_suite, FIELD(shapes)},
    {"shape", 0, "MxNxK,...", "C is M x N, the inner size is K", option_shapes, FIELD(shapes)},
    {"size", 0, "LIST", "squares: a,b or a-b+step or a-b*factor", option_sizes, FIELD(shapes)},
    {"random", 0, "COUNT",
     "so many drawn at random: sizes are log-uniform, in every other problem all are odd",
     option_count, FIELD(random.count)},
    {"seed", 0, "S", "for --random: another seed draws others (default 1)", option_count,
     FIELD(random.seed)},
    {"largest", 0, "SIZE", "for --random: sizes are 16 to this (default 8192)", option_largest,
     FIELD(random.largest)},
    {"type", 0, "s|d|h|bf16", "single, double or half precision, or bfloat16 (default s)",
     option_type, FIELD(type)},
    {"math", 0, "strict|accurate|normwise|tf32|bf16|f16",
     "what our contenders may do (default strict)", option_math, FIELD(math)},
    {"batch", 0, "N", "each problem is a batch of so many products (default 1)", option_count,
     FIELD(batch)},
    {"packed-b", 0, NULL, "also our calls on the device with a B that was packed before them",
     option_on, FIELD(packed_b)},
    {"trans", 0, "NN,NT,TN,TT", "which of A and B are transposed (default NN)", option_trans,
     FIELD(trans)},
    {"layout", 0, "row|col", "storage order (default row)", option_layout, FIELD(layout)},
    {"alpha", 0, "F", "the factor of A B (default 1)", option_scalar, FIELD(alpha)},
    {"beta", 0, "F", "the factor of C (default 0)", option_scalar, FIELD(beta)},
    OPTION_DEVICE(struct options, device),
    {"list", 'l', NULL, "list the devices and leave", option_on, FIELD(list_devices)},

    {.help = "Beside what"},
    {"peers", 0, "LIST",
     "of openblas, clblast, cublas, viennacl, cublasxt; or none (default: the first three, if they "
     "load)",
     option_peers, FIELD(peers)},
    {"no-verify", 0, NULL, "do not check results", option_off, FIELD(verify)},
    {"samples", 0, "N", "times that each contender is measured, 1 to 16 (default 9)",
     option_samples, FIELD(samples)},
    {"coretype", 0, "A,B",
     "the whole comparison once for each of OpenBLAS's core types (SKYLAKEX, HASWELL ...), each in "
     "a process of its own, and the fastest as best",
     option_coretypes, FIELD(coretypes)},
    {"coretype-child", 0, NULL, NULL, option_on, FIELD(coretype_child)},

    {.help = "Other measures"},
    {"regret", 0, NULL, "the built-in choice beside every other built-in row of parameters",
     option_on, FIELD(regret)},
    {"families", 0, "LIST", "for --regret: only rows of these (direct, tiled ...; default: all)",
     option_families, FIELD(families)},
    {"regret-child", 0, NULL, NULL, option_on, FIELD(regret_child)},
    {"overhead", 0, NULL,
     "the host's time in a call, beside a bare kernel's (default: 16 to 256 cubed)", option_on,
     FIELD(overhead)},
    {"timeline", 0, "FILE.svg",
     "draw what queues and threads do during a call on host matrices, of one shape (default: "
     "1024x1024x1024)",
     option_text, FIELD(timeline)},

    {.help = "The first call"},
    {"first-call", 0, NULL,
     "instead of rates, what the first call of a process costs, with and without cached programs "
     "(default: 1024x1024x1024)",
     option_on, FIELD(first_call)},
    {"first-call-child", 0, "PART", NULL, option_text, FIELD(first_call_child)},
    {"repeat", 0, "N", "processes of each kind, 1 to 99 (default 5)", option_repeat, FIELD(repeat)},

    {.help = "The ladder"},
    {"ladder", 0, NULL,
     "instead, the eleven kernels of docs/ladder.md: single precision, column-major, NN, alpha 1, "
     "beta 0 (default: 1024x1024x1024)",
     option_on, FIELD(ladder.wanted)},
    {"steps", 0, "LIST", "which: a,b or a-b (default 1-11)", option_steps, FIELD(ladder.steps)},
    {"set", 0, "NAME=V", "a kernel parameter, such as WPT=4, for each step that has it",
     option_ladder_setting, FIELD(ladder.settings)},

    {.help = "Output"},
    {"output", 'o', "md|csv|json", "the form of the report (default md)", option_format_csv,
     FIELD(output.format)},
    OPTION_OUT(struct options, output.path, OPTION_OUT_HELP),
    {"plot", 0, "FILE.svg", "also draw GFLOP/s over size", option_text, FIELD(plot)},
    {"report", 0, "FILE.html", "also a page with charts and tables, which needs nothing else",
     option_text, FIELD(page)},
    {"baseline", 0, "FILE", "compare with the JSON of an earlier run", option_text,
     FIELD(baseline)},
    {"fail-below", 0, "R", "exit 1 where a rate falls below R times the baseline's", option_gate,
     FIELD(fail_below)},
    OPTION_END,
};

static const struct option_table table = {
    .command = PROGRAM,
    .usage = "usage: clgemm-bench [options]\n"
             "Measures GEMM of libclgemm in single, double or half precision or bfloat16 beside "
             "OpenBLAS,\nCLBlast and cuBLAS, and checks the results.\n",
    .rows = rows,
    .notes = "Exit: 0 fine, 1 a check or the gate failed, 2 usage or file error, 77 no device.\n",
    .version = clgemm_version,
};

static enum parsed wrong(const char *what, const char *why) {
    return options_refuse(PROGRAM, "%s%s%s", what, *what ? ": " : "", why);
}

/* The list where the command line names no shape. For a first call and the ladder, one that is
 * large enough to be a problem that people have, and small enough to show what is not arithmetic,
 * and for a CPU to climb in minutes. */
static bool add_default_shapes(struct options *o, char *why, size_t room) {
    if (o->first_call || o->ladder.wanted || o->timeline)
        return shapes_parse_sizes(&o->shapes, "1024", why, room);
    if (o->overhead)
        return shapes_parse_sizes(&o->shapes, "16-256*2", why, room);
    return shapes_add_default(&o->shapes, why, room);
}

/* Problems that are drawn, behind those that are named. */
static enum parsed draw_shapes(struct options *o) {
    struct random_shapes *random = &o->random;
    char why[160];
    if (!random->count)
        return random->seed || random->largest ? wrong("--seed, --largest", "need --random")
                                               : PARSED_RUN;
    if (!random->seed)
        random->seed = 1;
    if (!random->largest)
        random->largest = RANDOM_LARGEST;
    return shapes_add_random(&o->shapes, random, why, sizeof why) ? PARSED_RUN
                                                                  : wrong("--random", why);
}

/* Alpha and beta become values of the type, which may be named behind them. */
static enum parsed round_scalars(struct options *o) {
    o->alpha = element_round(o->type, o->alpha);
    o->beta = element_round(o->type, o->beta);
    if (isfinite(o->alpha) && isfinite(o->beta))
        return PARSED_RUN;
    return wrong(isfinite(o->alpha) ? "--beta" : "--alpha", "does not fit single precision");
}

/* The ladder's problem is fixed. */
static enum parsed finish_ladder(struct options *o) {
    if (!o->ladder.wanted)
        return o->ladder.steps || o->ladder.settings.count
                   ? wrong("--steps, --set", "need --ladder")
                   : PARSED_RUN;
    if (o->type != CLGEMM_F32 || o->batch != 1 || o->alpha != 1 || o->beta != 0 ||
        o->trans.count != 1 || o->trans.items[0].ta != CLGEMM_NO_TRANS ||
        o->trans.items[0].tb != CLGEMM_NO_TRANS)
        return wrong("--ladder", "knows only single precision, no batches, NN, alpha 1 and beta 0");
    o->layout = CLGEMM_COL_MAJOR;
    if (!o->ladder.steps)
        o->ladder.steps = ~0u;
    return PARSED_RUN;
}

/* What only the whole command line can tell. */
static enum parsed finish(struct options *o) {
    const char *mode = o->first_call      ? "--first-call"
                       : o->regret        ? "--regret"
                       : o->overhead      ? "--overhead"
                       : o->timeline      ? "--timeline"
                       : o->ladder.wanted ? "--ladder"
                                          : NULL;
    char why[160];
    if (o->fail_below > 0 && !o->baseline)
        return wrong("--fail-below", "needs --baseline");
    if (o->first_call + o->regret + o->overhead + (o->timeline != NULL) + o->ladder.wanted > 1)
        return wrong(mode, "is a measure of its own: name one");
    if (o->families && !o->regret)
        return wrong("--families", "needs --regret");
    if (mode && (o->baseline || o->coretypes.count))
        return wrong(mode, "takes neither --baseline nor --coretype");
    if (mode && !o->ladder.wanted && o->plot)
        return wrong(mode, "draws no --plot");
    if (mode && !o->ladder.wanted && o->samples)
        return wrong(mode, "takes no --samples");
    if (!o->samples)
        o->samples = USUAL_SAMPLES;
    if (mode && o->packed_b)
        return wrong(mode, "knows no --packed-b");
    if (o->packed_b)
        o->peers |= PEER_PACKED;
    if (round_scalars(o) != PARSED_RUN || finish_ladder(o) != PARSED_RUN)
        return PARSED_WRONG;
    if (o->coretypes.count && !(o->peers & PEER_OPENBLAS))
        return wrong("--coretype", "needs openblas among the peers");
    if (draw_shapes(o) != PARSED_RUN)
        return PARSED_WRONG;
    if (!o->shapes.count && !add_default_shapes(o, why, sizeof why))
        return wrong("", why);
    if (o->timeline && o->shapes.count * o->trans.count > 1)
        return wrong("--timeline", "draws one problem");
    if (o->timeline && o->page)
        return wrong("--timeline", "is no part of a --report");
    return PARSED_RUN;
}

enum parsed options_parse(struct options *o, int argc, char **argv) {
    *o = (struct options){.trans = {{{CLGEMM_NO_TRANS, CLGEMM_NO_TRANS}}, 1},
                          .type = CLGEMM_F32,
                          .math = CLGEMM_MATH_STRICT,
                          .batch = 1,
                          .layout = CLGEMM_ROW_MAJOR,
                          .alpha = 1,
                          .peers = PEER_OPENBLAS | PEER_CLBLAST | PEER_CUBLAS,
                          .verify = true,
                          .repeat = 5,
                          .argv = argv};
    const enum parsed parsed = options_read(&table, o, argc, argv, NULL);
    return parsed == PARSED_RUN ? finish(o) : parsed;
}

void options_release(struct options *options) {
    shapes_release(&options->shapes);
}

/* SPDX-License-Identifier: Apache-2.0
 * The command line of clgemm-bench: a table of its options, and the rules for their
 * combinations. */
#include "bench/options.h"

#include <math.h>

#include "bench/element.h"
#include "bench/option_readers.h"
#include "bench/problem.h"

#define FIELD(member) offsetof(struct options, member)
static const struct option_row rows[] = {
    {.help = "What to measure (adds up; default: squares 256-2048*2 and 1000x777x513)"},
    {"suite", 0, "squares|deepbench|llm|skinny", "a fixed list of shapes (docs/bench.md)",
     option_suite, FIELD(shapes)},
    {"shape", 0, "MxNxK,...", "C is M x N, the inner size is K", option_shapes, FIELD(shapes)},
    {"size", 0, "LIST", "squares: a,b or a-b+step or a-b*factor", option_sizes, FIELD(shapes)},
    {"random", 0, "COUNT",
     "COUNT random shapes: sizes are log-uniform, every other shape has only odd sizes",
     option_count, FIELD(random.count)},
    {"seed", 0, "S", "for --random: the seed (default 1)", option_count, FIELD(random.seed)},
    {"largest", 0, "SIZE", "for --random: sizes are between 16 and this (default 8192)",
     option_largest, FIELD(random.largest)},
    {"type", 0, "s|d|h|bf16|c|z",
     "single, double or half precision, bfloat16, complex of single or double (default s)",
     option_type, FIELD(type)},
    {"math", 0, "strict|accurate|normwise|tf32|bf16|f16",
     "the math mode of our calls (default strict)", option_math, FIELD(math)},
    {"routine", 0, "NAME", "gemm (default), symm, hemm, syrk, herk, syr2k, her2k, trmm or trsm",
     option_routine, FIELD(routine)},
    {"side", 0, "left|right", "where its symmetric or triangular A is (default left)", option_side,
     FIELD(side)},
    {"uplo", 0, "lower|upper", "its stored triangle (default lower)", option_uplo, FIELD(uplo)},
    {"batch", 0, "N", "number of products in each call (default 1)", option_count, FIELD(batch)},
    {"packed-b", 0, NULL, "also measure our device calls with B packed in advance", option_on,
     FIELD(packed_b)},
    {"trans", 0, "NN,NT,TN,TT", "which of A and B are transposed; C: and conjugated (default NN)",
     option_trans, FIELD(trans)},
    {"layout", 0, "row|col", "storage order (default row)", option_layout, FIELD(layout)},
    {"alpha", 0, "RE[,IM]", "factor of A B (default 1)", option_factor, FIELD(alpha)},
    {"beta", 0, "RE[,IM]", "factor of C (default 0)", option_factor, FIELD(beta)},
    {"special", 0, NULL, "an Inf in A and a NaN in B; needs --no-verify", option_on,
     FIELD(special)},
    OPTION_DEVICE(struct options, device),
    {"list", 'l', NULL, "list the devices and exit", option_on, FIELD(list_devices)},

    {.help = "Comparison"},
    {"peers", 0, "LIST",
     "of openblas, clblast, cublas, viennacl, cublasxt; or none (default: the first three, if they "
     "load)",
     option_peers, FIELD(peers)},
    {"no-verify", 0, NULL, "do not check results", option_off, FIELD(verify)},
    {"samples", 0, "N", "samples of each contender, 1 to 16 (default 9)", option_samples,
     FIELD(samples)},
    {"coretype", 0, "A,B",
     "repeat the comparison for each of these OpenBLAS core types (SKYLAKEX, HASWELL ...), each in "
     "a process of its own, and show the fastest as best",
     option_coretypes, FIELD(coretypes)},
    {"coretype-child", 0, NULL, NULL, option_on, FIELD(coretype_child)},

    {.help = "Other measurements"},
    {"regret", 0, NULL, "compare the library's choice with all other built-in parameters",
     option_on, FIELD(regret)},
    {"families", 0, "LIST",
     "for --regret: only these kernel families (direct, tiled ...; default: all)", option_families,
     FIELD(families)},
    {"regret-child", 0, NULL, NULL, option_on, FIELD(regret_child)},
    {"overhead", 0, NULL,
     "measure the host's time in a call, beside a bare kernel's (default: 16 to 256 cubed)",
     option_on, FIELD(overhead)},
    {"growth", 0, NULL,
     "measure calls of up to 10000 shapes, evenly spaced up to the given one, with new and with "
     "remembered plans, and the growth of the process (default: 25x20x20)",
     option_on, FIELD(growth)},
    {"timeline", 0, "FILE.svg",
     "draw what queues and threads do during one call on host matrices (default: "
     "1024x1024x1024)",
     option_text, FIELD(timeline)},

    {.help = "First call"},
    {"first-call", 0, NULL,
     "measure what the first call of a process costs, with and without cached programs "
     "(default: 1024x1024x1024)",
     option_on, FIELD(first_call)},
    {"first-call-child", 0, "PART", NULL, option_text, FIELD(first_call_child)},
    {"repeat", 0, "N", "for --first-call: processes of each kind, 1 to 99 (default 5)",
     option_repeat, FIELD(repeat)},

    {.help = "Ladder"},
    {"ladder", 0, NULL,
     "measure the eleven kernels of docs/ladder.md: single precision, column-major, NN, alpha 1, "
     "beta 0 (default: 1024x1024x1024)",
     option_on, FIELD(ladder.wanted)},
    {"steps", 0, "LIST", "for --ladder: the steps, as a,b or a-b (default 1-11)", option_steps,
     FIELD(ladder.steps)},
    {"set", 0, "NAME=V",
     "for --ladder: a kernel parameter, such as WPT=4, for each step that has it",
     option_ladder_setting, FIELD(ladder.settings)},

    {.help = "Output"},
    {"output", 'o', "md|csv|json", "format of the report (default md)", option_format_csv,
     FIELD(output.format)},
    OPTION_OUT(struct options, output.path, OPTION_OUT_HELP),
    {"plot", 0, "FILE.svg", "also draw GFLOP/s over size to this file", option_text, FIELD(plot)},
    {"report", 0, "FILE.html", "also write a self-contained page with charts and tables",
     option_text, FIELD(page)},
    {"baseline", 0, "FILE", "compare with the JSON of an earlier run", option_text,
     FIELD(baseline)},
    {"fail-below", 0, "R", "exit 1 if a rate falls below R times the baseline's", option_gate,
     FIELD(fail_below)},
    OPTION_END,
};

static const struct option_table table = {
    .command = PROGRAM,
    .usage = "usage: clgemm-bench [options]\n"
             "Measures GEMM of libclgemm in single, double or half precision or bfloat16\n"
             "beside OpenBLAS, CLBlast and cuBLAS, and checks the results.\n",
    .rows = rows,
    .notes =
        "Exit: 0 success, 1 a check or the gate failed, 2 usage or file error, 77 no device.\n",
    .version = clgemm_version,
};

static enum parsed wrong(const char *what, const char *why) {
    return options_refuse(PROGRAM, "%s%s%s", what, *what ? ": " : "", why);
}

/* The default shapes. For a first call and the ladder: a realistic size at which overheads still
 * show, and which a CPU finishes in minutes. */
static bool add_default_shapes(struct options *o, char *why, size_t room) {
    if (o->first_call || o->ladder.wanted || o->timeline)
        return shapes_parse_sizes(&o->shapes, "1024", why, room);
    if (o->growth)
        return shapes_parse(&o->shapes, "25x20x20", why, room);
    if (o->overhead)
        return shapes_parse_sizes(&o->shapes, "16-256*2", why, room);
    return shapes_add_default(&o->shapes, why, room);
}

/* Random problems follow the named ones. */
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

/* Alpha and beta become values of the type, which may be named after them. */
static enum parsed round_scalars(struct options *o) {
    const struct {
        const char *name;
        struct factor *factor;
    } options[] = {{"--alpha", &o->alpha}, {"--beta", &o->beta}};
    for (size_t i = 0; i < 2; i++) {
        struct factor *factor = options[i].factor;
        *factor = factor_round(o->type, *factor);
        if (!isfinite(factor->re) || !isfinite(factor->im))
            return wrong(options[i].name, "does not fit single precision");
        if (factor->im != 0 && !clg_type_is_complex(o->type))
            return wrong(options[i].name, "has an imaginary part, which needs --type c or z");
    }
    return PARSED_RUN;
}

/* A real matrix's conjugate is the matrix. */
static void drop_conjugates(struct options *o) {
    for (size_t t = 0; t < o->trans.count && !clg_type_is_complex(o->type); t++) {
        struct transposes *trans = &o->trans.items[t];
        trans->ta = trans->ta == CLGEMM_CONJ_TRANS ? CLGEMM_TRANS : trans->ta;
        trans->tb = trans->tb == CLGEMM_CONJ_TRANS ? CLGEMM_TRANS : trans->tb;
    }
}

/* A rank update's C is square. Its op() conjugates just where it is Hermitian; symmetric matrices
 * from a side are not transposed. Hermitian real matrices are symmetric ones. */
static enum parsed finish_routine(struct options *o) {
    const bool rank = problem_is_rank(o->routine), sided = problem_has_side(o->routine);
    if (o->routine && !clg_type_is_complex(o->type))
        o->routine = o->routine == CLGEMM_HEMM    ? CLGEMM_SYMM
                     : o->routine == CLGEMM_HERK  ? CLGEMM_SYRK
                     : o->routine == CLGEMM_HER2K ? CLGEMM_SYR2K
                                                  : o->routine;
    if (o->routine && clg_type_is_narrow(o->type))
        return wrong("--routine", "needs --type s, d, c or z");
    if (o->routine && (o->plot || o->page || o->baseline || o->packed_b))
        return wrong("--routine", "does not support --plot, --report, --baseline or --packed-b");
    for (size_t i = 0; i < o->shapes.count; i++) {
        const struct shape s = o->shapes.items[i];
        if ((rank && s.m != s.n) || (sided && s.k != (o->side == CLGEMM_LEFT ? s.m : s.n)))
            return wrong("--routine",
                         rank ? "M and N must be equal" : "K must be M, or N with --side right");
    }
    for (size_t t = 0; t < o->trans.count && o->routine; t++) {
        struct transposes *trans = &o->trans.items[t];
        if (problem_is_symmetric(o->routine))
            trans->ta = CLGEMM_NO_TRANS;
        else if (rank && trans->ta != CLGEMM_NO_TRANS)
            trans->ta = problem_is_hermitian(o->routine) ? CLGEMM_CONJ_TRANS : CLGEMM_TRANS;
        trans->tb = trans->ta;
    }
    return PARSED_RUN;
}

/* The ladder's problem is fixed. */
static enum parsed finish_ladder(struct options *o) {
    if (!o->ladder.wanted)
        return o->ladder.steps || o->ladder.settings.count
                   ? wrong("--steps, --set", "need --ladder")
                   : PARSED_RUN;
    if (o->type != CLGEMM_F32 || o->batch != 1 || o->alpha.re != 1 || o->beta.re != 0 ||
        o->trans.count != 1 || o->trans.items[0].ta != CLGEMM_NO_TRANS ||
        o->trans.items[0].tb != CLGEMM_NO_TRANS)
        return wrong("--ladder",
                     "supports only single precision, no batches, NN, alpha 1 and beta 0");
    o->layout = CLGEMM_COL_MAJOR;
    if (!o->ladder.steps)
        o->ladder.steps = ~0u;
    return PARSED_RUN;
}

/* Checks that need the whole command line. */
static enum parsed finish(struct options *o) {
    const char *mode = o->first_call      ? "--first-call"
                       : o->regret        ? "--regret"
                       : o->overhead      ? "--overhead"
                       : o->growth        ? "--growth"
                       : o->timeline      ? "--timeline"
                       : o->ladder.wanted ? "--ladder"
                                          : NULL;
    char why[160];
    if (o->fail_below > 0 && !o->baseline)
        return wrong("--fail-below", "needs --baseline");
    if (o->first_call + o->regret + o->overhead + o->growth + (o->timeline != NULL) +
            o->ladder.wanted >
        1)
        return wrong(mode, "cannot be combined with another measurement");
    if (o->families && !o->regret)
        return wrong("--families", "needs --regret");
    if (mode && !o->growth && o->baseline)
        return wrong(mode, "does not support --baseline");
    if (mode && o->coretypes.count)
        return wrong(mode, "does not support --coretype");
    if (mode && !o->ladder.wanted && o->plot)
        return wrong(mode, "does not support --plot");
    if (mode && !o->ladder.wanted && o->samples)
        return wrong(mode, "does not support --samples");
    if (!o->samples)
        o->samples = USUAL_SAMPLES;
    if (mode && o->packed_b)
        return wrong(mode, "does not support --packed-b");
    if (o->packed_b)
        o->peers |= PEER_PACKED;
    drop_conjugates(o);
    if (round_scalars(o) != PARSED_RUN || finish_ladder(o) != PARSED_RUN)
        return PARSED_WRONG;
    if (o->coretypes.count && !(o->peers & PEER_OPENBLAS))
        return wrong("--coretype", "needs openblas among the peers");
    if (draw_shapes(o) != PARSED_RUN)
        return PARSED_WRONG;
    if (!o->shapes.count && !add_default_shapes(o, why, sizeof why))
        return wrong("", why);
    if (mode && o->routine)
        return wrong(mode, "does not support --routine");
    if (finish_routine(o) != PARSED_RUN)
        return PARSED_WRONG;
    if (o->special && o->verify)
        return wrong("--special", "needs --no-verify");
    if (o->timeline && o->shapes.count * o->trans.count > 1)
        return wrong("--timeline", "takes only one problem");
    if (o->timeline && o->page)
        return wrong("--timeline", "does not support --report");
    return PARSED_RUN;
}

enum parsed options_parse(struct options *o, int argc, char **argv) {
    *o = (struct options){.trans = {{{CLGEMM_NO_TRANS, CLGEMM_NO_TRANS}}, 1},
                          .side = CLGEMM_LEFT,
                          .uplo = CLGEMM_LOWER,
                          .type = CLGEMM_F32,
                          .math = CLGEMM_MATH_STRICT,
                          .batch = 1,
                          .layout = CLGEMM_ROW_MAJOR,
                          .alpha = {1, 0},
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

/* SPDX-License-Identifier: Apache-2.0
 * Reads the command line with getopt_long. */
#include "options.h"

#include <getopt.h>
#include <stdio.h>

#include "option_values.h"

static const char help[] =
    "usage: clgemm-bench [options]\n"
    "Measures SGEMM of libclgemm beside OpenBLAS, CLBlast and cuBLAS, and checks the results.\n"
    "\n"
    "What to measure (adds up; default: squares 256-2048*2 and 1000x777x513)\n"
    "  --suite NAME          squares, deepbench, llm or skinny\n"
    "  --shape MxNxK,...     C is M x N, the inner size is K\n"
    "  --size LIST           squares: a,b or a-b+step or a-b*factor\n"
    "  --trans NN,NT,TN,TT   which of A and B are transposed (default NN)\n"
    "  --layout row|col      storage order (default row)\n"
    "  --alpha F, --beta F   scalars (default 1 and 0)\n"
    "  -d, --device DEVICE   P:D, part of a name, cpu or gpu (default: $CLGEMM_DEVICE, else the\n"
    "                        best GPU, else an accelerator, else a CPU)\n"
    "  -l, --list            list the devices and leave\n"
    "Beside what\n"
    "  --peers LIST          of openblas, clblast, cublas, viennacl; or none (default: all\n"
    "                        that load but viennacl)\n"
    "  --no-verify           do not check results\n"
    "  --coretype A,B        the whole comparison once for each of OpenBLAS's core types "
    "(SKYLAKEX,\n"
    "                        HASWELL ...), each in a process of its own, and the fastest as best\n"
    "Other measures\n"
    "  --regret              the built-in choice beside every other built-in row of parameters\n"
    "  --overhead            the host's time in a call, beside a bare kernel's\n"
    "                        (default: 16 to 256 cubed)\n"
    "The first call\n"
    "  --first-call          instead of rates, what the first call of a process costs, with and\n"
    "                        without cached programs (default: 1024x1024x1024)\n"
    "  --repeat N            processes of each kind, 1 to 99 (default 5)\n"
    "The ladder\n"
    "  --ladder              instead, the eleven kernels of docs/ladder.md: column-major, NN, "
    "alpha 1,\n"
    "                        beta 0 (default: 1024x1024x1024)\n"
    "  --steps LIST          which: a,b or a-b (default 1-11)\n"
    "  --set NAME=V          a kernel parameter, such as WPT=4, for each step that has it\n"
    "Output\n"
    "  -o, --output FORMAT   md, csv or json (default md)\n"
    "  --out FILE            write there, not to standard output\n"
    "  --plot FILE.svg       also draw GFLOP/s over size\n"
    "  --baseline FILE       compare with the JSON of an earlier run\n"
    "  --fail-below R        exit 1 where a rate falls below R times the baseline's\n"
    "  -h, --help            print this and do nothing else\n"
    "  --version             print the version\n"
    "\n"
    "Exit: 0 fine, 1 a check or the gate failed, 2 usage or file error, 77 no device.\n";

enum {
    OPT_SUITE = 256,
    OPT_SHAPE,
    OPT_SIZE,
    OPT_TRANS,
    OPT_LAYOUT,
    OPT_ALPHA,
    OPT_BETA,
    OPT_PEERS,
    OPT_NO_VERIFY,
    OPT_PLOT,
    OPT_BASELINE,
    OPT_FAIL_BELOW,
    OPT_OUT,
    OPT_FIRST_CALL,
    OPT_FIRST_CALL_CHILD,
    OPT_REPEAT,
    OPT_CORETYPE,
    OPT_CORETYPE_CHILD,
    OPT_REGRET,
    OPT_OVERHEAD,
    OPT_LADDER,
    OPT_STEPS,
    OPT_SET,
    OPT_VERSION
};

static const struct option names[] = {
    {"suite", required_argument, NULL, OPT_SUITE},
    {"shape", required_argument, NULL, OPT_SHAPE},
    {"size", required_argument, NULL, OPT_SIZE},
    {"trans", required_argument, NULL, OPT_TRANS},
    {"layout", required_argument, NULL, OPT_LAYOUT},
    {"alpha", required_argument, NULL, OPT_ALPHA},
    {"beta", required_argument, NULL, OPT_BETA},
    {"peers", required_argument, NULL, OPT_PEERS},
    {"no-verify", no_argument, NULL, OPT_NO_VERIFY},
    {"plot", required_argument, NULL, OPT_PLOT},
    {"baseline", required_argument, NULL, OPT_BASELINE},
    {"fail-below", required_argument, NULL, OPT_FAIL_BELOW},
    {"out", required_argument, NULL, OPT_OUT},
    {"first-call", no_argument, NULL, OPT_FIRST_CALL},
    {"first-call-child", required_argument, NULL, OPT_FIRST_CALL_CHILD}, /* for itself */
    {"repeat", required_argument, NULL, OPT_REPEAT},
    {"coretype", required_argument, NULL, OPT_CORETYPE},
    {"coretype-child", no_argument, NULL, OPT_CORETYPE_CHILD}, /* for itself */
    {"regret", no_argument, NULL, OPT_REGRET},
    {"overhead", no_argument, NULL, OPT_OVERHEAD},
    {"ladder", no_argument, NULL, OPT_LADDER},
    {"steps", required_argument, NULL, OPT_STEPS},
    {"set", required_argument, NULL, OPT_SET},
    {"output", required_argument, NULL, 'o'},
    {"device", required_argument, NULL, 'd'},
    {"list", no_argument, NULL, 'l'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPT_VERSION},
    {NULL, 0, NULL, 0},
};

/* What an option without a value turns on; NULL for others. */
static bool *flag_of(struct options *o, int option) {
    switch (option) {
    case OPT_FIRST_CALL:
        return &o->first_call;
    case OPT_CORETYPE_CHILD:
        return &o->coretype_child;
    case OPT_REGRET:
        return &o->regret;
    case OPT_OVERHEAD:
        return &o->overhead;
    case OPT_LADDER:
        return &o->ladder.wanted;
    case 'l':
        return &o->list_devices;
    default:
        return NULL;
    }
}

/* Where an option's value goes as it is; NULL for others. */
static const char **text_of(struct options *o, int option) {
    switch (option) {
    case OPT_PLOT:
        return &o->plot;
    case OPT_BASELINE:
        return &o->baseline;
    case OPT_OUT:
        return &o->out;
    case OPT_FIRST_CALL_CHILD:
        return &o->first_call_child;
    case 'd':
        return &o->device;
    default:
        return NULL;
    }
}

/* One option whose value has to be read; false with the reason. */
static bool read_value(struct options *o, int option, const char *value, char *why, size_t room) {
    switch (option) {
    case OPT_SUITE:
        return shapes_add_suite(&o->shapes, value, why, room);
    case OPT_SHAPE:
        return shapes_parse(&o->shapes, value, why, room);
    case OPT_SIZE:
        return shapes_parse_sizes(&o->shapes, value, why, room);
    case OPT_TRANS:
        return option_trans(o, value, why, room);
    case OPT_LAYOUT:
        return option_layout(o, value, why, room);
    case OPT_ALPHA:
        return option_scalar(&o->alpha, value, why, room);
    case OPT_BETA:
        return option_scalar(&o->beta, value, why, room);
    case OPT_PEERS:
        return option_peers(o, value, why, room);
    case OPT_CORETYPE:
        return option_coretypes(o, value, why, room);
    case OPT_FAIL_BELOW:
        return option_gate(o, value, why, room);
    case OPT_REPEAT:
        return option_repeat(o, value, why, room);
    case OPT_STEPS:
        return ladder_parse_steps(&o->ladder.steps, value, why, room);
    case OPT_SET:
        return ladder_set(&o->ladder.settings, value, why, room);
    default:
        return option_format(o, value, why, room);
    }
}

/* One option with its value; false with the reason. */
static bool take(struct options *o, int option, const char *value, char *why, size_t room) {
    bool *flag = flag_of(o, option);
    const char **text = text_of(o, option);
    if (option == OPT_NO_VERIFY)
        o->verify = false;
    else if (flag)
        *flag = true;
    else if (text)
        *text = value;
    else
        return read_value(o, option, value, why, room);
    return true;
}

static enum parsed wrong(const char *what, const char *why) {
    fprintf(stderr, "clgemm-bench: %s%s%s; -h lists the options\n", what, *what ? ": " : "", why);
    return PARSED_WRONG;
}

/* The list where the command line names no shape. For a first call and the ladder, one that is
 * large enough to be a problem that people have, and small enough to show what is not arithmetic,
 * and for a CPU to climb in minutes. */
static bool add_default_shapes(struct options *o, char *why, size_t room) {
    if (o->first_call || o->ladder.wanted)
        return shapes_parse_sizes(&o->shapes, "1024", why, room);
    if (o->overhead)
        return shapes_parse_sizes(&o->shapes, "16-256*2", why, room);
    return shapes_add_default(&o->shapes, why, room);
}

/* The ladder's problem is fixed. */
static enum parsed finish_ladder(struct options *o) {
    if (!o->ladder.wanted)
        return o->ladder.steps || o->ladder.settings.count
                   ? wrong("--steps, --set", "need --ladder")
                   : PARSED_RUN;
    if (o->alpha != 1 || o->beta != 0 || o->trans_count != 1 || o->trans[0].a != CLGEMM_NO_TRANS ||
        o->trans[0].b != CLGEMM_NO_TRANS)
        return wrong("--ladder", "knows only NN, alpha 1 and beta 0");
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
                       : o->ladder.wanted ? "--ladder"
                                          : NULL;
    char why[160];
    if (o->fail_below > 0 && !o->baseline)
        return wrong("--fail-below", "needs --baseline");
    if (o->first_call + o->regret + o->overhead + o->ladder.wanted > 1)
        return wrong(mode, "is a measure of its own: name one");
    if (mode && (o->baseline || o->coretype_count))
        return wrong(mode, "takes neither --baseline nor --coretype");
    if (mode && !o->ladder.wanted && o->plot)
        return wrong(mode, "draws no --plot");
    if (finish_ladder(o) != PARSED_RUN)
        return PARSED_WRONG;
    if (o->coretype_count && !(o->peers & PEER_OPENBLAS))
        return wrong("--coretype", "needs openblas among the peers");
    if (!o->shapes.count && !add_default_shapes(o, why, sizeof why))
        return wrong("", why);
    return PARSED_RUN;
}

enum parsed options_parse(struct options *o, int argc, char **argv) {
    *o = (struct options){.trans = {{CLGEMM_NO_TRANS, CLGEMM_NO_TRANS}},
                          .trans_count = 1,
                          .layout = CLGEMM_ROW_MAJOR,
                          .alpha = 1,
                          .peers = PEER_OPENBLAS | PEER_CLBLAST | PEER_CUBLAS,
                          .verify = true,
                          .repeat = 5,
                          .argv = argv};
    char why[160];
    int option, index = -1;
    while ((option = getopt_long(argc, argv, "d:lo:h", names, &index)) != -1) {
        if (option == 'h') {
            fputs(help, stdout);
            return PARSED_DONE;
        }
        if (option == OPT_VERSION) {
            printf("clgemm-bench %s\n", clgemm_version());
            return PARSED_DONE;
        }
        if (option == '?') /* getopt_long has named it */
            return wrong("", "see the line above");
        if (!take(o, option, optarg, why, sizeof why)) {
            char name[32];
            if (index >= 0)
                snprintf(name, sizeof name, "--%s", names[index].name);
            else
                snprintf(name, sizeof name, "-%c", option);
            return wrong(name, why);
        }
        index = -1;
    }
    if (optind < argc)
        return wrong(argv[optind], "is not an option");
    return finish(o);
}

void options_release(struct options *options) {
    shapes_release(&options->shapes);
}

/* SPDX-License-Identifier: Apache-2.0
 * Reads the command line with getopt_long. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    "  --peers LIST          of openblas, clblast, cublas; or none (default: all that load)\n"
    "  --no-verify           do not check results\n"
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
    {"output", required_argument, NULL, 'o'},
    {"device", required_argument, NULL, 'd'},
    {"list", no_argument, NULL, 'l'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPT_VERSION},
    {NULL, 0, NULL, 0},
};

/* The next item of a comma list; false at its end. An empty item comes back with length 0. */
static bool next_item(const char **text, const char **item, size_t *length) {
    if (!*text)
        return false;
    *item = *text;
    *length = strcspn(*text, ",");
    *text = (*text)[*length] ? *text + *length + 1 : NULL;
    return true;
}

static bool is_word(const char *item, size_t length, const char *word) {
    return strlen(word) == length && !memcmp(item, word, length);
}

static bool read_trans(struct options *o, const char *text, char *why, size_t room) {
    const char *item;
    size_t length;
    o->trans_count = 0;
    while (next_item(&text, &item, &length)) {
        if (length != 2 || !strchr("NTC", item[0]) || !strchr("NTC", item[1])) {
            snprintf(why, room, "\"%.*s\" is none of NN, NT, TN, TT", (int)length, item);
            return false;
        }
        if (o->trans_count == sizeof o->trans / sizeof o->trans[0]) {
            snprintf(why, room, "more than four transposes");
            return false;
        }
        o->trans[o->trans_count++] =
            (struct transposes){item[0] == 'N' ? CLGEMM_NO_TRANS : CLGEMM_TRANS,
                                item[1] == 'N' ? CLGEMM_NO_TRANS : CLGEMM_TRANS};
    }
    return true;
}

static bool read_peers(struct options *o, const char *text, char *why, size_t room) {
    const char *item;
    size_t length;
    o->peers = 0;
    if (!strcmp(text, "none"))
        return true;
    while (next_item(&text, &item, &length)) {
        if (is_word(item, length, "openblas"))
            o->peers |= PEER_OPENBLAS;
        else if (is_word(item, length, "clblast"))
            o->peers |= PEER_CLBLAST;
        else if (is_word(item, length, "cublas"))
            o->peers |= PEER_CUBLAS;
        else {
            snprintf(why, room, "\"%.*s\" is none of openblas, clblast, cublas, none", (int)length,
                     item);
            return false;
        }
    }
    return true;
}

static bool read_number(double *value, const char *text, char *why, size_t room) {
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end || !isfinite(*value)) {
        snprintf(why, room, "\"%s\" is not a finite number", text);
        return false;
    }
    return true;
}

static bool read_scalar(float *value, const char *text, char *why, size_t room) {
    double wide;
    if (!read_number(&wide, text, why, room))
        return false;
    *value = (float)wide;
    if (!isfinite(*value)) {
        snprintf(why, room, "\"%s\" does not fit single precision", text);
        return false;
    }
    return true;
}

static bool read_gate(struct options *o, const char *text, char *why, size_t room) {
    if (!read_number(&o->fail_below, text, why, room))
        return false;
    if (o->fail_below <= 0) {
        snprintf(why, room, "the ratio must be above 0");
        return false;
    }
    return true;
}

static bool read_layout(struct options *o, const char *text, char *why, size_t room) {
    if (strcmp(text, "row") && strcmp(text, "col")) {
        snprintf(why, room, "\"%s\" is neither row nor col", text);
        return false;
    }
    o->layout = strcmp(text, "row") ? CLGEMM_COL_MAJOR : CLGEMM_ROW_MAJOR;
    return true;
}

static bool read_format(struct options *o, const char *text, char *why, size_t room) {
    static const char *const words[] = {"md", "csv", "json"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(text, words[i])) {
            o->format = (enum format)i;
            return true;
        }
    snprintf(why, room, "\"%s\" is none of md, csv, json", text);
    return false;
}

/* One option with its value; false with the reason. */
static bool take(struct options *o, int option, const char *value, char *why, size_t room) {
    switch (option) {
    case OPT_SUITE:
        return shapes_add_suite(&o->shapes, value, why, room);
    case OPT_SHAPE:
        return shapes_parse(&o->shapes, value, why, room);
    case OPT_SIZE:
        return shapes_parse_sizes(&o->shapes, value, why, room);
    case OPT_TRANS:
        return read_trans(o, value, why, room);
    case OPT_LAYOUT:
        return read_layout(o, value, why, room);
    case OPT_ALPHA:
        return read_scalar(&o->alpha, value, why, room);
    case OPT_BETA:
        return read_scalar(&o->beta, value, why, room);
    case OPT_PEERS:
        return read_peers(o, value, why, room);
    case OPT_FAIL_BELOW:
        return read_gate(o, value, why, room);
    case 'o':
        return read_format(o, value, why, room);
    case OPT_NO_VERIFY:
        o->verify = false;
        return true;
    case OPT_PLOT:
        o->plot = value;
        return true;
    case OPT_BASELINE:
        o->baseline = value;
        return true;
    case OPT_OUT:
        o->out = value;
        return true;
    case 'd':
        o->device = value;
        return true;
    default:
        o->list_devices = true;
        return true;
    }
}

static enum parsed wrong(const char *what, const char *why) {
    fprintf(stderr, "clgemm-bench: %s%s%s; -h lists the options\n", what, *what ? ": " : "", why);
    return PARSED_WRONG;
}

/* What only the whole command line can tell. */
static enum parsed finish(struct options *o) {
    char why[160];
    if (o->fail_below > 0 && !o->baseline)
        return wrong("--fail-below", "needs --baseline");
    if (!o->shapes.count && !shapes_add_default(&o->shapes, why, sizeof why))
        return wrong("", why);
    return PARSED_RUN;
}

enum parsed options_parse(struct options *o, int argc, char **argv) {
    *o = (struct options){.trans = {{CLGEMM_NO_TRANS, CLGEMM_NO_TRANS}},
                          .trans_count = 1,
                          .layout = CLGEMM_ROW_MAJOR,
                          .alpha = 1,
                          .peers = PEER_OPENBLAS | PEER_CLBLAST | PEER_CUBLAS,
                          .verify = true};
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

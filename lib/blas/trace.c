/* SPDX-License-Identifier: Apache-2.0
 * The drop-in's log lines and counts. */
#include "blas/trace.h"

#include <float.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"
#include "base/thread.h"
#include "blas/element.h"
#include "blas/names.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct clg_summary *summary; /* NULL: not requested */

static void open_summary(void) {
    const int cancel = clg_cancel_hold();
    summary = (struct clg_summary *)clg_log_map_last(sizeof *summary);
    if (summary)
        __atomic_add_fetch(&summary->processes, 1, __ATOMIC_RELAXED);
    clg_cancel_release(cancel);
}

int64_t clg_note_start(void) {
    pthread_once(&once, open_summary);
    return summary || clg_log_on(CLG_LOG_CALLS) ? clg_clock_ns() : 0;
}

/* Returns whether a line is due. */
static bool count(enum clg_routine routine, enum clg_where where, double flops, int64_t ns) {
    const bool due = where != CLG_ON_DEVICE && clg_log_on(CLG_LOG_CALLS);
    if (!summary)
        return due;
    struct clg_count *cell = &summary->counts[routine][where];
    __atomic_add_fetch(&cell->calls, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&cell->ns, (uint64_t)ns, __ATOMIC_RELAXED);
    __atomic_add_fetch(&cell->flops, flops < 1e19 ? (uint64_t)flops : 0, __ATOMIC_RELAXED);
    return due;
}

static const char *word_of(enum clg_where where) {
    static const char *const words[CLG_WHERES] = {
#define WORD(name, word, sentence) word,
        CLG_BLAS_WHERE(WORD)
#undef WORD
    };
    return words[where];
}

static char letter(int transpose, clgemm_type type) {
    return transpose == CLGEMM_NO_TRANS || transpose == CLG_CONJ_NO_TRANS ? 'N'
           : transpose == CLGEMM_CONJ_TRANS && clg_parts(type) > 1        ? 'C'
                                                                          : 'T';
}

static const char *layout_word(int layout) {
    return layout == CLGEMM_ROW_MAJOR ? "row" : "col";
}

/* A float. Threads that flush denormals would lose them in a conversion. */
static double single_value(const float *number) {
    enum { FRACTION = 0x7fffff, EXPONENT = 0x7f800000 };
    uint32_t bits;
    memcpy(&bits, number, sizeof bits);
    if (bits & EXPONENT)
        return (double)*number;
    const double magnitude = (double)(bits & FRACTION) * 0x1p-149;
    return bits & ~(uint32_t)(FRACTION | EXPONENT) ? -magnitude : magnitude;
}

/* alpha or beta, with the digits that identify it: "0.5", or "0.5,2" if it is complex. */
enum { SCALAR_TEXT = 64 };
static const char *text_of(clgemm_type type, const union clg_element *element,
                           char text[SCALAR_TEXT]) {
    const bool wide = clg_element_size(type) == sizeof(double) * (size_t)clg_parts(type);
    const double *doubles = (const double *)element;
    const float *floats = (const float *)element;
    const int digits = wide ? DBL_DECIMAL_DIG : FLT_DECIMAL_DIG;
    int used = 0;
    for (int i = 0; i < clg_parts(type); i++)
        used += clg_format(text + used, SCALAR_TEXT - (size_t)used, "%s%.*g", i ? "," : "", digits,
                           wide ? doubles[i] : single_value(&floats[i]));
    return text;
}

/* The bench command that repeats the products; it does not state a batch's strides. Denormal
 * scalars are written as they are, also in threads that flush them. */
static void write_replay(enum clg_routine routine, const struct clg_gemm *call, int64_t products,
                         char *out, size_t size) {
    char type[16] = "", batch[32] = "", alpha[SCALAR_TEXT], beta[SCALAR_TEXT];
    if (call->type != CLGEMM_F32)
        snprintf(type, sizeof type, " --type %c", clg_routines[routine].name[0]);
    if (products > 1)
        snprintf(batch, sizeof batch, " --batch %" PRId64, products);
    clg_format(out, size,
               " replay=\"clgemm-bench --shape %" PRId64 "x%" PRId64 "x%" PRId64
               "%s%s --trans %c%c --layout %s --alpha %s --beta %s\"",
               call->m, call->n, call->k, type, batch, letter(call->ta, call->type),
               letter(call->tb, call->type), layout_word(call->layout),
               text_of(call->type, &call->alpha, alpha), text_of(call->type, &call->beta, beta));
}

void clg_note_batch(enum clg_routine routine, const struct clg_noted *noted, enum clg_where where,
                    int64_t start) {
    const int64_t ns = start ? clg_clock_ns() - start : 0;
    char replay[320] = "", counts[64] = "";
    if (!start || !count(routine, where, noted->flops, ns))
        return;
    if (clg_kind_is_batch(clg_routines[routine].kind))
        snprintf(counts, sizeof counts, " groups=%" PRId64 " products=%" PRId64, noted->groups,
                 noted->products);
    if (noted->groups == 1 && noted->products > 0)
        write_replay(routine, &noted->first, noted->products, replay, sizeof replay);
    clg_log(CLG_LOG_CALLS, "%s on=cpu why=%s ms=%.4f%s%s", clg_routines[routine].name,
            word_of(where), (double)ns * 1e-6, counts, replay);
}

void clg_note_level3(enum clg_routine routine, const struct clg_level3 *call, enum clg_where where,
                     int64_t start) {
    const clgemm_level3_desc *desc = &call->desc;
    const int64_t ns = start ? clg_clock_ns() - start : 0;
    char side[16] = "", trans[16] = "", diag[16] = "", alpha[SCALAR_TEXT], beta[SCALAR_TEXT];
    if (!start || !count(routine, where, clg_level3_flops(call), ns))
        return;
    if (!clg_is_rank(desc->routine))
        snprintf(side, sizeof side, " side=%c", desc->side == CLGEMM_LEFT ? 'L' : 'R');
    if (!clg_is_symmetric(desc->routine))
        snprintf(trans, sizeof trans, " trans=%c", letter((int)desc->trans, desc->type));
    if (clg_is_triangular(desc->routine))
        snprintf(diag, sizeof diag, " diag=%c", desc->diag == CLGEMM_UNIT ? 'U' : 'N');
    clg_log(CLG_LOG_CALLS,
            "%s on=cpu why=%s ms=%.4f m=%" PRId64 " n=%" PRId64 " k=%" PRId64
            "%s uplo=%c%s%s layout=%s alpha=%s beta=%s",
            clg_routines[routine].name, word_of(where), (double)ns * 1e-6,
            clg_is_rank(desc->routine) ? desc->n : desc->m, desc->n, desc->k, side,
            desc->uplo == CLGEMM_UPPER ? 'U' : 'L', trans, diag, layout_word((int)desc->layout),
            text_of(clg_alpha_type(call), &call->alpha, alpha),
            text_of(clg_beta_type(call), &call->beta, beta));
}

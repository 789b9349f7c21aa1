/* SPDX-License-Identifier: Apache-2.0
 * Counts the instructions of a kernel's text by kind. Each instruction counts once, whatever its
 * vector width and however often it is executed. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "src/inspect/inspect.h"

const char *const inspect_count_keys[COUNTS] = {
    "all",   "fma",    "global_loads", "global_stores", "local_loads", "local_stores",
    "loads", "stores", "stack_loads",  "stack_stores",  "shuffles",    "moves"};

const char *const inspect_count_labels[COUNTS] = {"instructions",
                                                  "fused multiply-adds",
                                                  "loads from global memory",
                                                  "stores to global memory",
                                                  "loads from local memory",
                                                  "stores to local memory",
                                                  "loads from memory, global or local",
                                                  "stores to memory, global or local",
                                                  "loads from the stack",
                                                  "stores to the stack",
                                                  "shuffles",
                                                  "moves between registers"};

/* Sets the counts that the text can tell to zero, and leaves the others unknown. */
static void start(int64_t values[COUNTS], bool tells_spaces) {
    for (int i = 0; i < COUNTS; i++) {
        const bool by_space = i >= COUNT_GLOBAL_LOADS && i <= COUNT_LOCAL_STORES;
        const bool by_none = i == COUNT_LOADS || i == COUNT_STORES;
        values[i] = (tells_spaces ? by_none : by_space) ? -1 : 0;
    }
}

static bool begins(const char *text, const char *prefix) {
    return !strncmp(text, prefix, strlen(prefix));
}

/* The end of the line at `text`. */
static const char *line_end(const char *text) {
    return text + strcspn(text, "\n");
}

/* ---- PTX ---- */

static void count_ptx(const char *word, int64_t values[COUNTS]) {
    static const struct {
        const char *prefix;
        enum inspect_count count;
    } kinds[] = {{"fma.", COUNT_FMA},
                 {"ld.global", COUNT_GLOBAL_LOADS},
                 {"st.global", COUNT_GLOBAL_STORES},
                 {"ld.shared", COUNT_LOCAL_LOADS},
                 {"st.shared", COUNT_LOCAL_STORES},
                 {"ld.local", COUNT_STACK_LOADS},
                 {"st.local", COUNT_STACK_STORES},
                 {"shfl", COUNT_SHUFFLES},
                 {"mov.", COUNT_MOVES}};
    values[COUNT_ALL]++;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (begins(word, kinds[i].prefix))
            values[kinds[i].count]++;
}

/* Where the body of the entry of that name begins: at the brace after its parameters. */
static const char *find_entry(const char *text, const char *kernel) {
    const size_t length = strlen(kernel);
    for (const char *at = text; (at = strstr(at, ".entry ")); at++) {
        const char *name = at + 7;
        if (!strncmp(name, kernel, length) && !isalnum((unsigned char)name[length]) &&
            name[length] != '_')
            return strchr(name, '{');
    }
    return NULL;
}

/* A statement is a word that begins with a letter, up to ';'. Labels end with ':', directives begin
 * with a dot, predicates with '@', comments with "//". Braces nest. */
bool inspect_count_ptx(const char *text, const char *kernel, int64_t values[COUNTS]) {
    const char *at = find_entry(text, kernel);
    int depth = 0;
    if (!at)
        return false;
    start(values, true);
    do {
        at += strspn(at, " \t\n\r;");
        if (*at == '{' || *at == '}') {
            depth += *at++ == '{' ? 1 : -1;
        } else if (begins(at, "//")) {
            at = line_end(at);
        } else {
            if (*at == '@') {
                at += strcspn(at, " \t\n");
                at += strspn(at, " \t");
            }
            const size_t word = strcspn(at, " \t\n;");
            const bool label = word && at[word - 1] == ':';
            if (isalpha((unsigned char)*at) && !label)
                count_ptx(at, values);
            at += label ? word : strcspn(at, ";\n");
            if (at[0] == '\n' || at[0] == ';')
                at++;
        }
    } while (*at && depth > 0);
    return true;
}

/* ---- x86-64, as GNU objdump writes it: "  addr:\tmnemonic operands" ---- */

/* The last operand: after the last comma outside parentheses. */
static const char *last_operand(const char *operands, const char *end) {
    const char *last = operands;
    int depth = 0;
    for (const char *at = operands; at < end && *at != '#'; at++) {
        depth += (*at == '(') - (*at == ')');
        if (*at == ',' && depth == 0)
            last = at + 1;
    }
    return last;
}

static bool holds(const char *from, const char *end, const char *what) {
    const size_t length = strlen(what);
    for (const char *at = from; at + length <= end; at++)
        if (!memcmp(at, what, length))
            return true;
    return false;
}

static bool begins_with_any(const char *word, const char *const *prefixes) {
    while (*prefixes && !begins(word, *prefixes))
        prefixes++;
    return *prefixes;
}

static void count_x86(const char *word, const char *end, int64_t values[COUNTS]) {
    static const char *const fma[] = {"vfmadd", "vfmsub", "vfnmadd", "vfnmsub", NULL};
    static const char *const shuffles[] = {"vperm",   "vshuf",    "vpshuf",   "vunpck", "vpunpck",
                                           "vinsert", "vextract", "vpinsert", "vpextr", "shuf",
                                           "pshuf",   "unpck",    "punpck",   NULL};
    static const char *const moves[] = {"mov", "vmov", NULL};
    static const char *const touch_nothing[] = {"lea",      "nop", "data16", "cs ",
                                                "prefetch", "j",   "call",   NULL};
    static const char *const only_read[] = {"cmp", "test", "vucomis", "vcomis", "bt ", NULL};
    const char *operands = word + strcspn(word, " \t\n"), *last = last_operand(operands, end);
    const bool memory = holds(operands, end, "(") && !begins_with_any(word, touch_nothing);
    const bool stack = memory && holds(operands, end, "(%rsp");
    const bool store = memory && holds(last, end, "(") && !begins_with_any(word, only_read);
    values[COUNT_ALL]++;
    values[COUNT_FMA] += begins_with_any(word, fma);
    values[COUNT_SHUFFLES] += begins_with_any(word, shuffles);
    if (!memory)
        values[COUNT_MOVES] += begins_with_any(word, moves);
    else if (store)
        values[stack ? COUNT_STACK_STORES : COUNT_STORES]++;
    else
        values[stack ? COUNT_STACK_LOADS : COUNT_LOADS]++;
}

/* PoCL makes copies of a kernel's code, one for each way to call it. The first is counted. */
bool inspect_count_x86(const char *text, const char *kernel, int64_t values[COUNTS]) {
    bool inside = false;
    start(values, false);
    for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
        end = line_end(line);
        if (end > line && end[-1] == ':' && *line != ' ') { /* "0000 <name>:" */
            if (inside)
                break;
            inside = holds(line, end, kernel);
            continue;
        }
        const char *tab = memchr(line, '\t', (size_t)(end - line));
        if (inside && tab && isalpha((unsigned char)tab[1]))
            count_x86(tab + 1, end, values);
    }
    return inside && values[COUNT_ALL] > 0;
}

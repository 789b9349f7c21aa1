# SPDX-License-Identifier: Apache-2.0
# Rules for the sources (docs/design.md): which folder includes which, who calls OpenCL, who prints.
# Reads sources named relative to the root; prints one line per breach and exits with 1 on any.
# Usage: awk -f reading.awk -f law.awk FILE...

# The table: what the files of a folder may use besides their own folder and clgemm.h. A row for a
# file, NAME or NAME_*, precedes the row for its folder. Words:
#   base        the headers of lib/base: a floor of the library, or lib/blas
#   src/common/ the headers in this folder
#   x/y.h       this header
#   <CL/>       OpenCL's own headers
#   OpenCL      calls of OpenCL
#   all         all of these
BEGIN {
    # Floors: each uses lower ones only. gemm and tuning are pure: they compute, and tuning also
    # reads and writes files.
    may["lib/base"] = ""
    may["lib/device"] = "base <CL/> OpenCL"
    may["lib/program"] = "base device OpenCL"
    may["lib/gemm"] = "base device/facts.h program/source.h"
    may["lib/tuning"] = "base device/facts.h program/source.h gemm"
    may["lib/run"] = "base device program gemm tuning"
    may["lib/run/exec"] = may["lib/run/warm_launch"] = may["lib/run"] " OpenCL"
    may["lib/routine"] = "base device program gemm run"
    may["lib/host"] = "base device gemm tuning run routine"
    may["lib/api"] = "base device program gemm tuning run routine host clgemm_cl.h"
    may["lib/blas"] = "base clgemm_cl.h"

    # The clgemm program: a folder per command, which does not know other commands.
    may["src"] = "src/common/"
    may["src/common"] = "base device program"
    may["src/common/build"] = may["src/common"] " gemm tuning run"
    may["src/common/option_readers"] = may["src/common"] " gemm/type.h"
    may["src/common/rounding"] = "gemm/element.h"
    may["src/common/host_speeds"] = may["src/common"] " tuning gemm"
    may["src/common/ladder_extras"] = may["src/common"] " OpenCL"
    may["src/build"] = "base device program gemm run"
    may["src/cache"] = "base device program gemm tuning run host src/ src/common/"
    may["src/info"] = "base device gemm tuning host/split.h src/ src/common/ src/cache/folder.h"
    may["src/inspect"] = "base device program gemm tuning run src/ src/common/"
    may["src/inspect/program"] = may["src/inspect"] " OpenCL"
    may["src/run"] = "base blas/summary.h src/ src/common/"
    may["src/tune"] = "base device program/source.h tuning src/ src/common/ src/tuner/"
    may["src/tuner"] = "base device program gemm tuning run src/common/rounding.h"
    may["src/tuner/measure"] = may["src/tuner"] " OpenCL"

    # clgemm-bench. The library is one contender among others there: only its public headers are
    # used.
    may["bench"] = "base device gemm tuning run host api clgemm_cl.h OpenCL src/common/" \
                   " bench/first_call/ bench/ladder/ bench/peers/ bench/report/"
    may["bench/first_call"] = "base device program gemm api OpenCL src/common/ bench/ bench/report/"
    may["bench/ladder"] = "base device program OpenCL src/common/ bench/ bench/report/"
    may["bench/peers"] = "base device gemm clgemm_cl.h OpenCL bench/"
    may["bench/peers/ours"] = "clgemm_cl.h OpenCL bench/"
    may["bench/report/page"] = "program/source.h bench/"
    may["bench/report"] = "base src/common/ bench/"

    # Tests may use everything; what they share does not know them.
    may["tests"] = "all"
    may["tests/support"] = "base device program gemm tuning run host api clgemm_cl.h OpenCL" \
                           " src/common/drivers.h src/common/rounding.h src/tuner/"
}

BEGIN {
    START = "(^|[^A-Za-z0-9_])"
    OPENCL_CALL = START "cl[A-Z][A-Za-z0-9]*[ \t]*\\("
    LEAVES = START "(printf|vprintf|puts|putchar|perror|abort|exit|_exit|_Exit|quick_exit|assert)[ \t]*\\("
    STREAMS = START "(stdout|stderr)([^A-Za-z0-9_]|$)"
    FLOAT_SIZE = START "sizeof[ \t]*\\(?[ \t]*float([^A-Za-z0-9_]|$)"
    FLOAT = START "((float|double)[0-9]*([^A-Za-z0-9_]|$)|[0-9.]+f([^A-Za-z0-9_]|$))"
    BY_LOCALE = START "(strto(d|f|ld)|atof|f?scanf|vsn?printf|strcasestr)[ \t]*\\("
    PRINT = START "s?n?printf[ \t]*\\("
    FLOAT_FORM = "%[-+ #0-9.*]*[lL]?[aefgAEFG]"
    NUMBER = START "(0x[0-9a-f.]+p[-+]?[0-9]+|([0-9]+\\.[0-9]*|\\.[0-9]+)(e[-+]?[0-9]+)?|[0-9]+e[-+]?[0-9]+)"
    BARE_ASM = START "(asm|__asm)([^A-Za-z0-9_]|$)"
}

function breach(what) {
    printf "%s:%d: %s\n", FILENAME, FNR, what
    breaches++
}

# The row for a file: its own, that of NAME in NAME_PART, or that of the nearest folder.
function row_of(path) {
    sub(/\.[a-z]+$/, "", path)
    while (!(path in may) && path ~ /[\/_]/)
        if (path ~ /_[^\/]*$/) sub(/_[^_]*$/, "", path)
        else path = folder_of(path)
    return path
}

# Whether the current row has `word`.
function has(word) {
    return row in may && (may[row] == "all" || index(" " may[row] " ", " " word " "))
}

function may_include(path,    floor) {
    if (path == "include/clgemm.h" || folder_of(path) == folder_of(FILENAME)) return 1
    if (path ~ /^include\//) return has(substr(path, 9))
    if (path ~ /^lib\//) {
        floor = path
        sub(/^lib\//, "", floor)
        if (has(floor)) return 1
        sub(/\/.*/, "", floor)
        return FILENAME ~ "^lib/" floor "/" || (("lib/" floor) in may && has(floor))
    }
    return has(folder_of(path) "/") || has(path)
}

function check_include(name) {
    if (!quoted) {
        if (name ~ /^CL\// && !has("<CL/>"))
            breach(row " includes <" name ">: write \"device/opencl.h\" or a public header")
    } else if (name ~ /^\.|\/\./) {
        breach("\"" name "\": write it from where -I points to")
    } else if (!may_include(resolve(name, FILENAME))) {
        breach(row " may not include \"" name "\": see the table of tests/law/law.awk")
    }
}

# Whether a floating-point literal is 0, a power of two, or a power of ten that units differ by.
function is_plain(literal,    value, size) {
    if (literal ~ /^0x/) return literal ~ /^0x1p/
    value = literal + 0
    for (size = 3; size <= 9; size += 3)
        if (value == 10 ^ size || literal == "1e-" size) return 1
    while (value >= 2) value /= 2
    while (value > 0 && value < 1) value *= 2
    return value == 0 || value == 1
}

# Finds literals in `line` that look measured or fitted.
function check_numbers(line,    literal) {
    line = tolower(line)
    while (match(line, NUMBER)) {
        literal = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        sub(/^[^0-9.]/, "", literal)
        if (!is_plain(literal))
            breach(literal ": what was measured or fitted is data (gemm/costs.h)")
    }
}

FNR == 1 {
    in_comment = 0
    files++
    in_lib = FILENAME ~ /^(lib|src\/tuner)\//
    in_kernels = FILENAME ~ /^kernels\//
    # Tensor cores add in FP32, whatever the type. Residues are of doubles.
    of_library = FILENAME ~ /^kernels\/[^\/]*$/ && FILENAME != "kernels/real.h" && \
                 FILENAME !~ /^kernels\/(tensor|residues)/
    row = row_of(FILENAME)
    if (!in_kernels && (!(row in may) || (row ~ /^(src|bench)$/ && row != folder_of(FILENAME))))
        breach(folder_of(FILENAME) " has no row in the table of tests/law/law.awk")
    of_typed_floor = FILENAME ~ /^(lib\/(device|gemm|tuning|run|host|api)|src\/tuner)\// &&
                     FILENAME !~ /^lib\/gemm\/type\./
    in_print = 0
    # Vendors' figures and estimates of costs have files of their own; others' numbers are no data
    # yet.
    of_costs = FILENAME ~ /^lib\/(device|program|gemm|tuning|run|host|api)\// && \
               FILENAME !~ /^lib\/(device\/architecture|gemm\/estimate)\.c$/ && \
               FILENAME !~ /^lib\/(host\/(time|plan)|tuning\/break_even)\.c$/
    may_print = FILENAME ~ /^lib\/base\/log[_.][^\/]*$/
}

{ strip($0) }

in_kernels {
    if (code ~ BARE_ASM) breach("kernels spell inline assembly __asm__")
    if (of_library && code ~ FLOAT) breach("kernels take their element type from real.h")
    next
}

is_include() { check_include(included) }

code ~ OPENCL_CALL && !has("OpenCL") { breach(row " does not call OpenCL") }
in_lib && !may_print && code ~ LEAVES { breach("the library does not print, abort or exit") }
in_lib && !may_print && code ~ STREAMS { breach("only base/log knows standard streams") }

# The library is in programs with any locale. Its own programs have none.
in_lib && FILENAME !~ /^lib\/base\/format\./ {
    if (code ~ PRINT) in_print = 1
    if (code ~ BY_LOCALE || (in_print && text ~ FLOAT_FORM))
        breach("base/format.h does that, whatever the locale")
    if (code ~ /;/) in_print = 0
}
FILENAME !~ /^tests\// && code ~ START "setlocale[ \t]*\\(" { breach("the locale is the program's") }

# A matrix's elements have the type that the problem names.
of_typed_floor && code ~ FLOAT_SIZE { breach("the size of an element is clg_type_size()'s (gemm/type.h)") }

of_costs { check_numbers(code) }

END {
    printf "%d files, %d breaches\n", files, breaches
    exit breaches > 0 || files == 0
}

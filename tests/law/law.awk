# SPDX-License-Identifier: Apache-2.0
# The law of the house (docs/design.md): who may include whom, who may call OpenCL, who may print.
# Reads sources named relative to the root; prints one line a breach and exits with 1 on any.

BEGIN {
    floor["base"] = 0; floor["device"] = 1; floor["program"] = 2
    floor["gemm"] = 3; floor["tune"] = 4; floor["api"] = 5
    START = "(^|[^A-Za-z0-9_])"
    OPENCL_CALL = START "cl[A-Z][A-Za-z0-9]*[ \t]*\\("
    LEAVES = START "(printf|vprintf|puts|putchar|perror|abort|exit|_exit|_Exit|quick_exit|assert)[ \t]*\\("
    STREAMS = START "(stdout|stderr)([^A-Za-z0-9_]|$)"
    BARE_ASM = START "(asm|__asm)([^A-Za-z0-9_]|$)"
}

function breach(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    breaches++
}

# Splits a line into `text` (no comments) and `code` (no comments, nothing within quotes).
# `in_comment` lives on from line to line.
function strip(line,    i, c, two, quote) {
    text = code = quote = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        two = substr(line, i, 2)
        if (in_comment) {
            if (two == "*/") { in_comment = 0; i++ }
        } else if (quote != "") {
            text = text c
            if (c == "\\") { i++; text = text substr(line, i, 1) }
            else if (c == quote) { quote = ""; code = code c }
        } else if (two == "/*") {
            in_comment = 1; i++
            text = text " "; code = code " "
        } else if (two == "//") {
            return
        } else {
            text = text c; code = code c
            if (c == "\"" || c == "'") quote = c
        }
    }
}

function check_include(name, quoted,    target, slash) {
    if (!quoted) {
        if ((folder == "base" || folder == "blas") && name ~ /^CL\//)
            breach("lib/" folder " includes OpenCL: <" name ">")
        return
    }
    if (name == "clgemm.h") return
    if (name == "clgemm_cl.h") {
        if (folder == "base") breach("lib/base includes OpenCL: \"" name "\"")
        return
    }
    slash = index(name, "/")
    target = slash ? substr(name, 1, slash - 1) : ""
    if (folder == "blas") {
        if (target != "blas") breach("lib/blas includes more than public headers: \"" name "\"")
    } else if (!(target in floor)) {
        breach("\"" name "\" is on no floor: write \"FLOOR/file.h\" or a public header")
    } else if (floor[target] > floor[folder]) {
        breach(folder " (floor " floor[folder] ") includes upward: \"" name "\" (floor " floor[target] ")")
    }
}

FNR == 1 {
    in_comment = 0
    files++
    in_lib = FILENAME ~ /^lib\//
    folder = FILENAME
    sub(/^lib\//, "", folder)
    sub(/\/.*/, "", folder)
    if (in_lib && folder != "blas" && !(folder in floor)) breach("lib/" folder " is no floor")
    may_call = FILENAME ~ /^lib\/(device|program)\// ||
               FILENAME ~ /^lib\/gemm\/exec[_.][^\/]*$/ ||
               FILENAME ~ /^lib\/tune\/(measure|verify)[_.][^\/]*$/
    may_print = FILENAME ~ /^lib\/base\/log[_.][^\/]*$/
}

{ strip($0) }

in_lib && text ~ /^[ \t]*#[ \t]*include/ {
    name = text
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", name)
    quoted = name ~ /^"/
    sub(/^["<]/, "", name)
    sub(/[">].*/, "", name)
    check_include(name, quoted)
}

in_lib && !may_call && code ~ OPENCL_CALL { breach("only device/, program/, gemm/exec and tune/{measure,verify} call OpenCL") }
in_lib && !may_print && code ~ LEAVES { breach("the library does not print, abort or exit") }
in_lib && !may_print && code ~ STREAMS { breach("only base/log knows standard streams") }
!in_lib && code ~ BARE_ASM { breach("kernels spell inline assembly __asm__") }

END {
    printf "%d files, %d breaches\n", files, breaches
    exit breaches > 0 || files == 0
}

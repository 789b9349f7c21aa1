# SPDX-License-Identifier: Apache-2.0
# Finds cycles of includes between the modules of lib/, src/ and bench/: no module in a cycle can be
# read, tested or reused without the others. A module is NAME.c with NAME.h, and with the files that
# include NAME.h as a header NAME_PART.h without a source of its own. Prints one line per cycle and
# exits with 1 on any.
# Usage: awk -f reading.awk -f circles.awk FILE...

function without_extension(path) {
    sub(/\.[a-z]+$/, "", path)
    return path
}

FNR == 1 {
    in_comment = 0
    file = FILENAME ~ /^(lib|src|bench)\// ? without_extension(FILENAME) : ""
    if (file != "" && !(file in state)) {
        state[file] = "new"
        names[++num_names] = file
    }
    if (FILENAME ~ /\.c$/) has_source[file] = 1
}

file == "" { next }

{ strip($0) }

is_include() && quoted {
    target = without_extension(resolve(included, FILENAME))
    includes[file, ++num_includes[file]] = target
    includes_it[file, target] = 1
}

function module_of(name,    whole) {
    whole = name
    while (!(name in has_source) && whole ~ /_[^\/]*$/) {
        sub(/_[^_]*$/, "", whole)
        if (whole in has_source) return (name, whole) in includes_it ? whole : name
    }
    return name
}

# Follows what module `at` includes; `path` leads to it. Reaching a module that is still open closes
# a cycle.
function visit(at, path,    i, target) {
    if (state[at] == "open") {
        sub(".* " at " -> ", at " -> ", path)
        print "a cycle of includes: " path at
        circles++
    }
    if (state[at] != "new") return
    state[at] = "open"
    for (i = 1; i <= num_uses[at]; i++) {
        target = uses[at, i]
        if (target in state) visit(target, path at " -> ")
    }
    state[at] = "done"
}

END {
    for (n = 1; n <= num_names; n++) {
        module = module_of(names[n])
        for (i = 1; i <= num_includes[names[n]]; i++) {
            target = module_of(includes[names[n], i])
            if (target != module) uses[module, ++num_uses[module]] = target
        }
    }
    for (n = 1; n <= num_names; n++) visit(names[n], " ")
    printf "%d files, %d cycles of includes\n", num_names, circles
    exit circles > 0
}

# SPDX-License-Identifier: Apache-2.0
# How law.awk and circles.awk read sources: without comments, with includes as paths from the root.

# Splits a line into `text` (no comments) and `code` (no comments, nothing within quotes).
# `in_comment` persists from line to line.
function strip(line,    i, c, two, quote) {
    text = code = quote = ""
    if (!in_comment && line !~ /["'\/]/) {
        text = code = line
        return
    }
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

# Whether `text` is an #include; sets `included`, and `quoted` where it was written in quotes.
function is_include() {
    if (text !~ /^[ \t]*#[ \t]*include[ \t]*["<]/) return 0
    included = text
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", included)
    quoted = included ~ /^"/
    included = substr(included, 2)
    sub(/[">].*/, "", included)
    return 1
}

function folder_of(path) {
    sub(/\/[^\/]*$/, "", path)
    return path
}

# The path from the root of what `file` includes in quotes as `name`.
function resolve(name, file) {
    if (name ~ /^clgemm(_cl)?\.h$/) return "include/" name
    if (name ~ /^(src|bench)\//) return name
    if (file ~ /^tests\//) {
        if (name !~ /\//) return folder_of(file) "/" name
        if (name ~ /^(support|faults)\//) return "tests/" name
    }
    return "lib/" name
}

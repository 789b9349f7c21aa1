#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The public headers with every installed compiler and every standard, alone, together and twice,
# without a warning.
# Usage: headers.sh INCLUDE-FOLDER SCRATCH
set -eu
include=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"

for order in clgemm 'clgemm_cl clgemm clgemm_cl'; do
    name=$(echo "$order" | tr ' ' -)
    for header in $order; do
        echo "#include <$header.h>"
    done >"$scratch/$name.c"
    echo 'const char *ours(void); const char *ours(void) { return clgemm_version(); }' >>"$scratch/$name.c"
    cp "$scratch/$name.c" "$scratch/$name.cpp"
done

common="-Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow -Wundef -Wcast-qual -fsyntax-only -I$include"
checked=0
missing=

check() { # COMPILER STANDARD SUFFIX FLAG...
    compiler=$1 standard=$2 suffix=$3
    shift 3
    if ! command -v "$compiler" >/dev/null; then
        missing="$missing $compiler"
        return
    fi
    # Word splitting is intended for the flags.
    # shellcheck disable=SC2086
    for file in "$scratch"/*."$suffix"; do
        "$compiler" -std="$standard" $common "$@" "$file" || {
            echo "$compiler -std=$standard: $(basename "$file")"
            exit 1
        }
    done
    checked=$((checked + 1))
}

for standard in c99 c11 c17 c2x; do
    for compiler in gcc clang; do
        check $compiler $standard c -Wc++-compat -Wstrict-prototypes
    done
done
for standard in c++11 c++14 c++17 c++20; do
    for compiler in g++ clang++; do
        check $compiler $standard cpp -Wold-style-cast -Wzero-as-null-pointer-constant
    done
done
echo "$checked standards of compilers; missing:${missing:- none}"
[ "$checked" -gt 0 ]

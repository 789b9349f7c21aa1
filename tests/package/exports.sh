#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The installed libraries export their public functions and nothing else, and nothing is undefined.
# Usage: exports.sh PREFIX
set -eu
prefix=$1
libdir=$(dirname "$(find "$prefix" -name libclgemm.so)")
so=$libdir/libclgemm.so
bad=0
# Complains if there is any output on standard input.
none() {
    found=$(cat)
    [ -z "$found" ] && return
    printf '%s:\n%s\n' "$1" "$found"
    bad=1
}

exported=$(nm -D --defined-only "$so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
declared=$(cat "$prefix"/include/clgemm*.h | tr '\n' ' ' |
    grep -Eo 'CLGEMM_API [^;(]*\(' | grep -Eo 'clgemm_[a-z0-9_]+\($|clgemm_[a-z0-9_]+\(' |
    tr -d '(' | sort)
[ -n "$declared" ] || { echo "no CLGEMM_API function found in the headers"; exit 1; }

printf '%s\n' "$exported" | grep -v '^clgemm_' | none "exported, but not named clgemm_*"
printf '%s\n' "$declared" | while read -r name; do
    printf '%s\n' "$exported" | grep -qx "$name" || echo "$name"
done | none "declared in the headers, but not exported"
nm -g --defined-only "$libdir/libclgemm.a" 2>&1 |
    awk 'NF == 3 && $3 !~ /^(clgemm|clg)_/ { print $3 }' |
    none "in the static library outside clgemm_* and clg_*"
ldd -r "$so" 2>&1 | grep -i 'undefined\|not found' | none "unresolved in $so"
readelf -d "$so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    grep -Ev '^(libOpenCL|libc|libm|libpthread|ld-linux[a-z0-9_-]*)\.so\.[0-9]+$' |
    none "needed at run time beyond OpenCL and libc"
readelf -d "$so" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p' | grep -vx 'libclgemm\.so\.[0-9]*' |
    none "odd SONAME"

echo "$(printf '%s\n' "$exported" | wc -l) functions exported"
exit $bad

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles every kernel with clang's OpenCL front end: each file with its own defaults, the
# library's also for the other types, and a drawn part, one in 48, of the presets' variants.
# Defaults and one variant in fifty are optimised as well, because runtimes print the optimiser's
# remarks. What CPUs run has no intrinsics that SPIR-V lacks.
# Usage: compile.sh CLANG KERNELS VARIANTS-PROGRAM
set -eu
clang=$1
kernels=$2
variants=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# One in this many variants, drawn; all with CLGEMM_TEST_LONG.
"$variants" >"$scratch/variants"
sort -u "$scratch/variants" >"$scratch/all"
parts=48
part=$((${CLGEMM_TEST_SEED:-20111} % parts))
awk -v part="$part" -v parts="$parts" -v long="${CLGEMM_TEST_LONG:-}" 'long != "" || NR % parts == part' \
    "$scratch/all" >"$scratch/printed"
find "$kernels" -name '*.cl' | LC_ALL=C sort | sed 's/$/\t/' >"$scratch/list"
for file in "$kernels"/*.cl; do # the library's; the ladder's have one type
    for type in -DREAL=double -DELEMENT=half -DELEMENT=bfloat16; do
        printf '%s\t%s\n' "$file" "$type"
    done
done >>"$scratch/list"
while IFS="$(printf '\t')" read -r source options; do
    printf '%s/%s.cl\t%s\n' "$kernels" "$source" "$options"
done <"$scratch/printed" >>"$scratch/list"
[ -s "$scratch/printed" ] || { echo "$variants printed nothing"; exit 1; }
total=$(wc -l <"$scratch/list")

done=0
bad=0
while IFS="$(printf '\t')" read -r file options; do
    done=$((done + 1))
    [ -t 2 ] && printf '\r%d of %d' "$done" "$total" >&2
    mode="-target spir64-unknown-unknown -fsyntax-only"
    case $((done % 50)):$options in
    0:* | *: | *:-DREAL=double | *:-DELEMENT=half | *:-DELEMENT=bfloat16) mode="-target x86_64-unknown-linux-gnu -mavx512f -O2 -emit-llvm -S -o -" ;;
    esac
    # Options contain no blanks.
    "$clang" -x cl -cl-std=CL1.2 $mode -Wall -Wextra -Werror $options "$file" \
        2>"$scratch/log" >/dev/null && continue
    bad=$((bad + 1))
    echo "$(basename "$file") $options"
    [ $bad -gt 5 ] || cat "$scratch/log"
done <"$scratch/list"
[ -t 2 ] && printf '\n' >&2
# Mesa compiles for SPIR-V, and its translator ends the process at intrinsics that it does not know.
for file in "$kernels"/panel*.cl; do
    "$clang" -x cl -cl-std=CL1.2 -target spir64-unknown-unknown -emit-llvm -S -o "$scratch/ir" "$file"
    grep 'llvm\.prefetch' "$scratch/ir" || continue
    echo "$(basename "$file") cannot be translated to SPIR-V"
    bad=$((bad + 1))
done
echo "$total compiled, $bad failed"
[ $bad -eq 0 ]

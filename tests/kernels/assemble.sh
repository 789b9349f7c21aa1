#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles tensor core kernels to PTX with clang, removes the marks as the library does
# (lib/program/rewrite.c), and assembles the PTX with NVIDIA's assembler. An unknown instruction, or
# too many registers, is thus found without a GPU. A part of the presets' variants is drawn; with
# CLGEMM_TEST_LONG all are done. Exits with 77 without the assembler.
# Usage: assemble.sh CLANG KERNELS VARIANTS-PROGRAM
set -eu
clang=$1
kernels=$2
variants=$3
most_stack=96 # bytes per work-item: some numbers of clang's; arrays would take more
ptxas=$(command -v ptxas || echo "${CUDA_HOME:-/usr/local/cuda}/bin/ptxas")
[ -x "$ptxas" ] || { echo "SKIP: no ptxas"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$variants" | sort -u | grep -E '^(tensor(_skinny|_mma)?|residues(_dot)?)	' >"$scratch/all"
parts=$(($(wc -l <"$scratch/all") / 12))
awk -v part=$((${CLGEMM_TEST_SEED:-20111} % parts)) -v parts=$parts -v long="${CLGEMM_TEST_LONG:-}" \
    'long != "" || NR % parts == part' "$scratch/all" >"$scratch/drawn"

bad=0
while IFS="$(printf '\t')" read -r source options; do
    items=384
    case $options in # a team for 64 rows that are copied singly
    *A_COMES=[34]*B_COMES=[34]*) items=640 ;;
    *B_COMES=[34]*) items=512 ;;
    esac
    [ "$source" != tensor_mma ] || items=256
    [ "$source" != residues_dot ] ||
        items=$(echo "$options" | sed 's/.*-DWG_M=\([0-9]*\) -DWG_N=\([0-9]*\) .*/\1 * \2/')
    items=$(($items))
    # Options contain no blanks.
    "$clang" -x cl -cl-std=CL1.2 -target nvptx64-nvidia-nvcl -Xclang -target-cpu -Xclang sm_80 \
        -Xclang -target-feature -Xclang +ptx70 -O3 -Xclang -finclude-default-header \
        -include "$(dirname "$0")/nvptx.h" $options -S -o "$scratch/ptx" "$kernels/$source.cl" &&
        sed -e 's#//@ ##' -e 's/^\.target.*/.target sm_90a/' -e 's/^\.version.*/.version 8.3/' \
            "$scratch/ptx" | awk -v items=$items '{ print } /^\.visible \.entry/ { entry = 1 }
                entry && /^\)/ { print ".reqntid " items ", 1, 1"; entry = 0 }' >"$scratch/rewritten" &&
        "$ptxas" -arch sm_90a -v -o "$scratch/cubin" "$scratch/rewritten" 2>"$scratch/log" &&
        stack=$(sed -n 's/^ *\([0-9]*\) bytes stack frame.*/\1/p' "$scratch/log") &&
        [ "${stack:-1000}" -le $most_stack ] && continue
    bad=$((bad + 1))
    echo "$source.cl $options"
    [ $bad -gt 3 ] || head -c 2000 "$scratch/log"
done <"$scratch/drawn"
echo "$(wc -l <"$scratch/drawn") of $(wc -l <"$scratch/all") assembled, $bad failed"
[ -s "$scratch/drawn" ] && [ $bad -eq 0 ]

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tells whether two folders of kernels compile to the same PTX, byte for byte except for the names
# of arrays in local memory: for a change to the sources that must not change the code. Compares
# every variant of all presets.
# Usage: same_code.sh OLD-KERNELS NEW-KERNELS VARIANTS-PROGRAM
#   git worktree add /tmp/old main
#   tests/kernels/same_code.sh /tmp/old/kernels kernels build/tests/kernels/kernel_variants
# A variant takes half a second, or a tenth if the preprocessed texts are equal.
set -eu
old=$1
new=$2
variants=$3
clang=${CLANG:-clang}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Both take KERNELS NAME: $source of that folder with $options, as text or as PTX.
preprocess() {
    # Options contain no blanks.
    "$clang" -x cl -cl-std=CL1.2 -target nvptx64 -E -P $options "$1/$source.cl" >"$scratch/$2.i"
}
translate() {
    "$clang" -x cl -cl-std=CL1.2 -target nvptx64 -O2 -S -o - -Wno-pass-failed $options "$1/$source.cl" |
        awk '{
            while (match($0, /clg_[a-z_]*_\$_[a-z_0-9]*/)) {
                name = substr($0, RSTART, RLENGTH)
                if (!(name in number)) number[name] = ++names
                $0 = substr($0, 1, RSTART - 1) "local" number[name] substr($0, RSTART + RLENGTH)
            }
            print
        }' >"$scratch/$2.ptx"
}

"$variants" | sort -u >"$scratch/list"
[ -s "$scratch/list" ] || { echo "$variants printed nothing"; exit 1; }
# Kernels without options, such as clg_scale: each file's own defaults.
(cd "$new" && ls -- *.cl) | sed 's/\.cl$/\t/' >>"$scratch/list"

total=$(wc -l <"$scratch/list")
done=0
compiled=0
bad=0
while IFS="$(printf '\t')" read -r source options; do
    done=$((done + 1))
    [ -t 2 ] && printf '\r%d of %d' "$done" "$total" >&2
    preprocess "$old" old
    preprocess "$new" new
    cmp -s "$scratch/old.i" "$scratch/new.i" && continue
    compiled=$((compiled + 1))
    translate "$old" old
    translate "$new" new
    [ -s "$scratch/new.ptx" ] && cmp -s "$scratch/old.ptx" "$scratch/new.ptx" && continue
    bad=$((bad + 1))
    echo "$source $options"
    [ $bad -gt 3 ] || diff "$scratch/old.ptx" "$scratch/new.ptx" | head -20
done <"$scratch/list"
[ -t 2 ] && printf '\n' >&2
echo "$total variants: $compiled with different text, $bad of these with different code"
[ $bad -eq 0 ]

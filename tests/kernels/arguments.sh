#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares the arguments that plans push with the kernels' signatures: types, names and order. The
# plans are those of all presets, and of problems drawn for personas. Clang notes a kernel's
# arguments in what it compiles, which is where clGetKernelArgInfo has them from. Steps whose options
# differ in numbers only are of one kind, of which one is drawn; with CLGEMM_TEST_LONG 0 and 1 count
# as different.
# Usage: arguments.sh CLANG KERNELS VARIANTS-PROGRAM PERSONA-PLANS-PROGRAM
set -eu
clang=$1
kernels=$2
variants=$3
plans=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$variants" arguments >"$scratch/variants"
"$plans" "$scratch/plans" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
# Only NVIDIA's compiler bounds registers.
sed 's/ *-cl-nv-maxrregcount=[0-9]*//' "$scratch/variants" "$scratch/plans" | sort -u >"$scratch/all"
awk -v seed="${CLGEMM_TEST_SEED:-20111}" -v long="${CLGEMM_TEST_LONG:-}" '{
        kind = $0
        gsub(long == "" ? "=[0-9]+" : "=([2-9]|[1-9][0-9]+)", "=", kind)
        line[kind, count[kind]++] = $0
    }
    END { for (kind in count) print line[kind, seed % count[kind]] }' "$scratch/all" >"$scratch/drawn"

# Prints a signature as the plans print theirs.
cat >"$scratch/signature.awk" <<'AWK'
function list(what) {
    match(define, "!kernel_arg_" what " ![0-9]+")
    id = substr(define, RSTART, RLENGTH)
    sub(/.* /, "", id)
    gsub(/ __attribute__\(\(ext_vector_type\(2\)\)\)/, "2", node[id])
    return node[id]
}
/^define .*!kernel_arg_name/ { define = $0 }
/^![0-9]+ = !\{/ {
    id = $1
    gsub(/^.*!\{|\}$|!?"|i32 /, "")
    node[id] = $0
}
END {
    count = split(list("name"), name, ", ")
    split(list("base_type"), type, ", ")
    split(list("addr_space"), space, ", ")
    for (i = 1; i <= count; i++)
        printf("%s%s %s", i > 1 ? "," : "", space[i] == 1 ? "global" : type[i], name[i])
}
AWK

bad=0
for file in "$kernels"/*.cl; do
    cut -f1 "$scratch/drawn" | grep -qx "$(basename "$file" .cl)" && continue
    bad=$((bad + 1))
    echo "no step of a plan uses $file"
done
while IFS="$(printf '\t')" read -r source arguments options; do
    # Options contain no blanks. Only Intel's compilers know the function.
    signature=$("$clang" -x cl -cl-std=CL1.2 -target spir64-unknown-unknown -cl-kernel-arg-info -O0 -w \
        '-Dintel_sub_group_shuffle(x,lane)=x' $options -emit-llvm -S -o - "$kernels/$source.cl" | awk -f "$scratch/signature.awk" |
        sed 's/ulong \(alpha\|beta\)/double \1/g') # soft_double.h: its bits
    [ "$signature" = "$arguments" ] && continue
    bad=$((bad + 1))
    [ $bad -gt 5 ] || printf '%s.cl %s\n  pushed: %s\n  kernel: %s\n' "$source" "$options" "$arguments" "$signature"
done <"$scratch/drawn"
echo "$(wc -l <"$scratch/drawn") of $(wc -l <"$scratch/all") steps compared, $bad differ"
[ -s "$scratch/variants" ] && [ -s "$scratch/plans" ] && [ $bad -eq 0 ]

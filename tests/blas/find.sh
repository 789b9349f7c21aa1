#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Which BLAS a call goes on to, for extensions with their own BLAS, with none, with 64-bit integers,
# and if the drop-in is libblas.so.3 itself.
# Usage: find.sh FOLDER PART     FOLDER: with host, the extensions and an empty libblas.so.3
set -eu
cd "$1"
part=$2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# In "full" two copies of the drop-in are loaded.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_odr_violation=0

fail() {
    printf '%s\n' "$*"
    cat "$log"
    exit 1
}

# Runs the host with the drop-in. Arguments: VARIABLE=VALUE ..., then the host's arguments.
host=./host
run() {
    local settings=()
    while [[ $1 == *=* ]]; do
        settings+=("$1")
        shift
    done
    env LD_PRELOAD="$DROP_IN" CLGEMM_VERBOSE=2 "${settings[@]}" $host "$@" >"$log" 2>&1 ||
        fail "ended with $?: ${settings[*]} host $*"
}
# In names, "?" is the type's letter.
lines() { # COUNT TEXT
    local count text=${2//\?GEMM/${EXTENSION_TYPE^}GEMM}
    text=${text//\?/$EXTENSION_TYPE}
    count=$(grep -cF -e "$text" "$log" || true)
    [[ $count == "$1" ]] || fail "$count lines, not $1, with: $text"
}
on_to() { # NAME FILE COUNT: this many calls of NAME went on to a file with that name
    local count name=${1/\?/$EXTENSION_TYPE}
    count=$(grep -cE "^clgemm: $name from .* goes on to [^ ]*$2[^ ]*(,|\$)" "$log" || true)
    [[ $count == "$3" ]] || fail "$count routes, not $3, from $name to $2"
}

# These are Debian packages. What the build has not found is not tested.
need() {
    for file; do
        [[ -e $file ]] || { echo "SKIP: $file is not built: its BLAS was not found" && exit 77; }
    done
}
case $part in
reference | both) need reference.so ;;
blas64*) need blas64.so ;;
none) need "$REFERENCE" blas64.so ;;
full) need system.so ;;
esac
case $part in
*device | full) "$CLGEMM" info -l >/dev/null || exit 77 ;;
esac

for EXTENSION_TYPE in s d c z; do
    export EXTENSION_TYPE
    case $EXTENSION_TYPE in
    [sd]) other=syrk ;;
    [cz]) other=gemm3m ;;
    esac
    case $part in
    openblas)
        run ./openblas.so cblas fortran $other cblas
        on_to "cblas_?gemm" openblas 1
        on_to "?gemm_" openblas 1
        on_to "cblas_?$other" openblas 1
        lines 3 "?gemm on=cpu why=small"
        lines 1 "?$other on=cpu why=small"
        # OpenBLAS has a cblas_xerbla that ends the process and that its own calls never reach.
        run ./openblas.so refused cblas
        lines 1 "On entry to ?GEMM"
        lines 1 "?gemm on=cpu why=small"
        ;;
    device)
        run CLGEMM_MIN_FLOPS=0 ./openblas.so cblas fortran $other
        lines 3 " on=device"
        lines 0 "on=cpu"
        ;;
    reference)
        # Its cblas_?gemm() calls ?gemm_(), which must go straight on: one call, not two or an
        # endless loop.
        run ./reference.so cblas fortran $other cblas
        on_to "cblas_?gemm" blas/libblas 1
        on_to "?gemm_" blas/libblas 2
        on_to "cblas_?$other" blas/libblas 1
        lines 3 "?gemm on=cpu why=small"
        lines 1 "?$other on=cpu why=small"
        ;;
    both)
        # Each extension keeps its own BLAS, whichever was loaded first.
        run ./openblas.so cblas fortran -- ./reference.so cblas fortran -- ./openblas.so cblas
        on_to "cblas_?gemm" openblas 1
        on_to "cblas_?gemm" blas/libblas 1
        ;;
    blas64)
        run ./blas64.so cblas fortran $other far
        on_to "cblas_?gemm" blas64 2
        lines 0 "plain loops"
        lines 4 "?gemm on=cpu why=small"
        lines 1 "?$other on=cpu why=small"
        # Beside 32-bit integers in the same process.
        run ./openblas.so cblas fortran -- ./blas64.so cblas fortran far -- ./openblas.so cblas $other
        ;;
    blas64_device)
        run CLGEMM_MIN_FLOPS=0 ./blas64.so cblas fortran $other far
        lines 5 " on=device"
        lines 0 "on=cpu"
        ;;
    linked)
        host=./host
        # By an extension for itself alone, and by the program for all of its extensions.
        run LD_PRELOAD= ./linked.so cblas fortran $other others
        on_to "cblas_?gemm" openblas 1
        lines 2 "?gemm on=cpu why=small"
        host=./host_linked
        run LD_PRELOAD= ./none.so cblas fortran $other others
        on_to "cblas_?gemm" openblas 1
        lines 2 "?gemm on=cpu why=small"
        ;;
    none)
        # An extension that expects the program to have a BLAS.
        run ./none.so cblas fortran $other
        on_to "cblas_?gemm" libblas.so.3 1
        run CLGEMM_CPU_BLAS="$REFERENCE" ./none.so cblas fortran $other
        on_to "cblas_?gemm" blas/libblas 1
        # A file that does not exist, and one that leads back to the drop-in: neither is used.
        run CLGEMM_CPU_BLAS=/nonexistent.so ./none.so cblas
        on_to "cblas_?gemm" libblas.so.3 1
        run CLGEMM_CPU_BLAS="$DROP_IN" ./none.so cblas fortran $other
        on_to "cblas_?gemm" libblas.so.3 1
        # A BLAS that another extension has loaded: each its own, except `none`, whose calls may
        # belong to anyone.
        run ./openblas.so cblas -- ./none.so cblas fortran
        on_to "cblas_?gemm" openblas 2
        run ./blas64.so cblas -- ./openblas.so cblas -- ./none.so cblas
        on_to "cblas_?gemm" openblas 2
        # A program with a malloc() of its own.
        if [[ -e own_malloc.so ]]; then
            run LD_PRELOAD="$PWD/own_malloc.so $DROP_IN" ./none.so cblas fortran $other
            on_to "cblas_?gemm" libblas.so.3 1
            run LD_PRELOAD="$PWD/own_malloc.so $DROP_IN" CLGEMM_CPU_BLAS="$REFERENCE" ./none.so cblas
            on_to "cblas_?gemm" blas/libblas 1
        fi
        # No BLAS anywhere: slow, and right.
        run LD_LIBRARY_PATH="$PWD/empty" ./none.so cblas fortran $other refused
        on_to "cblas_?gemm" "plain loops" 2
        lines 1 "parameter 4 of cblas_?gemm has an illegal value"
        run LD_LIBRARY_PATH="$PWD/empty" CLGEMM_CPU_BLAS="$REFERENCE" ./none.so cblas
        on_to "cblas_?gemm" blas/libblas 1
        ;;
    full)
        FULL+=${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} # a driver may be found there
        # As the system's libblas.so.3: the name leads back to the drop-in, so the BLAS behind it
        # must be used.
        run LD_PRELOAD= LD_LIBRARY_PATH="$FULL" ./system.so cblas fortran $other others
        on_to "cblas_?gemm" libopenblas 1
        lines 2 "?gemm on=cpu why=small"
        run LD_PRELOAD= LD_LIBRARY_PATH="$FULL" CLGEMM_MIN_FLOPS=0 ./system.so cblas fortran $other
        lines 3 " on=device"
        # With the other one before it, only one of them takes the call.
        run LD_LIBRARY_PATH="$FULL" ./system.so cblas fortran $other
        lines 2 "?gemm on=cpu why=small"
        lines 0 "plain loops"
        run LD_LIBRARY_PATH="$FULL" ./none.so cblas
        on_to "cblas_?gemm" libopenblas 1
        ;;
    *)
        echo "unknown part: $part"
        exit 2
        ;;
    esac
done

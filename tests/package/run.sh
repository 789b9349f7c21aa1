#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program that calls a BLAS with the installed `clgemm run`, on the device, with the installed
# helper, and with the installed libblas.so.3.
# Usage: run.sh PREFIX HOST EXTENSION [EXTENSION-OF-LIBBLAS]     the last three: tests/blas
set -eu
prefix=$1
host=$2
export CLGEMM_MIN_FLOPS=0
"$prefix/bin/clgemm" info -l >/dev/null || exit 77
says() { # TEXT
    printf '%s\n' "$said" | grep -q "$1" && return
    echo "not said: $1"
    exit 1
}

said=$(LD_DEBUG=files "$prefix/bin/clgemm" run "$host" "$3" cblas syrk 2>&1)
says "file=$prefix/.*libclgemm.so.*generating link map"
says "calling init: $prefix/.*libclgemm_blas.so"
says "2 calls, 2 on the device"

# The library finds the installed helper.
cache=$(mktemp -d)
said=$(env -u CLGEMM_CACHE CLGEMM_CACHE_DIR="$cache" CLGEMM_VERBOSE=2 "$prefix/bin/clgemm" run "$host" "$3" cblas syrk 2>&1)
while ! rm -rf "$cache" 2>/dev/null; do sleep 0.1; done # a helper may outlive its program a moment
says "built by the helper"

[ -n "${4:-}" ] || exit 0
folder=$(dirname "$(find "$prefix" -name libclgemm_blas_full.so)")
said=$(LD_DEBUG=files LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} CLGEMM_VERBOSE=1 "$host" "$4" cblas others 2>&1)
says "calling init: $prefix/.*libblas.so.3"
says "file=$prefix/.*libclgemm.so.*generating link map"
says "clgemm: sgemm on=device"

# ldconfig links libraries by their SONAME: none of those in this folder may be a libblas.so.3.
for library in "$(dirname "$(find "$prefix" -name libclgemm.so)")"/*.so; do
    if readelf -d "$library" | grep -q 'SONAME.*libblas'; then
        echo "$library would become the system's libblas.so.3"
        exit 1
    fi
done

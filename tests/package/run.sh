#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program that calls a BLAS by the installed `clgemm run`, on the device.
# Usage: run.sh PREFIX HOST EXTENSION     the last two: tests/blas/host.c
set -eu
prefix=$1
shift
"$prefix/bin/clgemm" info -l >/dev/null || exit 77
said=$(CLGEMM_MIN_FLOPS=0 LD_DEBUG=files "$prefix/bin/clgemm" run "$@" cblas syrk 2>&1)
for text in "file=$prefix/.*libclgemm.so.*generating link map" \
    "calling init: $prefix/.*libclgemm_blas.so" "2 calls, 2 on the device"; do
    printf '%s\n' "$said" | grep -q "$text" || { echo "not said: $text" && exit 1; }
done

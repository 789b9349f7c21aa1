#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs programs under personas, one after the other. Fails if any of them fails. Exits with 77 if
# all were skipped.
# Usage: run.sh LAYER PERSONA_TABLE --list|--some|--draw PROGRAM...
set -eu
layer=$1
names=$("$2" "$3")
shift 3

result=77
for name in $names; do
    for program in "$@"; do
        echo "== $name: ${program##*/}"
        status=0
        OPENCL_LAYERS=$layer CLG_PERSONA=$name "$program" || status=$?
        [ "$status" -eq 77 ] && continue
        [ "$status" -eq 0 ] || { echo "failed: CLG_PERSONA=$name $program"; exit 1; }
        result=0
    done
done
exit $result

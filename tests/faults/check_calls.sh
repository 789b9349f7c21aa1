#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails if the library calls an OpenCL function that the fault layer does not intercept.
# Usage: check_calls.sh libclgemm.a libclgemm_tuner.a layer_calls.h
set -eu
library=$1
tuner=$2
calls=$3

missing=0
count=0
for name in $(nm --undefined-only "$library" "$tuner" | sed -n 's/.* U \(cl[A-Z][A-Za-z0-9]*\).*/\1/p' | sort -u); do
    count=$((count + 1))
    grep -Eq "^[A-Z]+\(([A-Z_]+, )?([a-z_]+, )?$name\\b" "$calls" && continue
    echo "$name is used by the library and not known to $calls"
    missing=1
done
echo "$count OpenCL functions checked"
[ "$count" -gt 0 ] || { echo "$library uses no OpenCL function?"; exit 1; }
exit $missing

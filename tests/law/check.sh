#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Holds the sources under a root against the law in law.awk. Usage: check.sh ROOT
set -eu
law=$(cd "$(dirname "$0")" && pwd)/law.awk
cd "$1"
set --
for file in $(find lib kernels -type f \( -name '*.c' -o -name '*.h' -o -name '*.cl' \) | LC_ALL=C sort); do
    set -- "$@" "$file"
done
[ $# -gt 0 ] || { echo "no sources under $PWD"; exit 1; }
exec awk -f "$law" "$@"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks the sources under a root by law.awk and circles.awk. Usage: check.sh ROOT
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
set --
for folder in lib src bench tests kernels; do
    [ -d $folder ] || continue
    for file in $(find $folder -type f \( -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.cl' \) |
        LC_ALL=C sort); do
        set -- "$@" "$file"
    done
done
[ $# -gt 0 ] || { echo "no sources under $PWD"; exit 1; }
status=0
awk -f "$here/reading.awk" -f "$here/law.awk" "$@" || status=1
awk -f "$here/reading.awk" -f "$here/circles.awk" "$@" || status=1
exit $status

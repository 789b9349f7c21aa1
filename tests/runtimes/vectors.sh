#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Products of each type, verified, on the real CPU with other native vector widths, which the layer
# reports. A plain run has one type and width, drawn by the seed.
# Usage: vectors.sh LAYER CLGEMM CLGEMM-BENCH
set -eu
layer=$1 tool=$2 bench=$3
export OPENCL_LAYERS="$layer"

native() { # the width that the tool reports
    "$tool" info | sed -n 's/^| native float vector | \([0-9]*\) |$/\1/p' | head -1
}

case $(CLG_VECTOR=5 native) in
5) ;;
'') echo "skipped: no usable OpenCL device" && exit 77 ;;
*) echo "skipped: the OpenCL loader loads no OPENCL_LAYERS" && exit 77 ;;
esac
"$tool" info | grep -q '^| kind | cpu |' || { echo "skipped: the device is no CPU"; exit 77; }

widths="4 8 16" types="s d h"
if [ -z "${CLGEMM_TEST_LONG:-}" ]; then
    seed=${CLGEMM_TEST_SEED:-20111}
    # shellcheck disable=SC2086
    set -- $widths
    shift $((seed % 3))
    widths=$1
    types=s
    [ $((seed / 3 % 2)) -eq 0 ] || types=d
    echo "width $widths of $types was drawn: CLGEMM_TEST_SEED=$seed repeats it, CLGEMM_TEST_LONG=1 does all"
fi

for width in $widths; do
    export CLG_VECTOR="$width"
    for type in $types; do
        said=$(CLGEMM_VERBOSE=1 "$bench" --shape 203x187x150 --type $type --beta 0.5 \
            --peers none -o csv 2>&1) || { printf '%s\n' "$said"; echo "wrong: width $width, type $type"; exit 1; }
        # The kernels are those for vectors of this width.
        printf '%s\n' "$said" | grep -q 'family=panel' || {
            printf '%s\n' "$said"
            echo "width $width, type $type: no call took vectors"
            exit 1
        }
    done
    echo "width $width: right"
done

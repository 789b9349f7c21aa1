#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Test programs on Intel's runtime for CPUs, which also runs on other processors. A plain run has
# one of them, drawn by the seed.
# Usage: intel.sh FOLDER SCRATCH PROGRAM...
#   FOLDER  where it is installed: pip install --prefix FOLDER intel-opencl-rt intel-cmplr-lib-rt
set -eu
folder=${CLGEMM_TEST_INTEL:-$1} scratch=$2
shift 2
library=$(find "$folder" -name libintelocl.so 2>/dev/null | head -1)
if [ -z "$library" ]; then
    echo "skipped: Intel's runtime is neither in $folder nor where CLGEMM_TEST_INTEL says (tests/run --clients installs it)"
    exit 77
fi
mkdir -p "$scratch"
echo "$library" >"$scratch/intel.icd"
export OCL_ICD_VENDORS="$scratch" OPENCL_VENDOR_PATH="$scratch"
unset OCL_ICD_FILENAMES CLGEMM_DEVICE

if [ -z "${CLGEMM_TEST_LONG:-}" ]; then
    seed=${CLGEMM_TEST_SEED:-20111}
    shift $((seed % $#))
    set -- "$1"
    echo "$(basename "$1") was drawn: CLGEMM_TEST_SEED=$seed repeats it, CLGEMM_TEST_LONG=1 does all"
    export CLGEMM_TEST_TYPES=1
fi
for program in "$@"; do
    status=0
    "$program" || status=$?
    if [ "$status" -ne 0 ]; then
        echo "$(basename "$program") ended with $status on $library"
        exit "$status"
    fi
done

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Random products on Mesa's rusticl with llvmpipe, which runs on CPUs. It ends loops after 65,535
# iterations, so they are small.
# Usage: rusticl.sh FOLDER SCRATCH TEST_RANDOM_SHAPES
#   FOLDER  where Debian's mesa-opencl-icd and what it needs are unpacked (cmake/setup.sh)
set -eu
folder=$1 scratch=$2 program=$3
library=$(find "$folder" -name 'libRusticlOpenCL.so.1.*' 2>/dev/null | head -1)
if [ -z "$library" ]; then
    echo "skipped: Mesa's rusticl is not in $folder (tests/run unpacks it)"
    exit 77
fi
rm -rf "$scratch"
mkdir -p "$scratch/vendors"
# Where it looks for libclc's files: in the working directory, not in /usr/lib.
sed 's|/usr/lib/clc/|././././/clc/|g' "$library" >"$scratch/libRusticlOpenCL.so"
ln -s "$folder/usr/lib/clc" "$scratch/clc"
echo "$scratch/libRusticlOpenCL.so" >"$scratch/vendors/rusticl.icd"
export OCL_ICD_VENDORS="$scratch/vendors" OPENCL_VENDOR_PATH="$scratch/vendors"
export LD_LIBRARY_PATH="${library%/*}" GALLIUM_PIPE_SEARCH_DIR="${library%/*}/gallium-pipe"
export RUSTICL_ENABLE=llvmpipe CLGEMM_DEVICE=llvmpipe
unset OCL_ICD_FILENAMES
cd "$scratch"
if [ -z "${CLGEMM_TEST_LONG:-}" ]; then
    exec "$program" 2 40
fi
exec "$program" 24 64

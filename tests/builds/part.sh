#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles a part of the library's files in one of the ways of other.sh; the seed draws both.
# Usage: part.sh SOURCE-FOLDER GENERATED-FOLDER SCRATCH WAY...
set -euo pipefail
source=$1 generated=$2 scratch=$3
shift 3
ways=("$@")
parts=16
seed=${CLGEMM_TEST_SEED:-20111}
way=${ways[seed % ${#ways[@]}]}
part=$((seed / ${#ways[@]} % parts))
echo "part $part of $parts by $way was drawn: CLGEMM_TEST_SEED=$seed repeats it"
exec "$source/tests/builds/other.sh" "$way" "$source" "$generated" "$scratch" "$part" "$parts"

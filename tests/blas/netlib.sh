#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The reference BLAS's own testers with the drop-in before it, and every call with work on the
# device. Debian's package libblas-test has them.
# Usage: netlib.sh xblat3s|xscblat3 REFERENCE-LIBRARY     CLGEMM: the tool; DROP_IN: the library
set -eu
tester=$1
folder=$(dirname "$2")
[ -x "$folder/$tester" ] || {
    echo "SKIP: $tester is not there (Debian: libblas-test)"
    exit 77
}
"$CLGEMM" info -l >/dev/null || exit 77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
bad=0

# Six values of m, n and k and three of alpha, one of each 0; nine pairs of transposes; three betas.
case $tester in
xblat3s)
    input=sblat3.in output=sblat3.out layouts=1
    ;;
xscblat3)
    input=sin3 output=out layouts=2
    ;;
esac
calls=$((6 * 6 * 6 * 9 * 3 * 3 * layouts))
work=$((5 * 5 * 5 * 9 * 2 * 3 * layouts))

LD_PRELOAD=$DROP_IN LD_LIBRARY_PATH=$folder CLGEMM_MIN_FLOPS=0 CLGEMM_VERBOSE=1 \
    CLGEMM_LOGFILE=$scratch/log "$folder/$tester" <"$folder/$input" >out
expect() { # COUNT TEXT FILE
    count=$(grep -c -e "$2" "$3" || true)
    [ "$count" -eq "$1" ] && return
    echo "$count lines, not $1, in $3 with: $2"
    bad=1
}
expect 6 "PASSED THE TESTS OF ERROR-EXITS" $output
expect $((6 * layouts)) "PASSED THE .*COMPUTATIONAL TESTS" $output
expect 0 "FAIL\|\*\*\*" $output
expect $((calls - work)) "sgemm on=cpu why=no-work" log
expect $((calls - work)) "sgemm on=cpu" log
expect 0 "ssyrk on=cpu why=[^n]" log
# Of ssyrk: each triangle is one product.
expect $((work + 5 * 5 * 2 * 3 * 2 * 3 * layouts)) "sgemm on=device" log

[ $bad -eq 0 ] || cat $output
exit $bad

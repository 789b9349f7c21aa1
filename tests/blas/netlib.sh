#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The reference BLAS's own testers, with the drop-in before it and every call with work on the
# device. Debian's package libblas-test has them.
# Usage: netlib.sh xblat3L|xLcblat3 REFERENCE-LIBRARY     L: s, d, c or z
# CLGEMM: the tool; DROP_IN: the library
set -eu
tester=$1
folder=$(dirname "$2")
[ -x "$folder/$tester" ] || {
    echo "SKIP: $tester is missing (Debian: libblas-test)"
    exit 77
}
"$CLGEMM" info -l >/dev/null || exit 77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
bad=0

case $tester in
xblat3?)
    l=${tester#xblat3}
    input=${l}blat3.in output=${l}blat3.out layouts=1
    ;;
x?cblat3)
    l=${tester#x}
    l=${l%cblat3}
    input=${l}in3 output=out layouts=2
    ;;
esac
# Six values of m, n and k, some of which may be 0; three of alpha, one of them 0; nine pairs of
# transposes; three betas.
some=$(awk '/[0-9] +VALUES OF N$/ { for (i = 1; i <= 6; i++) n += $i > 0 } END { print n }' "$folder/$input")
calls=$((6 * 6 * 6 * 9 * 3 * 3 * layouts))
work=$((some * some * some * 9 * 2 * 3 * layouts))
others="symm syrk syr2k trmm trsm"
case $l in [cz]) others="$others hemm herk her2k" ;; esac
set -- gemm $others
routines=$#

LD_PRELOAD=$DROP_IN LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
    CLGEMM_MIN_FLOPS=0 CLGEMM_VERBOSE=1 CLGEMM_LOGFILE=$scratch/log "$folder/$tester" <"$folder/$input" >out
expect() { # COUNT TEXT FILE
    count=$(grep -c -e "$2" "$3" || true)
    [ "$count" -eq "$1" ] && return
    echo "$count lines, not $1, in $3 with: $2"
    bad=1
}
expect $routines "PASSED THE TESTS OF ERROR-EXITS" $output
expect $((routines * layouts)) "PASSED THE .*COMPUTATIONAL TESTS" $output
expect 0 "FAIL\|\*\*\*" $output
expect $((calls - work)) "${l}gemm on=cpu why=no-work" log
expect $((calls - work)) "${l}gemm on=cpu" log
expect 0 "on=cpu why=[^n]" log
expect $work "${l}gemm on=device" log
for routine in $others; do
    # Sides or transposes, triangles, three of alpha, two of which count; and betas or units.
    least=$((some * some * 2 * 2 * 2 * 2 * layouts))
    count=$(grep -c "$l$routine on=device" log || true)
    [ "$count" -ge $least ] || { echo "$l$routine: $count calls on the device, fewer than $least" && bad=1; }
done

[ $bad -eq 0 ] || cat $output
grep -c "on=device" log | sed 's/$/ calls on the device/'
exit $bad

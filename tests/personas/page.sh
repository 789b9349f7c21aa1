#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails unless docs/personas.md ends, behind its line of a comment, in what persona_table prints;
# with --write it makes it so.
# Usage: page.sh PERSONA_TABLE docs/personas.md [--write]
set -eu
table=$1
page=$2
new=$(mktemp)
trap 'rm -f "$new"' EXIT
sed '/^<!-- written by/q' "$page" > "$new"
"$table" >> "$new"
if [ "${3-}" = --write ]; then
    cp "$new" "$page"
else
    diff -u "$page" "$new" || { echo "write it anew: tests/personas/page.sh $table $page --write"; exit 1; }
fi

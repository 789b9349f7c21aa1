#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of statuses in docs/api.md, made from CLGEMM_STATUS_MAP of include/clgemm.h.

Usage: statuses.py ROOT [--write]     fails where they differ; --write replaces the table
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
PAGE = ROOT / "docs/api.md"
BEGIN, END = "<!-- statuses: tests/docs/statuses.py . --write -->\n", "<!-- end of statuses -->\n"


def table():
    header = (ROOT / "include/clgemm.h").read_text(encoding="utf-8")
    body = re.search(r"#define CLGEMM_STATUS_MAP\(X\)(?:.*\\\n)+.*\n", header)[0]
    rows = re.findall(r'X\((\w+), (-\d+), *"(.*?)"\)', body)
    if len(rows) != body.count("X(") or not rows:
        sys.exit(f"{len(rows)} of {body.count('X(')} statuses are understood")
    return "".join(["| status | value | when |\n", "|---|---|---|\n",
                    *(f"| `{name}` | {value} | {text} |\n" for name, value, text in rows)])


page = PAGE.read_text(encoding="utf-8")
if page.count(BEGIN) != 1 or page.count(END) != 1:
    sys.exit(f"{PAGE} lacks the two marks around its table of statuses")
before, _, rest = page.partition(BEGIN)
made = before + BEGIN + table() + END + rest.partition(END)[2]
if "--write" in sys.argv:
    PAGE.write_text(made, encoding="utf-8")
elif made != page:
    sys.exit(f"{PAGE}: the table of statuses is not that of include/clgemm.h: tests/docs/statuses.py . --write")

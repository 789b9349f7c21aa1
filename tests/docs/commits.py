#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No document cites a commit that is not in this repository's history. Usage: commits.py ROOT

Exit: 77 where ROOT is no clone with its whole history.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
# Hexadecimal with a letter and a digit, and not part of a file's name.
HASH = re.compile(r"(?<![-\w./])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{7,40}\b(?!\.\w)")


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False)


if not (ROOT / ".git").exists() or git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
    print("SKIP: no clone with its whole history")
    sys.exit(77)
faults = []
for page in git("ls-files", "*.md").stdout.splitlines():
    text = (ROOT / page).read_text(encoding="utf-8") if (ROOT / page).exists() else ""
    for found in sorted(set(HASH.findall(text))):
        if git("merge-base", "--is-ancestor", found, "HEAD").returncode:
            faults.append(f"{page}: {found} is not in the history")
sys.exit("\n".join(faults) or 0)

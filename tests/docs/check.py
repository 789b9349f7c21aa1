#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the documents are true where a program can tell. Usage: check.py ROOT PART

links      every link within the repository leads to a file that is there, and to a heading or anchor
pictures   every picture names its date and command, the small ones show their recorded figures,
           screenshots are small, and drawn by bench/pictures
variables  README.md lists every environment variable that lib/ reads, and no other; all are read in one
           place, as SECURITY.md says
"""
import pathlib
import re
import subprocess
import sys
import tempfile

root, part = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
faults = []

LARGEST = 200_000  # bytes of a screenshot


def anchors(path):
    """Those of a page: its headings, as GitHub names them, and its own."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    found = set(re.findall(r'<a id="([^"]+)">', text))
    for heading in re.findall(r"^#+ +(.*)", text, flags=re.M):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = sum(other == name or re.fullmatch(re.escape(name) + r"-\d+", other) is not None
                     for other in found)
        found.add(f"{name}-{number}" if name in found else name)
    return found


def check_links():
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "kernels").rglob("*.md")]
    for page in pages:
        text = re.sub(r"`[^`]*`", "", page.read_text(encoding="utf-8"))
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", link):
                continue
            file, _, anchor = link.partition("#")
            target = (page.parent / file).resolve() if file else page
            if not target.exists():
                faults.append(f"{page}: {link}: there is no such file")
            elif anchor and anchor not in anchors(target):
                faults.append(f"{page}: {link}: there is no such heading")


def check_pictures():
    for picture in (root / "docs").glob("*.svg"):
        text = picture.read_text(encoding="utf-8")
        for what, pattern in {"date": r">20\d\d-\d\d-\d\d, ", "command": r">[^<]*clgemm-bench -"}.items():
            if not re.search(pattern, text):
                faults.append(f"{picture} does not name its {what}")
    for picture in (root / "docs").glob("*.png"):
        if picture.stat().st_size > LARGEST:
            faults.append(f"{picture} is larger than {LARGEST} bytes")
        if f'"{picture.stem}": [' not in (root / "bench/pictures").read_text(encoding="utf-8"):
            faults.append(f"bench/pictures does not draw {picture}")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([root / "bench/pictures", "--recorded", "--out", folder], check=True)
        drawn = list(pathlib.Path(folder).iterdir())
        recorded = list((root / "docs/results").glob("*.csv"))
        if {picture.stem for picture in drawn} != {figures.stem for figures in recorded}:
            faults.append(f"{len(drawn)} drawings of {len(recorded)} files of recorded figures")
        for picture in drawn:
            if picture.read_bytes() != (root / "docs" / picture.name).read_bytes():
                faults.append(f"docs/{picture.name} does not show its figures: bench/pictures --recorded")


def check_variables():
    reads = r'(?:clg_env\w*|secure_getenv|clg_variable)\("(CLGEMM_\w+)"|\{"\w+", "(CLGEMM_\w+)", (?:set_|\{)'
    read = {name for file in (root / "lib").rglob("*.c")
            for pair in re.findall(reads, file.read_text(encoding="utf-8")) for name in pair if name}
    listed = set(re.findall(r"^\| `(CLGEMM_\w+)", (root / "README.md").read_text(encoding="utf-8"), re.M))
    readers = [str(file.relative_to(root)) for file in sorted((root / "lib").rglob("*.c"))
               if re.search(r"\b(?:secure_)?getenv *\(|\benviron\b", file.read_text(encoding="utf-8"))]
    if readers != ["lib/base/env.c"]:
        faults.append(f"the environment is read in {readers}: SECURITY.md says, by lib/base/env.c alone")
    if len(read) < 10:
        faults.append(f"only {sorted(read)} are found in lib/: has the way to read them changed?")
    faults.extend(f"README.md does not list {name}" for name in sorted(read - listed))
    faults.extend(f"README.md lists {name}, which nothing reads" for name in sorted(listed - read))


{"links": check_links, "pictures": check_pictures, "variables": check_variables}[part]()
sys.exit("\n".join(faults) or 0)

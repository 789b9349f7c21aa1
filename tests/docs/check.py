#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the documents are true where a program can tell. Usage: check.py ROOT PART

links      every link within the repository leads to a file that is there, and to a heading or anchor
pictures   every picture names its date and command; screenshots are small
variables  docs/environment.md lists every environment variable that lib/ reads, and no other; all are read in
           one place, as SECURITY.md says
english    lines of prose are at most 120 characters long, phrases that readers stumbled over do not come back,
           and hunspell knows every word, or words.txt beside this file does (77: hunspell is missing)
size       README.md has at most 120 lines, and all documents but the log at most 240 KB
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

root, part = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
here = pathlib.Path(__file__).resolve().parent
faults = []

LARGEST = 200_000  # bytes of a screenshot
LONGEST = 120  # characters of a line of prose
ALL_DOCUMENTS = 240_000  # bytes, without the log
PHRASES = (r"takes? no vectors", r"as it lies", r"is looked at", r"are storage", r"of two to the even", r"shares? out",
           r"in another's stead", r"nobody tuned", r"so many slices", r"rather asks", r"is at \d[.\d]* of")


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
    for picture in (root / "docs").rglob("*.svg"):
        text = picture.read_text(encoding="utf-8")
        for what, pattern in {"date": r">20\d\d-\d\d-\d\d, ", "command": r">[^<]*clgemm-bench -"}.items():
            if not re.search(pattern, text):
                faults.append(f"{picture} does not name its {what}")
    for picture in (root / "docs").rglob("*.png"):
        if picture.stat().st_size > LARGEST:
            faults.append(f"{picture} is larger than {LARGEST} bytes")


def check_variables():
    reads = r'(?:clg_env\w*|secure_getenv|clg_variable)\("(CLGEMM_\w+)"|\{"\w+", "(CLGEMM_\w+)", (?:set_|\{)'
    read = {name for file in (root / "lib").rglob("*.c")
            for pair in re.findall(reads, file.read_text(encoding="utf-8")) for name in pair if name}
    listed = set(re.findall(r"^\| `(CLGEMM_\w+)", (root / "docs/environment.md").read_text(encoding="utf-8"), re.M))
    readers = [str(file.relative_to(root)) for file in sorted((root / "lib").rglob("*.c"))
               if re.search(r"\b(?:secure_)?getenv *\(|\benviron\b", file.read_text(encoding="utf-8"))]
    if readers != ["lib/base/env.c"]:
        faults.append(f"the environment is read in {readers}: SECURITY.md says, by lib/base/env.c alone")
    if len(read) < 10:
        faults.append(f"only {sorted(read)} are found in lib/: has the way to read them changed?")
    faults.extend(f"docs/environment.md does not list {name}" for name in sorted(read - listed))
    faults.extend(f"docs/environment.md lists {name}, which nothing reads" for name in sorted(listed - read))


def documents():
    """All Markdown but the log, which stands as it was written."""
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "kernels").rglob("*.md")]
    return [page for page in pages if root / "docs/log" not in page.parents]


def prose(text):
    """The text without code, links' targets and markup."""
    text = re.sub(r"^```.*?^```|<!--.*?-->", "", text, flags=re.M | re.S)
    text = re.sub(r"^ {4,}(?![-*\d]).*$", "", text, flags=re.M)
    return re.sub(r"``.*?``|`[^`]*`|\]\([^)]*\)|\bhttps?:\S+|<[^>]*>", " ", text, flags=re.S)


def check_english():
    for page in documents():
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            if len(line) > LONGEST and " " in line:
                faults.append(f"{page}:{number}: {len(line)} characters")
            faults.extend(f"{page}:{number}: \"{found}\": say it in the field's words"
                          for phrase in PHRASES for found in re.findall(rf"\b{phrase}\b", line))
    if not shutil.which("hunspell"):
        faults.append("hunspell is not here")
        return
    for page in [*documents(), *sorted((root / "include").glob("*.h"))]:
        text = page.read_text(encoding="utf-8")
        text = " ".join(re.findall(r"/\*.*?\*/", text, re.S)) if page.suffix == ".h" else prose(text)
        # Names have a capital, a digit or a sign in them, and are left out.
        words = [re.sub(r"'s$", "", word.strip("\"'().,;:!?")) for word in re.split(r"[\s\u2013-]+", text)]
        text = "\n".join(word for word in words if re.fullmatch(r"[A-Za-z]?[a-z']+", word))
        unknown = subprocess.run(["hunspell", "-l", "-d", "en_GB", "-p", here / "words.txt"], input=text, text=True,
                                 stdout=subprocess.PIPE, check=True).stdout.split()
        faults.extend(f"{page}: {word}: misspelt, or missing in tests/docs/words.txt" for word in sorted(set(unknown)))


def check_size():
    lines = len((root / "README.md").read_text(encoding="utf-8").splitlines())
    if lines > 120:
        faults.append(f"README.md has {lines} lines")
    size = sum(page.stat().st_size for page in documents())
    if size > ALL_DOCUMENTS:
        faults.append(f"the documents have {size} bytes")


{"links": check_links, "pictures": check_pictures, "variables": check_variables, "english": check_english,
 "size": check_size}[part]()
if faults == ["hunspell is not here"] and os.environ.get("CI") != "true":
    print(faults[0])
    sys.exit(77)
sys.exit("\n".join(faults) or 0)

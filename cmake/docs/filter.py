#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A file as Doxygen takes it, on stdout. Usage: filter.py FILE

A public header: its plain comments become documentation comments, its sections member groups, and the
map of statuses enumerators with their texts. A page: links to pages that are not there become text, and
names of the API become links.
"""
import pathlib
import re
import sys

FILE = pathlib.Path(sys.argv[1])


class Comments:
    """Comments that begin a line, in their order: the file's, headings, asides, those of declarations."""

    def __init__(self):
        self.heading, self.close = None, ""

    def __call__(self, match):
        comment, below = match.groups()
        heading = re.fullmatch(r"/\* -+ (.*?) -+ \*/", comment)
        if heading:
            self.heading = heading[1]
            return ""
        # Doxygen would take it for HTML.
        text = re.sub(r"<(clgemm\w*\.h)>", r"\1", comment[2:])
        if text.startswith(" SPDX"):
            return f"/** @file{text[text.index(chr(10)):]}\n{below}"
        begin = ""
        if self.heading:
            # A blank line below it makes the comment an aside, which is the section's.
            about = text[:-2] if below else ""
            begin = f"{self.close}/** @name {self.heading}\n *{about}*/\n/** @{{ */\n"
            self.heading, self.close = None, "/** @} */\n"
            if below:
                return begin
        return f"{begin}/**{text}\n{below}"


def header(text):
    rows = re.findall(r'X\((\w+), (-\d+), *"(.*?)"\)', text)
    enumerators = "".join(f"    CLGEMM_STATUS_{name} = {value}, /**< {words} */\n" for name, value, words in rows)
    text = re.sub(r"/\*[^*]*\*/\n#define CLGEMM_STATUS_MAP.*?\n\n", "", text, flags=re.S)
    text = re.sub(r"^#define CLGEMM_STATUS_ENUM.*^#undef CLGEMM_STATUS_ENUM\n", enumerators, text, flags=re.M | re.S)
    comments = Comments()
    text = re.sub(r"^(/\*.*?\*/)\n(\n?)", comments, text, flags=re.M | re.S)
    text = re.sub(r"^(    [^/\n]*[^/\s]) */\* ", r"\1 /**< ", text, flags=re.M)  # behind members
    return re.sub(r"\n(#ifdef __cplusplus\n\})", rf"\n{comments.close}\1", text)


def page(text):
    return re.sub(r"`(clgemm_[a-z_]+)`", r"#\1", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text))


content = FILE.read_text(encoding="utf-8")
sys.stdout.write(header(content) if FILE.suffix == ".h" else page(content))

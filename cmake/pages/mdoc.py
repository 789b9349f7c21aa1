# SPDX-License-Identifier: Apache-2.0
"""Text and the Markdown of docs/ as mdoc(7), the language of manual pages, without a complaint of mandoc."""
import re
import textwrap


def escape(text):
    """Text as it stands, within a line."""
    text = text.replace("\\", "\\e").replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    return "".join(c if ord(c) < 128 else f"\\[u{ord(c):04X}]" for c in text)


def argument(text):
    """Text as one argument of a macro."""
    return '"' + escape(text).replace('"', '""') + '"'


def inline(text):
    """Markdown within a paragraph: `code`, **bold**, [links](to)."""
    def one(match):
        code, bold, name, target = match.groups()
        if name is not None:
            page = "docs/" + target.partition("#")[0].removeprefix("docs/")
            return inline(page if name.endswith(".md") and target[0] != "#" else name)
        return f"\\fB{escape(code if code is not None else bold)}\\fR"

    parts, at = [], 0
    for match in re.finditer(r"`([^`]+)`|\*\*(.+?)\*\*|\[([^\]]+)\]\(([^)\s]+)\)", text):
        parts += [escape(text[at:match.start()]), one(match)]
        at = match.end()
    return "".join(parts) + escape(text[at:])


def fill(text):
    """A paragraph's lines: each sentence begins one, and none can be taken for a macro. Functions are bold."""
    out = []
    text = re.sub(r"(?<![\\\w])(\w+)\(\)", r"\\fB\1\\fR()", text)  # not where it is bold already
    for sentence in re.split(r"(?<=[.!?:;)]) +", " ".join(text.split())):
        lines = textwrap.wrap(sentence, 78, break_long_words=False, break_on_hyphens=False)
        out += ["\\&" + line if line[:1] in ".'" else line for line in lines]
    return out


def display(lines):
    """Lines as they stand."""
    width = max(map(len, lines))
    literal = ["\\&" + escape(line) if line[:1] in ".'" else escape(line) for line in lines]
    return [f".Bd -literal -offset {'indent' if width < 70 else '2n'}", *literal, ".Ed"]


def items(kind, texts):
    """A list, of (tag, text) where its kind has tags."""
    out = [f".Bl {kind}"]
    for item in texts:
        tag, text = item if isinstance(item, tuple) else (None, item)
        out += [".It " + tag if tag else ".It", *fill(text)]
    return [*out, ".El"]


def table(rows):
    """A list of what stands in the first column, with the others as its text."""
    head, texts = rows[0], []
    for row in rows[2:]:
        others = [f"{title}: {cell}" if title and len(row) > 2 else cell
                  for title, cell in zip(head[1:], row[1:]) if cell]
        texts.append((argument(re.sub(r"[`*]", "", row[0])), inline("; ".join(others))))
    return items("-tag -width Ds", texts)


def blocks(markdown):
    """The kinds and lines of a page's blocks."""
    kind, block = None, []
    for line in markdown.splitlines() + [""]:
        if re.match(r"#+ ", line):
            new = "heading"
        elif line.startswith("|"):
            new = "table"
        elif line.startswith("    ") and kind not in ("bullets", "numbers"):
            new = "code"
        elif re.match(r"- ", line):
            new = "bullets"
        elif re.match(r"\d+\. ", line):
            new = "numbers"
        elif not line.strip():
            new = "code" if kind == "code" else None
        else:
            new = kind if kind in ("bullets", "numbers") else "text"
        if new != kind or new == "heading":
            if kind:
                yield kind, block
            kind, block = new, []
        block.append(line)
    if kind:
        yield kind, block


def cells(line):
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def section(title):
    return f".Sh {escape(title).upper()}"


def from_markdown(markdown):
    """A page's body. Its own title is left out; ## become sections, ### their parts."""
    out = []
    for kind, lines in blocks(markdown):
        follows_heading = not out or out[-1].startswith((".Sh", ".Ss"))
        text = "\n".join(lines)
        if kind == "heading":
            level, title = re.match(r"(#+) +(.*)", lines[0]).groups()
            if len(level) > 1:
                out.append(section(re.sub("`", "", title)) if len(level) == 2
                           else ".Ss " + escape(re.sub("`", "", title)))
        elif kind == "code":
            while not lines[-1].strip():
                lines.pop()
            out += display([line[4:] for line in lines])
        elif kind == "table":
            out += table([cells(line) for line in lines])
        elif kind in ("bullets", "numbers"):
            found = re.split(r"^(?:- |\d+\. )", text, flags=re.M)[1:]
            out += items("-bullet" if kind == "bullets" else "-enum", [inline(item) for item in found])
        else:
            out += ([] if follows_heading else [".Pp"]) + fill(inline(text))
    return out


def sections(markdown, titles):
    """These ## sections of a page, with the ### below them, in their order there."""
    parts = re.split(r"^(?=## )", markdown, flags=re.M)
    wanted = [part for part in parts if part.partition("\n")[0][3:] in titles]
    if len(wanted) != len(titles):
        raise SystemExit(f"of {titles} only {len(wanted)} are there")
    return "\n".join(wanted)


def page(name, number, names, what, body, date):
    """A whole page. `names` are all that it describes."""
    about = [f".Nm {escape(n)}{' ,' if n != names[-1] else ''}" for n in names]
    return "\n".join([f".Dd {date}", f".Dt {escape(name.upper())} {number}", ".Os", ".Sh NAME", *about,
                      f".Nd {escape(what)}", *body]) + "\n"

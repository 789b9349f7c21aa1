# SPDX-License-Identifier: Apache-2.0
"""The public headers' declarations with the comments above them, as manual pages of section 3.

A comment right above a declaration describes it; one that begins with "The same" goes on from the
function before, on whose page it stands. Other comments, headings with what stands below them, are
the overview's."""
import itertools
import re

import mdoc

STATUS = "clgemm_status"


class Entry:
    """A declaration: `name`, a function's `result` and `arguments` or a type's `code`, its comment."""

    def __init__(self, header, comment, code):
        self.header, self.comment, self.code, self.codes = header, comment, code, []
        function = re.fullmatch(r"CLGEMM_API (.*?)(clgemm_\w+)\((.*)\);", " ".join(code.split()))
        self.is_function = function is not None
        if function:
            result, self.name, arguments = function.groups()
            self.result = result.strip()
            self.arguments = [a.strip() for a in arguments.split(",") if a.strip() != "void"]
        else:
            self.name = re.search(r"(\w+);\s*$", code).group(1)

    def continues(self):
        return self.is_function and self.comment.startswith("The same")

    def types(self):
        """The library's own types that it mentions."""
        return set(re.findall(r"\bclgemm_\w+", self.code)) - {self.name}


def plain(comment):
    """A comment's text: without its frame, paragraphs apart, indented lines as they are."""
    lines = comment.removeprefix("/*").removesuffix("*/").splitlines()
    return "\n".join([lines[0].strip()] + [re.sub(r"^ \* ?", "", line).rstrip() for line in lines[1:]]).strip()


def read(path):
    """A header's entries in their order, and its other comments as (heading or None, text)."""
    source = path.read_text(encoding="utf-8")
    entries, asides, heading, comment, codes = [], [], None, "", []
    pattern = (r"/\* -+ (?P<heading>.*?) -+ \*/|(?P<comment>/\*.*?\*/)\n(?P<below>\n?)"
               r"|(?P<code>^(?:CLGEMM_API|typedef)\b(?:[^{;]|\{[^\n{}]*\}|\{\n.*?^\})*;)"
               r"|^#(?:[^\n]*\\\n)*[^\n]*")
    for match in re.finditer(pattern, source, flags=re.M | re.S):
        if match["heading"]:
            heading, comment = match["heading"], ""
        elif match["comment"]:
            text = plain(match["comment"])
            following = source[match.end():]
            if following.startswith("#define"):
                codes = re.findall(r'X\((\w+), (-\d+), *"(.*?)"\)', following.partition("\n\n")[0])
            elif re.match(r"CLGEMM_API|typedef", following) and not match["below"]:
                comment = text
            else:
                asides.append((heading, text))
        elif match["code"]:
            entries.append(Entry(path.name, comment, match["code"]))
            if entries[-1].name == STATUS:
                entries[-1].codes = codes
            comment = ""
    about = asides.pop(0)[1].partition("\n")[2]  # behind the licence's line
    return entries, asides, about


def prose(text):
    """A comment's paragraphs; what is indented in it stands as it is."""
    out = []
    for part in re.split(r"\n\s*\n", text):
        for shown, lines in itertools.groupby(part.splitlines(), lambda line: line.startswith("    ")):
            out += (mdoc.display([line[4:] for line in lines]) if shown
                    else [".Pp", *mdoc.fill(mdoc.inline(" ".join(lines)))])
    return out[1:] if out[:1] == [".Pp"] else out


def summary(entry):
    """The first clause of what is said of it."""
    text = " ".join(entry.comment.split()) or f"a type of <{entry.header}>"
    return re.split(r"(?<=[^.])[.;:](?: |$)", text.replace("C :=", "C =", 1), maxsplit=1)[0]


def synopsis(entry):
    out = [f".Ft {mdoc.argument(entry.result)}", f".Fo {entry.name}"]
    return out + [f".Fa {mdoc.argument(a)}" for a in entry.arguments] + [".Fc"]


def group(entries):
    """Lists of entries that share a page."""
    pages = []
    for entry in entries:
        if entry.continues() and pages and pages[-1][0].is_function:
            pages[-1].append(entry)
        else:
            pages.append([entry])
    return pages


def page(entries, known, date):
    """The page of a function with those that continue it, or of a type."""
    one, names = entries[0], [entry.name for entry in entries]
    body = [mdoc.section("Synopsis"), f".In {one.header}"]
    if one.is_function:
        for entry in entries:
            body += synopsis(entry)
    else:
        body += mdoc.display(one.code.splitlines())
    body.append(mdoc.section("Description"))
    for entry in entries:
        if len(entries) > 1:
            body += ([".Pp"] if entry is not one else []) + [f".Fn {entry.name} :"]
        body += prose(entry.comment or summary(entry) + ".")
    if one.codes:
        body += mdoc.items("-tag -width Ds", [(f"Dv CLGEMM_STATUS_{name} Pq {value}", mdoc.escape(text) + ".")
                                              for name, value, text in one.codes])
    if any(entry.is_function and entry.result == STATUS for entry in entries):
        body += [mdoc.section("Return values"), ".Dv CLGEMM_SUCCESS ,",
                 *mdoc.fill("or the status of what is wrong, of which")]
        body += [".Fn clgemm_last_error", *mdoc.fill("says more.")]
    others = {name for entry in entries for name in entry.types()} & known - set(names)
    body += [mdoc.section("See also"), *see(sorted(others | {"libclgemm"}), 3)]
    return mdoc.page(one.name, 3, names, summary(one).replace("`", ""), body, date)


def see(names, number):
    return [f".Xr {name} {number}{' ,' if name != names[-1] else ''}" for name in names]


def overview(headers, variables, date):
    """libclgemm(3): what the headers say beside their declarations, and all of these by name."""
    body = [mdoc.section("Synopsis"), *[f".In {path.name}" for path, _ in headers],
            mdoc.section("Description")]
    for path, (_, asides, about) in headers:
        body += ([f".Ss {path.name}"] if path is not headers[0][0] else []) + prose(about)
        for heading, text in asides:
            body += ([".Ss " + mdoc.escape(heading)] if heading else [".Pp"]) + prose(text)
    body += [".Pp", *mdoc.fill("Programs are built with"), *mdoc.display(
        ["cc program.c $(pkg-config --cflags --libs clgemm)"])]
    for title, wanted in ("Functions", True), ("Types", False):
        body += [mdoc.section(title), ".Bl -tag -width Ds"]
        for _, (entries, _, _) in headers:
            for pages in group([e for e in entries if e.is_function == wanted]):
                body += [f".It {' , '.join(f'Xr {e.name} 3' for e in pages)}",
                         *mdoc.fill(mdoc.inline(summary(pages[0])))]
        body.append(".El")
    body += [mdoc.section("Environment"), *mdoc.table(variables), mdoc.section("See also"),
             ".Xr clgemm 1 ,", ".Xr clgemm-tuning 5 ,", ".Xr libclgemm_blas 7"]
    return mdoc.page("libclgemm", 3, ["libclgemm"], "matrix multiplication through OpenCL", body, date)


def pages(paths, variables, date):
    """Every page of section 3 by its file's name; by the name of another file where it is the same page."""
    headers = [(path, read(path)) for path in paths]
    known = {entry.name for _, (entries, _, _) in headers for entry in entries}
    out = {"libclgemm.3": overview(headers, variables, date)}
    for _, (entries, _, _) in headers:
        for shared in group(entries):
            out[f"{shared[0].name}.3"] = page(shared, known, date)
            for entry in shared[1:]:
                out[f"{entry.name}.3"] = f"{shared[0].name}.3"
    return out

# SPDX-License-Identifier: Apache-2.0
"""What the programs say of themselves: their commands and options, by --option-table."""
import json
import re
import subprocess
import textwrap

import mdoc


class Command:
    """A program or one of its commands: `words` are how it is called."""

    def __init__(self, file, words, summary=""):
        told = subprocess.run([file, *words[1:], "--option-table"], capture_output=True, text=True, check=True)
        said = json.loads(told.stdout)
        self.words, self.summary = words, summary
        self.options, self.stops = said.get("options", []), said.get("stops", False)
        usage, _, text = said["usage"].partition("\n")
        while text.startswith("       "):  # a second form
            more, _, text = text.partition("\n")
            usage += "\n" + more
        self.usage = [line.strip() for line in usage.removeprefix("usage:").splitlines()]
        self.about, self.notes = ([" ".join(part.split()) for part in many.split("\n\n") if part.strip()]
                                  for many in (text, said["notes"]))
        self.commands = [Command(file, [*words, c["name"]], c["summary"]) for c in said.get("commands", [])]

    def name(self):
        return " ".join(self.words)

    def leaves(self):
        """The commands that have options."""
        return [leaf for c in self.commands for leaf in c.leaves()] if self.commands else [self]


def flags(option):
    """An option's names."""
    return ([f"-{option['letter']}"] if option["letter"] else []) + [f"--{option['name']}"]


def choices(option):
    """The words that its value is one of, or nothing."""
    argument = option["argument"] or ""
    return argument.split("|") if re.fullmatch(r"[\w.]+(\|[\w.]+)+", argument) else []


def of_kind(option, kind):
    """Whether its value is a FILE or a FOLDER."""
    return bool(option["argument"]) and option["argument"].split(".")[0] == kind


# ---- Pages -----------------------------------------------------------------------------------------


def paragraphs(texts):
    out = []
    for text in texts:
        out += [".Pp", *mdoc.fill(mdoc.escape(text))]
    return out[1:]


def option_list(options):
    out, opened = [], False
    for option in options:
        if option["name"] is None:
            out += ([".El"] if opened else []) + [".Pp", *mdoc.fill(mdoc.escape(option["help"]) + ":")]
            opened = False
            continue
        if not opened:
            out.append(".Bl -tag -width Ds")
            opened = True
        names = " , ".join(f"Fl {flag[1:]}" for flag in flags(option))
        value = f" Ar {mdoc.argument(option['argument'])}" if option["argument"] else ""
        out += [f".It {names}{value}", *mdoc.fill(mdoc.escape(option["help"]))]
    return out + ([".El"] if opened else [])


def synopsis(command):
    """A line of usage: .Nm and plain arguments."""
    out = []
    for line in command.usage:
        name, *words = line.split()
        out += [f".Nm {name}", *([f"{mdoc.escape(' '.join(words))}"] if words else [])]
    return out


def describe(command):
    """A command's text and options; how it is called goes before, where the page's synopsis has it not."""
    called = mdoc.display(command.usage) if len(command.words) > 1 else []
    return [*called, *paragraphs(command.about), *option_list(command.options), ".Pp", *paragraphs(command.notes)]


def page(program, what, variables, also, date):
    """The manual page of a program. `variables` are the rows of its environment."""
    body = [mdoc.section("Synopsis"), *synopsis(program), mdoc.section("Description")]
    if program.commands:
        body += [*mdoc.fill("Its commands are these."), ".Pp", *paragraphs(program.notes)]
    else:
        body += describe(program)
    for command in program.commands:
        body += [mdoc.section(command.name()), *mdoc.fill(mdoc.escape(command.summary[0].upper()
                                                                       + command.summary[1:] + "."))]
        if not command.commands:
            body += describe(command)
            continue
        body += [".Pp", *paragraphs(command.about)]
        for leaf in command.leaves():
            body += [f".Ss {leaf.name()}", *describe(leaf)]
    body += [mdoc.section("Environment"), *mdoc.table(variables)]
    body += [mdoc.section("See also"), *also]
    return mdoc.page(program.words[0], 1, program.words[:1], what, body, date)


def wrapped(text, indent=""):
    """Lines of Markdown; a space within code is no place to break."""
    code = re.sub(r"`[^`]*`", lambda found: found[0].replace(" ", "\0"), text)
    return [line.replace("\0", " ") for line in
            textwrap.wrap(code, 118, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)]


def markdown(programs):
    """The page of docs/ that lists all options."""
    out = ["# Commands and options", "",
           *wrapped("All programs with their options, as `--help` prints them, written by `cmake/pages/pages.py`: "
                    "change the option tables in `src/` and `bench/`, then `cmake --build build --target commands`. "
                    "`-h` and `--help` print the help of any command. A command without a line of exit statuses "
                    "has those of the command before."), ""]
    told = []  # of the command before: exit statuses that are the same are not said again
    for program in programs:
        for leaf in program.leaves():
            out += [f"## {leaf.name()}", ""]
            out += [f"    {line}" for line in leaf.usage] + [""]
            for text in leaf.about:
                out += [*wrapped(text), ""]
            for option in leaf.options:
                if option["name"] is None:
                    out += ["", f"**{option['help']}**", ""]
                    continue
                if option["name"] == "help":
                    continue
                names = flags(option)
                names[-1] += " " + option["argument"] if option["argument"] else ""
                out += wrapped(f"- {', '.join(f'`{name}`' for name in names)}: {option['help']}", "  ")
            out.append("")
            for text in leaf.notes:
                out += [*wrapped(text), ""] if text not in told else []
            told = leaf.notes
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).rstrip() + "\n"

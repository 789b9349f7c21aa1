# SPDX-License-Identifier: Apache-2.0
"""What a page of the documents shows to be run: its fenced blocks, and its commands with the output
that each promises."""
import dataclasses
import pathlib
import re


@dataclasses.dataclass
class Block:
    """A fenced block."""
    section: str  # the heading above it
    language: str
    text: str


@dataclasses.dataclass
class Command:
    """A line "    $ COMMAND", with the indented lines below it, which are its output."""
    text: str
    output: list


def parts(path):
    """A page's blocks and commands, in its order."""
    found, section, fence, after = [], "", None, None
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        if fence:
            if line == "```":
                found.append(fence)
                fence = None
            else:
                fence.text += line + "\n"
        elif line.startswith("```"):
            fence, after = Block(section, line[3:], ""), None
        elif line.startswith("    $ "):
            after = Command(line[6:], [])
            found.append(after)
        elif after and line.startswith("    "):
            after.output.append(line[4:])
        elif line.strip():
            after = None
            heading = re.match(r"#+ +(.*)", line)
            section = heading[1] if heading else section
    return found


def promised(line):
    """A line of output as a pattern: a number with a point may be another, "..." may be anything,
    and gaps as wide as they like."""
    pattern = ""
    for word in re.findall(r"\.\.\.|\d+\.\d+|\s+|.", line.strip()):
        if word == "...":
            pattern += ".*"
        elif len(word) > 1 and word[0].isdigit():
            pattern += r"\d+(?:\.\d+)?(?:e[-+]\d+)?"
        else:
            pattern += r"\s+" if word.isspace() else re.escape(word)
    return re.compile(pattern)


def missing(command, printed):
    """The first promised line that was not printed behind the ones before it; None: all were."""
    lines = iter(printed.splitlines())
    for line in command.output:
        if line.strip() and not any(promised(line).fullmatch(got.strip()) for got in lines):
            return line
    return None

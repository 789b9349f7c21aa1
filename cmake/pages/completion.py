# SPDX-License-Identifier: Apache-2.0
"""Completion of the programs' options for bash and zsh, from their tables."""
from programs import choices, flags, of_kind


def real(options):
    """Without headings."""
    return [option for option in options if option["name"]]


# ---- bash ------------------------------------------------------------------------------------------


def bash_leaf(command):
    """What is completed behind the words of a command: values of options, then options."""
    values = {}
    for option in real(command.options):
        if not option["argument"]:
            continue
        way = ("-f" if of_kind(option, "FILE") else "-d" if of_kind(option, "FOLDER")
               else f"-W '{' '.join(choices(option))}'" if choices(option) else "")
        values.setdefault(way, []).extend(flags(option))
    out = ["case $previous in"]
    for way, names in values.items():
        quoted = "compopt -o filenames; " if way in ("-f", "-d") else ""
        action = f'{quoted}mapfile -t COMPREPLY < <(compgen {way} -- "$word"); ' if way else ""
        out.append(f"{' | '.join(names)}) {action}return ;;")
    words = " ".join(flag for option in real(command.options) for flag in flags(option))
    out += ["esac", f"words='{words}'"]
    if command.stops:
        out += ['if [[ $word && $word != -* ]]; then mapfile -t COMPREPLY < <(compgen -c -- "$word") && return; fi']
    return out


def bash_cases(command, depth):
    """Goes down by the command line's words to the command that is being typed."""
    if not command.commands:
        return bash_leaf(command)
    names = " ".join(c.words[-1] for c in command.commands)
    out = [f"if ((COMP_CWORD > {depth})); then", f"case ${{COMP_WORDS[{depth}]}} in"]
    for each in command.commands:
        out += [f"{each.words[-1]})", *bash_cases(each, depth + 1), ";;"]
    top = " --version" if depth == 1 else ""
    return out + ["esac", "else", f"words='{names} -h --help{top}'", "fi"]


def bash(program):
    name = program.words[0]
    function = "_" + name.replace("-", "_")
    body = "\n".join(f"    {line}" for line in bash_cases(program, 1))
    return f"""# bash completion of {name}, made from its table of options.
{function}() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} words=
    COMPREPLY=()
{body}
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}}
complete -o default -F {function} {name}
"""


# ---- zsh -------------------------------------------------------------------------------------------


def quote(text):
    """As a zsh word; within one of _arguments, its brackets and colons are taken as they are."""
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_spec(option):
    names = flags(option)
    text = option["help"].replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    value = ""
    if option["argument"]:
        action = ("_files" if of_kind(option, "FILE") else "_files -/" if of_kind(option, "FOLDER")
                  else f"({' '.join(choices(option))})" if choices(option) else " ")
        value = f":{option['argument'].replace(':', chr(92) + ':')}:{action}"
    # Options that add up may be given again; zsh need not know which.
    return [quote(f"*{name}[{text}]{value}") for name in names]


def zsh_cases(command, depth):
    if not command.commands:
        specs = [spec for option in real(command.options) for spec in zsh_spec(option)]
        rest = "'*::program:_normal'" if command.stops else "'*:file:_files'"
        return ["_arguments -A '-*'" if command.stops else "_arguments"] + [f"    {s}" for s in [*specs, rest]]
    names = [quote(f"{c.words[-1]}:{c.summary}") for c in command.commands]
    out = [f"if ((CURRENT == {depth})); then", f"local -a names=({' '.join(names)})",
           "_describe command names", "return", "fi", f"case $words[{depth}] in"]
    for each in command.commands:
        lines = zsh_cases(each, depth + 1)
        if not each.commands:  # _arguments takes the first of the words for the program
            lines = [f"words=(${{words[{depth},-1]}})", f"((CURRENT -= {depth - 1}))", *join(lines)]
        out += [f"{each.words[-1]})", *lines, ";;"]
    return out + ["esac"]


def join(lines):
    """One command over several lines."""
    return [line + (" \\" if i < len(lines) - 1 else "") for i, line in enumerate(lines)]


def zsh(program):
    lines = zsh_cases(program, 2) if program.commands else join(zsh_cases(program, 2))
    body = "\n".join(lines)
    return f"#compdef {program.words[0]}\n# Made from its table of options.\n{body}\n"

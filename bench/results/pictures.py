# SPDX-License-Identifier: Apache-2.0
"""The charts of a device, as SVG: the same colour for the same library in all, ours first, light and dark.

A line of libclgemm's modes is told by its dashes. Each chart ends in its date and command.
"""
import math
import re
import textwrap

from results import data

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 560, 52, 430, 58, 300
LINE = 13  # of the text below, in pixels
CHARACTERS = 92
# Okabe and Ito's, lightened for dark backgrounds.
COLOURS = {"clgemm": ("#0072b2", "#4fb3ee"), "cublas": ("#d55e00", "#ff8f3f"), "openblas": ("#009e73", "#2fd0a2"),
           "clblast": ("#cc79a7", "#e79cc6"), "viennacl": ("#777777", "#a8a8a8"), "cublasxt": ("#b8860b", "#e6b84a")}


def style():
    light = "".join(f".{key}{{--c:{colours[0]}}}" for key, colours in COLOURS.items())
    dark = "".join(f".{key}{{--c:{colours[1]}}}" for key, colours in COLOURS.items())
    return ("<style>svg{font:12px sans-serif}.back{fill:#fff}text{fill:#24292f}.small{font-size:10px;fill:#57606a}"
            ".grid{stroke:#d8dee4}.axis{stroke:#57606a;fill:none}.even{stroke:#57606a;stroke-dasharray:4 3}"
            ".line{stroke:var(--c);stroke-width:2;fill:none}.dot{fill:var(--c)}.name{fill:var(--c)}.bar{fill:var(--c)}"
            f"{light}@media(prefers-color-scheme:dark){{.back{{fill:#0d1117}}text{{fill:#e6edf3}}.small{{fill:#9198a1}}"
            f".grid{{stroke:#2a313a}}.axis,.even{{stroke:#9198a1}}{dark}}}</style>")


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class Axis:
    """Values to pixels, linear or logarithmic, with its ticks."""

    def __init__(self, values, low, high, log, base=10):
        self.log, self.low, self.high = log, low, high
        if log:
            self.first, self.last = math.log(min(values)), math.log(max(values))
            margin = 0 if base == 2 else 0.04 * (self.last - self.first)
            self.first, self.last = self.first - margin, self.last + margin
            self.ticks = [digit * base**power for power in range(-12, 16) for digit in ((1,) if base == 2 else (1, 2, 5))
                          if self.first - 1e-9 <= math.log(digit * base**power) <= self.last + 1e-9]
            if len(self.ticks) > 8:
                self.ticks = [tick for tick in self.ticks if base == 2 or f"{tick:e}"[0] == "1"]
        else:
            step = next(digit * 10**power for power in range(-6, 9) for digit in (1, 2, 5)
                        if digit * 10**power >= max(values) / 6)
            self.ticks = [step * i for i in range(math.ceil(max(values) / step) + 1)]
            self.first, self.last = 0, self.ticks[-1]

    def __call__(self, value):
        return self.low + (self.high - self.low) * ((math.log(value) if self.log else value) - self.first) / (
            self.last - self.first)


def tick_text(value):
    return f"{value:g}" if 1e-3 <= value < 1e5 or value == 0 else data.exponent(value, 0)


class Chart:
    def __init__(self, title, subtitle, caption):
        self.title, self.parts = title, []
        self.lines = [line for text in caption for line in textwrap.wrap(text, CHARACTERS, break_long_words=False,
                                                                     break_on_hyphens=False)]
        self.height = BOTTOM + 48 + LINE * len(self.lines)
        self.text(10, 20, title, ' font-weight="bold" font-size="14"')
        self.text(10, 37, subtitle, ' class="small"')

    def text(self, x, y, what, more=""):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}"{more}>{escape(what)}</text>')

    def path(self, d, more):
        self.parts.append(f'<path d="{d}"{more}/>')

    def axes(self, x, y, x_name, right=RIGHT):
        for tick in y.ticks:
            self.path(f"M{LEFT} {y(tick):.1f}H{right}", ' class="grid"')
            self.text(LEFT - 6, y(tick) + 4, tick_text(tick), ' text-anchor="end"')
        for tick in x.ticks if x else []:
            self.path(f"M{x(tick):.1f} {BOTTOM}v4", ' class="axis"')
            self.text(x(tick), BOTTOM + 17, tick_text(tick), ' text-anchor="middle"')
        self.path(f"M{LEFT} {TOP}V{BOTTOM}H{right}", ' class="axis"')
        self.text((LEFT + right) / 2, BOTTOM + 33, x_name, ' text-anchor="middle" class="small"')

    def series(self, key, points, dash="", dots=True):
        line = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self.path(f"M{line}", f' class="line {key}"' + (f' stroke-dasharray="{dash}"' if dash else ""))
        for x, y in points if dots else []:
            self.parts.append(f'<circle class="dot {key}" cx="{x:.1f}" cy="{y:.1f}" r="2.6"/>')

    def names(self, ends):
        """Names at the right end of lines: (y, key, text, small text), moved apart where they would overlap."""
        ends = sorted(ends)
        places = [y for y, *_ in ends]
        for i in range(1, len(places)):
            places[i] = max(places[i], places[i - 1] + 16)
        floor = BOTTOM - 4
        for i in reversed(range(len(places))):
            places[i] = floor = min(places[i], floor)
            floor -= 16
        for y, (_, key, name, more) in zip(places, ends):
            self.parts.append(f'<text class="name {key}" x="{RIGHT + 8}" y="{y + 4:.1f}"><tspan font-weight="bold">'
                              f'{escape(name)}</tspan><tspan class="small" dx="5">{escape(more)}</tspan></text>')

    def svg(self):
        for i, line in enumerate(self.lines):
            self.text(10, BOTTOM + 50 + LINE * i, line, ' class="small"')
        return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" width="{WIDTH}" '
                          f'height="{self.height}" role="img"><title>{escape(self.title)}</title>', style(),
                          f'<rect class="back" width="{WIDTH}" height="{self.height}"/>', *self.parts, "</svg>", ""])


def caption(store, rows):
    runs = data.runs(store, rows)
    commands = [run["command"] for run in runs]
    return [f"{runs[-1]['date']}, libclgemm {runs[-1]['library']}, driver {runs[-1]['driver']}",
            commands[0] + (f", and {len(commands) - 1} more" if len(commands) > 1 else "")]


def size_of(row):
    sizes = data.sizes(row)
    return sizes[0] if len(set(sizes)) == 1 else None


def lines_over_size(title, unit, store, rows, lines, log, errors=False):
    """A chart of (key, dash, name, [(size, GFLOP/s, error)]) over the size of square products."""
    lines = [line for line in lines if len(line[3]) > 1]
    scale = 1000 if unit == "TFLOP/s" else 1
    x = Axis([size for line in lines for size, _, _ in line[3]], LEFT, RIGHT, True, 2)
    y = Axis([rate / scale for line in lines for _, rate, _ in line[3]], BOTTOM, TOP, log)
    chart = Chart(title, f"{unit}, {'logarithmic, ' if log else ''}over m = n = k" +
                  (f"; behind names the largest error over |A||B| at {lines[0][3][-1][0]}" if errors else ""), caption(store, rows))
    chart.axes(x, y, "m = n = k")
    ends = []
    for key, dash, name, points in reversed(lines):  # ours on top
        chart.series(key, [(x(size), y(rate / scale)) for size, rate, _ in points], dash)
        error = points[-1][2]
        ends.append((y(points[-1][1] / scale), key, name, data.exponent(error, 0) if errors and error else ""))
    chart.names(ends)
    return chart.svg()


def points(rows, series):
    found = [(size_of(row), data.rate(row, series), row["series"][series].get("error")) for row in rows
             if size_of(row) and series in row["series"]]
    return sorted(found)


def modes(store, rows, squares):
    strict = [row for row in rows if row["math"] == "strict"]
    ours = [("clgemm", dash, name, points([row for row in rows if row["math"] == name.lower()], "clgemm_device"))
            for name, dash in (("NORMWISE", "9 3 2 3"), ("ACCURATE", "7 3"), ("strict", ""))]
    largest = [row for row in squares if (size_of(row) or 0) >= 512]
    return lines_over_size(f"Single precision on {store['device']['title']}", "TFLOP/s", store, rows + largest,
                           [*ours, ("cublas", "", "cuBLAS FP32", points(strict, "cublas")),
                            ("clblast", "", "CLBlast", points(largest, "clblast"))], False, True)


def libraries(store, rows):
    gpu = rows[0]["gpu"]
    ours = [("clgemm", "", "clgemm" if gpu else "clgemm, buffers", points(rows, "clgemm_device"))]
    if not gpu:
        ours.append(("clgemm", "7 3", "clgemm, host", points(rows, "clgemm_host")))
    peers = [(key, "", data.NAMES[key], points(rows, key)) for key in ("cublas", "openblas", "clblast", "viennacl")]
    return lines_over_size(f"SGEMM on {store['device']['title']}", "TFLOP/s" if gpu else "GFLOP/s", store, rows,
                           [*ours, *peers], True)


def ratios(store, rows):
    """All ratios to the peer, sorted, of suites and of drawn shapes."""
    pair = data.pair(rows)
    peer = data.NAMES[pair.split("/")[1]]
    groups = [("suites", "", [row for row in rows if row["subject"] == "suites"]),
              ("random", "2 3", [row for row in rows if row["subject"] == "random"])]
    groups = [(name, dash, sorted(ratio for row in those if (ratio := data.ratio(row, pair)))) for name, dash, those in groups]
    groups = [group for group in groups if group[2]]
    every = [ratio for _, _, values in groups for ratio in values]
    y = Axis([*every, 0.8, 2], BOTTOM, TOP, True)
    chart = Chart(f"clgemm / {peer} on {store['device']['title']}",
                  f"{len(every)} products in single precision, sorted; above 1 clgemm is faster; logarithmic", caption(store, rows))
    y.ticks = [tick for tick in (0.5, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4, 6) if math.log(tick) >= y.first and math.log(tick) <= y.last]
    chart.axes(None, y, "from the least ratio to the largest")
    chart.path(f"M{LEFT} {y(1):.1f}H{RIGHT}", ' class="even"')
    ends = []
    for name, dash, values in groups:
        line = [(LEFT + (RIGHT - LEFT) * i / (len(values) - 1), y(value)) for i, value in enumerate(values)]
        chart.series("clgemm", line, dash, dots=False)
        ends.append((line[-1][1], "clgemm", name, f"mean {data.mean(values):.2f}"))
    chart.names(ends)
    return chart.svg()


def errors(store, rows):
    """Error against rate of every mode and peer, at the largest square size."""
    size = max(filter(None, map(size_of, rows)))
    found = []
    for row in rows:
        if size_of(row) == size:
            mode = row["math"]
            found.append(("clgemm", data.mode_name(mode), data.rate(row, "clgemm_device") / 1000,
                          row["series"]["clgemm_device"]["error"]))
            if "cublas" in row["series"] and mode not in ("accurate", "normwise"):
                found.append(("cublas", "FP32" if mode == "strict" else data.mode_name(mode), data.rate(row, "cublas") / 1000,
                              row["series"]["cublas"]["error"]))
    x = Axis([rate for _, _, rate, _ in found], LEFT + 20, WIDTH - 90, True)
    y = Axis([error for *_, error in found], BOTTOM - 14, TOP + 14, True)
    y.ticks = [tick for tick in y.ticks if f"{tick:e}"[0] == "1"]
    chart = Chart(f"Error and speed on {store['device']['title']}, {size} cubed",
                  "largest error over |A||B| (lower is better) over TFLOP/s; both logarithmic", caption(store, rows))
    chart.axes(x, y, "TFLOP/s", right=WIDTH - 20)
    for i, key in enumerate(dict.fromkeys(key for key, *_ in found)):
        chart.text(LEFT + 12 + 70 * i, TOP + 6, f"\u25cf {data.NAMES[key]}", f' class="name {key}" font-weight="bold"')
    marks = {}  # names by place: a library's modes that coincide share a mark
    for key, name, rate, error in found:
        near = next((mark for mark in marks if mark[0] == key and abs(mark[1] - x(rate)) < 12 and
                     abs(mark[2] - y(error)) < 6), (key, x(rate), y(error)))
        marks.setdefault(near, []).append(name)
    for (key, left, top), names in marks.items():
        chart.parts.append(f'<circle class="dot {key}" cx="{left:.1f}" cy="{top:.1f}" r="4"/>')
        chart.text(left, top + (18 if key != "clgemm" else -9), ", ".join(names),
                   f' class="name {key}" text-anchor="middle"')
    return chart.svg()


def staircase(store, rows):
    """The best variant of each step of the ladder, and the libraries as lines."""
    size = max(data.sizes(row)[0] for row in rows)
    rows = [row for row in rows if data.sizes(row)[0] == size]
    steps, levels = {}, {}
    for row in rows:
        rate = data.rate(row, *row["series"])
        found = re.match(r"\d+", row["name"])
        if found:
            steps[int(found[0])] = max(rate, steps.get(int(found[0]), 0))
        elif row["name"] != "clgemm_host":
            levels[row["name"]] = rate
    y = Axis([*steps.values(), *levels.values()], BOTTOM, TOP, True)
    chart = Chart(f"The ladder on {store['device']['title']}, {size} cubed", "GFLOP/s, logarithmic, of each step's best variant",
                  caption(store, rows))
    chart.axes(None, y, "step")
    width = (RIGHT - LEFT) / len(steps)
    for i, (step, rate) in enumerate(sorted(steps.items())):
        chart.parts.append(f'<rect class="bar clgemm" opacity="0.55" x="{LEFT + i * width + 3:.1f}" y="{y(rate):.1f}" '
                           f'width="{width - 6:.1f}" height="{BOTTOM - y(rate):.1f}"/>')
        chart.text(LEFT + (i + 0.5) * width, y(rate) - 4, f"{rate:.0f}", ' text-anchor="middle" class="small"')
        chart.text(LEFT + (i + 0.5) * width, BOTTOM + 17, str(step), ' text-anchor="middle"')
    ends = []
    for name, rate in levels.items():
        key = "clgemm" if name.startswith("clgemm") else name
        chart.path(f"M{LEFT} {y(rate):.1f}H{RIGHT}", f' class="line {key}" stroke-dasharray="5 3"')
        ends.append((y(rate), key, data.NAMES[key], f"{rate:.0f}"))
    chart.names(ends)
    return chart.svg()


def of_device(name, store):
    """The charts that the device has data for, by file."""
    rows = {subject: [row for row in store["rows"] if row["subject"] == subject]
            for subject in dict.fromkeys(row["subject"] for row in store["rows"])}
    squares = rows.get("squares", [])
    made = {}
    if "modes" in rows:
        made[f"modes-{name}.svg"] = modes(store, rows["modes"], squares)
    if squares:
        made[f"squares-{name}.svg"] = libraries(store, squares)
    if "suites" in rows:
        made[f"ratios-{name}.svg"] = ratios(store, rows["suites"] + rows.get("random", []))
    if "modes" in rows:
        made[f"errors-{name}.svg"] = errors(store, rows["modes"])
    if "ladder" in rows:
        made[f"ladder-{name}.svg"] = staircase(store, rows["ladder"])
    return made


def alternative(svg):
    return re.search("<title>(.*?)</title>", svg)[1]

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/ladder.html in Chromium, with its software WebGL2 and, where it has that, WebGPU: every step that it can
climb is right, what it cannot says why, the recorded figures are those of docs/ladder.md, and nothing is wrong on
the console. Usage: test_ladder_page.py CHROMIUM ROOT"""
import pathlib
import re
import sys

chromium, root = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(root / "tests/support"))
import browser  # noqa: E402

SIZE = 64
STEPS = [
    ["1", "WebGL2"],
    ["4", "WebGL2"],
    ["11 4x4", "WebGL2"],
    ["11 8x4", "WebGL2"],
    ["1", "WebGPU"],
    ["2", "WebGPU"],
    ["6", "WebGPU"],
]
FLAGS = [
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
    "--enable-features=Vulkan",
]


def check(condition, what):
    if not condition:
        sys.exit(f"FAIL: {what}")


def figures_of_the_document():
    """The H200's and the first CPU's column of the table, by step."""
    text = (root / "docs/ladder.md").read_text(encoding="utf-8")
    rows = {}
    for line in re.findall(r"^\|.*\|$", text[text.index("## The staircases") : text.index("## How to read")], re.M):
        step, adds, _, h200, cpu = [cell.strip() for cell in line.strip("|").split("|")]
        variant = re.search(r"\d x \d$", adds)
        if re.fullmatch(r"\d+", step) or variant:
            name = "11 " + variant[0].replace(" ", "") if variant else step
            rows[name] = [float(h200), float(cpu)]
    return rows


with browser.Browser(chromium, *FLAGS) as page:
    page.open(root / "docs/ladder.html")
    table = figures_of_the_document()
    recorded = page.run("RECORDED")
    check(len(recorded) == 12, f"{len(recorded)} recorded steps")
    for step, h200, cpu in recorded:
        check([h200, cpu] == table[step], f"step {step}: {h200} and {cpu} are not ladder.md's {table[step]}")
    has = page.run(
        "opened.then(() => Object.fromEntries(Object.entries(apis).map(([key, api]) => [key, !api.why])))"
    )
    check(has["webgl"], "no WebGL2: " + page.run("document.getElementById('devices').textContent"))
    # As the reader does it: by the form.
    page.run(f"size.value = '{SIZE}'; go.click()")
    page.run("new Promise(done => setInterval(() => go.disabled || done(), 50))", seconds=120)
    rows = page.run(
        "[...document.querySelectorAll('#rows tr')].map(row => [...row.cells].map(cell => cell.textContent))"
    )
    check([row[:2] for row in rows] == STEPS, f"rows of {[row[:2] for row in rows]}")
    for step, api, _, _, _, rate, _, verdict in rows:
        if has[api.lower().rstrip("2")]:
            right = re.fullmatch(r"right: ([\d.e-]+)", verdict)
            check(
                right and 0 < float(right[1]) <= 1 and float(rate) > 0,
                f"{api}, step {step}: {rate} GFLOP/s, {verdict}",
            )
        else:
            check("WebGPU" in verdict, f"{api}, step {step}, does not say why it is not possible: {verdict}")
    drawn = page.run("[...document.querySelectorAll('.tread')].map(tread => tread.dataset.stair)")
    expected = {"h200": 12, "cpu": 12, "webgl": 4, "webgpu": 3 * has["webgpu"]}
    check({name: drawn.count(name) for name in expected} == expected, f"treads of {drawn}")
    # A judge that finds no fault is none.
    wrong = page.run("judge([1, 2, 3 + 1e-3], {c: [1, 2, 3], bound: [1e-6, 1e-6, 1e-6]})")
    check(
        wrong > 1 and page.run("judge([NaN], {c: [1], bound: [1]}) === Infinity"),
        "the judge lets a wrong element pass",
    )
    check(not page.errors, f"errors on the console: {page.errors}")
print("WebGL2" + (" and WebGPU" if has["webgpu"] else "; no WebGPU here") + ": every step is right")

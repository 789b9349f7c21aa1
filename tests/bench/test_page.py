#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of `clgemm-bench --report`, in Chromium. Usage: test_page.py CHROMIUM CLGEMM-BENCH SCRATCH

Small problems are measured. The page has their JSON, draws it, and responds to keyboard and pointer.
Reports with other metrics are added from data/. No time is judged. Exits with 77 without a device."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import browser  # noqa: E402

chromium, tool, scratch = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
SHAPES = ["16x16x16", "16x48x16", "40x16x16", "40x48x16", "64x64x64"]


def check(condition, what):
    if not condition:
        sys.exit(f"FAIL: {what}")


def measure(name, *options):
    """Runs the bench. The name of the JSON file, and so the command in it, contains what would end a script."""
    (scratch / "<").mkdir(parents=True, exist_ok=True)
    page, out = scratch / f"{name}.html", f"{scratch}/</script>{name}.json"
    done = subprocess.run([tool, *options, "-o", "json", "--out", out, "--report", page], check=False)
    if done.returncode == 77:
        print("SKIP: no usable OpenCL device")
        sys.exit(77)
    check(done.returncode == 0, f"clgemm-bench {options}: exit code {done.returncode}")
    report = json.loads(pathlib.Path(out).read_text(encoding="utf-8"))
    within = re.search(
        r'<script type="application/json" id="json">(.*?)</script>', page.read_text(encoding="utf-8"), re.S
    )
    check(json.loads(within[1]) == report, f"{page} has another JSON than {out}")
    return page, report


def sections(page):
    return page.run("[...document.querySelectorAll('main section')].map(s => s.id)")


def check_functions(page):
    """The pure functions behind the charts."""
    for script, expected in {
        "number(0.0123456)": "0.01235",
        "number(51092)": "51092",
        "number(NaN)": "",
        "number(2048, WHOLE)": "2048",
        "linearAxis(470).ticks": [0, 100, 200, 300, 400, 500],
        "linearAxis(470).place(250)": 0.5,
        "logAxis(1, 100).place(10)": 0.5,
        "logAxis(1, 10000).ticks": [1, 10, 100, 1000, 10000],
        "geometricMean([2, 8]).toFixed(9)": "4.000000000",
        "milliseconds(0.5)": "500.0 \u00b5s",
        "intensity({m: 4, n: 4, k: 4, beta: 0}, {type: 'f32'})": 2 * 64 / (4 * 48),
        "intensity({m: 4, n: 4, k: 4, beta: 1}, {type: 'f64'})": 2 * 64 / (8 * 64),
        "roof({ceiling_gflops: 100, ceiling_gbytes: 10}, 5)": 50,
        "roof({ceiling_gflops: 100, ceiling_gbytes: 10}, 50)": 100,
        "ratioGrid([{m: 1, n: 1, k: 1, ratios: {p: 1}}, {m: 2, n: 2, k: 2, ratios: {p: 1}}], 'p')": None,
    }.items():
        found = page.run(script)
        check(found == expected, f"{script} is {found}, not {expected}")


def check_charts(page, report):
    check(sections(page) == ["rates", "heat", "roofline", "timeline", "table"], f"sections {sections(page)}")
    points = sum(series["outcome"] == "ok" for row in report["results"] for series in row["series"].values())
    check(points >= 2 * len(SHAPES), f"only {points} figures")
    for chart in ("rates", "roofline"):
        drawn = page.run(f"document.querySelectorAll('#{chart} .mark').length")
        check(drawn == points, f"{chart} has {drawn} points of {points}")
    check(page.run("document.querySelectorAll('#heat .mark').length") >= 4, "the map of ratios is too small")
    check(page.run("document.querySelectorAll('#missing li').length") == 4, "it does not list what is missing")
    # Everything in every figure has a position.
    bad = page.run(
        "[...document.querySelectorAll('svg *')].filter(e => [...e.attributes].some(a => /NaN|undefined|Infinity/.test(a.value))).length"
    )
    check(bad == 0, f"{bad} drawn elements have no position")


def check_keyboard(page):
    page.run("document.querySelector('#rates .mark').focus()")
    first = page.run("document.activeElement.getAttribute('aria-label')")
    check(page.run("!tip.hidden && tip.textContent") == first, "a focused point shows no tooltip")
    page.press("ArrowRight")
    second = page.run("document.activeElement.getAttribute('aria-label')")
    check(second != first and page.run("tip.textContent") == second, "ArrowRight does not go to the next point")
    page.press("ArrowLeft")
    check(page.run("document.activeElement.getAttribute('aria-label')") == first, "ArrowLeft does not go back")
    page.press("ArrowDown")
    check(
        page.run("document.activeElement.getAttribute('aria-label')") != first,
        "ArrowDown does not go to another line",
    )
    page.press("Escape")
    check(page.run("tip.hidden"), "Escape does not close the tooltip")
    check(
        page.run("document.querySelectorAll('#rates .mark[tabindex=\"0\"]').length") == 1,
        "Tab stops at more than one point",
    )
    page.run("document.querySelector('#rates .legend button').focus()")
    page.press("Enter")
    check(
        page.run("document.querySelectorAll('#rates g.off .mark').length") == len(SHAPES),
        "the legend hides no line",
    )


def check_sort(page):
    column = "[...document.querySelectorAll('#table tbody tr')].map(row => +row.cells[2].textContent)"
    page.run("document.querySelectorAll('#table th button')[2].focus()")
    found = page.run(column)
    for direction, reverse in (("ascending", False), ("descending", True)):
        page.press("Enter")
        check(page.run(column) == sorted(found, reverse=reverse), f"the column is not {direction}")
        check(
            page.run("document.querySelectorAll('#table th')[2].getAttribute('aria-sort')") == direction,
            f"it does not say {direction}",
        )
    check(len(set(found)) > 1, "the column has nothing to sort")


def check_looks(page):
    ground = "getComputedStyle(document.body).backgroundColor"
    found = set()
    for theme in ("light", "dark"):
        page.run(f"theme.value = '{theme}'; theme.dispatchEvent(new Event('change'))")
        found.add(page.run(ground))
    check(len(found) == 2, "light and dark look alike")
    page.call("Emulation.setEmulatedMedia", media="print")
    check(page.run(ground) == "rgb(255, 255, 255)", "it is not printed on white")
    check(page.run("getComputedStyle(document.querySelector('.tools')).display") == "none", "buttons are printed")
    page.call("Emulation.setEmulatedMedia", media="")


def check_files(page, report, others):
    """The download is the report; further reports add their charts."""
    page.run(
        "URL.createObjectURL = blob => { window.saved = blob.text(); return '#'; }; document.getElementById('download').click()"
    )
    check(json.loads(page.run("saved")) == report, "the download differs from the report")
    for other in others:
        page.run(f"addFiles([new File([{json.dumps(json.dumps(other))}], 'other.json')])")
    check(set(sections(page)) >= {"first", "disk", "overhead", "regret", "ladder"}, f"sections {sections(page)}")
    check(page.run("document.getElementById('missing').hidden"), "existing charts are listed as missing")
    empty = page.run(
        "[...document.querySelectorAll('main section figure')].filter(f => !f.querySelector('.mark')).length"
    )
    check(empty == 0, f"{empty} figures are empty")


def check_narrow(page):
    """A window of 400 pixels: nothing is clipped. Charts scale; what is too wide scrolls in its own box."""
    drawn = page.run("document.querySelectorAll('main .mark').length")
    page.call("Emulation.setDeviceMetricsOverride", width=400, height=800, deviceScaleFactor=1, mobile=False)
    for _ in range(50):  # the change event, which redraws the charts, arrives with a frame
        if page.run("chartWidth() < 400 && document.querySelector('main svg').viewBox.baseVal.width < 400"):
            break
        time.sleep(0.1)
    check(page.run("innerWidth") == 400, "the window is not narrow")
    found = page.run("document.querySelectorAll('main .mark').length")
    check(found == drawn, f"the narrow page has {found} points of {drawn}")
    check(
        page.run("document.documentElement.scrollWidth <= innerWidth"), "a narrow window must be scrolled sideways"
    )
    for what, script in {
        "outside the window": "[...document.body.querySelectorAll('*')].filter(e => !e.closest('.wide, .table')"
        " && e.getBoundingClientRect().right > innerWidth)",
        "boxes without a scroll bar": "[...document.querySelectorAll('.wide, .table')].filter(e =>"
        " e.scrollWidth > e.clientWidth && getComputedStyle(e).overflowX !== 'auto')",
        "charts that do not scale": "[...document.querySelectorAll('main section:not(#heat) .wide')].filter(e =>"
        " e.scrollWidth > e.clientWidth)",
        "texts outside their chart": "[...document.querySelectorAll('.wide svg text')].filter(e => {"
        " const text = e.getBoundingClientRect(), chart = e.closest('svg').getBoundingClientRect();"
        " return text.left < chart.left - 1 || text.right > chart.right + 1 || text.top < chart.top - 1"
        " || text.bottom > chart.bottom + 1; })",
    }.items():
        bad = page.run(f"{script}.map(e => (e.closest('[id]') || e).id + ': ' + e.textContent.slice(0, 50))")
        check(not bad, f"in a narrow window, {what}: {bad}")
    page.call("Emulation.clearDeviceMetricsOverride")


shutil.rmtree(scratch, ignore_errors=True)
rates, rates_report = measure("rates", "--shape", ",".join(SHAPES), "--peers", "openblas")
overhead, overhead_report = measure("overhead", "--overhead", "--shape", "16x16x16")
ladder, ladder_report = measure("ladder", "--ladder", "--steps", "1,2", "--size", "32", "--peers", "openblas")
recorded = [
    json.loads((HERE / "data" / f"report-{name}.json").read_text(encoding="utf-8"))
    for name in ("first-call", "regret")
]
with browser.Browser(chromium) as tab:
    for file, section in ((overhead, "overhead"), (ladder, "ladder")):
        tab.open(file)
        check(sections(tab) == [section, "table"], f"{file}: sections {sections(tab)}")
        check(tab.run(f"document.querySelectorAll('#{section} .mark').length") > 0, f"{file} is empty")
    tab.open(rates)
    check_functions(tab)
    check_charts(tab, rates_report)
    check_sort(tab)
    check_keyboard(tab)
    check_looks(tab)
    check_files(tab, rates_report, [overhead_report, ladder_report, *recorded])
    check_narrow(tab)
    check(not tab.errors, f"errors on the console: {tab.errors}")

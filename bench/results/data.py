# SPDX-License-Identifier: Apache-2.0
"""docs/results/DEVICE.json: the measured figures of one device, a row for each question, and the runs that
answered them.

    {"schema": "clgemm-results/1",
     "device": {"title": ..., "name": ..., "host": ...},
     "runs": [{"id": N, "date": ..., "library": ..., "driver": ..., "peers": {...}, "command": ...}, ...],
     "rows": [{"subject": ..., "shape": "MxNxK", ..., "run": N, "verified": "yes" | "no",
               "series": {"clgemm_device": {"ms": ..., "min_ms": ..., "spread": ..., "error": ...}, "cublas": {...}}}, ...]}

Times are medians of one call in milliseconds; an error is the largest over |A||B| of the elements that were
judged one by one. A row whose question was measured again is replaced; a run without rows goes.
"""
import json
import math
import re

SCHEMA = "clgemm-results/1"
QUESTION = ("subject", "list", "shape", "trans", "layout", "type", "math", "batch", "alpha", "beta", "name",
            "driver_cache")
PEERS = ("openblas", "clblast", "cublas", "cublasxt", "viennacl")
NAMES = {"clgemm": "clgemm", "openblas": "OpenBLAS", "cublas": "cuBLAS", "clblast": "CLBlast", "viennacl": "ViennaCL",
         "cublasxt": "cuBLASXt", "cublasxt_pinned": "cuBLASXt, pinned"}
LISTS = r"--(?:suite (\w+)|random \d+ --seed (\d+))"


class Refused(Exception):
    """Why a report or a file is not taken."""


def question(row):
    return tuple(row.get(key) for key in QUESTION)


def load(path):
    store = json.loads(path.read_text(encoding="utf-8"))
    if store.get("schema") != SCHEMA:
        raise Refused(f"{path}: not {SCHEMA}")
    return store


def save(store, path):
    def lines(items):
        return ",\n".join(json.dumps(item, ensure_ascii=False) for item in items)

    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{{"schema": "{SCHEMA}",\n"device": {json.dumps(store["device"], ensure_ascii=False)},\n'
                    f'"runs": [\n{lines(store["runs"])}\n],\n"rows": [\n{lines(store["rows"])}\n]}}\n', encoding="utf-8")


def merge(old, new):
    """The rows of both, the new ones in place of old ones that answer the same question."""
    if old and old["device"]["name"] != new["device"]["name"]:
        raise Refused(f"figures of {new['device']['name']} do not belong to those of {old['device']['name']}")
    old = old or {"device": new["device"], "runs": [], "rows": []}
    answered = {question(row) for row in new["rows"]}
    runs, rows = [], []
    for store, kept in ((old, [row for row in old["rows"] if question(row) not in answered]), (new, new["rows"])):
        ids = {}
        for run in store["runs"]:
            if any(row["run"] == run["id"] for row in kept):
                ids[run["id"]] = len(runs) + 1
                runs.append({**run, "id": len(runs) + 1})
        rows += [{**row, "run": ids[row["run"]]} for row in kept]
    return {"schema": SCHEMA, "device": old["device"], "runs": runs, "rows": rows}


def short_series(series):
    """The figures of a contender that are published; None where it has none, or wrong ones."""
    if series["outcome"] != "ok" or series["check"] == "wrong":
        return None
    figures = {"ms": series["median_ms"], "min_ms": series["min_ms"], "spread": series["spread"]}
    return figures | ({"error": series["error"]} if "error" in series else {})


def taken(subject, report):
    """A report of clgemm-bench as a store of one run. Refused where a result of ours is wrong."""
    context = report["context"]
    command = re.sub(r" (-o json|--out \S+)", "", context["command"])
    run = {"id": 1, "date": context["date"][:10], "library": context["library"].split()[-1],
           "driver": context["driver"], "peers": {key: context[key] for key in PEERS if key in context},
           "command": command}
    if context.get("pocl_affinity", "").startswith("1"):
        run["command"] = "POCL_AFFINITY=1 " + run["command"]
    named = re.search(LISTS, command)
    common = {"subject": subject, "type": context["type"], "batch": int(context["batch"]), "run": 1}
    mode = re.search(r"--math (\w+)", command)
    common["math"] = mode[1] if mode else "strict"
    if named:
        common["list"] = named[1] or f"seed {named[2]}"
    rows = []
    for result in report["results"]:
        row = common | {key: result[key] for key in ("shape", "trans", "layout", "alpha", "beta", "name",
                                                     "driver_cache", "technique", "variant") if key in result}
        if "figures" in result:  # of --overhead and --first-call
            if result["outcome"] != "ok":
                raise Refused(f"{command}: {result['shape']}: {result['why']}")
            row["verified"] = "yes" if result.get("check") == "ok" else "no"
            row["figures"] = {key: next(value for name, value in figure.items() if name.startswith("median"))
                              for key, figure in result["figures"].items()}
        else:
            several = result["series"] if "outcome" not in result["series"] else {result["name"]: result["series"]}
            ours = [series for key, series in several.items() if key.startswith("clgemm")]
            if any(series["outcome"] == "failed" or series["check"] == "wrong" for series in ours):
                raise Refused(f"{command}: {result['shape']}: {ours}")
            kept = {key: short_series(series) for key, series in several.items()}
            row["series"] = {key: figures for key, figures in kept.items() if figures}
            if not row["series"]:
                continue
            row["verified"] = "yes" if all(several[key]["check"] == "ok" for key in row["series"]) else "no"
        rows.append(row)
    if not rows:
        raise Refused(f"{command}: no result")
    host = f"{context['cores']} cores, {context['cpu']}"
    return {"schema": SCHEMA, "device": {"title": re.sub(r" \(.*", "", context["device"]), "name": context["device"], "host": host},
            "runs": [run], "rows": rows}


# ---- What rows say ----


def sizes(row):
    return [int(size) for size in row["shape"].split("x")]


def operations(row):
    m, n, k = sizes(row)
    return 2 * m * n * k * row["batch"]


def rate(row, series):
    """GFLOP/s, or None."""
    figures = row["series"].get(series)
    return figures and operations(row) / figures["ms"] / 1e6


def ratio(row, pair, other=None):
    """How many times as fast the first of "ours/peer" is, or None; the peer's time is that of another row if one is given."""
    key, rival = pair.split("/")
    ours, peer = row["series"].get(key), (other or row)["series"].get(rival)
    return peer["ms"] / ours["ms"] if ours and peer else None


def pair(rows):
    """Our path and the peer that it is compared with."""
    return "clgemm_device/cublas" if rows[0]["gpu"] else "clgemm_host/openblas"


def mode_name(mode):
    return mode if mode == "strict" else mode.upper()


def runs(store, rows):
    """The runs that measured these rows."""
    return [run for run in store["runs"] if run["id"] in {row["run"] for row in rows}]


def exponent(value, places):
    """An error as text, such as 3.1e-8."""
    return f"{value:.{places}e}".replace("e-0", "e-")


def mean(values):
    values = [value for value in values if value]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None

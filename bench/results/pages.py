# SPDX-License-Identifier: Apache-2.0
"""The pages, figures and pictures that show docs/results/*.json.

A figure in README.md stands between two comments, of which the first names it: <!--suites-->1.24<!---->. FIGURES
says what it is.
"""
import math
import re
import textwrap

from results import data, pictures

FIGURE = re.compile(r"<!--(\w+)-->([^<]*)<!---->")
# Of README.md: the file, the subject, what the row must have, and what is shown of it: a ratio (of several rows the
# geometric mean, or as least_NAME the least), or milliseconds.
FIGURES = {
    "normwise": ("h200", "modes", {"shape": "4096x4096x4096", "math": "normwise"}, "clgemm_device/cublas"),
    "accurate": ("h200", "modes", {"shape": "4096x4096x4096", "math": "accurate"}, "clgemm_device/cublas"),
    "strict": ("h200", "modes", {"shape": "4096x4096x4096", "math": "strict"}, "clgemm_device/cublas"),
    "suites": ("h200", "suites", {}, "clgemm_device/cublas"),
    "random": ("h200", "random", {}, "clgemm_device/cublas"),
    "host_ms": ("h200", "host", {"shape": "8192x8192x8192"}, "clgemm_host"),
    "cublasxt": ("h200", "host", {"shape": "8192x8192x8192"}, "clgemm_host/cublasxt"),
    "pinned": ("h200", "host", {"shape": "8192x8192x8192"}, "clgemm_host/cublasxt_pinned"),
}
MODES = ("normwise", "accurate", "strict", "tf32", "bf16", "f16")


# ---- Numbers as text ----


def digits(value, count=3):
    """With so many significant digits, never in exponents."""
    if value is None:
        return ""
    text = f"{value:.{count}g}"
    return f"{float(text):.0f}" if "e" in text else text


def rate_text(row, series):
    rate = data.rate(row, series)
    return digits(rate and rate / (1000 if row["gpu"] else 1))


def time_text(row, series):
    figures = row["series"].get(series)
    return digits(figures and figures["ms"] * (1000 if row["gpu"] else 1), 4)


def ratio_text(value):
    return f"{value:.2f}" if value else ""


def error_text(row, series):
    error = row["series"].get(series, {}).get("error")
    return data.exponent(error, 1) if error else ""


# ---- Tables ----


def table(head, lines):
    """Of Markdown; the first column is to the left."""
    lines = [[str(cell or "") for cell in line] for line in lines]
    used = [i for i in range(len(head)) if i == 0 or any(line[i] for line in lines)]
    out = [[head[i] for i in used], [("-" if i == 0 else "-:") for i in used],
           *([line[i] for i in used] for line in lines)]
    return "\n".join("|" + "|".join(cells) + "|" for cells in out)


def peers_of(rows):
    return [peer for peer in ("cublas", "openblas", "clblast", "viennacl", "cublasxt", "cublasxt_pinned")
            if any(peer in row["series"] for row in rows)]


def products(rows, ours, more=(), rates=True):
    """A line a product: its time and rate, and how many times as fast as each peer."""
    time, rate = ("us", "TFLOP/s") if rows[0]["gpu"] else ("ms", "GFLOP/s")
    peers = peers_of(rows)
    head = [*(name for name, _ in more), "m x n x k", time, rate, *(f"/ {data.NAMES[peer]}" for peer in peers)]
    return table(head, [[*(text(row) for _, text in more), row["shape"], time_text(row, ours),
                         rate_text(row, ours) if rates else "",
                         *(ratio_text(data.ratio(row, f"{ours}/{peer}")) for peer in peers)]
                        for row in rows if ours in row["series"]])


def means(rows):
    """A line a list: problems, geometric mean and least ratio."""
    lists = list(dict.fromkeys(row["list"] for row in rows))
    pair = data.pair(rows)
    lines = []
    for name in [*lists, "all"]:
        of_it = {row["shape"]: data.ratio(row, pair) for row in rows if name in (row["list"], "all")}
        of_it = {shape: ratio for shape, ratio in of_it.items() if ratio}
        least = min(of_it, key=of_it.get)
        lines.append([name, len(of_it), f"{data.mean(of_it.values()):.3f}", f"{of_it[least]:.2f}", least])
    return table(["list", "products", f"geometric mean / {data.NAMES[pair.split('/')[1]]}", "least", "of"], lines)


def by_mode(rows):
    """A line a shape, a column a mode: TFLOP/s, and the errors."""
    shapes = list(dict.fromkeys(row["shape"] for row in rows))
    of = {(row["shape"], row["math"]): row for row in rows}
    modes = [mode for mode in MODES if any(row["math"] == mode for row in rows)]
    lines, errors = [], []
    for shape in shapes:
        those = [of.get((shape, mode)) for mode in modes]
        strict = of.get((shape, "strict"))
        lines.append([shape, *(row and rate_text(row, "clgemm_device") or "" for row in those),
                      strict and rate_text(strict, "cublas") or "",
                      *(ratio_text(strict and (shape, mode) in of and data.ratio(of[shape, mode], "clgemm_device/cublas", strict))
                        for mode in ("normwise", "accurate"))])
        errors.append([shape, *(row and error_text(row, "clgemm_device") or "" for row in those),
                       strict and error_text(strict, "cublas") or ""])
    names = [data.mode_name(mode) for mode in modes]
    return "\n\n".join(["TFLOP/s. cuBLAS and the ratios to it are of the strict run: in turn with the modes, which bring "
                        "the card to its\npower limit, cuBLAS is slower.", table(["m x n x k", *names, "cuBLAS FP32", "NORMWISE / cuBLAS", "ACCURATE / cuBLAS"], lines),
                        "Largest error over |A||B| of the elements that were checked one by one:",
                        table(["m x n x k", *names, "cuBLAS FP32"], errors)])


def by_transpose(rows):
    peer = peers_of(rows)[0]
    shapes = list(dict.fromkeys(row["shape"] for row in rows))
    of = {(row["shape"], row["trans"]): row for row in rows}

    def text(row):
        if not row:
            return ""
        return f"{time_text(row, 'clgemm_device')} ({ratio_text(data.ratio(row, f'clgemm_device/{peer}'))})"

    kinds = ("NN", "NT", "TN", "TT")
    unit = "us" if rows[0]["gpu"] else "ms"
    return f"{unit}, and in parentheses clgemm / {data.NAMES[peer]}:\n\n" + table(
        ["m x n x k", *kinds], [[shape, *(text(of.get((shape, kind))) for kind in kinds)]
                                for shape in shapes])


def batches(rows):
    pair = data.pair(rows)
    ours, peer = pair.split("/")
    keys = list(dict.fromkeys((row["batch"], row["shape"]) for row in rows))
    of = {(row["batch"], row["shape"], row["type"]): row for row in rows}
    lines = []
    for batch, shape in keys:
        line = [f"{batch} x {shape.split('x')[0]} cubed"]
        for kind in ("f32", "f64"):
            row = of.get((batch, shape, kind))
            line += [row and time_text(row, ours) or "", ratio_text(row and data.ratio(row, pair))]
        lines.append(line)
    unit = "us" if rows[0]["gpu"] else "ms"
    return table(["batch", f"single, {unit}", f"/ {data.NAMES[peer]}", f"double, {unit}", f"/ {data.NAMES[peer]}"], lines)


def overhead(rows):
    return table(["m x n x k", "a call, us", "a bare launch, us", "call and finish, us", "bare and finish, us", "host to host, us"],
                 [[row["shape"], *(digits(row["figures"][key]) for key in
                                      ("enqueue", "bare_enqueue", "finish", "bare_finish", "host"))] for row in rows])


def first_call(rows):
    return table(["m x n x k", "driver's cache", "open, ms", "compiling, ms", "from disk, ms", "later, ms",
                  "background, ms", "CLBlast's first, ms"],
                 [[row["shape"], "on" if row["driver_cache"] else "off",
                   *(digits(row["figures"].get(key)) for key in ("open", "cold", "disk", "steady", "background_first",
                                                                 "clblast_first"))] for row in rows])


SLOWEST = 10


def slowest(rows):
    """Those of random products that a page shows; the data have all."""
    return sorted(rows, key=lambda row: data.ratio(row, data.pair(rows)) or math.inf)[:SLOWEST]


SUBJECTS = (
    ("squares", "Squares, single precision", lambda rows: products(rows, "clgemm_device") if rows[0]["gpu"] else
     "On the device, matrices in buffers:\n\n" + products([without(row, "openblas") for row in rows], "clgemm_device") +
     "\n\nHost to host:\n\n" + products([without(row, "clblast", "viennacl") for row in rows], "clgemm_host")),
    ("suites", "Suites, single precision", lambda rows: means(rows) + "\n\n" +
     products(rows, our_path(rows), [("suite", lambda row: row["list"])])),
    ("random", "Shapes drawn at random, single precision", lambda rows: means(rows) +
     f"\n\nThe {SLOWEST} with the least ratios:\n\n" + products(slowest(rows), our_path(rows), rates=False)),
    ("transposes", "Transposes, single precision", by_transpose),
    ("beta", "With beta 1, single precision", lambda rows: products(rows, "clgemm_device")),
    ("modes", "Modes, FP32 storage", by_mode),
    ("16 bits", "FP16 and bfloat16 storage, FP32 accumulation", lambda rows: products(
        rows, "clgemm_device", [("type", lambda row: row["type"])])),
    ("doubles", "Double precision", lambda rows: products(rows, our_path(rows))),
    ("batches", "Batches", batches),
    ("host", "Host to host, transfers included", lambda rows: products(rows, "clgemm_host")),
    ("overhead", "What a call costs the host", overhead),
    ("first call", "The first call of a process", first_call),
)


def without(row, *peers):
    return row | {"series": {key: value for key, value in row["series"].items() if key not in peers}}


def our_path(rows):
    return data.pair(rows).split("/")[0]


def origin(store, rows):
    """The commands behind a table, and what must be known of them."""
    runs = data.runs(store, rows)
    when = sorted({run["date"] for run in runs})
    versions = sorted({run["library"] for run in runs})
    note = f"{' to '.join(dict.fromkeys([when[0], when[-1]]))}, libclgemm {', '.join(versions)}."
    unchecked = sum(row["verified"] != "yes" for row in rows)
    if unchecked and "series" in rows[0]:
        note += f" Not verified: {unchecked} of {len(rows)}."
    commands = [run["command"] for run in runs]
    shown = commands[:1] + [f"and {len(commands) - 1} more of the kind"] * (len(commands) > 1)
    return "\n".join(wrapped(f"{note} `{shown[0]}`{' ' + shown[1] if len(shown) > 1 else ''}"))


def wrapped(text):
    return textwrap.wrap(text, 118, break_long_words=False, break_on_hyphens=False)


def page(name, store):
    device = store["device"]
    peers = {key: value for run in store["runs"] for key, value in run["peers"].items()}
    out = [f"# {device['title']}", "",
           *wrapped(f"Measured figures, made from [{name}.json]({name}.json); [how to read them](../results.md). "
                    f"Device: {device['name']}, driver {store['runs'][-1]['driver']}; host: {device['host']}. "
                    f"Peers: {'; '.join(f'{data.NAMES[key]}: {value}' for key, value in peers.items())}. "
                    "Row-major, alpha 1, beta 0, NN unless the table says otherwise. "
                    "A column \"/ PEER\" says how many times as fast as PEER clgemm is."), ""]
    for picture, text in pictures.of_device(name, store).items():
        out += [f"![{pictures.alternative(text)}]({picture})", ""]
    for subject, title, show in SUBJECTS:
        rows = [row for row in store["rows"] if row["subject"] == subject]
        if not rows:
            continue
        if subject == "squares":
            rows.sort(key=data.sizes)
        out += [f"## {title}", "", origin(store, rows), "", show(rows), ""]
    return "\n".join(out)


# ---- Figures in documents ----


def figure(stores, name):
    least = name.startswith("least_")
    file, subject, having, shown = FIGURES[name.removeprefix("least_")]
    rows = [row for row in stores[file]["rows"] if row["subject"] == subject and having.items() <= row.items()]
    if subject == "modes":
        strict, = (row for row in stores[file]["rows"] if row["subject"] == subject and
                   (having | {"math": "strict"}).items() <= row.items())
        return ratio_text(data.ratio(rows[0], shown, strict))
    if "/" in shown:
        ratios = [data.ratio(row, shown) for row in rows]
        return f"{min(ratios) if least else data.mean(ratios):.{2 if subject != 'host' else 0}f}"
    row, = rows
    return digits(row["series"][shown]["ms"])


def filled(text, stores):
    """The text with its figures as the data have them."""
    return FIGURE.sub(lambda found: f"<!--{found[1]}-->{figure(stores, found[1])}<!---->", text)


# ---- The ladder's document and page ----

RECORDED = ("h200", "cpu-zen4")
LIBRARIES = {"cuBLAS; on the CPU OpenBLAS": ("cublas", "openblas"), "clBlas, tuned; CLBlast": ("clblast", "clblast"),
             "libclgemm, on the device": ("clgemm_device", "clgemm_device")}


def recorded(stores):
    """GFLOP/s by a row's name, of each recorded device."""
    return [{row["name"]: digits(data.rate(row, next(iter(row["series"])))) for row in stores[name]["rows"]
             if row["subject"] == "ladder"} for name in RECORDED]


def ladder_document(text, stores):
    """The table of docs/ladder.md with the recorded devices' columns, which are its last, as the data have them."""
    of = recorded(stores)

    def row(found):
        cells = [cell.strip() for cell in found[0].strip("|").split("|")]
        variant = re.search(r"(\d) x (\d)$", cells[1])
        names = LIBRARIES.get(cells[1], (f"11 {variant[1]}x{variant[2]}" if variant else cells[0],) * 2)
        if all(name in those for name, those in zip(names, of)):
            cells[-2:] = [those[name] for name, those in zip(names, of)]
        return f"| {' | '.join(cells)} |"

    start, end = text.index("| step |"), text.index("![")
    return text[:start] + re.sub(r"^\|.*\|$", row, text[start:end], flags=re.M) + text[end:]


def ladder_page(text, stores):
    """docs/ladder.html with the same figures."""
    of = recorded(stores)
    return re.sub(r'\["(\d+(?: \dx\d)?)", [\d.]+, [\d.]+\]',
                  lambda found: f'["{found[1]}", {of[0][found[1]]}, {of[1][found[1]]}]', text)


def files(root):
    """Every file that is made from data, as (path, text)."""
    results = root / "docs/results"
    stores = {path.stem: data.load(path) for path in sorted(results.glob("*.json"))}
    for store in stores.values():
        for row in store["rows"]:
            row["gpu"] = "NVIDIA" in store["device"]["name"]
    made = []
    for name, store in stores.items():
        made += [(results / picture, text) for picture, text in pictures.of_device(name, store).items()]
        made.append((results / f"{name}.md", page(name, store)))
    for path, change in (("README.md", filled), ("docs/ladder.md", ladder_document), ("docs/ladder.html", ladder_page)):
        made.append((root / path, change((root / path).read_text(encoding="utf-8"), stores)))
    return made

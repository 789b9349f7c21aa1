/* The page: for each run its title, charts and table; at the end the charts that no run has. */

/* For each metric: how to draw its report, and its table's columns and title. CHARTS has all charts, with
 * the options of the runs that have them. */
const MEASURES = {
  "clgemm-bench/1": {
    title: rateTitle,
    cards: rateCards,
    columns: rateColumns,
    sections:
        report => [ratesSection(report), heatSection(report), roofSection(report), timelineSection(report)].filter(
            Boolean)
  },
  "clgemm-bench-first-call/1": {title: on("The first call"), sections: firstCallSections, columns: firstCallColumns},
  "clgemm-bench-overhead/1":
      {title: on("The host's time in a call"), sections: overheadSections, columns: overheadColumns},
  "clgemm-bench-regret/1":
      {title: on("Regret of the chosen parameters"), sections: regretSections, columns: regretColumns},
  "clgemm-bench-ladder/1": {title: on("The ladder"), sections: ladderSections, columns: ladderColumns},
};
const CHARTS = {
  rates: ["rates over size", "--size 256-4096*2"],
  heat: ["the map of ratios over m and n", "--suite llm --peers openblas,cublas"],
  roofline: ["the roofline", "--size 256-4096*2"],
  timeline: ["the parts of a call on host matrices", "--size 256-4096*2"],
  first: ["the first call of a process", "--first-call"],
  overhead: ["the host's time in a call", "--overhead"],
  regret: ["the chosen parameters compared with all others", "--regret"],
  ladder: ["the ladder's staircase", "--ladder"],
};

function on(what) { return report => `${what} on ${report.context.device}`; }

function rateTitle(report) {
  const {type, batch, device} = report.context;
  return `${ROUTINES[type] || "GEMM"}${batch > 1 ? `, batches of ${batch},` : ""} on ${device}`;
}

/* How many ratios are below each threshold of the report. Reports of earlier versions have none. */
function belowText(report, pair) {
  const below = report.means && report.means[pair] ? report.means[pair].below : {};
  return Object.keys(below).map(line => `, ${below[line]} below ${line}`).join("");
}

/* Our greatest rate, and the mean ratio to each peer. */
function rateCards(report) {
  const rows = drawnRows(report), cards = [];
  for (const key of ["clgemm_device", "clgemm_host"]) {
    const best =
        rows.filter(row => isMeasured(row.series[key])).sort((a, b) => b.series[key].gflops - a.series[key].gflops)[0];
    if (best)
      cards.push([`${number(best.series[key].gflops)} GFLOP/s`, `${nameOf(key)}, at ${problemText(best)}`]);
  }
  for (const pair of ratiosOf(rows)) {
    const ratios = rows.map(row => row.ratios[pair]).filter(ratio => ratio > 0);
    cards.push([
      `${number(geometricMean(ratios), 3)} \u00d7`,
      `${pairName(pair)}, ${
          ratios.length > 1 ? `geometric mean of ${ratios.length}, smallest ${number(Math.min(...ratios), 3)}` +
                  belowText(report, pair) :
                              "one problem"}`
    ]);
  }
  return cards;
}

/* ---- Columns ---- */

const text = (title, get) => ({title, get, text: true});
const figure = (title, get, digits) => ({title, get, digits});
const problemColumns = rows =>
    [text("shape", row => row.shape),
     ...(unique(rows.map(row => row.trans)).length > 1 ? [text("trans", row => row.trans)] : [])];
const outcome = row =>
    (row.outcome !== "ok" ? (row.outcome === "failed" ? "FAIL: " : "skipped: ") + row.why : row.check || "ok");

function rateColumns(rows) {
  const keys = seriesOf(rows), of = (row, key) => (isMeasured(row.series[key]) ? row.series[key] : {});
  const check = row =>
      KEYS.filter(key => row.series[key] && (row.series[key].outcome !== "ok" || row.series[key].check === "wrong"))
          .map(
              key => `${row.series[key].outcome === "skipped" ? "" : "FAIL "}${nameOf(key)}: ${
                  row.series[key].why || row.series[key].outcome}`)
          .join("; ") ||
      Object.values(row.series)[0].check;
  return [
    ...problemColumns(rows),
    ...(rows.some(row => row.coretype) ?
            [text("core type", row => (row.fastest_coretype ? "best: " + row.fastest_coretype : row.coretype))] :
            []),
    ...["m", "n", "k"].map(name => figure(name, row => row[name], WHOLE)),
    ...keys.flatMap(
        key =>
            [figure(nameOf(key) + ", GFLOP/s", row => of(row, key).gflops), figure("ms", row => of(row, key).median_ms),
             figure("spread", row => of(row, key).spread, 2)]),
    ...ratiosOf(rows).map(pair => figure(pairName(pair), row => row.ratios[pair], 3)), text("check", check)
  ];
}

function firstCallColumns(rows) {
  const keys = unique(rows.flatMap(row => Object.keys(row.figures)));
  return [
    ...problemColumns(rows), text("driver's cache", row => (row.driver_cache ? "on" : "off")),
    ...keys.map(
        key => figure(key.replaceAll("_", " ") + ", ms", row => row.figures[key] && row.figures[key].median_ms)),
    text("check", outcome)
  ];
}

function overheadColumns(rows) {
  return [
    ...problemColumns(rows), figure("kernels", row => row.kernels, WHOLE),
    figure("arguments", row => row.arguments, WHOLE),
    ...OVERHEAD.map(([key, name]) => figure(name + ", \u00b5s", row => row.figures[key] && row.figures[key].median_us)),
    text("check", outcome)
  ];
}

function regretColumns(rows) {
  const timed = (row, i) => (row.timed && row.timed[i]) || {};
  return [
    ...problemColumns(rows), figure("regret", row => row.regret), figure("chosen, ms", row => timed(row, 0).median_ms),
    figure("best, ms", row => timed(row, row.best).median_ms), text("chosen", row => timed(row, 0).text),
    text("best", row => timed(row, row.best).text), figure("tried", row => row.tried, WHOLE), text("check", outcome)
  ];
}

function ladderColumns() {
  return [
    text("shape", row => row.shape), text("step", row => (row.step ? row.name : "")),
    text("technique", row => row.technique || nameOf(row.name)), figure("GFLOP/s", row => row.series.gflops),
    figure("of ceiling", row => row.of_ceiling || undefined, 2), figure("ms", row => row.series.median_ms),
    figure("spread", row => row.series.spread, 2), text("check", row => outcome(row.series)),
    text("settings", row => Object.entries(row.settings || {}).map(([name, value]) => `${name}=${value}`).join(" "))
  ];
}

/* ---- The whole ---- */

function contextDetails(context) {
  return element(
      "details", {}, element("summary", {}, "Environment"),
      element(
          "dl", {},
          ...Object.entries(context).flatMap(([key, value]) => [element("dt", {}, key), element("dd", {}, value)])));
}

function cardList(cards) {
  return element(
      "ul", {class: "cards"},
      ...cards.map(([value, what]) => element("li", {}, element("b", {}, value), element("span", {}, what))));
}

const runs = []; /* the reports, in the order of the page */

/* Adds a run at the end. Returns false if the report has an unknown schema. */
function addRun(report) {
  if (!report || !MEASURES[report.schema])
    return false;
  runs.push(report);
  drawRun(report, runs.length === 1);
  return true;
}

function drawAll() {
  document.getElementById("runs").replaceChildren();
  hideTip();
  runs.forEach((report, i) => drawRun(report, i === 0));
}

function drawRun(report, isFirst) {
  const measure = MEASURES[report.schema], title = measure.title(report);
  const {date, library, driver, command} = report.context;
  const origin = [date && date.slice(0, 10), library, driver && "driver " + driver].filter(Boolean).join(", ");
  const head = isFirst ?
      [] :
      [element("h1", {}, title), element("p", {class: "note"}, origin), element("pre", {}, command || "")];
  if (isFirst) {
    document.getElementById("title").textContent = document.title = title;
    document.getElementById("origin").textContent = origin;
    document.getElementById("command").textContent = command || "";
  }
  const cards = measure.cards ? measure.cards(report) : [];
  document.getElementById("runs").append(element(
      "article", {"aria-label": title}, ...head, contextDetails(report.context),
      ...(cards.length ? [cardList(cards)] : []), ...measure.sections(report),
      section(
          "table", "All figures", "", sortableTable("All figures", report.results, measure.columns(report.results)))));
  const missing = Object.entries(CHARTS).filter(([id]) => !document.getElementById(id));
  document.querySelector("#missing ul")
      .replaceChildren(...missing.map(
          ([, [what, options]]) =>
              element("li", {}, `${what}: `, element("code", {}, `clgemm-bench ${options} --report page.html`))));
  document.getElementById("missing").hidden = !missing.length;
}

function download(text) {
  const link = element(
      "a", {href: URL.createObjectURL(new Blob([text], {type: "application/json"})), download: "clgemm-bench.json"});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function addFiles(files) {
  for (const file of files)
    try {
      if (!addRun(JSON.parse(await file.text())))
        alert(`${file.name} is not a JSON report of clgemm-bench, or its schema is unknown.`);
    } catch (error) {
      alert(`${file.name}: ${error.message}`);
    }
}

const json = document.getElementById("json").textContent;
document.getElementById("theme").addEventListener("change", event => {
  document.documentElement.dataset.theme = event.target.value;
});
document.getElementById("download").addEventListener("click", () => download(json));
document.getElementById("more").addEventListener("change", event => {
  addFiles(event.target.files);
  event.target.value = "";
});
addEventListener("scroll", followTip, true);
narrow.addEventListener("change", drawAll);
addRun(JSON.parse(json));

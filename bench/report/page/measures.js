/* The charts of the other metrics: the first call, a call's overhead, regret, the ladder. Two kinds of
 * chart are shared: a row of dots or a row of bars for each problem. */

/* Row labels are left of the field, which begins after labelRoom; in narrow charts, above their rows. */
const LABEL = 16;
const labelRoom = rows => (narrow.matches ? 14 : 24 + 6.4 * longest(rows.map(row => row.label)));
const rowHeight = high => high + (narrow.matches ? LABEL : 0);

/* Draws a row's label. Returns the y of the row's middle. */
function rowLabel(chart, label, top, high) {
  if (narrow.matches) {
    chart.add("text", {x: chart.left + 4, y: top + LABEL - 3}, label);
    return top + (high + LABEL) / 2;
  }
  chart.add("text", {x: chart.left - 10, y: top + high / 2 + 4, "text-anchor": "end"}, label);
  return top + high / 2;
}

/* Dots on a shared axis, with lines over their ranges. Rows are {label, dots: [{series, colour, value,
 * low, high, tip}]}. */
function dotRows(label, rows, unit, logarithmic, reference) {
  const dots = rows.flatMap(row => row.dots), high = rowHeight(26);
  const most = Math.max(...dots.map(dot => dot.high ?? dot.value)),
        least = Math.min(...dots.map(dot => dot.low ?? dot.value).filter(v => v > 0));
  const axis = logarithmic ? logAxis(0.8 * least, 1.25 * most) : linearAxis(most);
  const chart = new Chart(chartWidth(), 20 + high * rows.length + 48, [14, 30, 48, labelRoom(rows)], label);
  chart.xTicks(axis, true);
  chart.axes(unit, "");
  if (reference !== undefined)
    chart.add("path", {
      class: "curve",
      stroke: "var(--axis)",
      d: `M${chart.x(axis.place(reference)).toFixed(1)} ${chart.top} V${chart.bottom}`
    });
  rows.forEach((row, i) => {
    const place = (chart.bottom - chart.top) / rows.length;
    const y = rowLabel(chart, row.label, chart.top + i * place, place);
    for (const dot of [...row.dots].sort((a, b) => a.value - b.value)) {
      const x = value => chart.x(axis.place(Math.max(value, logarithmic ? 0.8 * least : 0)));
      if (dot.low !== undefined)
        chart.add(
            "path", {
              d: `M${x(dot.low).toFixed(1)} ${y.toFixed(1)} H${x(dot.high).toFixed(1)}`,
              stroke: dot.colour,
              "stroke-width": 3,
              opacity: 0.4
            },
            undefined, dot.series);
      chart.dot(i, x(dot.value), y, dot.colour, `${row.label}\n${dot.tip}`, dot.series);
    }
  });
  const entries = unique(dots.map(dot => dot.series))
                      .map(key => ({key, name: key, colour: dots.find(dot => dot.series === key).colour}));
  return chart.figure("", entries.length > 1 ? chart.legend(entries) : undefined);
}

/* Stacked bars. Rows are {label, parts: [{name, value, colour}]}. */
function barRows(label, rows, unit) {
  const high = rowHeight(32), total = row => row.parts.reduce((sum, part) => sum + part.value, 0);
  const axis = linearAxis(Math.max(...rows.map(total)));
  const chart = new Chart(chartWidth(), 20 + high * rows.length + 48, [14, 70, 48, labelRoom(rows)], label);
  chart.xTicks(axis, true);
  chart.axes(unit, "");
  rows.forEach((row, i) => {
    const y = rowLabel(chart, row.label, chart.top + i * high, high);
    let sum = 0;
    for (const part of row.parts) {
      const x = chart.x(axis.place(sum)), width = chart.x(axis.place(sum + part.value)) - x;
      chart.mark(
          i, shape("rect", {x, y: y - 11, width: Math.max(1, width), height: 22, fill: part.colour}),
          `${row.label}\n${part.name}: ${milliseconds(part.value)}`, part.name);
      sum += part.value;
    }
    chart.add("text", {x: chart.x(axis.place(sum)) + 6, y: y + 4}, number(sum, 3));
  });
  const parts = rows.flatMap(row => row.parts), names = unique(parts.map(part => part.name));
  return chart.figure(
      "", chart.legend(names.map(name => ({key: name, name, colour: parts.find(part => part.name === name).colour}))));
}

const range = samples => ({low: samples[0], high: samples.at(-1)});

/* ---- The first call ---- */

const FIRST = [
  ["cold", "cold: compiles", "var(--c6)"],
  ["background_first", "first, compiled in the background", "var(--c4)"],
  ["disk", "programs from disk", "var(--c0)"],
  ["memory", "programs from memory", "var(--c5)"],
  ["steady", "steady", "var(--c2)"],
  ["open", "open", "var(--c7)"],
  ["clblast_first", "CLBlast, first", colourOf("clblast")],
];

function firstCallSections(report) {
  const rows = report.results.filter(row => row.figures.cold);
  if (!rows.length)
    return [];
  const label = row => `${problemText(row)}, ${row.driver_cache ? "driver's cache" : "no driver's cache"}`;
  const dots = rows.map(
      row => ({
        label: label(row),
        dots: FIRST.filter(([key]) => row.figures[key]).map(([key, name, colour]) => {
          const figure = row.figures[key];
          return {
            series: name,
            colour,
            value: figure.median_ms,
            ...range(figure.samples_ms),
            tip: `${name}: ${milliseconds(figure.median_ms)}\n${figure.samples_ms.length} processes, ${
                     number(figure.samples_ms[0])} to ${number(figure.samples_ms.at(-1))} ms` +
                (figure.compiled === undefined ? "" :
                                                 `\n${figure.compiled} programs compiled, ${
                                                     figure.from_disk} from disk, ${figure.from_memory} from memory`)
          };
        })
      }));
  const bars = rows.filter(row => row.figures.disk).map(row => {
    const median = key => (row.figures[key] ? row.figures[key].median_ms : 0), steady = median("steady");
    const find = median("disk_find"), load = median("disk_load"),
          rest = Math.max(0, median("disk") - find - load - steady);
    return {
      label: label(row),
      parts: [
        {name: "find the programs' files", value: find, colour: "var(--c0)"},
        {name: "load them", value: load, colour: "var(--c5)"},
        {name: "first launch and the rest", value: rest, colour: "var(--c7)"},
        {name: "a steady call", value: Math.min(steady, median("disk")), colour: "var(--c2)"}
      ]
    };
  });
  return [
    section(
        "first", "The first call",
        "Milliseconds that a process waits once, on a logarithmic axis. Each call is the first of a new process.",
        dotRows("The first call", dots, "ms", true)),
    section(
        "disk", "What the first call does with programs on disk", "Differences of medians of different processes.",
        barRows("The first call from disk", bars, "ms"))
  ];
}

/* ---- Overhead ---- */

const OVERHEAD = [
  ["bare_enqueue", "bare kernel", "var(--c7)"], ["enqueue", "call", "var(--c0)"],
  ["factors", "call, new alpha", "var(--c5)"], ["bare_finish", "bare kernel, finish", "var(--c4)"],
  ["finish", "call, finish", "var(--c1)"], ["host", "call on host matrices", "var(--c2)"]
];

function overheadSections(report) {
  const rows = report.results.filter(row => row.figures.enqueue)
                   .map(row => ({
                          label: problemText(row),
                          dots: OVERHEAD.map(([key, name, colour]) => {
                            const figure = row.figures[key];
                            return {
                              series: name,
                              colour,
                              value: figure.median_us,
                              low: figure.min_us,
                              high: figure.p95_us,
                              tip: `${name}: ${number(figure.median_us)} \u00b5s (${number(figure.min_us)} to ${
                                  number(figure.p95_us)})\n${row.kernels} kernels, ${row.arguments} arguments`
                            };
                          })
                        }));
  return rows.length ? [section(
                           "overhead", "The host's time in a call",
                           "Compared with a bare kernel with as many arguments. The axis is logarithmic.",
                           dotRows("Overhead", rows, "\u00b5s", true))] :
                       [];
}

/* ---- Regret ---- */

const least = timed => milliseconds(Math.min(...timed.samples_ms));

function regretSections(report) {
  const rows =
      report.results.filter(row => row.regret > 0)
          .map(row => ({
                 label: problemText(row),
                 dots: [{
                   series: "regret",
                   colour: "var(--c0)",
                   value: row.regret,
                   tip: `${number(row.regret, 4)} times the best of ${row.tried}\nchosen: ${row.timed[0].text}, ${
                       least(row.timed[0])}\nbest: ${row.timed[row.best].text}, ${least(row.timed[row.best])}`
                 }]
               }));
  return rows.length ? [section(
                           "regret", "Regret",
                           `Time with the chosen parameters over time with the best known ones: geometric mean ${
                               number(report.geometric_mean, 4)}, worst ${number(report.worst, 4)}.`,
                           dotRows("Regret", rows, "times the best", false, 1))] :
                       [];
}

/* ---- The ladder ---- */

const STAIRS = ["var(--ink)", "var(--s1)", "var(--s2)", "var(--s3)", "var(--s4)"]; /* by size */

function ladderChart(report, logarithmic) {
  const shapes = unique(report.results.map(row => row.shape)), steps = report.results.filter(row => row.step);
  const names = unique(steps.map(row => row.name)), titles = names.map(name => {
    const row = steps.find(step => step.name === name);
    return `${row.step} ${row.technique}${row.variant ? " " + row.variant : ""}`;
  });
  const libraries = report.results.filter(row => !row.step && row.shape === shapes.at(-1) && isMeasured(row.series));
  const rates = report.results.filter(row => isMeasured(row.series))
                    .map(row => row.series.gflops)
                    .concat(report.ceiling_gflops > 0 ? [report.ceiling_gflops] : []);
  const y = logarithmic ? logAxis(0.9 * Math.min(...rates), 1.1 * Math.max(...rates)) : linearAxis(Math.max(...rates));
  const chart = new Chart(
            chartWidth(), 380 + 4 * longest(titles), [34, 20, 30 + 4 * longest(titles), 68], "The ladder's staircase"),
        entries = [];
  const edge = i => i / names.length;
  chart.yTicks(y);
  chart.axes("", "GFLOP/s");
  chart.xNames(titles, i => edge(i + 0.5));
  const level = (row, rate, key, name, colour, dashes) => {
    chart.mark(
        row, shape("path", {
          class: "curve",
          d: `M${chart.left} ${chart.y(y.place(rate)).toFixed(1)} H${chart.right}`,
          stroke: colour,
          "stroke-dasharray": dashes
        }),
        `${name}\n${number(rate)} GFLOP/s`, key);
    chart.rows[row].at(-1).classList.add("curve");
    entries.push({key, name, colour, dashes});
  };
  shapes.forEach((size, s) => {
    const row = chart.rows.length, colour = STAIRS[s % STAIRS.length];
    const treads = names.map(name => steps.find(step => step.name === name && step.shape === size));
    let path = "", drawing = false;
    treads.forEach((tread, i) => {
      const has = tread && isMeasured(tread.series);
      if (has)
        path += `${drawing ? "L" : "M"}${chart.x(edge(i)).toFixed(1)} ${
            chart.y(y.place(tread.series.gflops)).toFixed(1)} H${chart.x(edge(i + 1)).toFixed(1)} `;
      drawing = has;
    });
    chart.add("path", {class: "curve", d: path, stroke: colour}, undefined, size);
    treads.forEach(
        (tread, i) => tread && isMeasured(tread.series) &&
            chart.dot(
                row, chart.x(edge(i + 0.5)), chart.y(y.place(tread.series.gflops)), colour,
                `${titles[i]}, ${size.replaceAll("x", " \u00d7 ")}\n${number(tread.series.gflops)} GFLOP/s` +
                    (tread.of_ceiling > 0 ? `, ${number(100 * tread.of_ceiling, 3)} % of the ceiling` : "") + "\n" +
                    Object.entries(tread.settings).map(([name, value]) => `${name}=${value}`).join(" "),
                size));
    entries.push({key: size, name: size.replaceAll("x", " \u00d7 "), colour});
  });
  for (const library of libraries)
    level(
        chart.rows.length, library.series.gflops, library.name,
        nameOf(library.name) + (shapes.length > 1 ? ", " + shapes.at(-1) : ""), colourOf(library.name), "8 4");
  if (report.ceiling_gflops > 0)
    level(chart.rows.length, report.ceiling_gflops, "ceiling", "multiply-adds alone", "var(--axis)", "2 4");
  return chart.figure("", chart.legend(entries));
}

function ladderSections(report) {
  const rates = report.results.map(row => row.series.gflops).filter(rate => rate > 0),
        spans = Math.max(...rates) > 40 * Math.min(...rates);
  if (!report.results.some(row => row.step && isMeasured(row.series)))
    return [];
  return [section(
      "ladder", "The ladder", "A tread for each step of the tutorial (docs/ladder.md). Each step adds one change.",
      chosen(
          [{
            label: "Scale",
            options: spans ? [["log", "logarithmic"], ["", "linear"]] : [["", "linear"], ["log", "logarithmic"]]
          }],
          scale => ladderChart(report, scale === "log")))];
}

/* The charts of rates: over size, as ratios, the roofline, and the parts of a call on host matrices. */

const DASHES = ["none", "7 4", "2 4", "7 4 2 4"]; /* one for each transpose */

/* ---- Rates over size ---- */

/* Squares have a numeric axis of sizes. Other shapes get a position each, in the order measured. */
function sizeAxis(rows) {
  const shapes = unique(rows.map(row => row.shape));
  if (!rows.every(isSquare) || shapes.length < 2) {
    const last = Math.max(1, shapes.length - 1);
    return {
      names: shapes,
      place: row => (shapes.length > 1 ? shapes.indexOf(row.shape) / last : 0.5),
      of: i => (shapes.length > 1 ? i / last : 0.5)
    };
  }
  const sizes = ascending(rows.map(row => row.n)), first = sizes[0], last = sizes.at(-1);
  const logarithmic = last >= 4 * first;
  const place = n => (logarithmic ? Math.log(n / first) / Math.log(last / first) : (n - first) / (last - first));
  const powers = Array.from({length: 24}, (_, i) => 2 ** i).filter(n => n >= first && n <= last);
  const step = stepFor(last - first, 7);
  const even = Array.from({length: 12}, (_, i) => step * (Math.ceil(first / step) + i)).filter(n => n <= last);
  return {ticks: logarithmic ? powers : even, place: row => place(row.n), value: place};
}

function ratesChart(report, rows, logarithmic) {
  const keys = seriesOf(rows), transposes = unique(rows.map(row => row.trans)), axis = sizeAxis(rows);
  const rates = rows.flatMap(row => keys.map(key => row.series[key]).filter(isMeasured)).map(series => series.gflops);
  const below = axis.names ? 22 + 4 * longest(axis.names) : 50;
  const chart = new Chart(chartWidth(), 350 + below, [34, 20, below, 62], "GFLOP/s over size");
  const y = logarithmic ? logAxis(0.9 * Math.min(...rates), 1.1 * Math.max(...rates)) : linearAxis(Math.max(...rates));
  chart.yTicks(y);
  chart.axes(axis.names ? "" : "m = n = k", "GFLOP/s");
  if (axis.names)
    chart.xNames(axis.names, axis.of);
  else
    chart.xTicks({ticks: axis.ticks, place: axis.value});
  const entries = [];
  for (const key of keys)
    transposes.forEach((trans, t) => {
      const points = rows.filter(row => row.trans === trans).sort((a, b) => axis.place(a) - axis.place(b));
      const id = `${key} ${trans}`;
      let path = "", drawing = false, row = chart.rows.length;
      for (const point of points) {
        const series = point.series[key], has = isMeasured(series);
        if (has)
          path += `${drawing ? "L" : "M"}${chart.x(axis.place(point)).toFixed(1)} ${
              chart.y(y.place(series.gflops)).toFixed(1)} `;
        drawing = has; /* a gap where a figure is missing */
      }
      if (!path)
        return;
      chart.add("path", {class: "curve", d: path, stroke: colourOf(key), "stroke-dasharray": DASHES[t]}, undefined, id);
      for (const point of points.filter(p => isMeasured(p.series[key])))
        chart.dot(
            row, chart.x(axis.place(point)), chart.y(y.place(point.series[key].gflops)), colourOf(key),
            problemText(point) + "\n" + seriesText(key, point.series[key]), id);
      entries.push({
        key: id,
        name: nameOf(key) + (transposes.length > 1 ? " " + trans : ""),
        colour: colourOf(key),
        dashes: DASHES[t]
      });
    });
  return chart.figure("", chart.legend(entries));
}

function ratesSection(report) {
  const rows = drawnRows(report);
  if (!seriesOf(rows).length)
    return null;
  return section(
      "rates", "Rates over size",
      "A product has 2 m n k operations. Rates are from the median of the samples. The legend hides and shows lines.",
      chosen(
          [{label: "Scale", options: [["", "linear"], ["log", "logarithmic"]]}],
          scale => ratesChart(report, rows, scale === "log")));
}

/* ---- The map of ratios ---- */

/* Colours range from half as fast to twice as fast. Each cell also shows the ratio as text. */
function ratioColour(ratio) {
  const strength = Math.min(1, Math.abs(Math.log2(ratio))) * 100;
  return `color-mix(in oklab, var(${ratio >= 1 ? "--more" : "--less"}) ${strength.toFixed(0)}%, var(--even))`;
}

function heatChart(rows, pair) {
  const grid = ratioGrid(rows, pair), high = 30;
  const wide = Math.min(110, Math.max(46, (chartWidth() - 120) / grid.columns.length));
  const top = 24, bottom = grid.severalK ? 48 : 42;
  const chart = new Chart(
      90 + wide * grid.columns.length + 10, top + high * grid.ms.length + bottom, [top, 10, bottom, 90],
      `Ratios ${pairName(pair)} over m and n`);
  chart.svg.style.setProperty("--widest", chart.right + 10 + "px");
  chart.svg.style.setProperty("--least", 0.8 * chart.right + "px");
  chart.add("text", {x: 80, y: top - 8, "text-anchor": "end"}, "m");
  chart.add("text", {x: 80, y: chart.bottom + 18, "text-anchor": "end"}, "n");
  if (grid.severalK)
    chart.add("text", {class: "small", x: 80, y: chart.bottom + 34, "text-anchor": "end"}, "k");
  grid.columns.forEach(([n, k], i) => {
    const x = chart.left + (i + 0.5) * wide;
    chart.add("text", {x, y: chart.bottom + 18, "text-anchor": "middle"}, n);
    if (grid.severalK)
      chart.add("text", {class: "small", x, y: chart.bottom + 34, "text-anchor": "middle"}, k);
  });
  grid.ms.forEach((m, j) => {
    const y = chart.top + j * high;
    chart.add("text", {x: 80, y: y + high / 2 + 4, "text-anchor": "end"}, m);
    grid.columns.forEach((column, i) => {
      const row = grid.at(m, column);
      if (!row)
        return;
      const ratio = row.ratios[pair], x = chart.left + i * wide, [ours, peer] = pair.split("/");
      chart.mark(
          j, shape("rect", {x: x + 1, y: y + 1, width: wide - 2, height: high - 2, rx: 3, fill: ratioColour(ratio)}),
          `${problemText(row)}\n${number(ratio, 3)} times ${nameOf(peer)}\n${seriesText(ours, row.series[ours])}\n${
              seriesText(peer, row.series[peer])}`);
      const text = chart.add(
          "text", {
            x: x + wide / 2,
            y: y + high / 2 + 4,
            "text-anchor": "middle",
            "pointer-events": "none",
            "aria-hidden": "true"
          },
          number(ratio, 3));
      if (Math.abs(Math.log2(ratio)) > 0.55)
        text.style.fill = "#fff";
    });
  });
  return chart.figure("Above 1 libclgemm is faster. Colours range from half as fast to twice as fast.");
}

function heatSection(report) {
  const rows = drawnRows(report), transposes = unique(rows.map(row => row.trans));
  const pairs =
      ratiosOf(rows).filter(pair => transposes.some(trans => ratioGrid(rows.filter(row => row.trans === trans), pair)));
  if (!pairs.length)
    return null;
  const draw = (pair, trans) => {
    const these = rows.filter(row => row.trans === trans);
    return ratioGrid(these, pair) ? heatChart(these, pair) : element("p", {class: "note"}, "No grid of shapes.");
  };
  return section(
      "heat", "Ratios over m and n", "",
      chosen(
          [
            {label: "Ratio", options: pairs.map(pair => [pair, pairName(pair)])},
            {label: "Transposes", options: transposes.map(t => [t, t])}
          ],
          draw));
}

/* ---- The roofline ---- */

/* The series that run where the ceilings were measured: all of them if the device reads host memory. */
function underTheRoof(report, rows) {
  return seriesOf(rows).filter(key => report.host_access !== "copy" || !ON_HOST.includes(key));
}

function roofChart(report, rows) {
  const keys = underTheRoof(report, rows), xs = rows.map(row => intensity(row, report.context)).filter(x => x > 0);
  const rates = rows.flatMap(row => keys.map(key => row.series[key]).filter(isMeasured)).map(series => series.gflops);
  const ridge = report.ceiling_gflops / report.ceiling_gbytes;
  const left = 0.85 * Math.min(...xs, ridge / 8), right = 1.5 * Math.max(...xs, 4 * ridge);
  const low = 0.7 * Math.min(...rates, roof(report, left)), foot = Math.max(left, low / report.ceiling_gbytes);
  const x = logAxis(left, right), y = logAxis(low, 1.5 * Math.max(...rates, report.ceiling_gflops));
  const chart = new Chart(chartWidth(), 420, [34, 20, 50, 62], "Roofline");
  const at = (flops, rate) => `${chart.x(x.place(flops)).toFixed(1)} ${chart.y(y.place(rate)).toFixed(1)}`;
  chart.yTicks(y);
  chart.xTicks(x, true);
  chart.axes("operations per byte, if each matrix is moved once", "GFLOP/s");
  chart.add("path", {
    class: "curve",
    stroke: "var(--ink)",
    d: `M${at(foot, roof(report, foot))} L${at(ridge, report.ceiling_gflops)} L${at(right, report.ceiling_gflops)}`
  });
  chart.add(
      "text", {
        x: chart.right - 4,
        y: chart.y(y.place(report.ceiling_gflops)) - (narrow.matches ? 22 : 7),
        "text-anchor": "end"
      },
      `multiply-adds alone: ${number(report.ceiling_gflops)} GFLOP/s`);
  const copies = narrow.matches ? {x: chart.right - 4} : {x: chart.x(x.place(ridge)) - 8};
  chart.add(
      "text", {...copies, y: chart.y(y.place(report.ceiling_gflops)) - 7, "text-anchor": "end"},
      `copies alone: ${number(report.ceiling_gbytes)} GB/s`);
  keys.forEach((key, i) => {
    const points = rows.filter(row => isMeasured(row.series[key]) && intensity(row, report.context) > 0)
                       .sort((a, b) => intensity(a, report.context) - intensity(b, report.context));
    for (const row of points) {
      const flops = intensity(row, report.context), rate = row.series[key].gflops;
      chart.dot(
          i, chart.x(x.place(flops)), chart.y(y.place(rate)), colourOf(key),
          `${problemText(row)}\n${seriesText(key, row.series[key])}\n${number(flops, 3)} operations per byte: ${
              number(100 * rate / roof(report, flops), 3)} % of the roof`,
          key);
    }
  });
  return chart.figure(
      "Products that fit in caches may exceed the slope. Math modes that use faster units may exceed the top, " +
          "as may products measured while the machine was less busy than during the measurement of the ceiling.",
      chart.legend(keys.map(key => ({key, name: nameOf(key), colour: colourOf(key)}))));
}

function roofSection(report) {
  const rows = drawnRows(report);
  if (!(report.ceiling_gflops > 0 && report.ceiling_gbytes > 0) || !underTheRoof(report, rows).length ||
      !rows.some(row => intensity(row, report.context) > 0))
    return null;
  return section(
      "roofline", "Roofline", "Both ceilings were measured in this run, by kernels that only compute or only copy.",
      roofChart(report, rows));
}

/* ---- A call on host matrices ---- */

const ACCESS = {
  pointer: "The device reads the host's matrices in place, through the caller's pointers. Nothing is copied. " +
      "The rest of the call's time is spent waiting for the device.",
  buffer: "The device shares the host's memory and uses buffers over the matrices. Little or nothing is copied.",
  copy: "The device has its own memory. The upper bar adds the driver's copies and the product, each measured alone. " +
      "The lower bar is the call, in which threads, both directions of the bus and the device work at the same time.",
};

function timelineSection(report) {
  const rows =
      drawnRows(report).filter(row => isMeasured(row.series.clgemm_host) && isMeasured(row.series.clgemm_device));
  if (!ACCESS[report.host_access] || !rows.length)
    return null;
  const draw = i => {
    const row = rows[i], parts = [
      {name: "product, on the device", value: row.series.clgemm_device.median_ms, colour: colourOf("clgemm_device")}
    ];
    if (row.up_ms > 0) {
      parts.unshift({name: "copies to the device", value: row.up_ms, colour: "var(--c6)"});
      parts.push({name: "copy back", value: row.down_ms, colour: "var(--s2)"});
    }
    const bars = [{label: row.up_ms > 0 ? "one after the other" : "the product alone", parts}];
    for (const key of ON_HOST)
      if (isMeasured(row.series[key]))
        bars.push({
          label: nameOf(key),
          parts: [{name: nameOf(key), value: row.series[key].median_ms, colour: colourOf(key)}]
        });
    return barRows("A call on host matrices", bars, "ms");
  };
  const order = rows.map((row, i) => [i, problemText(row)]).sort(([a], [b]) => product(rows[b]) - product(rows[a]));
  return section(
      "timeline", "A call on host matrices", ACCESS[report.host_access],
      chosen([{label: "Problem", options: order}], draw));
}

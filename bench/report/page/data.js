/* Reads the report's JSON: pure functions, which draw nothing. */

const NAMES = {
  clgemm_host: "clgemm, host to host",
  clgemm_device: "clgemm, on the device",
  openblas: "OpenBLAS",
  clblast: "CLBlast",
  cublas: "cuBLAS",
  viennacl: "ViennaCL",
  cublasxt: "cuBLASXt",
  cublasxt_pinned: "cuBLASXt, pinned",
  clgemm_packed: "clgemm, packed B",
};
const KEYS = Object.keys(NAMES); /* in the order of drawing; page.css has a colour for each */
const ROUTINES = {
  f32: "SGEMM",
  f64: "DGEMM",
  f16: "HGEMM",
  bf16: "BFloat16 GEMM"
};
const BYTES = {
  f32: 4,
  f64: 8,
  f16: 2,
  bf16: 2
};
const ON_HOST = ["clgemm_host", "openblas", "cublasxt", "cublasxt_pinned"]; /* with host matrices */

const nameOf = key => NAMES[key] || key;
const colourOf = key => `var(--${KEYS.includes(key) ? key : "clgemm_host"})`;
const isMeasured = series => Boolean(series && series.outcome === "ok" && series.gflops > 0);
const product = row => row.m * row.n * row.k;
const isSquare = row => row.m === row.n && row.n === row.k;
const longest = names => Math.max(...names.map(name => name.length)); /* in characters */
const unique = list => [...new Set(list)];
const ascending = list => unique(list).sort((a, b) => a - b);

const WHOLE = 12; /* digits for counts */

/* Four significant digits, without an exponent: 0.01234, 12.34, 51092. */
function number(value, digits = 4) {
  if (!Number.isFinite(value))
    return "";
  if (value === 0 || (Number.isInteger(value) && digits >= WHOLE))
    return String(value);
  const whole = Math.floor(Math.log10(Math.abs(value))) + 1;
  return value.toFixed(Math.min(9, Math.max(0, digits - whole)));
}

function milliseconds(value) {
  return value >= 1000 ? number(value / 1000) + " s" :
      value >= 1       ? number(value) + " ms" :
                         number(1000 * value) + " \u00b5s";
}

/* 1, 2 or 5 times a power of ten, so that about `count` steps reach `most`. */
function stepFor(most, count) {
  const power = 10 ** Math.floor(Math.log10(most / count));
  return power * [1, 2, 5, 10].find(digit => digit * power >= most / count * 0.999);
}

function geometricMean(values) {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

/* An axis: place(value) is from 0 to 1, and `ticks` are the values with a label. */
function linearAxis(most, count = 6) {
  const step = stepFor(most > 0 ? most : 1, count), top = step * Math.max(1, Math.ceil(most / step * 0.999));
  return {
    place: value => value / top,
    ticks: Array.from({length: Math.round(top / step) + 1}, (_, i) => +(i * step).toPrecision(12))
  };
}

function logAxis(least, most) {
  const low = Math.log10(least), high = Math.log10(most > least ? most : least * 1.01), ticks = [];
  const digits = high - low > 3.5 ? [1] : high - low > 1.2 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 7];
  for (let ten = Math.floor(low); ten <= high; ten++)
    for (const digit of digits) {
      const value = digit * 10 ** ten;
      if (Math.log10(value) >= low - 1e-9 && Math.log10(value) <= high + 1e-9)
        ticks.push(+value.toPrecision(3));
    }
  return {place: value => (Math.log10(value) - low) / (high - low), ticks};
}

/* The rows of a table of rates that charts draw: with core types, only the best one. */
function drawnRows(report) {
  const best = report.results.filter(row => row.coretype === "best");
  return best.length ? best : report.results;
}

/* The series that have figures, in the order of KEYS. */
function seriesOf(rows) {
  const keys = unique(rows.flatMap(row => Object.keys(row.series)));
  return keys.filter(key => rows.some(row => isMeasured(row.series[key])))
      .sort((a, b) => KEYS.indexOf(a) - KEYS.indexOf(b));
}

/* The pairs of series whose ratios the report has, as "ours/peer". */
function ratiosOf(rows) { return unique(rows.flatMap(row => Object.keys(row.ratios))); }

function pairName(pair) {
  const [ours, peer] = pair.split("/");
  return `${ours === "clgemm_host" ? "host" : "device"} / ${nameOf(peer)}`;
}

/* A multiply-add counts as two operations. Each matrix is moved once, C twice if beta is not 0. */
function intensity(row, context) {
  const c = (row.beta === 0 ? 1 : 2) * row.m * row.n;
  return 2 * product(row) / (BYTES[context.type] * (row.m * row.k + row.k * row.n + c));
}

/* The attainable GFLOP/s at an arithmetic intensity. */
function roof(report, x) { return Math.min(report.ceiling_gflops, report.ceiling_gbytes * x); }

/* The map of ratios: rows by m, columns by n and k. Null if no m has two columns or no column has
 * two m. */
function ratioGrid(rows, pair) {
  const cells = rows.filter(row => row.ratios[pair] > 0);
  const column = row => `${row.n} ${row.k}`;
  const repeats = (these, key, other) =>
      these.some(row => these.some(x => key(x) === key(row) && other(x) !== other(row)));
  if (!repeats(cells, row => row.m, column) || !repeats(cells, column, row => row.m))
    return null;
  const columns =
      unique(cells.map(column)).map(text => text.split(" ").map(Number)).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return {
    columns,
    ms: ascending(cells.map(row => row.m)),
    severalK: unique(cells.map(row => row.k)).length > 1,
    at: (m, [n, k]) => cells.find(row => row.m === m && row.n === n && row.k === k)
  };
}

/* The problem as text. */
function problemText(row) {
  return row.shape.replaceAll("x", " \u00d7 ") + (row.trans && row.trans !== "NN" ? ", " + row.trans : "") +
      (row.coretype ? ", " + (row.fastest_coretype || row.coretype) : "");
}

function seriesText(key, series) {
  return `${nameOf(key)}\n${number(series.gflops)} GFLOP/s, ${milliseconds(series.median_ms)}` +
      ` (${number(series.min_ms)} to ${number(series.p95_ms)})` +
      (series.check === "wrong" ? "\nWRONG RESULT: " + series.why : "");
}

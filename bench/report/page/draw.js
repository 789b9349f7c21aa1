/* Elements of the page, and what charts share: a field with axes, marks with tooltips for pointers and
 * keyboards, a legend that hides series. */

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (key.startsWith("on"))
      made.addEventListener(key.slice(2), value);
    else
      made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function shape(name, attributes = {}, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes))
    made.setAttribute(key, typeof value === "number" ? +value.toFixed(1) : value);
  if (text !== undefined)
    made.textContent = text;
  return made;
}

/* ---- Tips ---- */

function showTip(mark) {
  const tip = document.getElementById("tip"), box = mark.getBoundingClientRect();
  tip.textContent = mark.getAttribute("aria-label");
  tip.hidden = false;
  const x = Math.min(box.right + 8, innerWidth - tip.offsetWidth - 8);
  const y = box.top - tip.offsetHeight - 8;
  tip.style.left = Math.max(8, x) + "px";
  tip.style.top = (y > 8 ? y : box.bottom + 8) + "px";
}

function hideTip() { document.getElementById("tip").hidden = true; }

/* On scrolling, the tip of the focused point moves with it, because focus may scroll the page. Any other
 * tip is hidden. */
function followTip() {
  const tip = document.getElementById("tip"), mark = document.activeElement;
  if (tip.hidden)
    return;
  if (mark.matches(".mark") && tip.textContent === mark.getAttribute("aria-label"))
    showTip(mark);
  else
    hideTip();
}

/* ---- A chart ---- */

/* Narrow windows get narrow charts, whose text keeps its size. */
const narrow = matchMedia("screen and (max-width: 600px)");
const chartWidth = () => (narrow.matches ? Math.max(340, document.documentElement.clientWidth - 36) : 900);

/* A chart of `width` x `height` units, with margins around its field. Marks are in rows. Tab reaches one
 * mark of the chart, the arrow keys reach the others. */
class Chart {
  constructor(width, height, margins, label) {
    this.rows = [];
    this.left = margins[3], this.top = margins[0], this.right = width - margins[1], this.bottom = height - margins[2];
    this.svg = shape("svg", {viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label});
    this.svg.addEventListener("keydown", event => this.key(event));
    this.groups = new Map();
  }

  x(place) { return this.left + place * (this.right - this.left); }
  y(place) { return this.bottom - place * (this.bottom - this.top); }

  add(name, attributes, text, series) {
    const made = shape(name, attributes, text);
    this.group(series).append(made);
    return made;
  }

  /* All elements of a series are in one group, so that they are hidden together. */
  group(series) {
    if (series === undefined)
      return this.svg;
    if (!this.groups.has(series)) {
      this.groups.set(series, shape("g"));
      this.svg.append(this.groups.get(series));
    }
    return this.groups.get(series);
  }

  axes(xTitle, yTitle) {
    this.add("path", {class: "axis", d: `M${this.left} ${this.top} V${this.bottom} H${this.right}`});
    if (xTitle)
      this.add(
          "text", {x: (this.left + this.right) / 2, y: this.svg.viewBox.baseVal.height - 6, "text-anchor": "middle"},
          xTitle);
    if (yTitle)
      this.add("text", {x: this.left, y: this.top - 12, "text-anchor": "middle"}, yTitle);
  }

  yTicks(axis) {
    for (const value of axis.ticks) {
      const y = this.y(axis.place(value));
      this.add("path", {class: "grid", d: `M${this.left} ${y.toFixed(1)} H${this.right}`});
      this.add("text", {x: this.left - 8, y: y + 4, "text-anchor": "end"}, value);
    }
  }

  /* Labels that would overlap are left out. */
  xTicks(axis, lines) {
    let free = -Infinity;
    for (const value of axis.ticks) {
      const at = this.x(axis.place(value)), x = at.toFixed(1), half = 3.5 * String(value).length;
      this.add(
          "path",
          {class: lines ? "grid" : "axis", d: lines ? `M${x} ${this.top} V${this.bottom}` : `M${x} ${this.bottom} v5`});
      if (at - half < free)
        continue;
      this.add("text", {x, y: this.bottom + 18, "text-anchor": "middle"}, value);
      free = at + half + 4;
    }
  }

  /* Slanted names below the axis; only as many as fit side by side. */
  xNames(names, place) {
    const every = Math.ceil(names.length * 16 / (this.right - this.left));
    names.forEach((name, i) => {
      const x = this.x(place(i));
      if (i % every === 0)
        this.add(
            "text", {
              class: "small",
              x,
              y: this.bottom + 14,
              "text-anchor": "end",
              transform: `rotate(-38 ${x.toFixed(1)} ${this.bottom + 14})`
            },
            name);
    });
  }

  /* A mark with its tip, in a row of marks for the Left and Right keys. */
  mark(row, made, tip, series) {
    for (const [key, value] of Object.entries(
             {class: "mark", role: "img", "aria-label": tip, tabindex: this.rows.length ? -1 : 0}))
      made.setAttribute(key, value);
    made.addEventListener("focus", () => showTip(made));
    made.addEventListener("blur", hideTip);
    made.addEventListener("pointerenter", () => showTip(made));
    made.addEventListener("pointerleave", hideTip);
    (this.rows[row] = this.rows[row] || []).push(made);
    this.group(series).append(made);
  }

  dot(row, x, y, colour, tip, series) {
    this.mark(row, shape("circle", {cx: x, cy: y, r: 4, fill: colour}), tip, series);
  }

  key(event) {
    const rows = this.rows.filter(row => row && row.length && !row[0].closest(".off"));
    const row = rows.findIndex(marks => marks.includes(event.target));
    if (row < 0)
      return;
    const at = rows[row].indexOf(event.target), centre = event.target.getBoundingClientRect().x;
    const nearest = marks => marks.reduce(
        (best, mark) =>
            Math.abs(mark.getBoundingClientRect().x - centre) < Math.abs(best.getBoundingClientRect().x - centre) ?
            mark :
            best);
    const goals = {
      ArrowRight: () => rows[row][at + 1],
      ArrowLeft: () => rows[row][at - 1],
      Home: () => rows[row][0],
      End: () => rows[row].at(-1),
      ArrowDown: () => rows[row + 1] && nearest(rows[row + 1]),
      ArrowUp: () => rows[row - 1] && nearest(rows[row - 1]),
      Escape: hideTip
    };
    if (!goals[event.key])
      return;
    event.preventDefault();
    const goal = goals[event.key]();
    if (goal) {
      event.target.setAttribute("tabindex", -1);
      goal.setAttribute("tabindex", 0);
      goal.focus();
    }
  }

  /* Buttons that hide and show series. Entries are {key, name, colour, dashes}. */
  legend(entries) {
    const sample = entry => {
      const svg = shape("svg", {viewBox: "0 0 26 10", "aria-hidden": "true"});
      svg.append(shape(
          "path",
          {d: "M0 5 H26", stroke: entry.colour, "stroke-width": 3, "stroke-dasharray": entry.dashes || "none"}));
      return svg;
    };
    return element("ul", {class: "legend"}, ...entries.map(entry => {
      const button = element(
          "button", {
            type: "button",
            "aria-pressed": "true",
            onclick: () => {
              const shown = button.getAttribute("aria-pressed") === "false";
              button.setAttribute("aria-pressed", shown);
              this.groups.get(entry.key).classList.toggle("off", !shown);
            }
          },
          sample(entry), entry.name);
      return element("li", {}, button);
    }));
  }

  figure(caption, legend) {
    const wide = element("div", {class: "wide"}, this.svg);
    return element(
        "figure", {}, ...(legend ? [legend] : []), wide, ...(caption ? [element("figcaption", {}, caption)] : []));
  }
}

/* ---- Sections, choices, tables ---- */

function section(id, title, note, ...children) {
  return element(
      "section", {id, "aria-label": title}, element("h2", {}, title),
      ...(note ? [element("p", {class: "note"}, note)] : []), ...children);
}

/* A container whose content is made by `draw(choices...)`, again after each change of a choice. Choices
 * are {label, options: [[value, text], ...]}; those with one option are not shown. */
function chosen(choices, draw) {
  const place = element("div"),
        selects = choices.map(
            choice => element(
                "select", {onchange: () => redraw()},
                ...choice.options.map(([value, text]) => element("option", {value}, text))));
  const redraw = () => place.replaceChildren(draw(...selects.map(select => select.value)));
  const asked =
      choices.map((choice, i) => choice.options.length > 1 && element("label", {}, choice.label + " ", selects[i]))
          .filter(Boolean);
  redraw();
  return element("div", {}, ...(asked.length ? [element("div", {class: "choices"}, ...asked)] : []), place);
}

/* A table. A column has a title, get(row), and whether it is text. Empty cells sort last. */
function sortableTable(caption, rows, columns) {
  const body = element("tbody"),
        heads = columns.map(
            (column, i) => element(
                "th", {scope: "col", "aria-sort": "none", class: column.text ? "text" : ""},
                element("button", {type: "button", onclick: () => sort(i)}, column.title)));
  const cell = (row, column) => {
    const value = column.get(row);
    const bad = column.text && /^(FAIL|wrong)/.test(value || "");
    return element(
        "td", {class: (column.text ? "text" : "") + (bad ? " bad" : "") + (String(value).length > 40 ? " long" : "")},
        column.text ? value || "" : number(value, column.digits));
  };
  const fill = order =>
      body.replaceChildren(...order.map(row => element("tr", {}, ...columns.map(column => cell(row, column)))));
  const sort = i => {
    const up = heads[i].getAttribute("aria-sort") !== "ascending";
    heads.forEach((head, j) => head.setAttribute("aria-sort", i !== j ? "none" : up ? "ascending" : "descending"));
    const get = columns[i].get,
          empty = value => value === undefined || value === null || value === "" || Number.isNaN(value);
    fill([...rows].sort((one, other) => {
      const a = get(one), b = get(other);
      if (empty(a) || empty(b))
        return empty(a) - empty(b);
      return (up ? 1 : -1) *
          (typeof a === "number" ? a - b : String(a).localeCompare(String(b), "en", {numeric: true}));
    }));
  };
  fill(rows);
  return element(
      "div", {class: "table", tabindex: 0, role: "region", "aria-label": caption},
      element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body));
}

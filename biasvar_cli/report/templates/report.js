"use strict";
(() => {
  document.documentElement.dataset.scripts = "true";
  const DATA = JSON.parse(document.getElementById("data").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
  const COEFFICIENTS = { pearson: "Pearson’s r", spearman: "Spearman’s ρ", kendall: "Kendall’s τ" };
  const GAP_VAR = "Var(ρ̂)";
  const state = { run: 0, second: DATA.versus, printing: false };  // no run is against itself: see versus
  Object.defineProperty(state, "versus", { get() { return this.second === this.run ? null : this.second; } });

  // ---- words and numbers ----------------------------------------------------------------------------------------

  /** A number as biasvar prints it: rounded, "-" for undefined, small but not zero never as zero. */
  const shown = (value, digits = DATA.digits) => {
    if (value === null || value === undefined) return "-";
    const exact = value.toFixed(digits + 30), tie = exact.endsWith(`5${"0".repeat(29)}`);
    const even = tie && "02468".includes(exact.at(-31) === "." ? exact.at(-32) : exact.at(-31));
    const text = even ? exact.slice(0, digits ? -30 : -31) : value.toFixed(digits);  // a tie goes to the even digit
    if (value !== 0 && Number(text) === 0) return value.toExponential(1).replace(/e([+-])(\d)$/, "e$10$2");
    return Number(text) === 0 ? text.replace("-", "") : text;
  };
  const counted = (number, noun) => `${number} ${number === 1 ? noun : noun.replace(/y$/, "ie") + "s"}`;
  const listed = (names, most = 5) =>
    names.slice(0, most).join(", ") + (names.length > most ? ` and ${names.length - most} more` : "");
  const nameOf = (run) => DATA.names[run];
  /** What is too long loses its middle: ends tell names apart. */
  const shortened = (text, most) => {
    const signs = [...text], keep = most - 1;
    return signs.length <= most ? text : `${signs.slice(0, (keep + 1) >> 1).join("")}…${signs.slice(signs.length - (keep >> 1)).join("")}`;
  };
  /** Differences by rounding alone, of the two or of a unit, are none: files can differ in a score's last digit. */
  const compare = (a, b, unit = 0) => (Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b), unit) ? 0 : a < b ? -1 : 1);
  const largest = (rows, name) => rows.reduce((most, row) => Math.max(most, row[name]), 0);
  /** The runs in ascending order of a quantity, equal ones in that of their names. */
  const inOrder = (rows, name) => {
    const unit = largest(rows, name);
    return rows.map((_, run) => run).sort((a, b) => compare(rows[a][name], rows[b][name], unit) || a - b);
  };

  // ---- elements -------------------------------------------------------------------------------------------------

  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const draw = (name, attributes = {}, ...children) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const paint = (element, variable) => { element.style.fill = `var(${variable})`; return element; };

  const tip = $("#tip");
  const tell = (text, event) => {
    tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const at = event.clientX === undefined || event.type === "focus" ? event.target.getBoundingClientRect() : null;
    const [x, y] = at ? [at.right, at.bottom] : [event.clientX, event.clientY];
    tip.style.left = `${Math.max(4, Math.min(x + 12, innerWidth - box.width - 8))}px`;
    tip.style.top = `${y + 16 + box.height > innerHeight ? y - box.height - 10 : y + 16}px`;
  };
  const hush = () => { tip.hidden = true; };
  const explain = (element, words) => {
    element.addEventListener("pointermove", (event) => tell(words(), event));
    element.addEventListener("pointerleave", hush);
  };
  addEventListener("keydown", (event) => { if (event.key === "Escape") hush(); });

  const SHAPES = {
    circle: (r) => `M${-r},0A${r},${r} 0 1 1 ${r},0A${r},${r} 0 1 1 ${-r},0Z`,
    square: (r) => `M${-r},${-r}H${r}V${r}H${-r}Z`,
    up: (r) => `M0,${-1.2 * r}L${1.2 * r},${r}H${-1.2 * r}Z`,
    diamond: (r) => `M0,${-1.4 * r}L${1.2 * r},0L0,${1.4 * r}L${-1.2 * r},0Z`,
    down: (r) => `M0,${1.2 * r}L${1.2 * r},${-r}H${-1.2 * r}Z`,
    cross: (r) => `M${-r},${-r / 3}H${-r / 3}V${-r}H${r / 3}V${-r / 3}H${r}V${r / 3}H${r / 3}V${r}H${-r / 3}V${r / 3}H${-r}Z`,
    right: (r) => `M${1.2 * r},0L${-r},${1.2 * r}V${-1.2 * r}Z`,
    left: (r) => `M${-1.2 * r},0L${r},${1.2 * r}V${-1.2 * r}Z`,
  };
  const DASHES = ["none", "6 3", "2 3", "8 3 2 3", "12 4", "1 2", "8 3 2 3 2 3", "4 1"];
  const FAMILY_SHAPES = Object.keys(SHAPES).filter((name) => name !== "cross");

  // ---- axes -----------------------------------------------------------------------------------------------------

  const ticksOf = (low, high, about, whole = false) => {
    const rough = Math.max((high - low) / about, whole ? 1 : 0), power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough * (1 - 1e-9));
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const size = Math.max(Math.abs(low), Math.abs(high));
    const words = (value) => (value !== 0 && (size < 1e-4 || size >= 1e6)
      ? Number(value.toPrecision(6)).toExponential() : Number(value.toFixed(digits + 1)).toFixed(digits));
    const found = [];
    for (let index = Math.ceil(low / step - 1e-9); index * step <= high + 1e-9 * step; index++) found.push(index * step);
    return found.map((value) => [value, words(value).replace(/^-0*\.?0*$/, "0").replaceAll("-", "−")]);
  };
  const extent = (values, share = 0.04, unit = 0) => {
    let low = Infinity, high = -Infinity;
    for (const value of values) { low = Math.min(low, value); high = Math.max(high, value); }
    const size = Math.max(Math.abs(low), Math.abs(high), unit);
    const room = high - low > 1e-12 * size ? share * (high - low) : 0.1 * size || 0.01;
    return [low - room, high + room];
  };
  /** The extent of a squared quantity: hardly below 0. */
  const fromZero = ([low, high]) => [Math.max(low, -0.02 * high), high];
  /** As wide as there is room for; on paper as wide as a page or half of it. */
  const widthOf = (figure) => (state.printing ? (figure.closest(".pair") ? 335 : 690) : Math.max(260, Math.round($(".canvas", figure).clientWidth || figure.clientWidth || 600)));

  /** An empty plot with axes; x or y may be null for an axis that the figure draws itself. */
  const plot = (figure, { height, x, y, xTitle, yTitle, margin, label, signs = 3, whole = false, interactive = false }) => {
    const width = widthOf(figure);
    const yTicks = y ? ticksOf(...y, Math.max(3, height / 60)) : [];
    const longest = Math.max(signs, ...yTicks.map(([, text]) => text.length));
    const edge = { top: 10, right: 12, bottom: 40, left: (yTitle ? 28 : 12) + 7 * longest, ...margin };
    const svg = draw("svg", {
      width, height, viewBox: `0 0 ${width} ${height}`, role: interactive ? "group" : "img", "aria-label": label,
    });
    const scale = ([low, high], from, to) => (value) => from + ((value - low) / (high - low)) * (to - from);
    const X = x && scale(x, edge.left, width - edge.right), Y = y && scale(y, height - edge.bottom, edge.top);
    const back = draw("g", { "aria-hidden": "true" });
    const base = height - edge.bottom;
    if (x) {
      const rough = Math.max(2, (width - edge.left) / 90), wide = Math.max(...ticksOf(...x, rough, whole).map(([, text]) => text.length));
      let wanted = Math.min(rough, Math.max(1, (width - edge.left) / (9 * wide)));
      while (ticksOf(...x, wanted, whole).length < 2 && wanted < 9) wanted += 1;  // one alone is no scale
      for (const [value, text] of ticksOf(...x, wanted, whole)) {
        back.append(
          draw("line", { class: "grid", x1: X(value), x2: X(value), y1: edge.top, y2: base }),
          draw("text", { x: X(value), y: base + 15, "text-anchor": "middle", class: "soft" }, text),
        );
      }
    }
    if (y) {
      for (const [value, text] of yTicks) {
        back.append(
          draw("line", { class: "grid", x1: edge.left, x2: width - edge.right, y1: Y(value), y2: Y(value) }),
          draw("text", { x: edge.left - 6, y: Y(value) + 4, "text-anchor": "end", class: "soft" }, text),
        );
      }
    }
    back.append(draw("rect", {
      class: "axis", x: edge.left, y: edge.top, width: width - edge.left - edge.right, height: base - edge.top,
    }));
    if (xTitle) {
      const middle = (edge.left + width - edge.right) / 2;
      back.append(draw("text", { x: middle, y: height - 6, "text-anchor": "middle" }, xTitle));
    }
    if (yTitle) {
      const middle = (edge.top + base) / 2;
      back.append(draw("text", { transform: `translate(13,${middle}) rotate(-90)`, "text-anchor": "middle" }, yTitle));
    }
    svg.append(back);
    $(".canvas", figure).replaceChildren(svg);
    return { svg, X, Y, width, height, edge, base, right: width - edge.right };
  };
  const title = (figure, text) => { $(".title", figure).textContent = text; };
  const caption = (figure, text) => { $(".caption", figure).textContent = text; };
  const empty = (figure, why) => { $(".canvas", figure).replaceChildren(make("p", { class: "caption" }, why)); };

  // ---- choosing -------------------------------------------------------------------------------------------------

  /** The second run is kept while the first one comes past it. */
  const choose = (run) => {
    state.run = run;
    refresh(`Run ${nameOf(run)}`);
  };
  const chooseSecond = (run) => {
    if (run === state.run && state.versus !== null) return swap();
    if (run !== state.run) state.second = run;
    refresh(run === state.run ? `${nameOf(run)} is the first run` : run === null ? "No second run" : `Against ${nameOf(run)}`);
  };
  const swap = () => {
    if (state.versus === null) return;
    [state.run, state.second] = [state.second, state.run];
    refresh(`${nameOf(state.run)} against ${nameOf(state.versus)}`);
  };
  const classes = (panel, run) =>
    `${run === state.run ? " run" : ""}${run === state.versus ? " versus" : ""}` +
    `${panel.matching && !panel.matching.has(run) ? " dim" : ""}`;

  /** Marks of runs that can be chosen by pointer and by keyboard: one stop of the Tab key, arrows go from run to run. */
  const choosable = (panel, name, marks, order, words) => {
    panel.marks[name] = marks;
    const stop = () => { for (const [run, mark] of marks) mark.setAttribute("tabindex", run === state.run ? 0 : -1); };
    for (const [run, mark] of marks) {
      mark.dataset.base = mark.getAttribute("class");
      mark.setAttribute("role", "button");
      mark.setAttribute("aria-label", words(run));
      explain(mark, () => words(run));
      mark.addEventListener("focus", (event) => tell(words(run), event));  // only what takes focus: listening makes it so
      mark.addEventListener("blur", hush);
      mark.addEventListener("click", (event) => (event.shiftKey ? chooseSecond(run) : choose(run)));
      mark.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (step) {
          const at = order.indexOf(run), next = order[(at + step + order.length) % order.length];
          marks.get(next).focus();
        } else if (event.key === "Enter" || event.key === " ") {
          if (event.shiftKey) chooseSecond(run); else choose(run);
        } else return;
        event.preventDefault();
      });
    }
    panel.stops.push(stop);
  };

  /** What every view of the chosen run shows now. */
  const restyle = (panel) => {
    for (const marks of Object.values(panel.marks)) {
      for (const [run, mark] of marks) {
        mark.setAttribute("class", mark.dataset.base + classes(panel, run));
        mark.setAttribute("aria-pressed", run === state.run);
      }
    }
    panel.stops.forEach((stop) => stop());
    panel.after.forEach((each) => each());
  };

  // ---- the figures of runs --------------------------------------------------------------------------------------

  const inForm = (panel) => (panel.form === "gap"
    ? { variance: "var_gap", total: "total_gap", title: GAP_VAR, words: "variance of the gap" }
    : { variance: "var", total: "total", title: "Var", words: "variance" });

  const frontOf = (panel) => panel.data.fronts[panel.form];
  const familyOf = (panel) => {
    const found = new Map();
    panel.data.families.forEach((family, place) => family.members.forEach((run) => found.set(run, place)));
    return found;
  };
  const wordsOf = (panel, run) => {
    const row = panel.runs[run], form = inForm(panel), place = panel.family.get(run);
    const family = place === undefined ? "" : `, family ${panel.data.families[place].name}`;
    return `${nameOf(run)}${family}: mean ${shown(row.mean)}, bias² ${shown(row.bias2)}, ${form.words} ` +
      `${shown(row[form.variance])}, total ${shown(row[form.total])}`;
  };

  const plane = (panel, figure) => {
    const form = inForm(panel), runs = panel.runs;
    const unit = largest(runs, form.total);
    const [x, y] = ["bias2", form.variance].map((name) => fromZero(extent(runs.map((row) => row[name]), 0.04, unit)));
    const width = widthOf(figure), height = Math.round(Math.min(460, Math.max(300, 0.72 * width)));
    const place = plot(figure, {
      height, x, y, xTitle: "Bias²", yTitle: form.title, interactive: true,
      label: `Bias² and ${form.words} of ${runs.length} runs; arrow keys go from run to run, Enter chooses`,
    });
    const { svg, X, Y } = place;
    const levels = draw("g", { "aria-hidden": "true" });
    for (const [value, text] of ticksOf(x[0] + y[0], x[1] + y[1], 6)) {
      if (value <= 0) continue;
      const right = Math.min(x[1], value - y[0]), left = Math.max(x[0], value - y[1]);
      if (right - left < 0.03 * (x[1] - x[0])) continue;
      levels.append(draw("line", { class: "level", x1: X(left), y1: Y(value - left), x2: X(right), y2: Y(value - right) }));
      if (right - left > 0.12 * (x[1] - x[0])) {
        const t = 0.03 * (right - left);
        levels.append(draw("text", { x: X(right - t) - 4, y: Y(value - right + t) - 4, class: "soft level-tag", "font-size": 10, "text-anchor": "end" }, text));
      }
    }
    const front = frontOf(panel);
    const steps = front.map((run, at) => (at
      ? `H${X(runs[run].bias2)}V${Y(runs[run][form.variance])}` : `M${X(runs[run].bias2)},${Y(runs[run][form.variance])}`));
    levels.append(draw("path", { class: "front-line", d: steps.join("") || "M0,0" }));
    panel.data.families.forEach((family, index) => {
      const points = family.members.map((run) => `${X(runs[run].bias2)},${Y(runs[run][form.variance])}`);
      const line = draw("polyline", { points: points.join(" "), fill: "none", "stroke-width": 1, opacity: 0.55 });
      line.style.stroke = `var(--c${index % 8})`;
      levels.append(line);
    });
    svg.append(levels);
    const marks = new Map();
    const order = inOrder(runs, "bias2");
    const inFront = new Set(front);
    for (const run of order) {
      const index = panel.family.get(run);
      const shape = panel.data.families.length ? (index === undefined ? "cross" : FAMILY_SHAPES[index % 7]) : "circle";
      const mark = draw("path", {
        class: "mark dot", d: SHAPES[shape](4.6),
        transform: `translate(${X(runs[run].bias2)},${Y(runs[run][form.variance])})`,
      });
      paint(mark, panel.data.families.length && index === undefined ? "--grey" : `--c${(index ?? 0) % 8}`);
      if (inFront.has(run)) {
        levels.append(draw("circle", {
          class: "front-line", r: 7.5, cx: X(runs[run].bias2), cy: Y(runs[run][form.variance]),
        }));
      }
      marks.set(run, mark);
      svg.append(mark);
    }
    choosable(panel, "plane", marks, order, (run) => wordsOf(panel, run));
    const tags = draw("g", { "aria-hidden": "true", "pointer-events": "none" });
    svg.append(tags);
    panel.after.push(() => {
      tags.replaceChildren();
      for (const run of [state.versus, state.run]) {
        if (run === null) continue;
        const [cx, cy] = [X(runs[run].bias2), Y(runs[run][form.variance])];
        const tag = draw("text", { class: "name-tag", y: cy - 10 }, shortened(nameOf(run), Math.min(40, Math.floor((place.right - place.edge.left) / 9))));
        tags.append(tag);
        const half = tag.getComputedTextLength() / 2;
        tag.setAttribute("x", Math.max(place.edge.left + half + 2, Math.min(cx, place.right - half - 2)));
        tag.setAttribute("text-anchor", "middle");
      }
    });
    caption(figure, `Grey lines: equal bias² + ${form.words}. Rings and steps: Pareto front.` +
      (state.printing ? "" : " Click or Enter chooses a run, with Shift the second one."));
    const families = panel.data.families.map((family, index) => [FAMILY_SHAPES[index % 7], `--c${index % 8}`, family.name]);
    legend(figure, families.length && panel.family.size < runs.length ? [...families, ["cross", "--grey", "no family"]] : families);
  };

  const legend = (figure, entries) => {
    $(".legend", figure)?.remove();
    if (!entries.length) return;
    figure.append(make("ul", { class: "legend" }, ...entries.map(([shape, colour, words, dash]) => {
      const half = shape === "line" ? 17 : 7;
      const sign = draw("svg", { width: 2 * half, height: 14, viewBox: `${-half} -7 ${2 * half} 14`, "aria-hidden": "true" });
      if (shape === "line") {
        const line = draw("line", { x1: -half, x2: half, "stroke-width": 1.4, "stroke-dasharray": dash });
        line.style.stroke = `var(${colour})`;
        sign.append(line);
      } else sign.append(paint(draw("path", { d: SHAPES[shape](4.6) }), colour));
      return make("li", {}, sign, words);
    })));
  };

  const ranked = (panel, figure) => {
    const form = inForm(panel), runs = panel.runs;
    const order = inOrder(runs, "bias2");
    const width = widthOf(figure), height = Math.round(Math.min(460, Math.max(300, 0.72 * width)));
    const highest = largest(runs, form.total) || 1;
    const place = plot(figure, {
      height, y: [0, 1.1 * highest], xTitle: `Runs in ascending order of bias²`, yTitle: `Bias², ${form.title}`,
      interactive: true, margin: { bottom: 26 },
      label: `${runs.length} runs in order of bias² with bias² and ${form.words}; arrow keys go from run to run, Enter chooses`,
    });
    const { svg, Y, base, edge, right } = place;
    const step = (right - edge.left) / order.length, bar = Math.max(1, step * 0.82);
    const group = draw("g", { class: "bars" });
    const marks = new Map();
    order.forEach((run, at) => {
      const left = edge.left + at * step + (step - bar) / 2, row = runs[run];
      const middle = Y(row.bias2), top = Y(row[form.total]);
      const mark = draw("g", { class: "mark" },
        draw("rect", { class: "bar-bias", x: left, y: middle, width: bar, height: Math.max(0, base - middle) }),
        draw("rect", { class: "bar-var", x: left, y: top, width: bar, height: Math.max(0, middle - top) }),
        draw("rect", { class: "hit", x: left - 0.5, y: edge.top, width: bar + 1, height: base - edge.top }));
      marks.set(run, mark);
      group.append(mark);
    });
    svg.append(group);
    const signs = { bias2: "circle", [form.variance]: "square", [form.total]: "up" };
    for (const [name, shape] of Object.entries(signs)) {
      const [first] = inOrder(runs, name), unit = largest(runs, name);
      const above = Object.keys(signs).indexOf(name);
      for (const least of order.filter((run) => compare(runs[run][name], runs[first][name], unit) === 0)) {
        svg.append(draw("path", {
          class: "least", d: SHAPES[shape](3.6), "aria-hidden": "true",
          transform: `translate(${edge.left + (order.indexOf(least) + 0.5) * step},${Y(runs[least][form.total]) - 8 - 9 * above})`,
        }));
      }
    }
    choosable(panel, "ranked", marks, order, (run) => wordsOf(panel, run));
    caption(figure, `A whole bar is bias² + ${form.words}. Signs over the runs with the least of each.`);
    legend(figure, [
      ["square", "--dark-fill", "bias²"], ["square", "--light-fill", form.words], ["circle", "--text", "least bias²"],
      ["square", "--text", `least ${form.words}`], ["up", "--text", "least total"],
    ]);
  };

  // ---- the chosen run on every query ----------------------------------------------------------------------------

  /** The order that is asked for, or hardest first while the one by the second run has none. */
  const orderName = (panel) => (panel.order === "versus" && state.versus === null ? "difficulty" : panel.order);
  const orderOf = (panel) => {
    const { difficulty, target_scores: target, scores, queries } = panel.data;
    const own = scores[state.run], other = state.versus === null ? null : scores[state.versus];
    const keys = {
      difficulty: (q) => difficulty[q], id: (q) => q, gap: (q) => own[q] - target[q],
      versus: (q) => other[q] - own[q],
    };
    const key = keys[orderName(panel)];
    return queries.map((_, q) => q).sort((a, b) => key(a) - key(b) || difficulty[a] - difficulty[b]);
  };
  const ofQuery = (panel, q) => {
    const { queries, target_scores: target, scores, difficulty } = panel.data;
    const own = scores[state.run][q];
    const lines = [`${queries[q]} (difficulty ${difficulty[q]} of ${queries.length})`, `${nameOf(state.run)} ${shown(own)}`];
    if (target) lines.push(`target ${shown(target[q])}, gap ${shown(target[q] - own)}`);
    if (state.versus !== null) {
      const other = scores[state.versus][q];
      lines.push(`${nameOf(state.versus)} ${shown(other)}, difference ${shown(own - other)}`);
    }
    return lines.join("\n");
  };
  const ID = 9;  // signs of a query's id
  /** The room that ids of queries need under an axis, turned by a right angle. */
  const roomOfIds = (panel) => 16 + 6 * Math.min(ID, Math.max(...panel.data.queries.map((id) => id.length)));
  /** The room of a number beside a vertical axis, so that the queries of three figures are above each other. */
  const signsOf = (panel) => {
    const { spread, target_scores: target } = panel.data, most = Math.max(...[...spread[0], ...spread[4], ...(target || [])].map(Math.abs));
    return Math.max(5, most < 1e6 ? 1 + String(Math.floor(most)).length : 7);
  };
  const queryAxis = (panel, place, order) => {
    const { svg, edge, base, right } = place, step = (right - edge.left) / order.length;
    const X = (at) => edge.left + (at + 0.5) * step;
    const every = Math.ceil(13 / step), back = draw("g", { "aria-hidden": "true" });
    order.forEach((q, at) => {
      if (at % every) return;
      const text = draw("text", {
        transform: `translate(${X(at) + 4},${base + 8}) rotate(-90)`, "text-anchor": "end", class: "soft", "font-size": 10,
      }, shortened(panel.data.queries[q], ID));
      back.append(text);
    });
    svg.append(back);
    return { X, step };
  };
  const overQueries = (panel, place, order) => {
    const { svg, edge, base, right } = place, step = (right - edge.left) / order.length;
    const area = draw("rect", { class: "hit", x: edge.left, y: edge.top, width: right - edge.left, height: base - edge.top });
    area.addEventListener("pointermove", (event) => {
      const at = Math.floor((event.clientX - svg.getBoundingClientRect().left - edge.left) / step);
      if (at >= 0 && at < order.length) tell(ofQuery(panel, order[at]), event);
    });
    area.addEventListener("pointerleave", hush);
    svg.append(area);
  };

  const profile = (panel, figure) => {
    const { scores, target_scores: target, spread } = panel.data, order = orderOf(panel);
    const own = scores[state.run], other = state.versus === null ? null : scores[state.versus];
    const y = extent([...spread[0], ...spread[4], ...(target || [])]);
    const place = plot(figure, {
      height: 250 + roomOfIds(panel), y, yTitle: panel.data.measure, signs: signsOf(panel), margin: { bottom: 18 + roomOfIds(panel) }, xTitle: `Queries, ${AXES[orderName(panel)]}`,
      label: `Score of ${nameOf(state.run)} on each of ${order.length} queries, beside the target` +
        `${other ? ` and ${nameOf(state.versus)}` : ""}; the table below has the numbers`,
    });
    const { X, step } = queryAxis(panel, place, order), { svg, Y } = place;
    const r = Math.max(2, Math.min(4.5, 0.36 * step)), half = Math.max(1.5, Math.min(9, 0.42 * step));
    order.forEach((q, at) => {
      const line = (kind, low, high) => draw("line", { class: kind, x1: X(at), x2: X(at), y1: Y(low), y2: Y(high) });
      svg.append(line("range", spread[0][q], spread[4][q]), line("quartiles", spread[1][q], spread[3][q]));
      if (target) {
        svg.append(line("gap-line", own[q], target[q]));
        svg.append(draw("line", { class: "aim", x1: X(at) - half, x2: X(at) + half, y1: Y(target[q]), y2: Y(target[q]) }));
      }
      if (other) svg.append(draw("path", { class: "other", d: SHAPES.diamond(r), transform: `translate(${X(at)},${Y(other[q])})` }));
      svg.append(draw("circle", { class: "own", r, cx: X(at), cy: Y(own[q]) }));
    });
    overQueries(panel, place, order);
    caption(figure, "Grey: all runs of the pool, the middle half darker.");
    legend(figure, [
      ["circle", "--accent", nameOf(state.run)], ...(target ? [["square", "--text", `target (bar)`]] : []),
      ...(other ? [["diamond", "--second", nameOf(state.versus)]] : []),
    ]);
  };
  const AXES = {
    difficulty: "hardest first", gap: "widest gap first", versus: "by difference from the second run", id: "by id",
  };

  const bars = (panel, figure, values, { yTitle, label, positive, negative }) => {
    const order = orderOf(panel), y = extent([...values, 0], 0.08);
    const place = plot(figure, { height: 138 + roomOfIds(panel), y, yTitle, signs: signsOf(panel), margin: { bottom: roomOfIds(panel) }, label });
    const { X, step } = queryAxis(panel, place, order), { svg, Y, edge, right } = place;
    order.forEach((q, at) => {
      const top = Y(Math.max(0, values[q])), bottom = Y(Math.min(0, values[q]));
      svg.append(draw("rect", {
        class: values[q] > 0 ? positive : negative, x: X(at) - 0.4 * step, width: 0.8 * step, y: top,
        height: Math.max(0, bottom - top),
      }));
    });
    svg.append(draw("line", { class: "axis", x1: edge.left, x2: right, y1: Y(0), y2: Y(0) }));
    overQueries(panel, place, order);
  };
  const gap = (panel, figure) => {
    const { scores, target_scores: target } = panel.data;
    if (!target) return empty(figure, "The target is a mean alone: it has no score per query.");
    const values = target.map((score, q) => score - scores[state.run][q]);
    title(figure, `Gap of ${nameOf(state.run)} to the target`);
    caption(figure, "Target − score: 0 where the run reaches the target, below 0 where it is better.");
    bars(panel, figure, values, {
      yTitle: "Gap", positive: "loss", negative: "win",
      label: `Target minus score of ${nameOf(state.run)} on each query; the table below has the numbers`,
    });
  };
  const versus = (panel, figure) => {
    if (state.versus === null) {
      title(figure, "Against a second run");
      caption(figure, "");
      return empty(figure, state.printing ? "No second run was chosen." : "Choose a second run above, or a mark with Shift.");
    }
    const own = panel.data.scores[state.run], other = panel.data.scores[state.versus];
    title(figure, `${nameOf(state.run)} against ${nameOf(state.versus)}`);
    caption(figure, "Difference of the scores: above 0 the first run is better.");
    bars(panel, figure, own.map((score, q) => score - other[q]), {
      yTitle: "Difference", positive: "win", negative: "loss",
      label: `Score of ${nameOf(state.run)} minus score of ${nameOf(state.versus)} on each query; the table below has the numbers`,
    });
  };

  const summary = (panel) => {
    const { scores, target_scores: target, queries } = panel.data, own = scores[state.run], row = panel.runs[state.run];
    const parts = [`Mean ${shown(row.mean)}, rank ${row.rank} of ${panel.runs.length} by total` +
      `${row.stability === undefined || row.stability === null ? "" : `, stability ${shown(row.stability, 2)}`}`];
    const all = queries.map((_, q) => q);
    if (target) {
      const reached = all.filter((q) => compare(own[q], target[q]) >= 0);
      const widest = all.filter((q) => compare(own[q], target[q]) < 0).sort((a, b) => target[b] - own[b] - (target[a] - own[a]));
      parts.push(`reaches the target on ${reached.length} of ${counted(queries.length, "query")}` +
        `${reached.length ? ` (${listed(reached.map((q) => queries[q]))})` : ""}`);
      if (widest.length) parts.push(`widest gaps: ${listed(widest.slice(0, 3).map((q) => `${queries[q]} (${shown(target[q] - own[q])})`))}`);
    }
    if (state.versus !== null) {
      const other = scores[state.versus], signs = all.map((q) => compare(own[q], other[q]));
      const [wins, losses] = [1, -1].map((sign) => signs.filter((each) => each === sign).length);
      const differences = all.map((q) => own[q] - other[q]), sum = differences.reduce((found, each) => found + each, 0);
      const mean = compare(sum, 0, Math.max(...differences.map(Math.abs))) === 0 ? 0 : sum / all.length;
      parts.push(`against ${nameOf(state.versus)}: better on ${wins}, worse on ${losses}, equal on ` +
        `${all.length - wins - losses}; mean difference ${shown(mean)}`);
    }
    $(".chosen .name", panel.element).textContent = nameOf(state.run);
    $(".chosen .summary", panel.element).textContent = `${parts.join("; ")}.`;
  };

  const ownTable = (panel) => {
    const { queries, difficulty, target_scores: target, scores } = panel.data, own = scores[state.run];
    const other = state.versus === null ? null : scores[state.versus];
    const columns = ["query_id", "difficulty", ...(target ? ["target"] : []), "score", ...(target ? ["gap"] : []),
      ...(other ? ["second", "difference", "outcome"] : [])];
    const outcome = (q) => ["loss", "tie", "win"][compare(own[q], other[q]) + 1];
    const rows = orderOf(panel).map((q) => [queries[q], difficulty[q], ...(target ? [target[q]] : []), own[q],
      ...(target ? [target[q] - own[q]] : []), ...(other ? [other[q], own[q] - other[q], outcome(q)] : [])]);
    const key = `${panel.data.key}-own`;
    DATA.sheets[key] = {
      title: `Queries of ${nameOf(state.run)}${other ? ` against ${nameOf(state.versus)}` : ""}, ${panel.data.measure}`, columns, rows,
    };
    const place = $(".query-table", panel.element), sorted = $("th[aria-sort]", place);
    place.replaceChildren(builtSheet(key));
    const sheet = $(".sheet", place), name = sorted && $("button", sorted).dataset.sort;
    armSheet(sheet);
    if (!columns.includes(name)) return;
    sortBy(sheet, name);
    if (sorted.getAttribute("aria-sort") === "descending") sortBy(sheet, name);
  };
  /** A table made here, in the same shape as those that came with the page. */
  const builtSheet = (key) => {
    const { title: words, columns, rows } = DATA.sheets[key];
    const numeric = columns.map((_, at) => rows.every((row) => row[at] === null || typeof row[at] === "number"));
    const kind = (at) => (numeric[at] ? { class: "n" } : {});
    const fractions = columns.map((_, at) => numeric[at] && rows.some((row) => row[at] !== null && !Number.isInteger(row[at])));
    const head = columns.map((name, at) => make("th", { scope: "col", ...kind(at) },
      make("button", { type: "button", "data-sort": name }, name), make("span", { class: "printed", "aria-hidden": "true" }, name)));
    const body = rows.map((row, index) => make("tr", { "data-row": index }, ...row.map((value, at) =>
      make(at ? "td" : "th", at ? kind(at) : { scope: "row" }, fractions[at] ? shown(value) : String(value ?? "-")))));
    const copies = ["csv", "markdown", "LaTeX"].map((format) =>
      make("button", { type: "button", "data-copy": format, "aria-label": `Copy as ${format}: ${words}` }, format));
    return make("div", { class: "sheet", "data-sheet": key },
      make("div", { class: "tools" }, make("span", { class: "count", role: "status" }),
        make("span", { class: "copies", role: "group", "aria-label": "Copy this table" }, "Copy as ", ...copies)),
      make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": words },
        make("table", {}, make("caption", {}, words), make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body))));
  };

  /** The numbers of a figure as a table below it. */
  const asTable = (figure, key, words, columns, rows) => {
    const place = figure.nextElementSibling, held = $("div", place);
    DATA.sheets[key] = { title: words, columns, rows };
    held.replaceChildren(builtSheet(key));
    armSheet($(".sheet", held));
    place.hidden = false;
  };

  // ---- all runs and queries -------------------------------------------------------------------------------------

  const heat = (panel, figure) => {
    const { scores, target_scores: target, difficulty, queries } = panel.data;
    if (!target) return;
    const runs = panel.runs, order = inOrder(runs, "bias2");
    const hard = queries.map((_, q) => q).sort((a, b) => difficulty[a] - difficulty[b]);
    const named = order.length <= 40, cell = named ? 15 : Math.max(2, Math.min(4, 520 / order.length));
    const left = named ? 120 : 56, top = 4, bottom = 18 + roomOfIds(panel), width = widthOf(figure), height = Math.round(top + cell * order.length + bottom);
    const step = (width - left - 6) / hard.length;
    const style = getComputedStyle(document.documentElement), dark = document.documentElement.dataset.theme === "dark";
    const stops = (dark ? ["#10243a", "#08519c", "#4292c6", "#9ecae1", "#f7fbff"] : ["#f7fbff", "#9ecae1", "#4292c6", "#08519c", "#08203f"])
      .map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
    let low = 0, high = 0;
    for (const row of scores) for (const q of hard) { const value = target[q] - row[q]; low = Math.min(low, value); high = Math.max(high, value); }
    const colour = (value) => {
      const at = ((value - low) / (high - low || 1)) * (stops.length - 1), first = Math.min(Math.floor(at), stops.length - 2);
      return `rgb(${stops[first].map((part, i) => Math.round(part + (at - first) * (stops[first + 1][i] - part))).join(",")})`;
    };
    const ratio = Math.min(3, Math.max(1, window.devicePixelRatio || 1));
    const canvas = make("canvas", {
      role: "application", "aria-roledescription": "heat map", width: Math.round(width * ratio), height: Math.round((top + cell * order.length) * ratio),
      "aria-label": `Gap to the target of ${order.length} runs on ${hard.length} queries; arrow keys choose the run above or below`,
      tabindex: "0",
    });
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      choose(order[(order.indexOf(state.run) + step + order.length) % order.length]);
    });
    canvas.style.width = `${width}px`;
    canvas.style.height = `${top + cell * order.length}px`;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    order.forEach((run, line) => hard.forEach((q, at) => {
      pen.fillStyle = colour(target[q] - scores[run][q]);
      pen.fillRect(left + at * step, top + line * cell, step + 0.4, cell + 0.4);
      if (compare(scores[run][q], target[q]) > 0) {
        pen.fillStyle = style.getPropertyValue("--loss");
        pen.fillRect(left + (at + 0.35) * step, top + (line + 0.3) * cell, 0.3 * step, 0.4 * cell);
      }
    }));
    const over = draw("svg", { class: "overlay", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    const every = Math.ceil(13 / step);
    hard.forEach((q, at) => {
      if (at % every) return;
      over.append(draw("text", {
        transform: `translate(${left + (at + 0.5) * step + 4},${top + cell * order.length + 5}) rotate(-90)`,
        "text-anchor": "end", class: "soft", "font-size": 10,
      }, shortened(queries[q], ID)));
    });
    over.append(draw("text", { x: (left + width) / 2, y: height - 2, "text-anchor": "middle" }, "Queries, hardest first"));
    if (named) order.forEach((run, line) => over.append(draw("text", {
      x: left - 5, y: top + (line + 0.78) * cell, "text-anchor": "end", class: "soft", "font-size": 11,
    }, shortened(nameOf(run), 18))));
    else over.append(draw("text", {
      transform: `translate(14,${top + (cell * order.length) / 2}) rotate(-90)`, "text-anchor": "middle",
    }, "Runs in order of bias², the least on top"));
    const rows = draw("g");
    over.append(rows);
    const holder = $(".canvas", figure);
    holder.replaceChildren(canvas, over);
    holder.style.height = `${height}px`;
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return [order[Math.floor((event.clientY - box.top - top) / cell)], hard[Math.floor((event.clientX - box.left - left) / step)]];
    };
    canvas.addEventListener("click", (event) => {
      const [run] = at(event);
      if (run !== undefined) (event.shiftKey ? chooseSecond : choose)(run);
    });
    canvas.addEventListener("pointermove", (event) => {
      const [run, q] = at(event);
      if (run === undefined || q === undefined) return hush();
      tell(`${nameOf(run)} on ${queries[q]}\nscore ${shown(scores[run][q])}, target ${shown(target[q])}, gap ${shown(target[q] - scores[run][q])}`, event);
    });
    canvas.addEventListener("pointerleave", hush);
    panel.after.push(() => {
      rows.replaceChildren();
      for (const [run, kind] of [[state.versus, "--second"], [state.run, "--text"]]) {
        if (run === null) continue;
        const line = order.indexOf(run);
        const frame = draw("rect", { x: left - 1, y: top + line * cell - 1, width: width - left - 4, height: cell + 2, fill: "none", "stroke-width": 2 });
        frame.style.stroke = `var(${kind})`;
        rows.append(frame);
        if (!named) {
          const sign = draw("path", { d: SHAPES.right(4), transform: `translate(${left - 8},${top + (line + 0.5) * cell})` });
          rows.append(paint(sign, kind));
        }
      }
    });
    caption(figure, `Target − score, from ${shown(low, 2)} (${dark ? "dark" : "light"}) to ${shown(high, 2)} (${dark ? "light" : "dark"})` +
      `${low < 0 ? "; marked where a run is above the target" : ""}. Rows: runs in order of bias², the least on top.${state.printing ? "" : " A click or an arrow key chooses a run."}`);
  };

  // ---- correlations, target, trend ------------------------------------------------------------------------------

  const SAMPLES = {
    single: "single queries", random: "random subsets", "random-exact": "random, expected", difficulty: "by difficulty", groups: "given groups",
  };
  const tradeoff = (panel, figure) => {
    const name = panel.coefficient, rows = panel.data.tradeoff.rows.filter((row) => row[name] !== null);
    if (!rows.length) return empty(figure, "No correlation is defined: it needs at least 3 runs that differ.");
    const words = (row) => `${SAMPLES[row.sampling]}${row.subset_size > 1 ? ` of ${row.subset_size}` : ""}` +
      `${row.normalised ? ", normalised" : row.form === "gap" ? ", gap form" : ""}`;
    const table = figure.nextElementSibling;
    table.hidden = true;  // Pearson's is in the table of the section
    if (name !== "pearson") {
      asTable(figure, `${panel.data.key}-shown`, `${COEFFICIENTS[name]} of bias² and variance, ${panel.data.measure}`,
        ["sampling", "subset_size", "normalised", "form", name, "null_median", "null_low", "null_high"],
        rows.map((row) => [row.sampling, row.subset_size, row.normalised ? "*" : "", row.form, row[name],
          ...["median", "low", "high"].map((each) => row.null?.[name]?.[each] ?? null)]));
    }
    const line = 24, wide = widthOf(figure) > 560, left = wide ? 230 : 12;
    const spacing = wide ? line : 38, height = 56 + spacing * rows.length;
    const x = [-1.02, rows.some((row) => Math.max(row[name], row.null?.[name]?.high ?? -1) > 0) ? 1.02 : 0.02];
    const { svg, X } = plot(figure, {
      height, x, xTitle: `${COEFFICIENTS[name]} of bias² and variance`, margin: { left },
      label: `${COEFFICIENTS[name]} under ${rows.length} samplings beside its reference; the table below has the numbers`,
    });
    rows.forEach((row, at) => {
      const y = 10 + spacing * at + (wide ? 12 : 26), found = row.null?.[name];
      const group = draw("g");
      group.append(draw("text", wide ? { x: left - 8, y: y + 4, "text-anchor": "end" } : { x: left + 4, y: y - 10 }, words(row)));
      if (found && found.low !== null) {
        group.append(draw("line", { class: "interval", x1: X(found.low), x2: X(found.high), y1: y, y2: y }),
          draw("line", { class: "median", x1: X(found.median), x2: X(found.median), y1: y - 7, y2: y + 7 }));
      }
      group.append(draw("circle", { class: "own", r: 5, cx: X(row[name]), cy: y }));
      explain(group, () => `${words(row)}: ${shown(row[name])}${found ? `\nreference ${shown(found.median)} [${shown(found.low)}, ${shown(found.high)}]` : ""}`);
      svg.append(group);
    });
    caption(figure, panel.data.no_reference ? `Dot: observed; ${panel.data.no_reference}.` : "Dot: observed. Bar and tick: 95 % interval and " +
      "median of the reference, runs equally effective and equally alike with one common law of scatter.");
  };

  const rarefied = (panel, figure) => {
    const means = panel.data.target.rarefied;
    const place = plot(figure, {
      height: 260, x: [0, 1.04 * means.length], whole: true, y: extent(means, 0.1), xTitle: "Runs pooled", yTitle: `Mean target, ${panel.data.measure}`,
      label: `Mean of the target of 1 to ${means.length} runs: from ${shown(means[0])} to ${shown(means[means.length - 1])}`,
    });
    const { svg, X, Y } = place;
    svg.append(draw("polyline", { class: "median", fill: "none", points: means.map((mean, at) => `${X(at + 1)},${Y(mean)}`).join(" ") }));
    for (const size of [1, 10, 30, means.length].filter((each, at, all) => each <= means.length && all.indexOf(each) === at)) {
      const last = size === means.length;
      svg.append(draw("circle", { class: "own", r: 4, cx: X(size), cy: Y(means[size - 1]) }),
        draw("text", { x: X(size) + (last ? 0 : 8), y: Y(means[size - 1]) + (size === 1 ? 4 : 18), "text-anchor": last ? "end" : "start" }, `${size}: ${shown(means[size - 1], 3)}`));
    }
    caption(figure, "Mean of the best scores of so many runs drawn at random, exact expectation: targets of pools of different size are not comparable.");
  };

  const trend = (figure) => {
    const coefficient = $("#trend .coefficient").value, { tracks, null: models } = DATA.trend;
    const kinds = ["single", "random", "difficulty", "normalised"];
    const points = tracks.flatMap((row) => kinds.map((kind, at) => {
      const found = models.find((each) => each.track === row.track && each.series === row.series && each.year === row.year && (each.model ?? "common") === "common" && each.quantity === `${kind}_${coefficient}`);
      return { ...row, kind: at, value: row[`${kind}_${coefficient}`], low: found?.low, high: found?.high };
    })).filter((each) => each.value !== null && each.value !== undefined);
    if (!points.length) return empty(figure, "No correlation is defined in any track.");
    const years = tracks.map((row) => row.year), first = Math.min(...years), last = Math.max(...years);
    const room = Math.max(0.3, 0.05 * (last - first)), aside = 0.008 * Math.max(2, last - first);
    const highest = Math.max(...points.map((each) => Math.max(each.value, each.high ?? -1)));
    const place = plot(figure, {
      height: 340, y: [-1.02, highest > 0 ? Math.min(1.02, highest + 0.1) : 0.02], yTitle: `${COEFFICIENTS[coefficient]} of bias² and Var`, xTitle: "Year", margin: { bottom: 42 },
      label: `${COEFFICIENTS[coefficient]} of ${tracks.length} tracks over the years; the tables below have the numbers`,
    });
    const { svg, Y, edge, right, base } = place;
    const X = (year) => edge.left + ((year - first + room) / (last - first + 2 * room)) * (right - edge.left);
    const all = [...new Set(years)].sort((a, b) => a - b), every = Math.ceil(all.length / Math.max(2, (right - edge.left) / 50));
    all.forEach((year, at) => { if (at % every === 0) svg.append(draw("text", { x: X(year), y: base + 15, "text-anchor": "middle", class: "soft" }, String(year))); });
    const series = [...new Set(points.map((each) => JSON.stringify([each.series, each.measure, each.target])))];
    const named = series.map((words) => JSON.parse(words).filter(Boolean).join(", "));
    const shapes = ["circle", "square", "up", "diamond"];
    series.forEach((words, which) => kinds.forEach((_, kind) => {
      const own = points.filter((each) => each.kind === kind && JSON.stringify([each.series, each.measure, each.target]) === words).sort((a, b) => a.year - b.year);
      const at = (each) => X(each.year + (kind - 1.5 + 0.8 * ((which + 0.5) / series.length - 0.5)) * aside);
      const line = draw("polyline", { fill: "none", "stroke-width": 1.4, "stroke-dasharray": DASHES[which % DASHES.length], points: own.map((each) => `${at(each)},${Y(each.value)}`).join(" ") });
      line.style.stroke = `var(--c${kind})`;
      svg.append(line);
      for (const each of own) {
        if (each.low !== undefined && each.low !== null) {
          const bar = draw("line", { x1: at(each), x2: at(each), y1: Y(each.low), y2: Y(each.high), "stroke-width": 1.2, opacity: 0.5 });
          bar.style.stroke = `var(--c${kind})`;
          svg.append(bar);
        }
        const mark = paint(draw("path", { class: "dot", d: SHAPES[shapes[kind]](4.4), transform: `translate(${at(each)},${Y(each.value)})` }), `--c${kind}`);
        explain(mark, () => `${each.track}, ${each.year}\n${named[which]}\n${kinds[kind]} ${shown(each.value)}${each.low !== undefined && each.low !== null ? `\nreference [${shown(each.low)}, ${shown(each.high)}]` : ""}`);
        svg.append(mark);
      }
    }));
    caption(figure, `Thin lines: 95 % interval of the reference.${named.length > 1 ? "" : ` ${named[0]}.`}`);
    legend(figure, [
      ...kinds.map((kind, at) => [shapes[at], `--c${at}`, `(${"abcd"[at]}) ${kind}`]),
      ...(named.length > 1 ? named.map((words, which) => ["line", "--text", words, DASHES[which % DASHES.length]]) : []),
    ]);
    asTable(figure, "trend-shown", `${COEFFICIENTS[coefficient]} of bias² and Var by track`,
      ["track", "series", "year", "measure", "target", "sampling", coefficient, "null_low", "null_high"],
      points.map((each) => [each.track, each.series, each.year, each.measure, each.target, kinds[each.kind], each.value, each.low ?? null, each.high ?? null]));
  };

  // ---- tables: sorting, filtering, copying ----------------------------------------------------------------------

  const rowsOf = (sheet) => $$("tbody tr", sheet);
  const sortBy = (sheet, name) => {
    const { columns, rows } = DATA.sheets[sheet.dataset.sheet], at = columns.indexOf(name);
    const heading = $$("thead th", sheet).find((each) => $("button", each).dataset.sort === name);
    const down = heading.getAttribute("aria-sort") === "ascending";
    $$("thead th", sheet).forEach((each) => each.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const value = (line) => rows[line.dataset.row][at];
    const order = rowsOf(sheet).sort((a, b) => {
      const [one, two] = [value(a), value(b)];
      if (one === null || two === null) return (one === null) - (two === null) || a.dataset.row - b.dataset.row;
      const sign = typeof one === "string" && typeof two === "string"
        ? one.localeCompare(two, "en", { numeric: true }) : Number(one) - Number(two);
      return (down ? -sign : sign) || a.dataset.row - b.dataset.row;
    });
    $("tbody", sheet).append(...order);
  };

  const CONDITION = /^([A-Za-z_]\w*)(<=|>=|<|>|=)(.+)$/;
  const TESTS = { "<": (a, b) => a < b, ">": (a, b) => a > b, "<=": (a, b) => a <= b, ">=": (a, b) => a >= b, "=": (a, b) => a === b };
  const filterRuns = (panel) => {
    const sheet = panel.sheet, { columns, rows } = DATA.sheets[sheet.dataset.sheet];
    const words = $(".filter", panel.element).value.trim().replace(/\s*(<=|>=|<|>|=)\s*/g, "$1").split(/\s+/).filter(Boolean);
    const odd = [];
    const onFront = $(".front", panel.element).checked;
    const tests = words.map((word) => {
      const found = CONDITION.exec(word), at = found ? columns.indexOf(found[1].toLowerCase()) : -1;
      if (found && at < 0) odd.push(`there is no column ${found[1]}`);
      if (found && at >= 0 && (Number.isNaN(Number(found[3])) || rows.some((row) => typeof row[at] === "string"))) {
        odd.push(`${word}: conditions are on numbers, such as mean>0.3`);
      }
      if (at < 0) return (row, name) => name.toLowerCase().includes(word.toLowerCase());
      return (row) => row[at] !== null && TESTS[found[2]](Number(row[at]), Number(found[3]));
    });
    const matching = new Set();
    for (const line of rowsOf(sheet)) {
      const run = Number(line.dataset.run), row = rows[line.dataset.row];
      const holds = tests.every((test) => test(row, nameOf(run))) && (!onFront || frontOf(panel).includes(run));
      line.hidden = !holds;
      if (holds) matching.add(run);
    }
    panel.matching = words.length || onFront ? matching : null;
    const visible = rowsOf(sheet).filter((line) => !line.hidden);
    stopAt(sheet, visible.find((line) => Number(line.dataset.run) === state.run) ?? visible[0]);
    const how = [...words, ...(onFront ? [`Pareto front of bias2 and ${inForm(panel).variance}`] : [])].join(" ");
    $(".of-form", panel.element).textContent = inForm(panel).variance;
    sheet.dataset.how = odd.length ? `: ${odd.join("; ")}` : how ? `: ${how}` : "";
    count(sheet);
    restyle(panel);
  };
  const count = (sheet) => {
    const lines = rowsOf(sheet), visible = lines.filter((line) => !line.hidden).length;
    const words = visible === lines.length ? counted(visible, "row") : `${visible} of ${counted(lines.length, "row")}`;
    $(".count", sheet).textContent = words + (sheet.dataset.how ?? "");
  };

  /** A text cell that a spreadsheet would take for a formula has an apostrophe before it. */
  const csvCell = (value) => {
    if (value === null || value === undefined) return "";
    if (typeof value !== "string") return String(value);
    const safe = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const LATEX = {
    "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "&": "\\&", "%": "\\%", $: "\\$", "#": "\\#", _: "\\_",
    "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}",
  };
  const first = (cell) => (/^[[*]/.test(cell) ? `{}${cell}` : cell);  // which the end of the row above would swallow
  const LIGATURE = /-(?=-)|`(?=`)|'(?=')|[?!](?=`)/g;  // signs that LaTeX sets as another one, with that behind them
  const latexCell = (text) => text.replace(/[\\{}&%$#_~^<>|]/g, (sign) => LATEX[sign]).replace(LIGATURE, "$&{}").replace(/²/g, "$^2$").replace(/[\r\n]+/g, " ");
  const HEADINGS = { bias2: "bias$^2$", var_gap: "var$_{\\mathrm{gap}}$", total_gap: "total$_{\\mathrm{gap}}$" };
  const markdownCell = (text) => text.replace(/[\\|<>*`[\]_~&#!$]|:(?=\/\/)|(?<=\bwww)\./g, "\\$&").replace(/[\r\n]+/g, " ");

  const asText = (sheet, format) => {
    const { title, columns, rows } = DATA.sheets[sheet.dataset.sheet], all = rowsOf(sheet);
    const lines = all.filter((line) => !line.hidden);
    const words = lines.length < all.length ? `${title}; ${lines.length} of ${counted(all.length, "row")}${sheet.dataset.how}` : title;
    if (format === "csv") {
      const held = lines.map((line) => rows[line.dataset.row]);
      return [columns, ...held].map((row) => row.map(csvCell).join(",")).join("\n") + "\n";
    }
    const head = $$("thead th", sheet), numeric = head.map((each) => each.classList.contains("n"));
    const names = head.map((each) => $("button", each).dataset.sort);
    const textOf = (cell) => cell.textContent.trim();
    const body = [...lines, ...$$("tfoot tr", sheet)].map((line) => [...line.children].map(textOf));
    if (format === "markdown") {
      const line = (cells) => `| ${cells.join(" | ")} |`;
      return `**${markdownCell(words)}**\n\n` + [line(names), line(numeric.map((each) => (each ? "---:" : ":---"))),
        ...body.map((row) => line(row.map(markdownCell)))].join("\n") + "\n";
    }
    const line = (cells) => `${cells.join(" & ")} \\\\`;
    const last = $("tfoot", sheet) ? ["\\midrule", line(body.pop().map(latexCell))] : [];
    return [`% ${words.replace(/[\r\n]+/g, " ")}`, `\\begin{tabular}{${numeric.map((each) => (each ? "r" : "l")).join("")}}`, "\\toprule",
      line(names.map((name) => HEADINGS[name] ?? latexCell(name))), "\\midrule", ...body.map((row) => first(line(row.map(latexCell)))), ...last,
      "\\bottomrule", "\\end{tabular}"].join("\n") + "\n";
  };
  const byHand = (text) => {
    const area = make("textarea", { "aria-label": "Table to copy" });
    area.value = text;
    document.body.append(area);
    area.select();
    let done = false;
    try { done = document.execCommand("copy"); } catch { done = false; }
    area.remove();
    if (done) return true;
    const dialog = $("#clip");
    $("textarea", dialog).value = text;
    dialog.showModal();
    $("textarea", dialog).select();
    return false;
  };
  const copy = async (sheet, format, button) => {
    const text = asText(sheet, format);
    let done = true;
    try { await navigator.clipboard.writeText(text); } catch { done = byHand(text); }
    if (done) button.focus({ preventScroll: true });
    else $("#clip").addEventListener("close", () => button.focus({ preventScroll: true }), { once: true });
    $(".count", sheet).textContent = done ? `Copied as ${format}` : `Shown as ${format}, to be copied`;
    clearTimeout(sheet.dataset.timer);
    sheet.dataset.timer = setTimeout(() => count(sheet), 4000);
    sheet.dispatchEvent(new CustomEvent("copied", { detail: text, bubbles: true }));
  };
  const armSheet = (sheet) => {
    $$("[data-sort]", sheet).forEach((button) => button.addEventListener("click", () => sortBy(sheet, button.dataset.sort)));
    $$("[data-copy]", sheet).forEach((button) => button.addEventListener("click", () => copy(sheet, button.dataset.copy, button)));
    count(sheet);
  };

  // ---- the page -------------------------------------------------------------------------------------------------

  const FIGURES = { plane, ranked, heat, tradeoff, rarefied }, OF_RUN = { profile, gap, versus };
  const figureOf = (panel, name) => $(`[data-figure="${name}"]`, panel.element);
  const panels = DATA.panels.map((data) => {
    const element = document.getElementById(data.key);
    const panel = {
      data, element, runs: data.decompose.runs, sheet: $(`[data-sheet="${data.key}-runs"]`, element), form: "score", order: "difficulty",
      coefficient: "pearson", marks: {}, stops: [], after: [], drawn: 0, matching: null,
    };
    panel.family = familyOf(panel);
    return panel;
  });
  let active = panels[0];
  /** A table of runs is one stop of the Tab key: the row that has the focus, or else the chosen one, or the first. */
  const stopAt = (sheet, line) => {
    for (const each of $$(".pick", sheet)) each.tabIndex = each.closest("tr") === line ? 0 : -1;
  };
  /** The rows of a table of runs as marks that choose them; runs of the pool alone cannot be chosen. */
  const armRuns = (panel, sheet) => {
    const names = new Map(panel.runs.map((row, run) => [row.run, run])), { columns, rows } = DATA.sheets[sheet.dataset.sheet];
    const at = columns.indexOf("run"), marks = new Map();
    for (const line of rowsOf(sheet)) {
      const run = names.get(rows[line.dataset.row][at]), pick = $(".pick", line);
      if (run === undefined) {
        pick.replaceWith(pick.textContent);
        continue;
      }
      line.dataset.run = run;
      pick.addEventListener("click", (event) => (event.shiftKey ? chooseSecond(run) : choose(run)));
      pick.addEventListener("keydown", (event) => {
        const lines = rowsOf(sheet).filter((each) => !each.hidden && $(".pick", each)), from = lines.indexOf(line);
        const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: lines.length - 1 }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        $(".pick", lines[(to + lines.length) % lines.length]).focus();
      });
      pick.addEventListener("focus", () => stopAt(sheet, line));
      marks.set(run, {
        dataset: { base: "" },
        setAttribute: (name, value) => {
          if (name === "class") line.className = value.replace(" dim", "").trim();
          if (name === "aria-pressed") pick.setAttribute(name, value);
        },
      });
    }
    stopAt(sheet, rowsOf(sheet).find((line) => $(".pick", line)));
    return marks;
  };

  /** The mark or canvas that has the focus: its figure's name, and its run. */
  const heldBy = (panel) => {
    const own = panel.element.contains(document.activeElement), name = own && document.activeElement.closest("[data-figure]")?.dataset.figure;
    return [name, [...(panel.marks[name] ?? [])].find(([, mark]) => mark === document.activeElement)?.[0]];
  };
  const drawPanel = (panel) => {
    const [name, run] = heldBy(panel);
    Object.assign(panel, { stops: [], after: [], drawn: panel.element.clientWidth });
    panel.marks = Object.fromEntries(Object.entries(panel.marks).filter(([name]) => ["table", "suppliers"].includes(name)));
    for (const [name, function_] of Object.entries(FIGURES)) {
      const figure = figureOf(panel, name);
      if (figure) function_(panel, figure);
    }
    drawRun(panel);
    restyle(panel);
    if (name) (panel.marks[name]?.get(run) ?? $("canvas", figureOf(panel, name)))?.focus({ preventScroll: true });
  };
  /** What needs a second run is there only with one. */
  const armSecond = () => {
    $("#swap").disabled = state.versus === null;
    for (const panel of panels) {
      const select = $(".order", panel.element), option = $('option[value="versus"]', select);
      option.disabled = state.versus === null;
      select.value = orderName(panel);
    }
  };
  const drawRun = (panel) => {
    summary(panel);
    for (const [name, function_] of Object.entries(OF_RUN)) function_(panel, figureOf(panel, name));
    ownTable(panel);
  };
  const refresh = (words) => {
    $("#run").value = state.run;
    $("#versus").value = state.versus ?? "";
    $("#said").textContent = words;
    armSecond();
    drawRun(active);
    restyle(active);
  };
  const show = (panel, focus) => {
    active = panel;
    for (const each of panels) {
      const tab = document.getElementById(`tab-${each.data.key}`), is = each === panel;
      each.element.hidden = !is;
      tab.setAttribute("aria-selected", is);
      tab.tabIndex = is ? 0 : -1;
      if (is && focus) tab.focus();
    }
    filterRuns(panel);
    drawPanel(panel);
  };

  for (const panel of panels) {
    panel.marks.table = armRuns(panel, panel.sheet);
    const suppliers = $(`[data-sheet="${panel.data.key}-suppliers"]`, panel.element);
    if (suppliers) panel.marks.suppliers = armRuns(panel, suppliers);
    $(".filter", panel.element).addEventListener("input", () => filterRuns(panel));
    $(".front", panel.element).addEventListener("change", () => filterRuns(panel));
    $(".form", panel.element).addEventListener("change", (event) => { panel.form = event.target.value; drawPanel(panel); filterRuns(panel); });
    $(".order", panel.element).addEventListener("change", (event) => {
      panel.order = event.target.value;
      $(".query-table", panel.element).replaceChildren(); // the order of its own goes
      drawRun(panel);
    });
    $(".coefficient", panel.element).addEventListener("change", (event) => {
      panel.coefficient = event.target.value;
      tradeoff(panel, figureOf(panel, "tradeoff"));
    });
  }
  $$(".sheet").forEach(armSheet);
  panels.forEach((panel) => $(`[data-sheet="${panel.data.key}-queries"] [data-sort="difficulty"]`)?.parentElement.setAttribute("aria-sort", "ascending"));
  panels.forEach((panel) => $$("thead th", panel.sheet).find((each) => $("button", each).dataset.sort === "total").setAttribute("aria-sort", "ascending"));

  $$('[role="tab"]').forEach((tab, at, tabs) => {
    tab.addEventListener("click", () => show(panels[at]));
    tab.addEventListener("keydown", (event) => {
      const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      show(panels[(next + tabs.length) % tabs.length], true);
    });
  });
  $("#run").addEventListener("change", (event) => choose(Number(event.target.value)));
  $("#versus").addEventListener("change", (event) => chooseSecond(event.target.value === "" ? null : Number(event.target.value)));
  $("#swap").addEventListener("click", swap);

  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const wear = (theme) => { root.dataset.theme = theme; };
  wear(prefersDark.matches ? "dark" : "light");
  let chosen = false;
  prefersDark.addEventListener("change", (event) => { if (!chosen) { wear(event.matches ? "dark" : "light"); drawPanel(active); } });
  $("#theme").addEventListener("click", () => { chosen = true; wear(root.dataset.theme === "dark" ? "light" : "dark"); drawPanel(active); });

  const drawTrend = () => { const figure = $('[data-figure="trend"]'); if (figure) trend(figure); };
  $("#trend .coefficient")?.addEventListener("change", drawTrend);
  let waiting = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => { if (active.element.clientWidth !== active.drawn) { drawPanel(active); drawTrend(); } });
  });
  let wornBefore = null, closed = [];
  addEventListener("beforeprint", () => {
    wornBefore = root.dataset.theme;
    closed = $$("details.of-table:not([open])").filter((each) => $(".notes", each));
    closed.forEach((each) => { each.open = true; });
    state.printing = true;
    wear("light");
    for (const panel of panels) {
      panel.element.hidden = false;
      drawPanel(panel);
    }
    drawTrend();
  });
  addEventListener("afterprint", () => {
    wear(wornBefore);
    closed.forEach((each) => { each.open = false; });
    state.printing = false;
    for (const panel of panels) panel.element.hidden = panel !== active;
    drawPanel(active);
    drawTrend();
  });

  state.run = inOrder(panels[0].runs, "total").find((run) => run !== state.second);
  $("#run").value = state.run;
  $("#versus").value = state.versus ?? "";
  armSecond();
  for (const panel of panels) {
    panel.element.hidden = panel !== active;
    filterRuns(panel);
  }
  drawPanel(active);
  drawTrend();
  root.dataset.ready = "true";
})();

/* The heat map: the gap of every run to the target on every query. */

const LONGEST = 60;  // signs of a name beside its row
const SIZE = 11;  // pixels, of the type of names
const KEYS = ` A click or an arrow key up or down chooses ${NOUNS.aRun}; keys to the left and right go through the ${NOUNS.queries}.`;

/** @param {Panel} panel @param {HTMLElement} figure */
function heat(panel, figure) {
  const target = panel.data.target_scores;
  if (!target) return;
  const map = mapOf(panel, target, figure), { queries, base, width, left, step } = map;
  const height = Math.round(base + 18 + roomOfIds(panel)), canvas = canvasFor(map), range = paintCells(map, canvas);
  const chosen = draw("g"), ids = idsAlong(panel, queries, step, (at) => [left + (at + 0.5) * step + 4, base + 5]);
  const below = draw("text", { x: (left + width) / 2, y: height - 2, "text-anchor": "middle" }, `${NOUNS.Queries}, hardest first`);
  const over = draw("svg", { class: "overlay", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    ...ids, below, chosen);
  const names = draw("svg", { class: "names", width: left - 2, height: base, "aria-hidden": "true" }, ...namesOf(map));
  names.classList.toggle("stays", left < 0.6 * widthOf(figure));
  const whole = make("div", {}, names, canvas, over);
  Object.assign(whole.style, { width: `${width}px`, height: `${height}px` });
  fillFigure(figure, whole, width);
  listen(map, canvas);
  panel.frame = () => chosen.replaceChildren(...framesOf(map));
  one(HTMLElement, ".caption", figure).textContent =
    `${wordsOfGap(panel)}. Rows: ${NOUNS.runs} in order of bias², the least on top.${state.printing ? "" : KEYS}`;
  setLegend(figure, scaleOf(range));
}

/** @param {Panel} panel @param {number[]} target @param {HTMLElement} figure @returns {HeatMap} */
function mapOf(panel, target, figure) {
  const { queries: ids, difficulty } = panel.data, queries = [...ids.keys()].sort((a, b) => difficulty[a] - difficulty[b]);
  const runs = inOrder(panel.runs, "bias2"), named = runs.length <= ALL_NAMED, top = 4;
  const cell = named ? 15 : Math.max(2, Math.min(4, 520 / runs.length));
  const names = named ? runs.map((run) => shortened(nameOf(run), LONGEST)) : [];
  const pen = make("canvas").getContext("2d");
  if (pen) pen.font = `${SIZE}px ${getComputedStyle(figure).fontFamily}`;
  const left = Math.max(56, ...names.map((name) => 14 + Math.ceil(pen?.measureText(name).width ?? 6.6 * name.length)));
  const width = widthOf(figure, left + roomOfQueries(panel) + 6), step = (width - left - 6) / queries.length;
  return { panel, runs, queries, target, names, width, left, top, step, cell, base: top + cell * runs.length };
}

/** @param {HeatMap} map */
function canvasFor({ runs, queries, width, base }) {
  const fine = Math.min(3, Math.max(1, devicePixelRatio)), canvas = make("canvas", {
    role: "application", "aria-roledescription": "heat map", width: Math.round(width * fine), height: Math.round(base * fine),
    tabindex: "0",
    "aria-label": `Gap to the target of ${runs.length} ${NOUNS.runs} on ${queries.length} ${NOUNS.queries}; ` +
      `arrow keys choose the ${NOUNS.run} above or below, and the ${NOUNS.query} beside`,
  });
  Object.assign(canvas.style, { width: `${width}px`, height: `${base}px` });
  return canvas;
}

/** Fills the cells, with a mark where a run is better than the target; the least and the largest gap.
 * @param {HeatMap} map @param {HTMLCanvasElement} canvas */
function paintCells({ panel, runs, queries, target, width, left, top, base, step, cell }, canvas) {
  const { scores } = panel.data, pen = canvas.getContext("2d");
  const gaps = scores.flatMap((row) => row.map((score, q) => gain(panel, target[q], score)));
  const low = gaps.reduce((a, b) => Math.min(a, b), 0), high = gaps.reduce((a, b) => Math.max(a, b), 0);
  if (pen === null) return { low, high };
  const colour = ramp(low, high), above = getComputedStyle(ROOT).getPropertyValue("--loss");
  pen.scale(canvas.width / width, canvas.height / base);
  runs.forEach((run, line) => queries.forEach((q, at) => {
    pen.fillStyle = colour(gain(panel, target[q], scores[run][q]));
    pen.fillRect(left + at * step, top + line * cell, step + 0.4, cell + 0.4);
    if (outcome(panel, scores[run][q], target[q]) > 0) {
      pen.fillStyle = above;
      pen.fillRect(left + (at + 0.35) * step, top + (line + 0.3) * cell, 0.3 * step, 0.4 * cell);
    }
  }));
  return { low, high };
}

/** The colour of a value from low to high, between those of the style sheet's ramp.
 * @param {number} low @param {number} high */
function ramp(low, high) {
  const stops = getComputedStyle(ROOT).getPropertyValue("--ramp").trim().split(/\s+/)
    .map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
  /** @param {number} value */
  return (value) => {
    const at = ((value - low) / (high - low || 1)) * (stops.length - 1), first = Math.min(Math.floor(at), stops.length - 2);
    const mixed = stops[first].map((part, index) => Math.round(part + (at - first) * (stops[first + 1][index] - part)));
    return `rgb(${mixed.join(",")})`;
  };
}

/** The names of the rows, or what their order is.
 * @param {HeatMap} map */
function namesOf({ names, left, top, cell, base }) {
  const turned = `translate(14,${top + (base - top) / 2}) rotate(-90)`;
  const rows = `${NOUNS.Runs} in order of bias², the least on top`;
  if (!names.length) return [draw("text", { transform: turned, "text-anchor": "middle" }, rows)];
  return names.map((name, line) => draw("text", {
    x: left - 5, y: top + (line + 0.78) * cell, "text-anchor": "end", class: "soft", "font-size": SIZE,
  }, name));
}

/** Frames around the rows of the two chosen runs; their names at either end of rows that have none.
 * @param {HeatMap} map */
function framesOf({ runs, names, width, left, top, cell }) {
  /** @type {[number | null, string][]} */
  const chosen = [[state.second, "var(--second)"], [state.run, "var(--text)"]];
  return chosen.flatMap(([run, colour], first) => {
    if (run === null || run < 0) return [];
    const y = top + runs.indexOf(run) * cell, tip = `M${left - 3},${y + 0.5 * cell}l-9,5v-10Z`;
    const box = { x: left - 1, y: y - 1, width: width - left - 4, height: cell + 2 };
    const frame = draw("rect", { ...box, fill: "none", stroke: colour, "stroke-width": 2 });
    if (names.length) return [frame];
    const [x, anchor] = first ? [left + 4, "start"] : [width - 10, "end"], place = y < 24 ? y + cell + 14 : y - 5;
    const tag = draw("text", { class: "name-tag", x, y: place, "text-anchor": anchor }, nameOf(run));
    return [frame, draw("path", { d: tip, fill: colour }), tag];
  });
}

/** Clicks and arrow keys choose a run; the pointer, and keys to the left and right, show the numbers of a cell.
 * @param {HeatMap} map @param {HTMLCanvasElement} canvas */
function listen({ panel, runs, queries, target, left, top, step, cell }, canvas) {
  let column = -1;
  /** @param {number | undefined} run @param {number | undefined} q */
  const words = (run, q) => {
    if (run === undefined || q === undefined) return "";
    const score = panel.data.scores[run][q];
    const numbers = `score ${shown(score)}, target ${shown(target[q])}, gap ${shown(gain(panel, target[q], score))}`;
    return `${nameOf(run)} on ${panel.data.queries[q]}\n${numbers}`;
  };
  /** @param {MouseEvent} event @returns {[run: number | undefined, q: number | undefined]} */
  const under = (event) => {
    const box = canvas.getBoundingClientRect();
    const line = Math.floor((event.clientY - box.top - top) / cell), at = Math.floor((event.clientX - box.left - left) / step);
    return [runs[line], queries[at]];
  };
  canvas.addEventListener("keydown", (event) => {
    const by = STEPS[event.key];
    if (!by) return;
    event.preventDefault();
    const isAcross = event.key === "ArrowLeft" || event.key === "ArrowRight", line = runs.indexOf(state.run);
    if (isAcross) column = (column + by + queries.length) % queries.length;
    if (!isAcross || line < 0) choose(runs[(line + (isAcross ? 1 : by) + runs.length) % runs.length]);
    if (column < 0) return;
    const at = runs.indexOf(state.run), box = canvas.getBoundingClientRect(), text = words(state.run, queries[column]);
    one(HTMLElement, "#said").textContent = text;
    showWords(text, box.left + left + (column + 1) * step, box.top + top + (at + 1) * cell);
  });
  canvas.addEventListener("click", (event) => {
    const [run] = under(event);
    if (run !== undefined) chooseBy(run, event);
  });
  explain(canvas, (event) => (event instanceof MouseEvent ? words(...under(event)) : ""));
}

/** The colours of some gaps, and the mark of scores that are better than the target.
 * @param {{ low: number, high: number }} range */
function scaleOf({ low, high }) {
  const colour = ramp(low, high), box = { x: -7, y: -7, width: 14, height: 14, stroke: "var(--faint)" };
  /** @type {LegendEntry[]} */
  const entries = [0, 0.25, 0.5, 0.75, 1].map((share) => low + share * (high - low))
    .map((gap) => [draw("rect", { ...box, fill: colour(gap) }), shown(gap, 2)]);
  if (low < 0) entries.push([draw("rect", { x: -2, y: -3, width: 4, height: 6, class: "loss" }), `${NOUNS.aRun} better than the target`]);
  return entries;
}

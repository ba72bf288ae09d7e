// @ts-check
/* The figure of bias² and variance: runs as marks on lines of equal total error. */

import { NOUNS } from "./data.js";
import { draw } from "./elements.js";
import { makeChoosable } from "./marks.js";
import { inOrder, largest } from "./numbers.js";
import { extent, fromZero, heightOf, plot, setCaption, ticksOf } from "./plot.js";
import { colourOf, legend, shapeOf, sign } from "./shapes.js";
import { state } from "./state.js";
import { formOf, frontOf, nameOf, shortened, wordsOf } from "./words.js";

/** @import { Extent } from "./plot.js" */
/** @import { Replicate } from "./data.js" */
/** @import { Plot } from "./plot.js" */
/** @import { LegendEntry, Shape } from "./shapes.js" */
/** @import { Panel } from "./state.js" */
/** @typedef {[x: number, y: number]} Point in pixels */
/** @typedef {{ x: number, y: number, width: number }} Text the middle of its base line, and its width */
/** @typedef {(run: number) => Point} Place */

const AROUND = 5;  // pixels, about the radius of a mark
const HIGH = 10;  // pixels, about the height of a text
const TAG = 5.6;  // pixels, about the width of a character of the values of lines
const SHARES = Array.from({ length: 20 }, (_, step) => 0.03 + 0.047 * step);  // of a line, where its value may stand
/** @type {[shape: Shape, colour: string]} */
const NO_FAMILY = ["cross", "var(--grey)"];
/** @type {[side: number, lower: number][]} */
const BESIDE = [
  [0, -12], [0, 21], [1, 4], [-1, 4], [1, -10], [-1, -10], [1, 18], [-1, 18], [0, -26], [0, 35], [0, -42], [0, 48], [0, 62],
];

/** @param {Panel} panel @param {HTMLElement} figure */
export function plane(panel, figure) {
  const form = formOf(panel), runs = panel.runs, unit = largest(runs, form.total);
  const variance = /** @type {"var" | "var_gap"} */ (form.var);
  const { replicates } = panel.data, all = [...runs, ...replicates];
  const x = fromZero(extent(all.map((row) => row.bias2), 0.04, unit));
  const y = fromZero(extent(all.map((row) => row[variance]), 0.04, unit));
  setCaption(figure, `Grey lines: equal total (bias² + ${form.words}). Rings and steps: Pareto front.` +
    (replicates.length ? " Small points: the runs of each system; their mean total is that of the system." : "") +
    (state.printing ? "" : ` Click or Enter chooses ${NOUNS.aRun}, with Shift the second one.`));
  legend(figure, familyEntries(panel));
  const drawn = plot(figure, {
    height: heightOf(figure), x, y, xTitle: "bias²", yTitle: form.words, interactive: true,
    label: `Bias² and ${form.words} of ${runs.length} ${NOUNS.runs}; ` +
      `arrow keys go from ${NOUNS.run} to ${NOUNS.run}, Enter chooses`,
  });
  /** @type {Place} */
  const place = (run) => [drawn.X(runs[run].bias2), drawn.Y(runs[run][form.var])];
  const order = inOrder(runs, "bias2"), inFront = new Set(frontOf(panel));
  const taken = [...runs.keys()].map(place);
  const { lines, tags } = levels(drawn, x, y, taken);
  const spokes = replicates.flatMap((row) => spoke(panel, place(row.system), drawn.X(row.bias2), drawn.Y(row[variance]), row));
  const back = draw("g", { "aria-hidden": "true" }, ...lines, ...spokes, front(panel, place), ...familyLines(panel, place));
  const marks = new Map(order.map((run) => [run, markAt(panel, run, place)]));
  for (const [cx, cy] of order.filter((run) => inFront.has(run)).map(place)) {
    back.append(draw("circle", { class: "front-line", r: 7.5, cx, cy }));
  }
  drawn.svg.append(back, draw("g", { "aria-hidden": "true", "pointer-events": "none" }, ...tags), ...marks.values());
  makeChoosable(panel, "plane", marks, order, (run) => wordsOf(panel, run));
  nameChosen(panel, drawn, place, taken);
}

/** Lines of equal total error, and their values where they cover the fewest points.
 * @param {Plot} plot @param {Extent} x @param {Extent} y @param {Point[]} taken */
function levels({ X, Y, left: edge, right: end, top, base }, x, y, taken) {
  const lines = [], tags = [];
  for (const [value, words] of ticksOf(x[0] + y[0], x[1] + y[1], 6)) {
    const text = `total ${words}`;
    if (value <= 0) continue;
    const right = Math.min(x[1], value - y[0]), left = Math.max(x[0], value - y[1]), size = x[1] - x[0];
    if (right - left < 0.03 * size) continue;
    lines.push(draw("line", { class: "level", x1: X(left), y1: Y(value - left), x2: X(right), y2: Y(value - right) }));
    if (right - left > 0.12 * size) {
      const width = TAG * text.length, along = SHARES.map((share) => left + share * (right - left));
      const at = freest(along.map((each) => ({ x: X(each), y: Y(value - each) + 4, width })).filter((each) =>
        each.x - width / 2 > edge && each.x + width / 2 < end && each.y > top + 10 && each.y < base - 3), taken);
      if (at) tags.push(draw("text", {
        x: at.x, y: at.y, class: "soft level-tag", "font-size": 10, "text-anchor": "middle",
      }, text));
    }
  }
  return { lines, tags };
}

/** The Pareto front as steps.
 * @param {Panel} panel @param {Place} place */
function front(panel, place) {
  const steps = frontOf(panel).map(place).map(([x, y], at) => (at ? `H${x}V${y}` : `M${x},${y}`));
  return draw("path", { class: "front-line", d: steps.join("") || "M0,0" });
}

/** A run of a system: a small ring, and a line from the point of the system.
 * @param {Panel} panel @param {Point} system @param {number} cx @param {number} cy @param {Replicate} replicate */
function spoke(panel, [x1, y1], cx, cy, replicate) {
  const [, stroke] = seriesOf(panel, replicate.system);
  return [draw("line", { class: "replicate", x1, y1, x2: cx, y2: cy, stroke }),
    draw("circle", { class: "replicate", r: 2.2, cx, cy, stroke })];
}

/** Lines that join the members of families whose parameters are all numbers.
 * @param {Panel} panel @param {Place} place */
function familyLines(panel, place) {
  return panel.data.families.flatMap((family, index) => {
    if (!family.joined) return [];
    const points = family.members.map(place).map(([x, y]) => `${x},${y}`).join(" ");
    return draw("polyline", { points, fill: "none", "stroke-width": 1, opacity: 0.55, stroke: colourOf(index) });
  });
}

/** The shape and the colour of a run: those of its family, or of none where there are families.
 * @param {Panel} panel @param {number} run @returns {[shape: Shape, colour: string]} */
function seriesOf({ data: { families }, family }, run) {
  const index = family.get(run);
  return families.length > 0 && index === undefined ? NO_FAMILY : [shapeOf(index ?? 0), colourOf(index ?? 0)];
}

/** @param {Panel} panel @param {number} run @param {Place} place */
function markAt(panel, run, place) {
  const [shape, fill] = seriesOf(panel, run);
  return sign(shape, 4.6, ...place(run), { class: "mark dot", fill });
}

/** The names of the two chosen runs beside their marks where they cover the fewest others, whenever they change.
 * @param {Panel} panel @param {Plot} plot @param {Place} place @param {Point[]} taken */
function nameChosen(panel, { svg, left, right, top, base }, place, taken) {
  const tags = draw("g", { "aria-hidden": "true", "pointer-events": "none" });
  const most = Math.min(40, Math.floor((right - left) / 9));
  svg.append(tags);
  panel.after.push(() => {
    tags.replaceChildren();
    for (const run of [state.second, state.run]) {
      if (run === null || run < 0) continue;
      const [x, y] = place(run), tag = draw("text", { class: "name-tag" }, shortened(nameOf(run), most));
      tags.append(tag);
      const width = tag.getComputedTextLength(), half = width / 2;
      /** @param {number} middle */
      const within = (middle) => Math.max(left + half + 2, Math.min(middle, right - half - 2));
      const places = BESIDE.map(([dx, dy]) => ({ x: within(x + dx * (half + 12)), y: y + dy, width }))
        .filter((each) => each.y > top + 10 && each.y < base - 4);
      const at = freest(places, taken.filter(([px, py]) => px !== x || py !== y));
      if (Math.abs(at.y - y) > 30) tags.prepend(draw("line", { class: "front-line", x1: x, y1: y, x2: at.x, y2: at.y }));
      for (const [name, value] of Object.entries({ x: at.x, y: at.y, "text-anchor": "middle" })) {
        tag.setAttribute(name, String(value));
      }
    }
  });
}

/** @param {Panel} panel @returns {LegendEntry[]} */
function familyEntries(panel) {
  const { data: { families }, family, runs } = panel;
  /** @param {[shape: Shape, colour: string]} series @param {string} words @returns {LegendEntry} */
  const entry = ([shape, fill], words) => [sign(shape, 4.6, 0, 0, { fill }), words];
  const entries = families.map(({ name }, index) => entry([shapeOf(index), colourOf(index)], name));
  return entries.length && family.size < runs.length ? [...entries, entry(NO_FAMILY, "no family")] : entries;
}

/**
 * The first of the places for a text that covers the fewest points.
 * @template {Text} Place
 * @param {Place[]} texts @param {Point[]} points
 */
function freest(texts, points) {
  const covered = texts.map((text) => points.filter((point) => covers(text, point)).length);
  return texts[covered.indexOf(Math.min(...covered))];
}

/** @param {Text} text @param {Point} point */
function covers({ x, y, width }, [px, py]) {
  return Math.abs(px - x) < width / 2 + AROUND && py > y - HIGH - AROUND && py < y + AROUND;
}

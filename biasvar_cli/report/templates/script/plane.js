// @ts-check
/* The figure of bias² and variance: runs as marks on lines of equal total error. */

import { extent, fromZero, ticksOf } from "./axes.js";
import { draw, filledWith, strokedWith } from "./elements.js";
import { makeChoosable } from "./marks.js";
import { inOrder, largest } from "./numbers.js";
import { heightOf, plot, setCaption } from "./plot.js";
import { formOf, frontOf, wordsOf } from "./runs.js";
import { colourOf, legend, shapeOf, sign } from "./shapes.js";
import { state } from "./state.js";
import { nameOf, shortened } from "./words.js";

/** @import { Extent } from "./axes.js" */
/** @import { Plot } from "./plot.js" */
/** @import { LegendEntry } from "./shapes.js" */
/** @import { Panel } from "./state.js" */
/** @typedef {(run: number) => [x: number, y: number]} Place in pixels */

/**
 * @param {Panel} panel
 * @param {HTMLElement} figure
 */
export function plane(panel, figure) {
  const form = formOf(panel), runs = panel.runs, unit = largest(runs, form.total);
  const x = fromZero(extent(runs.map((row) => row.bias2), 0.04, unit));
  const y = fromZero(extent(runs.map((row) => row[form.var]), 0.04, unit));
  const drawn = plot(figure, {
    height: heightOf(figure), x, y, xTitle: "bias²", yTitle: form.words, interactive: true,
    label: `Bias² and ${form.words} of ${runs.length} runs; arrow keys go from run to run, Enter chooses`,
  });
  /** @type {Place} */
  const place = (run) => [drawn.X(runs[run].bias2), drawn.Y(runs[run][form.var])];
  const order = inOrder(runs, "bias2"), inFront = new Set(frontOf(panel));
  const back = draw("g", { "aria-hidden": "true" },
    ...levels(drawn, x, y), front(panel, place), ...familyLines(panel, place));
  const marks = new Map(order.map((run) => [run, markAt(panel, run, place)]));
  for (const [cx, cy] of order.filter((run) => inFront.has(run)).map(place)) {
    back.append(draw("circle", { class: "front-line", r: 7.5, cx, cy }));
  }
  drawn.svg.append(back, ...marks.values());
  makeChoosable(panel, "plane", marks, order, (run) => wordsOf(panel, run));
  nameChosen(panel, drawn, place);
  setCaption(figure, `Grey lines: equal bias² + ${form.words}. Rings and steps: Pareto front.` +
    (state.printing ? "" : " Click or Enter chooses a run, with Shift the second one."));
  legend(figure, familyEntries(panel));
}

/**
 * Lines of equal total error, with their values where there is room.
 * @param {Plot} plot
 * @param {Extent} x
 * @param {Extent} y
 */
function levels({ X, Y }, x, y) {
  const found = [];
  for (const [value, text] of ticksOf(x[0] + y[0], x[1] + y[1], 6)) {
    if (value <= 0) continue;
    const right = Math.min(x[1], value - y[0]), left = Math.max(x[0], value - y[1]), size = x[1] - x[0];
    if (right - left < 0.03 * size) continue;
    found.push(draw("line", { class: "level", x1: X(left), y1: Y(value - left), x2: X(right), y2: Y(value - right) }));
    if (right - left > 0.12 * size) {
      const end = right - 0.03 * (right - left);
      found.push(draw("text", {
        x: X(end) - 4, y: Y(value - end) - 4, class: "soft level-tag", "font-size": 10, "text-anchor": "end",
      }, text));
    }
  }
  return found;
}

/**
 * The Pareto front as steps.
 * @param {Panel} panel
 * @param {Place} place
 */
function front(panel, place) {
  const steps = frontOf(panel).map(place).map(([x, y], at) => (at ? `H${x}V${y}` : `M${x},${y}`));
  return draw("path", { class: "front-line", d: steps.join("") || "M0,0" });
}

/**
 * @param {Panel} panel
 * @param {Place} place
 */
function familyLines(panel, place) {
  return panel.data.families.map((family, index) => {
    const points = family.members.map(place).map(([x, y]) => `${x},${y}`).join(" ");
    return strokedWith(draw("polyline", { points, fill: "none", "stroke-width": 1, opacity: 0.55 }), colourOf(index));
  });
}

/**
 * @param {Panel} panel
 * @param {number} run
 * @param {Place} place
 */
function markAt(panel, run, place) {
  const index = panel.family.get(run), outside = panel.data.families.length > 0 && index === undefined;
  const mark = sign(outside ? "cross" : shapeOf(index ?? 0), 4.6, ...place(run), { class: "mark dot" });
  return filledWith(mark, outside ? "--grey" : colourOf(index ?? 0));
}

/**
 * The names of the two chosen runs above their marks, whenever they change.
 * @param {Panel} panel
 * @param {Plot} plot
 * @param {Place} place
 */
function nameChosen(panel, { svg, left, right }, place) {
  const tags = draw("g", { "aria-hidden": "true", "pointer-events": "none" });
  const most = Math.min(40, Math.floor((right - left) / 9));
  svg.append(tags);
  panel.after.push(() => {
    tags.replaceChildren();
    for (const run of [state.second, state.run]) {
      if (run === null) continue;
      const [x, y] = place(run), tag = draw("text", { class: "name-tag", y: y - 10 }, shortened(nameOf(run), most));
      tags.append(tag);
      const half = tag.getComputedTextLength() / 2;
      tag.setAttribute("x", String(Math.max(left + half + 2, Math.min(x, right - half - 2))));
      tag.setAttribute("text-anchor", "middle");
    }
  });
}

/**
 * @param {Panel} panel
 * @returns {LegendEntry[]}
 */
function familyEntries(panel) {
  const { data: { families }, family, runs } = panel;
  /** @type {LegendEntry[]} */
  const entries = families.map(({ name }, index) => [shapeOf(index), colourOf(index), name]);
  return entries.length && family.size < runs.length ? [...entries, ["cross", "--grey", "no family"]] : entries;
}

// @ts-check
/* The figure of runs in order of bias²: bars of bias² and variance. */

import { draw } from "./elements.js";
import { makeChoosable } from "./marks.js";
import { compare, inOrder, largest } from "./numbers.js";
import { heightOf, plot, setCaption } from "./plot.js";
import { formOf, wordsOf } from "./runs.js";
import { legend, sign } from "./shapes.js";

const EDGE = 6;  // pixels from the sides of the plot to the first and the last bar: room for a sign
const SIGN = 3.6;

/** @import { Quantity } from "./data.js" */
/** @import { Plot } from "./plot.js" */
/** @import { Shape } from "./shapes.js" */
/** @import { Panel } from "./state.js" */

/**
 * @param {Panel} panel
 * @param {HTMLElement} figure
 */
export function ranked(panel, figure) {
  const form = formOf(panel), runs = panel.runs, order = inOrder(runs, "bias2");
  const drawn = plot(figure, {
    height: heightOf(figure), y: [0, 1.1 * (largest(runs, form.total) || 1)],
    xTitle: "Runs in ascending order of bias²", yTitle: `bias², ${form.words}`, interactive: true, margin: { bottom: 26 },
    label: `${runs.length} runs in order of bias² with bias² and ${form.words}; ` +
      "arrow keys go from run to run, Enter chooses",
  });
  const marks = barsOf(panel, drawn, order);
  drawn.svg.append(draw("g", { class: "bars" }, ...marks.values()), ...leastOf(panel, drawn, order));
  makeChoosable(panel, "ranked", marks, order, (run) => wordsOf(panel, run));
  setCaption(figure, `A whole bar is bias² + ${form.words}. Signs over the runs with the least of each.`);
  legend(figure, [
    ["square", "--dark-fill", "bias²"], ["square", "--light-fill", form.words], ["circle", "--text", "least bias²"],
    ["square", "--text", `least ${form.words}`], ["up", "--text", "least total"],
  ]);
}

/**
 * A bar for each run: bias², and the variance on it.
 * @param {Panel} panel
 * @param {Plot} drawn
 * @param {number[]} order
 */
function barsOf(panel, drawn, order) {
  const { top, base, Y } = drawn, form = formOf(panel), step = stepOf(drawn, order), width = Math.max(1, step * 0.82);
  return new Map(order.map((run, at) => {
    const x = drawn.left + EDGE + at * step + (step - width) / 2, row = panel.runs[run];
    const middle = Y(row.bias2), high = Y(row[form.total]);
    return [run, draw("g", { class: "mark" },
      draw("rect", { class: "bar-bias", x, y: middle, width, height: Math.max(0, base - middle) }),
      draw("rect", { class: "bar-var", x, y: high, width, height: Math.max(0, middle - high) }),
      draw("rect", { class: "outline", x: x - 0.5, y: high, width: width + 1, height: Math.max(0, base - high) }),
      draw("rect", { class: "hit", x: x - 0.5, y: top, width: width + 1, height: base - top }))];
  }));
}

/**
 * @param {Plot} plot
 * @param {number[]} order
 */
function stepOf({ left, right }, order) {
  return (right - left - 2 * EDGE) / order.length;
}

/**
 * Signs over the runs with the least bias², variance and total: several runs where they are equal.
 * They stand over the bars beside, too, that they would cover.
 * @param {Panel} panel
 * @param {Plot} drawn
 * @param {number[]} order
 */
function leastOf(panel, drawn, order) {
  const form = formOf(panel), runs = panel.runs, step = stepOf(drawn, order), reach = Math.round(SIGN / step);
  /** @param {number} at */
  const highest = (at) => Math.max(...order.slice(Math.max(0, at - reach), at + reach + 1)
    .map((run) => runs[run][form.total] ?? 0));
  /** @type {[Quantity, Shape][]} */
  const signs = [["bias2", "circle"], [form.var, "square"], [form.total, "up"]];
  return signs.flatMap(([name, shape], above) => {
    const [first] = inOrder(runs, name), unit = largest(runs, name);
    const least = order.filter((run) => compare(runs[run][name], runs[first][name], unit) === 0);
    return least.map((run) => order.indexOf(run)).map((at) => sign(shape, SIGN, drawn.left + EDGE + (at + 0.5) * step,
      drawn.Y(highest(at)) - 8 - 9 * above, { class: "least", "aria-hidden": "true" }));
  });
}

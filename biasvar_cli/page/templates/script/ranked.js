// @ts-check
/* The figure of runs in order of bias²: bars of bias² and variance. */

import { columnsOfRuns, middleOf, stepOf } from "./columns.js";
import { NOUNS } from "./data.js";
import { draw } from "./elements.js";
import { compare, inOrder, largest } from "./numbers.js";
import { setCaption } from "./plot.js";
import { formOf, wordsOf } from "./runs.js";
import { legend, sign } from "./shapes.js";

/** @import { Quantity } from "./data.js" */
/** @import { Plot } from "./plot.js" */
/** @import { Shape } from "./shapes.js" */
/** @import { Panel } from "./state.js" */

const SIGN = 3.6;

/**
 * @param {Panel} panel
 * @param {HTMLElement} figure
 */
export function ranked(panel, figure) {
  const form = formOf(panel), runs = panel.runs, order = inOrder(runs, "bias2");
  const drawn = columnsOfRuns(panel, figure, {
    name: "ranked", order, y: [0, 1.1 * (largest(runs, form.total) || 1)],
    xTitle: `${NOUNS.Runs} in ascending order of bias²`, yTitle: `bias², ${form.words}`,
    label: `${runs.length} ${NOUNS.runs} in order of bias² with bias² and ${form.words}`,
    ends: (run) => [0, runs[run][form.total] ?? 0],
    marks: (run, x, width, { base, Y }) => {
      const middle = Y(runs[run].bias2), high = Y(runs[run][form.total]), bar = { x: x - width / 2, width };
      return [draw("rect", { class: "bar-bias", ...bar, y: middle, height: Math.max(0, base - middle) }),
        draw("rect", { class: "bar-var", ...bar, y: high, height: Math.max(0, middle - high) })];
    },
    words: (run) => wordsOf(panel, run),
  });
  drawn.svg.append(...leastOf(panel, drawn, order));
  setCaption(figure, `A whole bar is bias² + ${form.words}. Signs over the ${NOUNS.runs} with the least of each.`);
  legend(figure, [
    ["square", "--dark-fill", "bias²"], ["square", "--light-fill", form.words], ["circle", "--text", "least bias²"],
    ["square", "--text", `least ${form.words}`], ["up", "--text", "least total"],
  ]);
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
    return least.map((run) => order.indexOf(run)).map((at) => sign(shape, SIGN, middleOf(drawn, order, at),
      drawn.Y(highest(at)) - 8 - 9 * above, { class: "least", "aria-hidden": "true" }));
  });
}

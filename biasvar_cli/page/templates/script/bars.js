// @ts-check
/* The figures of runs side by side: means with comparison bars, gains and losses, and bias² with variance. */

import { columnsOfRuns, middleOf, stepOf } from "./columns.js";
import { NOUNS } from "./data.js";
import { draw } from "./elements.js";
import { compare, inOrder, largest, shown } from "./numbers.js";
import { extent, setCaption } from "./plot.js";
import { legend, sign } from "./shapes.js";
import { recordsOf } from "./sheets.js";
import { formOf, nameOf, wordsOf } from "./words.js";

/** @import { Quantity } from "./data.js" */
/** @import { Plot } from "./plot.js" */
/** @import { Shape } from "./shapes.js" */
/** @import { Panel } from "./state.js" */

const SIGN = 3.6;
/** @type {Record<string, Shape>} */
const VERDICTS = { safe: "up", risky: "down" };

/** Means with comparison bars: runs whose bars do not overlap differ.
 * @param {Panel} panel @param {HTMLElement} figure */
export function compareFigure(panel, figure) {
  const { key, measure, bounds } = panel.data, runs = recordsOf(panel, `${key}-compare`), order = [...runs.keys()];
  const [least, most] = bounds ?? [-Infinity, Infinity];
  /** @param {number} run */
  const ends = (run) => {
    const { low, high } = runs.get(run) ?? {};
    return /** @type {[number, number]} */ ([Math.max(Number(low), least), Math.min(Number(high), most)]);
  };
  const [low, high] = ends(order[0]);
  const drawn = columnsOfRuns(panel, figure, {
    name: "compare", order, height: 300, y: extent(order.flatMap(ends), 0.12), ends,
    xTitle: `${NOUNS.Runs}, the best mean first`, yTitle: measure,
    label: `Means of ${order.length} ${NOUNS.runs} with comparison bars; the table below has the numbers`,
    marks: (run, x, width, { Y }) => {
      const r = Math.max(1.6, Math.min(4, width / 2)), cy = Y(Number(runs.get(run)?.mean)), [from, to] = ends(run);
      return [draw("line", { class: "bar", x1: x, x2: x, y1: Y(from), y2: Y(to) }),
        draw("circle", { class: runs.get(run)?.best ? "own" : "hollow", r, cx: x, cy })];
    },
    words: (run) => {
      const { mean, better, worse } = runs.get(run) ?? {};
      return `${nameOf(run)}: mean ${shown(Number(mean))}, beats ${better}, beaten by ${worse}`;
    },
  });
  drawn.svg.querySelector("g")?.append(draw("rect", {
    class: "band", x: drawn.left, width: drawn.right - drawn.left, y: drawn.Y(high), height: drawn.Y(low) - drawn.Y(high),
  }));
  setCaption(figure, `Two ${NOUNS.runs} whose bars do not overlap differ significantly; no bar is a confidence interval.` +
    `${bounds ? " Bars end at the bounds of the measure." : ""}`);
  legend(figure, [
    [draw("circle", { class: "own", r: 4 }), `mean; no ${NOUNS.run} is significantly better`],
    [draw("circle", { class: "hollow", r: 4 }), `mean; some ${NOUNS.run} is significantly better`],
    [draw("line", { class: "bar", y1: -7, y2: 7 }), "comparison bar"],
    [draw("rect", { class: "band", x: -7, y: -5, width: 14, height: 10 }), `bar of the best ${NOUNS.run}`],
  ]);
}

/** What each run gains and loses against the baseline.
 * @param {Panel} panel @param {HTMLElement} figure */
export function riskFigure(panel, figure) {
  const runs = recordsOf(panel, `${panel.data.key}-risk`), order = [...runs.keys()];
  const name = Object.keys(runs.get(order[0]) ?? {}).find((column) => /^u_risk_(?!0$)[^_]+$/.test(column)) ?? "u_risk_0";
  const weight = 1 + Number(name.replace("u_risk_", ""));
  /** @param {number} run @param {string} column */
  const of = (run, column) => Number(runs.get(run)?.[column]);
  /** @param {number} run */
  const ends = (run) => /** @type {[number, number]} */ ([-weight * of(run, "risk"), of(run, "reward")]);
  columnsOfRuns(panel, figure, {
    name: "risk", order, height: 300, y: extent([0, ...order.flatMap(ends)], 0.12), ends,
    xTitle: `${NOUNS.Runs}, the largest ${name} first`, yTitle: panel.data.measure,
    label: `Gains and losses of ${order.length} ${NOUNS.runs} against the baseline; the table below has the numbers`,
    marks: (run, x, width, { Y }) => {
      const r = Math.max(1.6, Math.min(4, width / 2)), [low, high] = ends(run).map(Y), bar = { x: x - width / 2, width };
      const shape = VERDICTS[String(runs.get(run)?.verdict)] ?? "circle";
      return [draw("rect", { class: "win", ...bar, y: high, height: Y(0) - high }),
        draw("rect", { class: "loss", ...bar, y: Y(0), height: low - Y(0) }),
        sign(shape, r, x, Y(of(run, name)), { class: "dot sum" })];
    },
    words: (run) => `${nameOf(run)}: ${name} ${shown(of(run, name))}, reward ${shown(of(run, "reward"))}, ` +
      `risk ${shown(of(run, "risk"))}${runs.get(run)?.verdict ? `, ${runs.get(run)?.verdict}` : ""}`,
  });
  setCaption(figure, `Up: mean gain over all ${NOUNS.queries} (reward). Down: mean loss (risk), counted ${weight} times. ` +
    `Sign: their sum, ${name}.`);
  legend(figure, [
    [box("win"), "gain"], [box("loss"), `loss, ${weight} times`], [sign("up", 4.6, 0, 0, { class: "sum" }), "safe"],
    [sign("down", 4.6, 0, 0, { class: "sum" }), "risky"], [sign("circle", 4.6, 0, 0, { class: "sum" }), "neither"],
  ]);
}

/** @param {string} name of the class of a bar */
function box(name) {
  return sign("square", 4.6, 0, 0, { class: name });
}

/** Bars of bias² and variance, in order of bias².
 * @param {Panel} panel @param {HTMLElement} figure */
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
  /** @type {Shape[]} */
  const signs = ["circle", "square", "up"], least = ["least bias²", `least ${form.words}`, "least total"];
  legend(figure, [
    [box("bar-bias"), "bias²"], [box("bar-var"), form.words],
    ...signs.map((shape, index) => /** @type {[SVGElement, string]} */ ([sign(shape, SIGN, 0, 0, { class: "sum" }), least[index]])),
  ]);
}

/**
 * Signs over the runs with the least bias², variance and total: several runs where they are equal.
 * They stand over the bars beside, too, that they would cover.
 * @param {Panel} panel @param {Plot} drawn @param {number[]} order
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

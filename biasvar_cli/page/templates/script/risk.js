// @ts-check
/* The figure of risk: what each run gains and loses against the baseline. */

import { extent } from "./axes.js";
import { columnsOfRuns } from "./columns.js";
import { NOUNS } from "./data.js";
import { draw, filledWith } from "./elements.js";
import { shown } from "./numbers.js";
import { setCaption } from "./plot.js";
import { legend, sign } from "./shapes.js";
import { columnNames, recordsOf } from "./sheets.js";
import { nameOf } from "./words.js";

/** @import { Shape } from "./shapes.js" */
/** @import { Panel } from "./state.js" */

/** @type {Record<string, Shape>} */
const SIGNS = { safe: "up", risky: "down" };

/**
 * @param {Panel} panel
 * @param {HTMLElement} figure
 */
export function riskFigure(panel, figure) {
  const key = `${panel.data.key}-risk`, runs = recordsOf(panel, key), order = [...runs.keys()];
  const name = columnNames(key).find((each) => /^u_risk_(?!0$)[^_]+$/.test(each)) ?? "u_risk_0";
  const weight = 1 + Number(name.replace("u_risk_", ""));
  /**
   * @param {number} run
   * @param {string} column
   */
  const of = (run, column) => Number(runs.get(run)?.[column]);
  /** @param {number} run */
  const ends = (run) => /** @type {[number, number]} */ ([-weight * of(run, "risk"), of(run, "reward")]);
  columnsOfRuns(panel, figure, {
    name: "risk", order, height: 300, y: extent([0, ...order.flatMap(ends)], 0.12), ends,
    xTitle: `${NOUNS.Runs}, the largest ${name} first`, yTitle: panel.data.measure,
    label: `Gains and losses of ${order.length} ${NOUNS.runs} against the baseline; the table below has the numbers`,
    marks: (run, x, width, { Y }) => {
      const r = Math.max(1.6, Math.min(4, width / 2)), [low, high] = ends(run).map(Y), left = { x: x - width / 2, width };
      const shape = SIGNS[String(runs.get(run)?.verdict)] ?? "circle";
      return [draw("rect", { class: "win", ...left, y: high, height: Y(0) - high }),
        draw("rect", { class: "loss", ...left, y: Y(0), height: low - Y(0) }),
        filledWith(sign(shape, r, x, Y(of(run, name)), { class: "dot" }), "--text")];
    },
    words: (run) => `${nameOf(run)}: ${name} ${shown(of(run, name))}, reward ${shown(of(run, "reward"))}, ` +
      `risk ${shown(of(run, "risk"))}${runs.get(run)?.verdict ? `, ${runs.get(run)?.verdict}` : ""}`,
  });
  setCaption(figure, `Up: mean gain over all ${NOUNS.queries} (reward). Down: mean loss (risk), counted ${weight} times. ` +
    `Sign: their sum, ${name}.`);
  legend(figure, [["square", "--win", "gain"], ["square", "--loss", `loss, ${weight} times`],
    ["up", "--text", "safe"], ["down", "--text", "risky"], ["circle", "--text", "neither"]]);
}

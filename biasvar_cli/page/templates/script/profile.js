// @ts-check
/* The figure of the run's score on each query, beside the target, the second run and the pool. */

import { extent } from "./axes.js";
import { NOUNS } from "./data.js";
import { draw } from "./elements.js";
import { plot, setCaption } from "./plot.js";
import {
  chosenScores, explainQueries, inQueryOrder, orderWords, queryAxis, roomOfIds, roomOfQueries, signsOf,
} from "./queries.js";
import { legend, sign } from "./shapes.js";
import { state } from "./state.js";
import { nameOf } from "./words.js";

/** @import { Panel } from "./state.js" */
/** @import { LegendEntry } from "./shapes.js" */

/**
 * @param {Panel} panel
 * @param {HTMLElement} figure
 */
export function profile(panel, figure) {
  const { target_scores: target, spread, measure } = panel.data, order = inQueryOrder(panel), room = roomOfIds(panel);
  const second = state.second === null ? "" : nameOf(state.second);
  const drawn = plot(figure, {
    height: 250 + room, y: extent([...spread[0], ...spread[4], ...(target || [])]), yTitle: measure,
    signs: signsOf(panel), margin: { bottom: 18 + room }, inside: roomOfQueries(panel),
    xTitle: `${NOUNS.Queries}, ${orderWords(panel)}`,
    label: `Score of ${nameOf(state.run)} on each of ${order.length} ${NOUNS.queries}, beside the target` +
      `${second ? ` and ${second}` : ""}; the table below has the numbers`,
  });
  const { X, step } = queryAxis(panel, drawn, order);
  order.forEach((q, at) => drawn.svg.append(...marksOfQuery(panel, q, X(at), step, drawn.Y)));
  explainQueries(panel, drawn, order);
  setCaption(figure, `Grey: all ${NOUNS.runs} of the pool, the middle half darker.`);
  /** @type {LegendEntry[]} */
  const entries = [["circle", "--accent", nameOf(state.run)]];
  if (target) entries.push(["square", "--text", "target (bar)"]);
  if (second) entries.push(["diamond", "--second", second]);
  legend(figure, entries);
}

/**
 * The marks of one query: the pool, the target, the second run, the run.
 * @param {Panel} panel
 * @param {number} q
 * @param {number} x
 * @param {number} step
 * @param {(value: number) => number} Y
 */
function marksOfQuery(panel, q, x, step, Y) {
  const { target_scores: target, spread } = panel.data, { own, other } = chosenScores(panel);
  const r = Math.max(2, Math.min(4.5, 0.36 * step)), half = Math.max(1.5, Math.min(9, 0.42 * step));
  /**
   * @param {string} name
   * @param {number} low
   * @param {number} high
   */
  const line = (name, low, high) => draw("line", { class: name, x1: x, x2: x, y1: Y(low), y2: Y(high) });
  const found = [line("range", spread[0][q], spread[4][q]), line("quartiles", spread[1][q], spread[3][q])];
  if (target) {
    const y = Y(target[q]);
    found.push(line("gap-line", own[q], target[q]));
    found.push(draw("line", { class: "aim", x1: x - half, x2: x + half, y1: y, y2: y }));
  }
  return [...found, ...(other ? [sign("diamond", r, x, Y(other[q]), { class: "other" })] : []),
    draw("circle", { class: "own", r, cx: x, cy: Y(own[q]) })];
}

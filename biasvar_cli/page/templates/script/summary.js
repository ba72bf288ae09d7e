// @ts-check
/* The chosen run in words, and its rank in the bar that is always seen. */

import { one } from "./elements.js";
import { compare, gain, outcome, shown } from "./numbers.js";
import { chosenScores } from "./queries.js";
import { state } from "./state.js";
import { counted, listed, nameOf } from "./words.js";

/** @import { Panel } from "./state.js" */

/** @param {Panel} panel */
export function summary(panel) {
  const { target_scores: target } = panel.data, { own, other } = chosenScores(panel), row = panel.runs[state.run];
  const stability = row.stability === undefined || row.stability === null ? "" : `, stability ${shown(row.stability, 2)}`;
  const parts = [`Mean ${shown(row.mean)}, rank ${row.rank} of ${panel.runs.length} by total${stability}`];
  if (target) parts.push(...againstTarget(panel, own, target));
  if (other && state.second !== null) parts.push(`against ${nameOf(state.second)}: ${againstSecond(panel, own, other)}`);
  one(HTMLElement, "#rank-of-run").textContent = `rank ${row.rank} of ${panel.runs.length} by total`;
  one(HTMLElement, "#rank-of-second").textContent = state.second === null ? "" : `rank ${panel.runs[state.second].rank} by total`;
  one(HTMLElement, ".chosen .name", panel.element).textContent = nameOf(state.run);
  one(HTMLElement, ".chosen .summary", panel.element).textContent = `${parts.join("; ")}.`;
}

/**
 * @param {Panel} panel
 * @param {number[]} own
 * @param {number[]} target
 */
function againstTarget(panel, own, target) {
  const { queries } = panel.data;
  const all = queries.map((_, q) => q), reached = all.filter((q) => outcome(panel, own[q], target[q]) >= 0);
  const widest = all.filter((q) => outcome(panel, own[q], target[q]) < 0)
    .sort((a, b) => gain(panel, target[b], own[b]) - gain(panel, target[a], own[a]));
  const which = reached.length ? ` (${listed(reached.map((q) => queries[q]))})` : "";
  const parts = [`reaches the target on ${reached.length} of ${counted(queries.length, "query")}${which}`];
  const gaps = widest.slice(0, 3).map((q) => `${queries[q]} (${shown(gain(panel, target[q], own[q]))})`);
  return gaps.length ? [...parts, `widest gaps: ${listed(gaps)}`] : parts;
}

/**
 * @param {Panel} panel
 * @param {number[]} own
 * @param {number[]} other
 */
function againstSecond(panel, own, other) {
  const signs = own.map((score, q) => outcome(panel, score, other[q]));
  const [wins, losses] = [1, -1].map((sign) => signs.filter((each) => each === sign).length);
  const differences = own.map((score, q) => gain(panel, score, other[q]));
  const sum = differences.reduce((found, each) => found + each, 0);
  const mean = compare(sum, 0, Math.max(...differences.map(Math.abs))) === 0 ? 0 : sum / own.length;
  return `better on ${wins}, worse on ${losses}, equal on ${own.length - wins - losses}; mean difference ${shown(mean)}`;
}

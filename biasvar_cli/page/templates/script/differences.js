// @ts-check
/* The figures of differences on each query: the run's gap to the target, and the run against the second one. */

import { extent } from "./axes.js";
import { NOUNS } from "./data.js";
import { draw } from "./elements.js";
import { gain } from "./numbers.js";
import { leaveEmpty, plot, setCaption, setTitle } from "./plot.js";
import { chosenScores, explainQueries, inQueryOrder, queryAxis, roomOfIds, roomOfQueries, signsOf } from "./queries.js";
import { state } from "./state.js";
import { nameOf } from "./words.js";

/** @import { Panel } from "./state.js" */
/** @typedef {{ yTitle: string, label: string, positive: string, negative: string }} BarWords */

/**
 * @param {Panel} panel
 * @param {HTMLElement} figure
 */
export function gap(panel, figure) {
  const { target_scores: target } = panel.data, { own } = chosenScores(panel), name = nameOf(state.run);
  if (!target) return leaveEmpty(figure, `The target is a mean alone: it has no score per ${NOUNS.query}.`);
  setTitle(figure, `Gap of ${name} to the target`);
  const less = panel.data.better === "less", difference = less ? "Score − target" : "Target − score";
  setCaption(figure, `${difference}: 0 where the ${NOUNS.run} reaches the target, below 0 where it is better.`);
  bars(panel, figure, target.map((score, q) => gain(panel, score, own[q])), {
    yTitle: "Gap", positive: "loss", negative: "win",
    label: `${less ? `Score of ${name} minus target` : `Target minus score of ${name}`} on each ${NOUNS.query}; ` +
      "the table below has the numbers",
  });
}

/**
 * @param {Panel} panel
 * @param {HTMLElement} figure
 */
export function second(panel, figure) {
  const { own, other } = chosenScores(panel), name = nameOf(state.run);
  if (state.second === null || other === null) {
    setTitle(figure, `Against a second ${NOUNS.run}`);
    setCaption(figure, "");
    const choice = `Choose a second ${NOUNS.run} above, or a mark with Shift.`;
    const words = state.printing ? `No second ${NOUNS.run} was chosen.` : choice;
    return leaveEmpty(figure, words);
  }
  const names = [name, nameOf(state.second)], [first, last] = panel.data.better === "less" ? names.reverse() : names;
  setTitle(figure, `${name} against ${nameOf(state.second)}`);
  setCaption(figure, `Difference of the scores: above 0 the first ${NOUNS.run} is better.`);
  bars(panel, figure, own.map((score, q) => gain(panel, score, other[q])), {
    yTitle: "Difference", positive: "win", negative: "loss",
    label: `Score of ${first} minus score of ${last} on each ${NOUNS.query}; ` +
      "the table below has the numbers",
  });
}

/**
 * @param {Panel} panel
 * @param {HTMLElement} figure
 * @param {number[]} values by query
 * @param {BarWords} words and the classes of bars above and below 0
 */
function bars(panel, figure, values, { yTitle, label, positive, negative }) {
  const order = inQueryOrder(panel), y = extent([...values, 0], 0.08), room = roomOfIds(panel);
  const drawn = plot(figure, {
    height: 138 + room, y, yTitle, signs: signsOf(panel), margin: { bottom: room }, inside: roomOfQueries(panel), label,
  });
  const { X, step } = queryAxis(panel, drawn, order), { svg, Y, left, right } = drawn;
  order.forEach((q, at) => {
    const top = Y(Math.max(0, values[q])), bottom = Y(Math.min(0, values[q]));
    svg.append(draw("rect", {
      class: values[q] > 0 ? positive : negative, x: X(at) - 0.4 * step, width: 0.8 * step, y: top,
      height: Math.max(0, bottom - top),
    }));
  });
  svg.append(draw("line", { class: "axis", x1: left, x2: right, y1: Y(0), y2: Y(0) }));
  explainQueries(panel, drawn, order);
}

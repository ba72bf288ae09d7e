// @ts-check
/* Figures of runs side by side: each run has a column of its own, which chooses it. */

import { NOUNS } from "./data.js";
import { draw } from "./elements.js";
import { makeChoosable } from "./marks.js";
import { heightOf, plot } from "./plot.js";
import { state } from "./state.js";
import { nameOf, shortened } from "./words.js";

/** @import { Extent, Plot } from "./plot.js" */
/** @import { Panel } from "./state.js" */

const EDGE = 6;  // pixels from the sides of the plot to the first and the last column: room for a sign
const LETTER = 7;  // pixels, about the width of a letter of a name

/**
 * What the columns show: `marks` draws those of a run around a place, `ends` are its least and its largest value.
 * @typedef {object} ColumnsRequest
 * @property {string} name of the figure
 * @property {number[]} order
 * @property {Extent} y
 * @property {string} xTitle
 * @property {string} yTitle
 * @property {string} label
 * @property {number} [height]
 * @property {(run: number) => Extent} ends
 * @property {(run: number, x: number, width: number, plot: Plot) => SVGElement[]} marks
 * @property {(run: number) => string} words
 */

/** @param {Panel} panel @param {HTMLElement} figure @param {ColumnsRequest} request */
export function columnsOfRuns(panel, figure, request) {
  const { name, order, y, xTitle, yTitle, label, ends, words } = request;
  const drawn = plot(figure, {
    height: request.height ?? heightOf(figure), y, xTitle, yTitle, interactive: true, margin: { bottom: 26 },
    label: `${label}; arrow keys go from ${NOUNS.run} to ${NOUNS.run}, Enter chooses`,
  });
  const { top, base, Y } = drawn, step = stepOf(drawn, order), width = Math.max(1, step * 0.82);
  const marks = new Map(order.map((run, at) => {
    const x = middleOf(drawn, order, at), left = x - width / 2 - 0.5, [low, high] = ends(run).map(Y);
    return [run, draw("g", { class: "mark" }, ...request.marks(run, x, width, drawn),
      draw("rect", { class: "outline", x: left, y: high, width: width + 1, height: Math.max(0, low - high) }),
      draw("rect", { class: "hit", x: left, y: top, width: width + 1, height: base - top }))];
  }));
  drawn.svg.append(draw("g", { class: "bars" }, ...marks.values()));
  makeChoosable(panel, name, marks, order, words);
  nameColumns(panel, drawn, order, (run) => Y(ends(run)[1]));
  return drawn;
}

/** The width of a column.
 * @param {Plot} plot @param {number[]} order */
export function stepOf({ left, right }, order) {
  return (right - left - 2 * EDGE) / order.length;
}

/** The middle of a column.
 * @param {Plot} plot @param {number[]} order @param {number} at */
export function middleOf(plot, order, at) {
  return plot.left + EDGE + (at + 0.5) * stepOf(plot, order);
}

/**
 * The names of the two chosen runs over their columns, whenever they change.
 * @param {Panel} panel @param {Plot} drawn @param {number[]} order @param {(run: number) => number} highest in pixels
 */
function nameColumns(panel, drawn, order, highest) {
  const tags = draw("g", { "aria-hidden": "true", "pointer-events": "none" }), { svg, left, right, top } = drawn;
  svg.append(tags);
  panel.after.push(() => tags.replaceChildren(...[state.run, state.second].flatMap((run, line) => {
    if (run === null || run < 0) return [];
    const x = middleOf(drawn, order, order.indexOf(run)), y = top + 13 * (line + 1), atRight = x > (left + right) / 2;
    const text = shortened(nameOf(run), Math.floor((right - left) / (2 * LETTER)));
    return [draw("line", { class: "pointer", x1: x, x2: x, y1: top, y2: Math.max(top, highest(run)) }),
      draw("text", { class: "name-tag", x: x + (atRight ? -4 : 4), y, "text-anchor": atRight ? "end" : "start" }, text)];
  })));
}

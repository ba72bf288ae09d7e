// @ts-check
/* The figure of means with comparison bars: runs whose bars do not overlap differ. */

import { extent } from "./axes.js";
import { columnsOfRuns } from "./columns.js";
import { NOUNS } from "./data.js";
import { draw } from "./elements.js";
import { shown } from "./numbers.js";
import { setCaption } from "./plot.js";
import { legend } from "./shapes.js";
import { recordsOf } from "./sheets.js";
import { nameOf } from "./words.js";

/** @import { Panel } from "./state.js" */

/**
 * @param {Panel} panel
 * @param {HTMLElement} figure
 */
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
  setCaption(figure, `Two ${NOUNS.runs} whose bars do not overlap differ significantly; no bar is a confidence interval. ` +
    `Band: the bar of the best ${NOUNS.run}.${bounds ? " Bars end at the bounds of the measure." : ""}`);
  const better = `no ${NOUNS.run} is significantly better`;
  legend(figure, [["circle", "--accent", better], ["circle", "--grey", `some ${NOUNS.run} is`]]);
}

// @ts-check
/* The figure of the target's mean over the number of runs pooled. */

import { extent } from "./axes.js";
import { draw } from "./elements.js";
import { shown } from "./numbers.js";
import { plot, setCaption } from "./plot.js";

/** @import { Panel } from "./state.js" */

/**
 * @param {Panel} panel
 * @param {HTMLElement} figure
 */
export function rarefied(panel, figure) {
  const means = panel.data.target?.rarefied ?? [], most = means.length;
  const { svg, X, Y } = plot(figure, {
    height: 260, x: [0, 1.04 * most], whole: true, y: extent(means, 0.1),
    xTitle: "Runs pooled", yTitle: `Mean target, ${panel.data.measure}`,
    label: `Mean of the target of 1 to ${most} runs: from ${shown(means[0])} to ${shown(means[most - 1])}`,
  });
  const points = means.map((mean, at) => `${X(at + 1)},${Y(mean)}`).join(" ");
  svg.append(draw("polyline", { class: "median", fill: "none", points }));
  for (const size of new Set([1, 10, 30, most].filter((each) => each <= most))) {
    const last = size === most, y = Y(means[size - 1]);
    const beside = { x: X(size) + (last ? 0 : 8), y: y + (size === 1 ? 4 : 18), "text-anchor": last ? "end" : "start" };
    svg.append(draw("circle", { class: "own", r: 4, cx: X(size), cy: y }),
      draw("text", beside, `${size}: ${shown(means[size - 1], 3)}`));
  }
  setCaption(figure, "Mean of the best scores of so many runs drawn at random, exact expectation: targets of pools of " +
    "different size are not comparable.");
}

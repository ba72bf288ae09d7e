// @ts-check
/* The runs whose mean differs from that of the second run. */

import { NOUNS } from "./data.js";
import { one } from "./elements.js";
import { compare, shown } from "./numbers.js";
import { state } from "./state.js";
import { nameOf } from "./words.js";

/** @import { Panel } from "./state.js" */

/**
 * Whether the mean of a run is further from that of the second run than the critical difference.
 * @param {Panel} panel
 * @param {number} run
 */
export function isApart(panel, run) {
  const { critical } = panel.data.apart;
  if (critical === null || state.second === null || run === state.second) return false;
  const own = panel.runs[run].mean, other = panel.runs[state.second].mean;
  return compare(Math.abs(own - other), critical, Math.max(Math.abs(own), Math.abs(other))) > 0;
}

/**
 * Says under the filter of the table of runs what the sign before a name means.
 * @param {Panel} panel
 */
export function sayApart(panel) {
  one(HTMLElement, ".of-apart", panel.element).textContent = wordsOfApart(panel);
}

/** @param {Panel} panel */
function wordsOfApart(panel) {
  const { critical, words } = panel.data.apart;
  if (critical === null) return `Which differences are significant: ${words}.`;
  if (state.second === null) {
    return `Choose a second ${NOUNS.run} (against), and the ${NOUNS.runs} that differ from it in mean are marked ≠ ` +
      `(${words}).`;
  }
  const found = panel.runs.filter((_, run) => isApart(panel, run)).length;
  return `≠: the mean differs from that of ${nameOf(state.second)}, by more than ${shown(critical)} (${words}): ` +
    `${found} of ${panel.runs.length - 1} others.`;
}

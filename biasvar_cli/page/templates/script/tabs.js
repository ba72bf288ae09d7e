// @ts-check
/* The tabs of several measures and targets, by pointer and by keyboard. */

import { drawPanel } from "./drawing.js";
import { all, maybe } from "./elements.js";
import { filterRuns } from "./filter.js";
import { panels, state } from "./state.js";

/** @import { Panel } from "./state.js" */

export function connectTabs() {
  all('[role="tab"]').forEach((tab, at, tabs) => {
    tab.addEventListener("click", () => showPanel(panels[at]));
    tab.addEventListener("keydown", (event) => {
      /** @type {Record<string, number | undefined>} */
      const steps = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 };
      const next = steps[event.key];
      if (next === undefined) return;
      event.preventDefault();
      const place = (next + tabs.length) % tabs.length;
      showPanel(panels[place]);
      tabs[place].focus();
    });
  });
}

/** @param {Panel} panel */
export function showPanel(panel) {
  state.active = panel;
  for (const each of panels) {
    const tab = tabOf(each), shown = each === panel;
    each.element.hidden = !shown;
    if (tab === null) continue;
    tab.setAttribute("aria-selected", String(shown));
    tab.tabIndex = shown ? 0 : -1;
  }
  filterRuns(panel);
  drawPanel(panel);
}

/**
 * The tab of a panel, null for one alone.
 * @param {Panel} panel
 */
export function tabOf(panel) {
  return maybe(HTMLElement, `#tab-${panel.data.key}`);
}

// @ts-check
/* What the controls of the page and of each panel do. */

import { drawPanel, drawRun, showCoefficient, showControls } from "./drawing.js";
import { all, maybe, one } from "./elements.js";
import { filterRuns } from "./filter.js";
import { showChoice } from "./marks.js";
import { markSorted } from "./sheets.js";
import { choose, chooseSecond, onChoice, panels, state, swap } from "./state.js";
import { tableMarks } from "./table_marks.js";

/** @import { Order, Panel } from "./state.js" */

/**
 * A list that does something with the value that is chosen in it.
 * @param {string} selector
 * @param {(value: string) => void} changed
 * @param {ParentNode} within
 */
function connectSelect(selector, changed, within = document) {
  const select = one(HTMLSelectElement, selector, within);
  select.addEventListener("change", () => changed(select.value));
}

/** The marks of the table of all measures, which belongs to every panel. */
const ofAllMeasures = all('[data-sheet="summary"]').map((sheet) => tableMarks(panels[0], sheet));

/** @param {Panel} panel */
export function connectPanel(panel) {
  const { element, sheet, data: { key } } = panel;
  const others = ["compare", "risk", "suppliers"].flatMap((name) => all(`[data-sheet="${key}-${name}"]`, element));
  panel.tables = [sheet, ...others].map((each) => tableMarks(panel, each)).concat(ofAllMeasures);
  one(HTMLElement, ".filter", element).addEventListener("input", () => filterRuns(panel));
  one(HTMLElement, ".front", element).addEventListener("change", () => filterRuns(panel));
  connectSelect(".form", (value) => {
    panel.form = value;
    drawPanel(panel);
    filterRuns(panel);
  }, element);
  connectSelect(".order", (value) => {
    panel.order = /** @type {Order} */ (value);
    one(HTMLElement, ".query-table", element).replaceChildren();  // with the order that it was sorted by
    drawRun(panel);
  }, element);
  connectSelect(".coefficient", (value) => {
    panel.coefficient = value;
    showCoefficient(element, value);
  }, element);
  markSorted(sheet, "total");
  const queries = maybe(HTMLElement, `[data-sheet="${key}-queries"]`, element);
  if (queries) markSorted(queries, "difficulty");
}

/** The lists of the two runs, and what follows from a choice. */
export function connectChoice() {
  connectSelect("#run", (value) => choose(Number(value)));
  connectSelect("#second", (value) => chooseSecond(value === "" ? null : Number(value)));
  one(HTMLElement, "#swap").addEventListener("click", swap);
  onChoice((words) => {
    one(HTMLElement, "#said").textContent = words;
    showControls();
    drawRun(state.active);
    showChoice(state.active);
  });
}

/** The button that leads to what was evaluated. */
export function connectAbout() {
  one(HTMLElement, "#to-about").addEventListener("click", () => {
    const about = one(HTMLDetailsElement, "#about");
    about.open = true;
    about.scrollIntoView();
    one(HTMLElement, "summary", about).focus({ preventScroll: true });
  });
}

/** The list of coefficients of the trend. */
export function connectTrend() {
  const trend = maybe(HTMLElement, "#trend");
  if (trend) connectSelect(".coefficient", (value) => showCoefficient(trend, value), trend);
}

/** Figures are drawn again where the window leaves them another width. */
export function connectWidth() {
  let waiting = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => {
      if (state.active.element.clientWidth === state.active.drawn) return;
      drawPanel(state.active);
    });
  });
}

// @ts-check
/* Drawing a panel: which figure is where, and what is drawn again when. */

import { compareFigure } from "./compare.js";
import { gap, second } from "./differences.js";
import { all, maybe, one } from "./elements.js";
import { heat } from "./heat.js";
import { queryTable } from "./made_sheets.js";
import { showChoice } from "./marks.js";
import { plane } from "./plane.js";
import { profile } from "./profile.js";
import { orderOf } from "./queries.js";
import { ranked } from "./ranked.js";
import { riskFigure } from "./risk.js";
import { panels, state } from "./state.js";
import { summary } from "./summary.js";

/** @import { Panel } from "./state.js" */
/** @typedef {Record<string, (panel: Panel, figure: HTMLElement) => void>} Figures */

/** @type {Figures} */
const FIGURES = { ranked, plane, heat, compare: compareFigure, risk: riskFigure };  // the plane is as high as the bars beside it
/** @type {Figures} */
const OF_RUN = { profile, gap, second };

/**
 * Draws those figures that a panel has.
 * @param {Panel} panel
 * @param {Figures} figures
 */
function drawFigures(panel, figures) {
  for (const [name, drawn] of Object.entries(figures)) {
    const figure = figureOf(panel, name);
    if (figure) drawn(panel, figure);
  }
}

/**
 * @param {Panel} panel
 * @param {string} name
 */
function figureOf(panel, name) {
  return maybe(HTMLElement, `[data-figure="${name}"]`, panel.element);
}

/**
 * The whole panel; what has the focus keeps it.
 * @param {Panel} panel
 */
export function drawPanel(panel) {
  const focused = focusedIn(panel);
  Object.assign(panel, { marks: {}, after: [], drawn: panel.element.clientWidth });
  drawFigures(panel, FIGURES);
  drawRun(panel);
  showChoice(panel);
  if (focused === null) return;
  const mark = focused.run === undefined ? undefined : panel.marks[focused.name]?.get(focused.run);
  const figure = figureOf(panel, focused.name);
  (mark?.element ?? (figure && maybe(HTMLElement, "canvas", figure)))?.focus({ preventScroll: true });
}

/**
 * The figure in which a mark or a canvas has the focus, and the run of the mark.
 * @param {Panel} panel
 */
function focusedIn(panel) {
  const element = document.activeElement, figure = element?.closest("[data-figure]");
  if (!(figure instanceof HTMLElement) || !panel.element.contains(figure)) return null;
  const name = figure.dataset.figure ?? "";
  return { name, run: [...(panel.marks[name] ?? [])].find(([, mark]) => mark.element === element)?.[0] };
}

/**
 * What shows the scores of the chosen run.
 * @param {Panel} panel
 */
export function drawRun(panel) {
  summary(panel);
  drawFigures(panel, OF_RUN);
  queryTable(panel);
}

/**
 * Shows the figures of a coefficient, which came with the page, in the stead of those of the others.
 * @param {ParentNode} within
 * @param {string} coefficient
 */
export function showCoefficient(within, coefficient) {
  for (const drawn of all(".drawing:not([data-of=''])", within)) drawn.hidden = drawn.dataset.of !== coefficient;
}

/** The controls of the choice, at the head of the page and in every panel, show it. */
export function showControls() {
  one(HTMLSelectElement, "#run").value = String(state.run);
  one(HTMLSelectElement, "#second").value = String(state.second ?? "");
  one(HTMLButtonElement, "#swap").disabled = state.second === null;
  for (const panel of panels) {
    const select = one(HTMLSelectElement, ".order", panel.element);
    one(HTMLOptionElement, 'option[value="second"]', select).disabled = state.second === null;
    select.value = orderOf(panel);
  }
}

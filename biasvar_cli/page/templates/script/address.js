// @ts-check
/* The address of the page holds what is chosen, so that a view can be sent, reloaded and gone back to. */

import { DATA } from "./data.js";
import { showCoefficient, showControls } from "./drawing.js";
import { one } from "./elements.js";
import { columnsOf, sortedBy, sortTo } from "./sheets.js";
import { panels, state } from "./state.js";
import { showPanel, tabOf } from "./tabs.js";
import { nameOf } from "./words.js";

/** @import { Order, Panel } from "./state.js" */
/** @typedef {Record<string, string>} View what is chosen, by the words of the address */

const SOON = 1000;  // milliseconds in which another change is no step to go back to
/** @type {View} */
let opened = {};
let changed = -Infinity;

/** From now on the address follows the view, and the view the address; whether it holds another one than the page's. */
export function connectAddress() {
  if (location.protocol === "about:") return false;  // a notebook shows the page, and has an address of its own
  opened = viewNow();
  addEventListener("popstate", take);
  for (const kind of ["click", "change", "input", "keydown"]) {
    addEventListener(kind, () => setTimeout(keep), { capture: true });
  }
  if (location.hash.length < 2) return false;
  take();
  return true;
}

/** @returns {View} */
function viewNow() {
  const panel = state.active, sorted = sortedBy(panel.sheet);
  return {
    measure: labelOf(panel), run: nameOf(state.run), against: state.kept === null ? "" : nameOf(state.kept),
    sort: sorted ? (sorted.direction === "descending" ? "-" : "") + sorted.column : "",
    filter: filterOf(panel).value, front: frontOnly(panel).checked ? "yes" : "",
    variance: panel.form, queries: panel.order, correlation: panel.coefficient,
  };
}

/** @param {Panel} panel */
function labelOf(panel) {
  return tabOf(panel)?.textContent ?? "";
}

/** @param {Panel} panel */
function filterOf(panel) {
  return one(HTMLInputElement, ".filter", panel.element);
}

/** @param {Panel} panel */
function frontOnly(panel) {
  return one(HTMLInputElement, ".front", panel.element);
}

/** Writes what differs from the page as it opens; a change that comes soon after another takes its place. */
function keep() {
  const found = Object.entries(viewNow()).filter(([key, value]) => value !== opened[key]);
  const words = new URLSearchParams(found).toString(), now = performance.now();
  if (words === location.hash.slice(1)) return;
  const soon = now - changed < SOON;
  changed = now;
  history[soon ? "replaceState" : "pushState"](null, "", `#${words}`);
}

/** Shows what the address holds; what is not in the page is said, and left as it is. */
function take() {
  const asked = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const view = { ...opened, ...asked }, absent = Object.keys(asked).filter((key) => !(key in opened));
  const panel = panels.find((each) => labelOf(each) === view.measure);
  if (!panel) absent.push(view.measure);
  state.active = panel ?? state.active;
  absent.push(...takeRuns(view), ...takeOrder(state.active, view));
  frontOnly(state.active).checked = view.front === "yes";
  filterOf(state.active).value = view.filter;
  one(HTMLElement, "#absent").textContent = absent.length ? `Not in this page: ${absent.join(", ")}` : "";
  showControls();
  showPanel(state.active);
}

/**
 * The two runs; those that are not in the page are returned.
 * @param {View} view
 */
function takeRuns({ run, against }) {
  const first = DATA.names.indexOf(run), second = DATA.names.indexOf(against);
  if (first >= 0) state.run = first;
  state.kept = second >= 0 ? second : null;
  return [...(first < 0 ? [run] : []), ...(against && second < 0 ? [against] : [])];
}

/**
 * The order of the table, and what the figures show; what is not in the page is returned.
 * @param {Panel} panel
 * @param {View} view
 */
function takeOrder(panel, { sort, variance, queries, correlation }) {
  const column = sort.replace(/^-/, ""), known = columnsOf(panel.sheet).includes(column);
  if (known) sortTo(panel.sheet, column, sort.startsWith("-"));
  const wanted = Object.entries({ form: variance, order: queries, coefficient: correlation });
  const absent = wanted.filter(([name, value]) => !setList(panel, name, value)).map(([, value]) => value);
  panel.form = listOf(panel, "form").value;
  panel.order = /** @type {Order} */ (listOf(panel, "order").value);
  panel.coefficient = listOf(panel, "coefficient").value;
  showCoefficient(panel.element, panel.coefficient);
  one(HTMLElement, ".query-table", panel.element).replaceChildren();  // with the order that it was sorted by
  return known || !sort ? absent : [column, ...absent];
}

/**
 * @param {Panel} panel
 * @param {string} name
 */
function listOf(panel, name) {
  return one(HTMLSelectElement, `select.${name}`, panel.element);
}

/**
 * Chooses a value in a list; false if it is not there.
 * @param {Panel} panel
 * @param {string} name
 * @param {string} value
 */
function setList(panel, name, value) {
  const list = listOf(panel, name), known = [...list.options].some((option) => option.value === value);
  if (known) list.value = value;
  return known;
}

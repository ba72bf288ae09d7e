// @ts-check
/* The table that is made here, in the shape of those that came with the page: the queries of a run. */

import { connectSheet } from "./copying.js";
import { DATA, NOUNS } from "./data.js";
import { make, one } from "./elements.js";
import { gain, outcome, shown } from "./numbers.js";
import { chosenScores, inQueryOrder } from "./queries.js";
import { sortTo, sortedBy } from "./sheets.js";
import { state } from "./state.js";
import { nameOf } from "./words.js";

/** @import { Cell, SheetData } from "./data.js" */
/** @import { Panel } from "./state.js" */

/**
 * Puts a table into a place, in the stead of what is there.
 * @param {HTMLElement} place
 * @param {string} key
 * @param {SheetData} data
 * @param {boolean} less whether less of the measure is better
 */
function putSheet(place, key, data, less) {
  DATA.sheets[key] = data;
  const sheet = built(key, data, less);
  place.replaceChildren(sheet);
  connectSheet(sheet);
  return sheet;
}

/**
 * @param {string} key
 * @param {SheetData} data
 * @param {boolean} less whether less of the measure is better
 */
function built(key, { title, columns, rows }, less) {
  const copies = ["csv", "markdown", "LaTeX"].map((format) =>
    make("button", { type: "button", "data-copy": format, "aria-label": `Copy as ${format}: ${title}` }, format));
  return make("div", { class: "sheet", "data-sheet": key },
    make("div", { class: "tools" },
      make("span", {}, make("span", { class: "count", role: "status" }), " ",
        make("span", { class: "more", "aria-hidden": "true" })),
      make("span", { class: "copies", role: "group", "aria-label": "Copy this table" }, "Copy as ", ...copies)),
    make("div", { class: "frame" }, make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
      table(title, columns, rows, less))));
}

/**
 * What the head of a column has beside its name: its meaning, and whether its best values are the largest.
 * @param {string} name
 * @param {boolean} less whether less of the measure is better
 */
function headOf(name, less) {
  const [title, more] = DATA.heads[name] ?? ["", false], high = more && !(less && name === "score");
  return { title: title || undefined, "data-first": high ? "descending" : undefined };
}

/**
 * @param {string} title
 * @param {string[]} columns
 * @param {Cell[][]} rows
 * @param {boolean} less whether less of the measure is better
 */
function table(title, columns, rows, less) {
  const numeric = columns.map((_, at) => rows.every((row) => row[at] === null || typeof row[at] === "number"));
  const rounded = columns.map((_, at) => numeric[at] && rows.some((row) => row[at] !== null && !Number.isInteger(row[at])));
  /** @param {number} at */
  const kind = (at) => (numeric[at] ? { class: "n" } : {});
  const head = columns.map((name, at) => make("th", { scope: "col", ...kind(at) },
    make("button", { type: "button", "data-sort": name, ...headOf(name, less) }, name),
    make("span", { class: "printed", "aria-hidden": "true" }, name)));
  const body = rows.map((row, index) => make("tr", { "data-row": index }, ...row.map((value, at) => {
    const text = rounded[at] && (value === null || typeof value === "number") ? shown(value) : String(value ?? "-");
    return at ? make("td", kind(at), text) : make("th", { scope: "row" }, text);
  })));
  return make("table", {},
    make("caption", {}, title), make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body));
}

/**
 * The scores of the chosen run on every query; a table that is sorted stays so.
 * @param {Panel} panel
 */
export function queryTable(panel) {
  const { key, measure } = panel.data, { columns, rows } = queryRows(panel);
  const second = state.second === null ? "" : ` against ${nameOf(state.second)}`;
  const place = one(HTMLElement, ".query-table", panel.element), sorted = sortedBy(place);
  const title = `${NOUNS.Queries} of ${nameOf(state.run)}${second}, ${measure}`;
  const sheet = putSheet(place, `${key}-own`, { title, columns, rows }, panel.data.better === "less");
  if (!sorted || !columns.includes(sorted.column)) return;
  sortTo(sheet, sorted.column, sorted.direction === "descending");
}

/**
 * @param {Panel} panel
 * @returns {{ columns: string[], rows: Cell[][] }}
 */
function queryRows(panel) {
  const { queries, difficulty, target_scores: target } = panel.data, { own, other } = chosenScores(panel);
  const columns = ["query_id", "difficulty", ...(target ? ["target"] : []), "score", ...(target ? ["gap"] : []),
    ...(other ? ["second", "difference", "outcome"] : [])];
  const rows = inQueryOrder(panel).map((q) => [
    queries[q], difficulty[q], ...(target ? [target[q]] : []), own[q], ...(target ? [gain(panel, target[q], own[q])] : []),
    ...(other ? [other[q], gain(panel, own[q], other[q]), ["loss", "tie", "win"][outcome(panel, own[q], other[q]) + 1]]
      : []),
  ]);
  return { columns, rows };
}

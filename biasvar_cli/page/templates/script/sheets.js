// @ts-check
/* Tables: their rows and data, sorting, and how many rows are shown. */

import { DATA } from "./data.js";
import { all, maybe, one } from "./elements.js";
import { counted } from "./words.js";

/** @import { Cell } from "./data.js" */
/** @import { Panel } from "./state.js" */

/** @param {HTMLElement} sheet */
export function dataOf(sheet) {
  return DATA.sheets[sheet.dataset.sheet ?? ""];
}

/**
 * The names of the columns of a table.
 * @param {string} key
 */
export function columnNames(key) {
  return DATA.sheets[key].columns;
}

/**
 * The rows of a table of runs, by run, in their order.
 * @param {Panel} panel
 * @param {string} key
 */
export function recordsOf(panel, key) {
  const columns = columnNames(key), names = panel.runs.map(({ run }) => run);
  return new Map(DATA.sheets[key].rows.map((row) => {
    const record = Object.fromEntries(columns.map((name, place) => [name, row[place]]));
    return [names.indexOf(String(record.run)), record];
  }));
}

/** @param {HTMLElement} sheet */
export function linesOf(sheet) {
  return all("tbody tr", sheet);
}

/** @param {HTMLElement} line */
function placeOf(line) {
  return Number(line.dataset.row);
}

/**
 * The unrounded cells of a line.
 * @param {HTMLElement} sheet
 * @param {HTMLElement} line
 */
export function cellsOf(sheet, line) {
  return dataOf(sheet).rows[placeOf(line)];
}

/** @param {HTMLElement} sheet */
export function headingsOf(sheet) {
  return all("thead th", sheet);
}

/**
 * The column that a heading is of.
 * @param {HTMLElement} heading
 */
export function columnOf(heading) {
  return one(HTMLElement, "button", heading).dataset.sort ?? "";
}

/**
 * The column that a table is sorted by, and in which direction; null where it is in none of its own.
 * @param {ParentNode} within
 */
export function sortedBy(within) {
  const heading = maybe(HTMLElement, "th[aria-sort]", within);
  return heading && { column: columnOf(heading), direction: heading.getAttribute("aria-sort") };
}

/**
 * Says that a table is in ascending order of a column, or in descending order.
 * @param {HTMLElement} sheet
 * @param {string} column
 * @param {"ascending" | "descending"} direction
 */
export function markSorted(sheet, column, direction = "ascending") {
  for (const heading of headingsOf(sheet)) {
    if (columnOf(heading) === column) heading.setAttribute("aria-sort", direction);
    else heading.removeAttribute("aria-sort");
  }
}

/**
 * The columns that can be sorted by.
 * @param {HTMLElement} sheet
 */
export function columnsOf(sheet) {
  return headingsOf(sheet).map(columnOf);
}

/**
 * Sorts a table by a column, the best first; the other way round if it is in that order already.
 * @param {HTMLElement} sheet
 * @param {string} column
 */
export function sortBy(sheet, column) {
  const now = sortedBy(sheet), heading = headingsOf(sheet).find((each) => columnOf(each) === column);
  const first = heading && maybe(HTMLElement, "[data-first]", heading) ? "descending" : "ascending";
  const again = now?.column === column && now.direction === first;
  sortTo(sheet, column, again ? first !== "descending" : first === "descending");
}

/**
 * Sorts a table by a column, undefined cells last.
 * @param {HTMLElement} sheet
 * @param {string} column
 * @param {boolean} down whether descending
 */
export function sortTo(sheet, column, down) {
  const at = dataOf(sheet).columns.indexOf(column);
  markSorted(sheet, column, down ? "descending" : "ascending");
  const order = linesOf(sheet).sort((a, b) => {
    const left = cellsOf(sheet, a)[at], right = cellsOf(sheet, b)[at];
    const sign = left === null || right === null
      ? Number(left === null) - Number(right === null) : (down ? -1 : 1) * compareCells(left, right);
    return sign || placeOf(a) - placeOf(b);
  });
  one(HTMLElement, "tbody", sheet).append(...order);
}

/**
 * Two cells in order: text by its letters and numbers, all else as numbers.
 * @param {Cell} a
 * @param {Cell} b
 */
function compareCells(a, b) {
  const text = typeof a === "string" && typeof b === "string";
  return text ? a.localeCompare(b, "en", { numeric: true }) : Number(a) - Number(b);
}

/**
 * Says over a table how many rows are shown, and by which filter.
 * @param {HTMLElement} sheet
 */
export function showCount(sheet) {
  const lines = linesOf(sheet), visible = lines.filter((line) => !line.hidden).length;
  const words = visible === lines.length ? counted(visible, "row") : `${visible} of ${counted(lines.length, "row")}`;
  one(HTMLElement, ".count", sheet).textContent = words + (sheet.dataset.how ?? "");
}

// @ts-check
/* The rows of a table of runs as marks that choose them. */

import { all, maybe } from "./elements.js";
import { cellsOf, dataOf, linesOf } from "./sheets.js";
import { chooseBy } from "./state.js";

/** @import { Mark, Panel } from "./state.js" */

/**
 * The marks of a table; runs of the pool alone cannot be chosen.
 * @param {Panel} panel
 * @param {HTMLElement} sheet
 */
export function tableMarks(panel, sheet) {
  const places = new Map(panel.runs.map((row, run) => [row.run, run])), at = dataOf(sheet).columns.indexOf("run");
  /** @type {Map<number, Mark>} */
  const marks = new Map();
  for (const line of linesOf(sheet)) {
    const run = places.get(String(cellsOf(sheet, line)[at])), pick = pickOf(line);
    if (pick === null) continue;
    if (run === undefined) {
      pick.replaceWith(pick.textContent ?? "");
      continue;
    }
    line.dataset.run = String(run);
    connectPick(sheet, line, pick, run);
    marks.set(run, { element: pick, show: (classes, pressed) => {
      line.className = classes.replace(" dim", "").trim();
      pick.setAttribute("aria-pressed", String(pressed));
    } });
  }
  stopAt(sheet, linesOf(sheet).find(pickOf));
  return marks;
}

/** @param {HTMLElement} line */
function pickOf(line) {
  return maybe(HTMLElement, ".pick", line);
}

/**
 * @param {HTMLElement} sheet
 * @param {HTMLElement} line
 * @param {HTMLElement} pick
 * @param {number} run
 */
function connectPick(sheet, line, pick, run) {
  pick.addEventListener("click", (event) => chooseBy(run, event));
  pick.addEventListener("focus", () => stopAt(sheet, line));
  pick.addEventListener("keydown", (event) => {
    const lines = linesOf(sheet).filter((each) => !each.hidden && pickOf(each)), from = lines.indexOf(line);
    /** @type {Record<string, number | undefined>} */
    const steps = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: lines.length - 1 };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    pickOf(lines[(to + lines.length) % lines.length])?.focus();
  });
}

/**
 * A table of runs is one stop of the Tab key: the row that has the focus, or else the chosen one, or the first.
 * @param {HTMLElement} sheet
 * @param {HTMLElement | undefined} line
 */
export function stopAt(sheet, line) {
  for (const pick of all(".pick", sheet)) pick.tabIndex = pick.closest("tr") === line ? 0 : -1;
}

// @ts-check
/* What figures and filters say of the runs of a panel. */

import { DATA } from "./data.js";
import { shown } from "./numbers.js";
import { nameOf } from "./words.js";

/** @import { Panel } from "./state.js" */

/** @param {Panel} panel */
export function formOf(panel) {
  return DATA.forms[panel.form];
}

/**
 * The runs on the Pareto front of the panel's form, in ascending order of bias².
 * @param {Panel} panel
 */
export function frontOf(panel) {
  return panel.data.fronts[panel.form];
}

/**
 * @param {Panel} panel
 * @param {number} run
 */
export function wordsOf(panel, run) {
  const row = panel.runs[run], form = formOf(panel), place = panel.family.get(run);
  const family = place === undefined ? "" : `, family ${panel.data.families[place].name}`;
  return `${nameOf(run)}${family}: mean ${shown(row.mean)}, bias² ${shown(row.bias2)}, ${form.words} ` +
    `${shown(row[form.var])}, total ${shown(row[form.total])}`;
}

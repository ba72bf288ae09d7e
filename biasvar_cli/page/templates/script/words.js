/* Words and names, and what figures and filters say of the runs of a panel. */

/** A number and its noun.
 * @param {number} number @param {string} noun */
function counted(number, noun) {
  return `${number} ${number === 1 ? noun : noun.replace(/y$/, "ie") + "s"}`;
}

/** @param {string[]} names @param {number} most */
function listed(names, most = 5) {
  return names.slice(0, most).join(", ") + (names.length > most ? ` and ${names.length - most} more` : "");
}

/** @param {number} run */
function nameOf(run) {
  return DATA.names[run];
}

/** A text that is too long loses its middle: names differ mostly at their ends.
 * @param {string} text @param {number} most */
function shortened(text, most) {
  const signs = [...text], keep = most - 1;
  if (signs.length <= most) return text;
  return `${signs.slice(0, (keep + 1) >> 1).join("")}…${signs.slice(signs.length - (keep >> 1)).join("")}`;
}

/** @param {Panel} panel */
function formOf(panel) {
  return DATA.forms[panel.controls.form.value];
}

/** What a gap to the target is.
 * @param {Panel} panel */
function wordsOfGap({ data: { better } }) {
  return better === "less" ? "Score − target" : "Target − score";
}

/** @param {Panel} panel @param {number} run */
function wordsOf(panel, run) {
  const row = panel.runs[run], form = formOf(panel), place = panel.family.get(run);
  const family = place === undefined ? "" : `, family ${panel.data.families[place].name}`;
  return `${nameOf(run)}${family}: mean ${shown(row.mean)}, bias² ${shown(row.bias2)}, ${form.words} ` +
    `${shown(row[form.var])}, total ${shown(row[form.total])}`;
}

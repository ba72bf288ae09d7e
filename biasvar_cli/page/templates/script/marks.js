// @ts-check
/* Marks of runs in tables, which choose a run by pointer and by keyboard, and what every mark of a run shows. */

/** The names of runs in a table become buttons that choose them; runs of the pool alone cannot be chosen.
 * @param {Panel} panel @param {HTMLElement} sheet */
function tableMarks(panel, sheet) {
  const indices = new Map(panel.runs.map((row, run) => [row.run, run])), at = dataOf(sheet).columns.indexOf("run");
  /** @type {Map<number, Mark>} */
  const marks = new Map();
  for (const line of linesOf(sheet)) {
    const run = indices.get(String(cellsOf(sheet, line)[at])), name = one(HTMLElement, "th", line).firstChild;
    if (run === undefined || name === null) continue;
    const pick = make("button", { class: "pick" }, name.textContent ?? "");
    name.replaceWith(pick);
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

/** @param {HTMLElement} sheet @param {HTMLElement} line @param {HTMLElement} pick @param {number} run */
function connectPick(sheet, line, pick, run) {
  pick.addEventListener("click", (event) => chooseBy(run, event));
  pick.addEventListener("focus", () => stopAt(sheet, line));
  pick.addEventListener("keydown", (event) => {
    const lines = linesOf(sheet).filter((other) => !other.hidden && pickOf(other)), from = lines.indexOf(line);
    /** @type {Record<string, number | undefined>} */
    const steps = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: lines.length - 1 };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    pickOf(lines[(to + lines.length) % lines.length])?.focus();
  });
}

/** A table of runs is one stop of the Tab key: the row that has the focus, or else the chosen one, or the first.
 * @param {HTMLElement} sheet @param {HTMLElement | undefined} line */
function stopAt(sheet, line) {
  for (const pick of all(".pick", sheet)) pick.tabIndex = pick.closest("tr") === line ? 0 : -1;
}

/** Every view of a panel shows what is chosen now.
 * @param {Panel} panel */
function showChoice(panel) {
  for (const marks of [...panel.tables, ...Object.values(panel.marks)]) {
    for (const [run, mark] of marks) mark.show(classesOf(panel, run), run === state.run);
  }
  one(HTMLElement, ".of-apart", panel.element).textContent = wordsOfApart(panel);
  panel.after.forEach((update) => update());
}

/** @param {Panel} panel @param {number} run */
function classesOf(panel, run) {
  const dim = panel.matching && !panel.matching.has(run);
  const signs = `${run === state.second ? " second" : ""}${isApart(panel, run) ? " apart" : ""}`;
  return `${run === state.run ? " run" : ""}${signs}${dim ? " dim" : ""}`;
}

/** Whether the mean of a run is further from that of the second run than the critical difference.
 * @param {Panel} panel @param {number} run */
function isApart(panel, run) {
  const { critical } = panel.data.apart;
  if (critical === null || state.second === null || run === state.second) return false;
  const mean = panel.runs[run].mean, other = panel.runs[state.second].mean;
  return compare(Math.abs(mean - other), critical, Math.max(Math.abs(mean), Math.abs(other))) > 0;
}

/** What the sign before a name means, under the filter of the table of runs.
 * @param {Panel} panel */
function wordsOfApart(panel) {
  const { critical, words } = panel.data.apart;
  if (critical === null) return `Which differences are significant: ${words}.`;
  if (state.second === null) {
    return `Choose a second ${NOUNS.run} (against), and the ${NOUNS.runs} that differ from it in mean are marked ≠ ` +
      `(${words}).`;
  }
  const number = panel.runs.filter((_, run) => isApart(panel, run)).length;
  return `≠: the mean differs from that of ${nameOf(state.second)}, by more than ${shown(critical)} (${words}): ` +
    `${number} of ${panel.runs.length - 1} others.`;
}

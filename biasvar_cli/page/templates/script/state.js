/* What is chosen: the run, the second run beside it, and in each panel the values of its controls. */

/** The runs in the order of the names of the page, from the rows of their table.
 * @param {PanelData} data */
function runsOf({ key, order }) {
  const { columns, rows } = DATA.sheets[`${key}-runs`];
  /** @type {Run[]} */
  const runs = [];
  rows.forEach((row, at) => {
    runs[order[at]] = /** @type {Run} */ (Object.fromEntries(columns.map((name, index) => [name, row[index]])));
  });
  return runs;
}

/** @type {Panel[]} */
const panels = DATA.panels.map((data) => {
  const element = one(HTMLElement, `#${data.key}`);
  const [form, order, coefficient] = [".form", ".order", ".coefficient"].map((name) => one(HTMLSelectElement, name, element));
  const [filter, front] = [".filter", ".front"].map((name) => one(HTMLInputElement, name, element));
  return {
    data, element, runs: runsOf(data), sheet: one(HTMLElement, `[data-sheet="${data.key}-runs"]`, element),
    controls: { form, order, coefficient, filter, front },
    family: new Map(data.families.flatMap((family, index) => family.members.map((run) => [run, index]))),
    matching: null, lines: [], drawings: [], frame: () => {}, drawn: 0,
  };
});

/** The run, -1 for none; the second run as it was chosen last, whether the page is being printed, and the panel that is seen. */
const state = {
  run: DATA.run, kept: DATA.second, printing: false, active: panels[0],
  /** The second run; no run is compared with itself, so it is kept while the first one comes past it. */
  get second() { return this.kept === this.run ? null : this.kept; },
};

/** @param {number} run -1 for none */
function choose(run) {
  state.run = run;
  report(run < 0 ? `No ${NOUNS.run}` : `${NOUNS.Run} ${nameOf(run)}`);
}

/** @param {number | null} run */
function chooseSecond(run) {
  if (run === state.run && state.second !== null) return swap();
  if (run !== state.run) state.kept = run;
  if (run === null) report(`No second ${NOUNS.run}`);
  else report(run === state.run ? `${nameOf(run)} is the first ${NOUNS.run}` : `Against ${nameOf(run)}`);
}

function swap() {
  const { run, second } = state;
  if (second === null || run < 0) return;
  state.run = second;
  state.kept = run;
  report(`${nameOf(state.run)} against ${nameOf(run)}`);
}

/** The choice by a click or a key: the second run with Shift, the first one without.
 * @param {number} run @param {MouseEvent | KeyboardEvent} event */
function chooseBy(run, event) {
  if (event.shiftKey) chooseSecond(run);
  else choose(run);
}

/** Says what was chosen, and shows it.
 * @param {string} words */
function report(words) {
  one(HTMLElement, "#said").textContent = words;
  showControls();
  drawRun(state.active);
  showChoice(state.active);
}

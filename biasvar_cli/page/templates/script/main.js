/* The page from its beginning: what the controls do, and what is drawn as the page opens. */

/** @param {Panel} panel */
function connectPanel(panel) {
  const { element, sheet, data: { key }, controls: { form, order, filter, front } } = panel;
  const sheets = [sheet, ...["compare", "risk", "suppliers"].flatMap((name) => all(`[data-sheet="${key}-${name}"]`, element))];
  for (const table of sheets) {
    panel.lines.push(...linesOfRuns(panel, table));
    connectMarks(panel, table);
  }
  panel.lines.push(...ofAllMeasures);
  for (const [name, words] of Object.entries(OF_PICTURE)) {
    for (const figure of all(`[data-figure="${name}"]`, element)) {
      connectMarks(panel, figure);
      explain(figure, (event) => (runAt(event) < 0 ? "" : words(panel, runAt(event))));
    }
  }
  filter.addEventListener("input", () => filterRuns(panel));
  front.addEventListener("change", () => filterRuns(panel));
  form.addEventListener("change", () => {
    drawPanel(panel);
    filterRuns(panel);
  });
  order.addEventListener("change", () => {
    for (const heading of all(`[data-sheet="${key}-own"] [aria-sort]`)) heading.removeAttribute("aria-sort");
    drawRun(panel);
  });
  markSorted(sheet, "total");
  for (const queries of all(`[data-sheet="${key}-queries"]`, element)) markSorted(queries, "difficulty");
}

/** The lists of the two runs, and what follows from a choice. */
function connectChoice() {
  const run = one(HTMLSelectElement, "#run"), second = one(HTMLSelectElement, "#second");
  second.append(...[...run.options].slice(1).map((option) => option.cloneNode(true)));
  run.addEventListener("change", () => choose(run.value === "" ? -1 : Number(run.value)));
  second.addEventListener("change", () => chooseSecond(second.value === "" ? null : Number(second.value)));
  one(HTMLElement, "#swap").addEventListener("click", swap);
}

/** The contents lead to the sections of the panel that is seen; the address is left to what is chosen. */
function connectContents() {
  for (const link of all("#contents a")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      goTo((link.getAttribute("href") ?? "").slice(1).replace(/^t0-/, `${state.active.data.key}-`));
    });
  }
}

/** The lists of the coefficients of a panel and of the trend. */
function connectCoefficients() {
  addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLSelectElement && target.matches(".coefficient"))) return;
    showDrawings(target.closest("section") ?? document, "coefficient", target.value);
  });
}

/** Figures are drawn again where the window leaves them another width. */
function connectWidth() {
  let waiting = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => {
      if (state.active.element.clientWidth !== state.active.drawn) drawPanel(state.active);
    });
  });
}

ROOT.dataset.scripts = "true";
for (const sheet of all(".sheet")) linesOf(sheet).forEach((line, at) => { line.dataset.row = String(at); });
const summaries = all('[data-sheet="summary"]'), ofAllMeasures = summaries.flatMap((sheet) => linesOfRuns(panels[0], sheet));
for (const sheet of summaries) connectMarks(panels[0], sheet);
panels.forEach(connectPanel);
all(".sheet").forEach(connectSheet);
connectCopying();
connectSaving();
connectTabs();
connectChoice();
connectContents();
connectTheme();
connectCoefficients();
connectWidth();
connectPrinting();

showControls();
for (const panel of panels) {
  panel.element.hidden = panel !== state.active;
  filterRuns(panel);
}
if (!connectAddress()) drawPanel(state.active);
ROOT.dataset.ready = "true";

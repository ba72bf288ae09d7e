// @ts-check
/* The page from its beginning: what the controls do, and what is drawn as the page opens. */

const ROOT = document.documentElement;
/** @param {Panel} panel */
function connectPanel(panel) {
  const { element, sheet, data: { key }, controls: { form, order, coefficient, filter, front } } = panel;
  const others = ["compare", "risk", "suppliers"].flatMap((name) => all(`[data-sheet="${key}-${name}"]`, element));
  panel.tables = [sheet, ...others].map((table) => tableMarks(panel, table)).concat(ofAllMeasures);
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
  coefficient.addEventListener("change", () => showDrawings(element, "coefficient", coefficient.value));
  connectPictures(panel);
  markSorted(sheet, "total");
  const queries = maybe(HTMLElement, `[data-sheet="${key}-queries"]`, element);
  if (queries) markSorted(queries, "difficulty");
}

/** The lists of the two runs, and what follows from a choice. */
function connectChoice() {
  const run = one(HTMLSelectElement, "#run"), second = one(HTMLSelectElement, "#second");
  second.append(...[...run.options].slice(1).map((option) => option.cloneNode(true)));
  run.addEventListener("change", () => choose(run.value === "" ? -1 : Number(run.value)));
  second.addEventListener("change", () => chooseSecond(second.value === "" ? null : Number(second.value)));
  one(HTMLElement, "#swap").addEventListener("click", swap);
  afterChoice.report = (words) => {
    one(HTMLElement, "#said").textContent = words;
    showControls();
    drawRun(state.active);
    showChoice(state.active);
  };
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

/** The list of coefficients of the trend. */
function connectTrend() {
  const trend = maybe(HTMLElement, "#trend"), list = trend && one(HTMLSelectElement, ".coefficient", trend);
  list?.addEventListener("change", () => showDrawings(/** @type {HTMLElement} */ (trend), "coefficient", list.value));
}

/** Figures are drawn again where the window leaves them another width. */
function connectWidth() {
  let waiting = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => {
      if (state.active.element.clientWidth === state.active.drawn) return;
      drawPanel(state.active);
    });
  });
}

ROOT.dataset.scripts = "true";
for (const sheet of all(".sheet")) linesOf(sheet).forEach((line, at) => { line.dataset.row = String(at); });
const ofAllMeasures = all('[data-sheet="summary"]').map((sheet) => tableMarks(panels[0], sheet));  // of every panel
panels.forEach(connectPanel);
all(".sheet").forEach(connectSheet);
connectCopying();
connectSaving();
connectTabs();
connectChoice();
connectContents();
connectTheme(() => drawPanel(state.active));
connectTrend();
connectWidth();
connectPrinting();

showControls();
for (const panel of panels) {
  panel.element.hidden = panel !== state.active;
  filterRuns(panel);
}
if (!connectAddress()) drawPanel(state.active);
ROOT.dataset.ready = "true";

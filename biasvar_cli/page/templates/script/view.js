// @ts-check
/* Drawing a panel: which figure is where, what is drawn again when, the tabs of several panels, dark or light, and paper. */

/** @typedef {Record<string, (panel: Panel, figure: HTMLElement) => void>} Figures */

const PREFERS_DARK = matchMedia("(prefers-color-scheme: dark)");
/** @type {Figures} */
const FIGURES = { heat };
/** @type {Figures} */
const OF_RUN = { profile, gap, second };

/** Draws those figures that a panel has.
 * @param {Panel} panel @param {Figures} figures */
function drawFigures(panel, figures) {
  for (const [name, drawn] of Object.entries(figures)) {
    const figure = figureOf(panel, name);
    if (figure) drawn(panel, figure);
  }
}

/** @param {Panel} panel @param {string} name */
function figureOf(panel, name) {
  return maybe(HTMLElement, `[data-figure="${name}"]`, panel.element);
}

/** The whole panel; what has the focus keeps it.
 * @param {Panel} panel */
function drawPanel(panel) {
  const focused = focusedIn(panel);
  Object.assign(panel, { marks: {}, after: [], drawn: panel.element.clientWidth });
  showDrawings(panel.element, "form", panel.controls.form.value);
  showDrawings(panel.element, "coefficient", panel.controls.coefficient.value);
  findMarks(panel);
  drawFigures(panel, FIGURES);
  drawRun(panel);
  showChoice(panel);
  if (focused === null) return;
  const mark = focused.run === undefined ? undefined : panel.marks[focused.name]?.get(focused.run);
  const figure = figureOf(panel, focused.name);
  (mark?.element ?? (figure && maybe(HTMLElement, "canvas", figure)))?.focus({ preventScroll: true });
}

/** The figure in which a mark or a canvas has the focus, and the run of the mark.
 * @param {Panel} panel */
function focusedIn(panel) {
  const element = document.activeElement, figure = element?.closest("[data-figure]");
  if (!(figure instanceof HTMLElement) || !panel.element.contains(figure)) return null;
  const name = figure.dataset.figure ?? "";
  return { name, run: [...(panel.marks[name] ?? [])].find(([, mark]) => mark.element === element)?.[0] };
}

/** What shows the scores of the chosen run.
 * @param {Panel} panel */
function drawRun(panel) {
  const none = state.run < 0, section = one(HTMLElement, ".chosen", panel.element);
  section.toggleAttribute("data-none", none);
  one(HTMLElement, ".choice", section).hidden = none;
  myRun(panel);
  if (!none) drawFigures(panel, OF_RUN);
}

/** The controls of the choice, at the head of the page and in every panel, show it. */
function showControls() {
  one(HTMLSelectElement, "#run").value = state.run < 0 ? "" : String(state.run);
  one(HTMLSelectElement, "#second").value = String(state.second ?? "");
  one(HTMLButtonElement, "#swap").disabled = state.second === null || state.run < 0;
  for (const { controls: { order } } of panels) {
    one(HTMLOptionElement, 'option[value="second"]', order).disabled = state.second === null;
  }
}

function connectTabs() {
  all('[role="tab"]').forEach((tab, at, tabs) => {
    tab.addEventListener("click", () => showPanel(panels[at]));
    tab.addEventListener("keydown", (event) => {
      /** @type {Record<string, number | undefined>} */
      const steps = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 };
      const next = steps[event.key];
      if (next === undefined) return;
      event.preventDefault();
      const index = (next + tabs.length) % tabs.length;
      showPanel(panels[index]);
      tabs[index].focus();
    });
  });
}

/** @param {Panel} panel */
function showPanel(panel) {
  state.active = panel;
  for (const other of panels) {
    const tab = tabOf(other), seen = other === panel;
    other.element.hidden = !seen;
    if (tab === null) continue;
    tab.setAttribute("aria-selected", String(seen));
    tab.tabIndex = seen ? 0 : -1;
  }
  filterRuns(panel);
  drawPanel(panel);
}

/** The tab of a panel, null for one alone.
 * @param {Panel} panel */
function tabOf(panel) {
  return maybe(HTMLElement, `#tab-${panel.data.key}`);
}

function themeNow() {
  return document.documentElement.dataset.theme ?? "light";
}

/** @param {string} theme */
function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
}

/** Sets the theme, and does something whenever it changes.
 * @param {() => void} changed */
function connectTheme(changed) {
  const follow = () => setTheme(PREFERS_DARK.matches ? "dark" : "light"), button = new AbortController();
  follow();
  PREFERS_DARK.addEventListener("change", () => {
    follow();
    changed();
  }, { signal: button.signal });
  one(HTMLElement, "#theme").addEventListener("click", () => {
    button.abort();
    setTheme(themeNow() === "dark" ? "light" : "dark");
    changed();
  });
}

/** On paper every panel is there, in the light theme, with the notes to its tables. */
function connectPrinting() {
  let theme = themeNow();
  /** @type {HTMLElement[]} */
  let closed = [];
  addEventListener("beforeprint", () => {
    theme = themeNow();
    closed = all("details.of-table:not([open])").filter((details) => maybe(HTMLElement, ".notes", details));
    closed.forEach((details) => details.setAttribute("open", ""));
    state.printing = true;
    setTheme("light");
    for (const panel of panels) {
      panel.element.hidden = false;
      drawPanel(panel);
    }
  });
  addEventListener("afterprint", () => {
    setTheme(theme);
    closed.forEach((details) => details.removeAttribute("open"));
    state.printing = false;
    for (const panel of panels) panel.element.hidden = panel !== state.active;
    drawPanel(state.active);
  });
}

/** @param {string} id of a section */
function goTo(id) {
  const section = one(HTMLElement, `#${CSS.escape(id)}`);
  if (section instanceof HTMLDetailsElement) section.open = true;
  section.scrollIntoView();
  section.focus({ preventScroll: true });
}

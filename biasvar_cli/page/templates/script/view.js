/* Drawing a panel: which figure is where, what is drawn again when, the tabs of several panels, dark or light, and paper. */

const PREFERS_DARK = matchMedia("(prefers-color-scheme: dark)");
/** @type {Record<string, (panel: Panel, figure: HTMLElement) => void>} */
const OF_RUN = { profile, gap, second };

/** Shows the drawings of what is chosen in a list, in the stead of the others.
 * @param {ParentNode} within @param {string} by @param {string} value */
function showDrawings(within, by, value) {
  for (const drawing of all(`[data-by="${by}"] .drawing`, within)) drawing.hidden = drawing.dataset.of !== value;
}

/** The whole panel; what has the focus in a figure keeps it.
 * @param {Panel} panel */
function drawPanel(panel) {
  const { element, controls } = panel, focused = document.activeElement, place = focused?.closest(".canvas, .drawing");
  panel.drawn = element.clientWidth;
  for (const by of /** @type {const} */ (["form", "coefficient"])) showDrawings(element, by, controls[by].value);
  findDrawings(panel);
  for (const figure of all('[data-figure="heat"]', element)) heat(panel, figure);
  drawRun(panel);
  showChoice(panel);
  const figure = place?.closest("figure");
  if (!figure || !focused || !element.contains(figure)) return;
  const again = stopsOf(panel, figure).find((stop) => stop.dataset.run === focused.getAttribute("data-run"));
  (again ?? maybe(HTMLElement, "canvas", figure))?.focus({ preventScroll: true });
}

/** What shows the scores of the chosen run.
 * @param {Panel} panel */
function drawRun(panel) {
  const none = state.run < 0, section = one(HTMLElement, ".chosen", panel.element);
  section.toggleAttribute("data-none", none);
  one(HTMLElement, ".choice", section).hidden = none;
  myRun(panel);
  if (none) return;
  for (const [name, drawn] of Object.entries(OF_RUN)) {
    for (const figure of all(`[data-figure="${name}"]`, section)) drawn(panel, figure);
  }
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
      const steps = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 };
      const next = steps[event.key], to = tabs.at((next ?? at) % tabs.length);
      if (next === undefined || to === undefined) return;
      event.preventDefault();
      to.click();
      to.focus();
    });
  });
}

/** @param {Panel} panel */
function showPanel(panel) {
  state.active = panel;
  for (const other of panels) {
    const tab = tabOf(other), seen = other === panel;
    other.element.hidden = !seen;
    if (tab) filled(tab, { "aria-selected": seen, tabindex: seen ? 0 : -1 });
  }
  filterRuns(panel);
  drawPanel(panel);
}

/** The tab of a panel, null for one alone.
 * @param {Panel} panel */
function tabOf(panel) {
  return maybe(HTMLElement, `#tab-${panel.data.key}`);
}

/** The theme is the reader's until the button changes it; figures follow. */
function connectTheme() {
  const button = new AbortController();
  /** @param {boolean} dark */
  const set = (dark) => { ROOT.dataset.theme = dark ? "dark" : "light"; };
  set(PREFERS_DARK.matches);
  PREFERS_DARK.addEventListener("change", () => {
    set(PREFERS_DARK.matches);
    drawPanel(state.active);
  }, { signal: button.signal });
  one(HTMLElement, "#theme").addEventListener("click", () => {
    button.abort();
    set(ROOT.dataset.theme === "light");
    drawPanel(state.active);
  });
}

/** On paper every panel is there, in the light theme, with the notes to its tables. */
function connectPrinting() {
  let { theme } = ROOT.dataset;
  /** @type {HTMLElement[]} */
  let closed = [];
  /** @param {boolean} printing */
  const set = (printing) => {
    state.printing = printing;
    ROOT.dataset.theme = printing ? "light" : theme;
    for (const details of closed) details.toggleAttribute("open", printing);
    for (const panel of panels) panel.element.hidden = !printing && panel !== state.active;
    (printing ? panels : [state.active]).forEach(drawPanel);
  };
  addEventListener("beforeprint", () => {
    theme = ROOT.dataset.theme;
    closed = all("details.of-table:not([open])").filter((details) => maybe(HTMLElement, ".notes", details));
    set(true);
  });
  addEventListener("afterprint", () => set(false));
}

/** @param {string} id of a section */
function goTo(id) {
  const section = one(HTMLElement, `#${CSS.escape(id)}`);
  if (section instanceof HTMLDetailsElement) section.open = true;
  section.scrollIntoView();
  section.focus({ preventScroll: true });
}

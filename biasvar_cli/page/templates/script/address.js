/* The address of the page holds what is chosen, so that a view can be sent, reloaded and gone back to. */

const SOON = 1000;  // milliseconds in which another change is no step to go back to
/** @type {[word: string, list: "form" | "order" | "coefficient"][]} */
const LISTS = [["variance", "form"], ["queries", "order"], ["correlation", "coefficient"]];
/** @type {View} */
let opened = {};
let changed = -Infinity;

/** From now on the address follows the view, and the view the address; whether it holds another one than the page's. */
function connectAddress() {
  if (location.protocol === "about:") return false;  // a notebook shows the page, and has an address of its own
  opened = viewNow();
  addEventListener("popstate", take);
  for (const kind of ["click", "change", "input", "keydown"]) {
    addEventListener(kind, () => setTimeout(keep), { capture: true });
  }
  if (location.hash.length < 2) return false;
  take();
  return true;
}

/** @returns {View} */
function viewNow() {
  const { sheet, controls } = state.active, sorted = sortedBy(sheet);
  return {
    measure: labelOf(state.active), run: state.run < 0 ? "" : nameOf(state.run), against: state.kept === null ? "" : nameOf(state.kept),
    sort: sorted ? (sorted.down ? "-" : "") + sorted.column : "",
    filter: controls.filter.value, front: controls.front.checked ? "yes" : "",
    ...Object.fromEntries(LISTS.map(([word, list]) => [word, controls[list].value])),
  };
}

/** @param {Panel} panel */
function labelOf(panel) {
  return tabOf(panel)?.textContent ?? "";
}

/** Writes what differs from the page as it opens; a change that comes soon after another takes its place. */
function keep() {
  const changes = Object.entries(viewNow()).filter(([key, value]) => value !== opened[key]);
  const words = new URLSearchParams(changes).toString(), now = performance.now();
  if (words === location.hash.slice(1)) return;
  const soon = now - changed < SOON;
  changed = now;
  history[soon ? "replaceState" : "pushState"](null, "", `#${words}`);
}

/** Shows the section that the address names, or else what it holds; what is not in the page is said, and left as it is. */
function take() {
  const id = location.hash.slice(1), panel = panels.find(({ data: { key } }) => id.startsWith(`${key}-`));
  if (document.getElementById(id)) {
    showPanel(panel ?? state.active);
    return goTo(id);
  }
  takeView();
}

function takeView() {
  const written = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const view = { ...opened, ...written }, absent = Object.keys(written).filter((key) => !(key in opened));
  const panel = panels.find((other) => labelOf(other) === view.measure) ?? state.active, { sheet, controls } = panel;
  if (labelOf(panel) !== view.measure) absent.push(view.measure);
  const first = DATA.names.indexOf(view.run), second = DATA.names.indexOf(view.against);
  if (first < 0 && view.run) absent.push(view.run);
  state.run = first;
  if (second < 0 && view.against) absent.push(view.against);
  state.kept = second >= 0 ? second : null;
  const column = view.sort.replace(/^-/, "");
  if (headingsOf(sheet).map(columnOf).includes(column)) sortTo(sheet, column, view.sort.startsWith("-"));
  else if (column) absent.push(column);
  for (const [word, list] of LISTS) {
    if ([...controls[list].options].some(({ value }) => value === view[word])) controls[list].value = view[word];
    else absent.push(view[word]);
  }
  controls.front.checked = view.front === "yes";
  controls.filter.value = view.filter;
  one(HTMLElement, "#absent").textContent = absent.length ? `Not in this page: ${absent.join(", ")}` : "";
  showControls();
  showPanel(panel);
}

/* Marks of runs in tables and figures, which choose a run by pointer and keyboard, and show what is chosen. */

const LETTER = 4.2;  // of the units of a drawing, about the width of a letter of a name
const ALL_NAMED = 40;  // runs, up to which each row of a figure has its name
/** @type {Record<string, number | undefined>} */
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
/** What is said of a run in each figure whose marks choose one.
 * @type {Record<string, (panel: Panel, run: number) => string>} */
const OF_PICTURE = {
  plane: wordsOf, ranked: wordsOf,
  compare: (panel, run) => {
    const { mean, better, worse } = recordOf(panel, "compare", run);
    return `${nameOf(run)}: mean ${shown(Number(mean))}, beats ${better}, beaten by ${worse}`;
  },
  risk: (panel, run) => {
    const { reward, risk, verdict } = recordOf(panel, "risk", run);
    return `${nameOf(run)}: reward ${shown(Number(reward))}, risk ${shown(Number(risk))}${verdict ? `, ${verdict}` : ""}`;
  },
};

/** The names of runs in a table become buttons that choose them; runs of the pool alone cannot be chosen.
 * @param {Panel} panel @param {HTMLElement} sheet */
function linesOfRuns(panel, sheet) {
  const places = new Map(panel.runs.map((row, run) => [row.run, run])), at = dataOf(sheet).columns.indexOf("run");
  /** @type {HTMLElement[]} */
  const lines = [];
  for (const line of linesOf(sheet)) {
    const run = places.get(String(cellsOf(sheet, line)[at])), name = one(HTMLElement, "th", line).firstChild;
    if (run === undefined || name === null) continue;
    name.replaceWith(make("button", { class: "pick", tabindex: lines.length ? -1 : 0 }, name.textContent ?? ""));
    line.dataset.run = String(run);
    lines.push(line);
  }
  return lines;
}

/** The run of the mark that an event is of, -1 for none.
 * @param {Event} event */
function runAt({ target }) {
  const mark = target instanceof Element ? target.closest(".pick, svg [data-run]")?.closest("[data-run]") : null;
  return Number(mark?.getAttribute("data-run") ?? -1);
}

/** What takes the focus in a table or a figure, in order, which in the plane is that of bias².
 * @param {Panel} panel @param {HTMLElement} place */
function stopsOf(panel, place) {
  /** @type {NodeListOf<HTMLElement | SVGElement>} */
  const buttons = place.querySelectorAll(".pick, [data-run][role=button]");
  const stops = [...buttons].filter((stop) => stop.getClientRects().length);
  if (place.dataset.figure !== "plane") return stops;
  const byRun = new Map(stops.map((stop) => [Number(stop.dataset.run), stop]));
  return inOrder(panel.runs, "bias2").flatMap((run) => byRun.get(run) ?? []);
}

/** A table and a figure of runs are one stop of the Tab key each.
 * @param {(HTMLElement | SVGElement)[]} stops @param {Element} chosen */
function stopAt(stops, chosen) {
  for (const stop of stops) stop.setAttribute("tabindex", stop === chosen ? "0" : "-1");
}

/** Marks choose their run by pointer and keyboard, and arrow keys go from one to the next.
 * @param {Panel} panel @param {HTMLElement} place a table or a figure */
function connectMarks(panel, place) {
  place.addEventListener("click", (event) => {
    if (runAt(event) >= 0) chooseBy(runAt(event), event);
  });
  place.addEventListener("focusin", ({ target }) => {
    const stops = stopsOf(panel, place), stop = stops.find((each) => each === target);
    if (stop) stopAt(stops, stop);
  });
  place.addEventListener("keydown", (event) => {
    const stops = stopsOf(panel, place), from = stops.findIndex((stop) => stop === event.target), drawn = !!place.dataset.figure;
    if (from < 0) return;
    const isAcross = event.key === "ArrowLeft" || event.key === "ArrowRight";  // which scrolls a table
    const step = isAcross && !drawn ? undefined : STEPS[event.key], to = { Home: 0, End: -1 }[event.key] ?? (step && from + step);
    if (to !== undefined) stops.at(to % stops.length)?.focus();
    else if (drawn && (event.key === "Enter" || event.key === " ")) chooseBy(runAt(event), event);
    else return;
    event.preventDefault();
  });
}

/** Finds the drawings of runs that are seen, whose marks then say of which run they are.
 * @param {Panel} panel */
function findDrawings(panel) {
  panel.drawings = [];
  for (const [name, words] of Object.entries(OF_PICTURE)) {
    /** @type {NodeListOf<SVGSVGElement>} */
    const pictures = panel.element.querySelectorAll(`[data-figure="${name}"] .picture`);
    const svg = [...pictures].find((drawing) => drawing.getClientRects().length);
    if (svg === undefined) continue;
    panel.drawings.push(svg);
    const named = new Set();
    for (const mark of marksIn(svg)) {
      const run = Number(mark.dataset.run);
      if (!named.has(run)) filled(mark, { role: "button", "aria-label": words(panel, run) });
      named.add(run);
    }
    filled(svg, { role: "group", "aria-description": `Arrow keys go from ${NOUNS.run} to ${NOUNS.run}, Enter chooses` });
  }
}

/** The marks of runs in a drawing; the groups of some have the runs of all of them.
 * @param {SVGSVGElement} svg @returns {NodeListOf<SVGElement>} */
function marksIn(svg) {
  for (const group of svg.querySelectorAll("[data-runs]")) {
    (group.getAttribute("data-runs") ?? "").split(" ").forEach((run, at) => group.children[at].setAttribute("data-run", run));
    group.removeAttribute("data-runs");
  }
  return svg.querySelectorAll("[data-run]");
}

/** Every view of a panel shows what is chosen now.
 * @param {Panel} panel */
function showChoice(panel) {
  for (const mark of [...panel.lines, ...panel.drawings.flatMap((svg) => [...marksIn(svg)])]) {
    const run = Number(mark.dataset.run), button = mark.role === "button" ? mark : mark.querySelector(".pick");
    mark.setAttribute("class", classesOf(panel, run));
    button?.setAttribute("aria-pressed", String(run === state.run));
  }
  for (const svg of panel.drawings) {
    const figure = /** @type {HTMLElement} */ (svg.closest("figure")), stops = stopsOf(panel, figure);
    stopAt(stops, stops.find((stop) => Number(stop.dataset.run) === state.run) ?? stops[0]);
    if (figure.dataset.figure === "plane" || stops.length > ALL_NAMED) nameChosen(svg);
  }
  one(HTMLElement, ".of-apart", panel.element).textContent = wordsOfApart(panel);
  panel.frame();
}

/** The names of the chosen runs beside their marks, where the figure has not named them.
 * @param {SVGSVGElement} svg */
function nameChosen(svg) {
  svg.querySelectorAll(".name-tag").forEach((tag) => tag.remove());
  const frame = svg.getBoundingClientRect(), { width } = svg.viewBox.baseVal, scale = width / (frame.width || 1);
  const named = new Set([...svg.querySelectorAll("text")].map((text) => text.textContent));
  for (const run of [state.second ?? -1, state.run]) {
    const mark = [...svg.querySelectorAll(`[data-run="${run}"]`)].at(-1);
    if (!mark || mark.localName === "text" || named.has(nameOf(run))) continue;
    const box = mark.getBoundingClientRect();
    const left = (box.left - frame.left) * scale - 3, right = (box.right - frame.left) * scale + 3;
    const isRight = right + LETTER * nameOf(run).length < width || width - right > left;
    const name = shortened(nameOf(run), Math.floor((isRight ? width - right : left) / LETTER));
    svg.append(draw("text", {
      class: "name-tag", x: isRight ? right : left, y: (box.top + box.height / 2 - frame.top) * scale + 2.5,
      "text-anchor": isRight ? "start" : "end",
    }, name));
  }
}

/** @param {Panel} panel @param {number} run */
function classesOf(panel, run) {
  const dim = panel.matching && !panel.matching.has(run);
  const signs = `${run === state.second ? " second" : ""}${isApart(panel, run) ? " apart" : ""}`;
  return `${run === state.run ? "run" : ""}${signs}${dim ? " dim" : ""}`;
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

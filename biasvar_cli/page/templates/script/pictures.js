// @ts-check
/* The figures that came with the page: which of them are seen, and the marks of runs in them, which choose a run. */

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

/** Shows the drawings of what is chosen in a list, in the stead of the others.
 * @param {ParentNode} within @param {string} by @param {string} value */
function showDrawings(within, by, value) {
  for (const drawing of all(`[data-by="${by}"] .drawing`, within)) drawing.hidden = drawing.dataset.of !== value;
}

/** The run of the mark that an event is of, -1 for none.
 * @param {Event} event */
function runAt({ target }) {
  const mark = target instanceof Element ? target.closest("[data-run]") : null;
  return mark instanceof SVGElement ? Number(mark.dataset.run) : -1;
}

/** Marks choose their run by pointer and keyboard, and say what it is.
 * @param {Panel} panel */
function connectPictures(panel) {
  for (const [name, words] of Object.entries(OF_PICTURE)) {
    for (const figure of all(`[data-figure="${name}"]`, panel.element)) {
      explain(figure, (event) => (runAt(event) < 0 ? "" : words(panel, runAt(event))));
      figure.addEventListener("click", (event) => {
        if (runAt(event) >= 0) chooseBy(runAt(event), event);
      });
      figure.addEventListener("keydown", (event) => {
        const run = runAt(event), order = [...panel.marks[name]?.keys() ?? []], step = STEPS[event.key];
        if (run < 0) return;
        if (step) panel.marks[name].get(order[(order.indexOf(run) + step + order.length) % order.length])?.element.focus();
        else if (event.key === "Enter" || event.key === " ") chooseBy(run, event);
        else return;
        event.preventDefault();
      });
    }
  }
}

/** Finds the marks of those drawings that are seen; arrows go from run to run in order, that of bias² in the plane.
 * @param {Panel} panel */
function findMarks(panel) {
  for (const [name, words] of Object.entries(OF_PICTURE)) {
    const svg = [...panel.element.querySelectorAll(`[data-figure="${name}"] .picture`)]
      .find((drawing) => drawing.getClientRects().length);
    if (!(svg instanceof SVGSVGElement)) continue;
    /** @type {Map<number, SVGElement[]>} */
    const elements = new Map();
    for (const element of marksIn(svg)) {
      const run = Number(element.dataset.run);
      elements.set(run, [...(elements.get(run) ?? []), element]);
    }
    const order = name === "plane" ? inOrder(panel.runs, "bias2").filter((run) => elements.has(run)) : [...elements.keys()];
    panel.marks[name] = new Map(order.map((run) => [run, markOf(elements.get(run) ?? [], words(panel, run))]));
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-description", `Arrow keys go from ${NOUNS.run} to ${NOUNS.run}, Enter chooses`);
    panel.after.push(() => {
      const stop = order.includes(state.run) ? state.run : order[0];
      for (const [run, { element }] of panel.marks[name]) element.setAttribute("tabindex", run === stop ? "0" : "-1");
      if (name === "plane" || order.length > ALL_NAMED) nameChosen(svg, elements);
    });
  }
}

/** The marks of runs in a drawing; the groups of some have the runs of all of them.
 * @param {SVGSVGElement} svg */
function marksIn(svg) {
  for (const group of svg.querySelectorAll("[data-runs]")) {
    (group.getAttribute("data-runs") ?? "").split(" ").forEach((run, at) => group.children[at].setAttribute("data-run", run));
    group.removeAttribute("data-runs");
  }
  return [...svg.querySelectorAll("[data-run]")].filter((element) => element instanceof SVGElement);
}

/** @param {SVGElement[]} elements @param {string} words @returns {Mark} */
function markOf([element, ...others], words) {
  element.setAttribute("role", "button");
  element.setAttribute("aria-label", words);
  return {
    element,
    show: (classes, pressed) => {
      for (const part of [element, ...others]) part.setAttribute("class", classes.trim());
      element.setAttribute("aria-pressed", String(pressed));
    },
  };
}

/** The names of the chosen runs beside their marks, where the figure has not named them.
 * @param {SVGSVGElement} svg @param {Map<number, SVGElement[]>} elements */
function nameChosen(svg, elements) {
  svg.querySelectorAll(".name-tag").forEach((tag) => tag.remove());
  const frame = svg.getBoundingClientRect(), { width } = svg.viewBox.baseVal, scale = width / (frame.width || 1);
  const named = new Set([...svg.querySelectorAll("text")].map((text) => text.textContent));
  for (const run of [state.second, state.run]) {
    const marks = run === null ? undefined : elements.get(run);
    if (run === null || marks === undefined || named.has(nameOf(run))) continue;
    const box = marks[marks.length - 1].getBoundingClientRect(), y = (box.top + box.height / 2 - frame.top) * scale + 2.5;
    const left = (box.left - frame.left) * scale - 3, right = (box.right - frame.left) * scale + 3;
    const isRight = right + LETTER * nameOf(run).length < width || width - right > left;
    const name = shortened(nameOf(run), Math.floor((isRight ? width - right : left) / LETTER));
    svg.append(draw("text", { class: "name-tag", x: isRight ? right : left, y, "text-anchor": isRight ? "start" : "end" }, name));
  }
}

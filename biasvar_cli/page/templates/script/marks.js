// @ts-check
/* Marks of runs: choosing a run by pointer and by keyboard, and showing which one is chosen. */

import { isApart, sayApart } from "./apart.js";
import { chooseBy, state } from "./state.js";
import { explain, hideTip, showTip } from "./tip.js";

/** @import { Mark, Panel } from "./state.js" */

/** @type {Record<string, number | undefined>} */
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/**
 * Marks of a figure that can be chosen: one stop of the Tab key, arrows go from run to run in an order.
 * @param {Panel} panel
 * @param {string} name of the figure
 * @param {Map<number, SVGElement>} drawn
 * @param {number[]} order
 * @param {(run: number) => string} words
 */
export function makeChoosable(panel, name, drawn, order, words) {
  panel.marks[name] = new Map([...drawn].map(([run, element]) => [run, markOf(element)]));
  for (const [run, element] of drawn) {
    element.setAttribute("role", "button");
    element.setAttribute("aria-label", words(run));
    explain(element, () => words(run));
    element.addEventListener("focus", (event) => showTip(words(run), event));  // in Chromium this makes it focusable
    element.addEventListener("blur", hideTip);
    element.addEventListener("click", (event) => chooseBy(run, event));
    element.addEventListener("keydown", (event) => {
      const step = STEPS[event.key];
      if (step) drawn.get(order[(order.indexOf(run) + step + order.length) % order.length])?.focus();
      else if (event.key === "Enter" || event.key === " ") chooseBy(run, event);
      else return;
      event.preventDefault();
    });
  }
  panel.after.unshift(() => {
    for (const [run, element] of drawn) element.setAttribute("tabindex", run === state.run ? "0" : "-1");
  });
}

/**
 * @param {SVGElement} element
 * @returns {Mark}
 */
function markOf(element) {
  const base = element.getAttribute("class") ?? "";
  return {
    element,
    show: (classes, pressed) => {
      element.setAttribute("class", base + classes);
      element.setAttribute("aria-pressed", String(pressed));
    },
  };
}

/**
 * Every view of a panel shows what is chosen now.
 * @param {Panel} panel
 */
export function showChoice(panel) {
  for (const marks of [...panel.tables, ...Object.values(panel.marks)]) {
    for (const [run, mark] of marks) mark.show(classesOf(panel, run), run === state.run);
  }
  sayApart(panel);
  panel.after.forEach((each) => each());
}

/**
 * @param {Panel} panel
 * @param {number} run
 */
function classesOf(panel, run) {
  const dim = panel.matching && !panel.matching.has(run);
  const signs = `${run === state.second ? " second" : ""}${isApart(panel, run) ? " apart" : ""}`;
  return `${run === state.run ? " run" : ""}${signs}${dim ? " dim" : ""}`;
}

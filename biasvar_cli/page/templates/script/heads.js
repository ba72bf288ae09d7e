// @ts-check
/* The heads of columns: a click sorts, and words say what a column means. */

import { all } from "./elements.js";
import { sortBy } from "./sheets.js";
import { explain, hideTip, showTip } from "./tip.js";

/** @param {HTMLElement} sheet */
export function connectHeads(sheet) {
  for (const button of all("[data-sort]", sheet)) {
    button.addEventListener("click", () => sortBy(sheet, button.dataset.sort ?? ""));
    if (button.title) connectWords(button, button.title);
  }
}

/**
 * Words that are shown beside a head that the pointer or the focus is on.
 * @param {HTMLElement} button
 * @param {string} words
 */
function connectWords(button, words) {
  button.removeAttribute("title");  // which a browser would show too
  button.setAttribute("aria-description", words);
  explain(button, () => words);
  button.addEventListener("focus", (event) => {
    if (button.matches(":focus-visible")) showTip(words, event);
  });
  button.addEventListener("blur", hideTip);
}

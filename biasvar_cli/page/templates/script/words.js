// @ts-check
/* Words and names. */

import { DATA } from "./data.js";

/**
 * A number and its noun.
 * @param {number} number
 * @param {string} noun
 */
export function counted(number, noun) {
  return `${number} ${number === 1 ? noun : noun.replace(/y$/, "ie") + "s"}`;
}

/**
 * @param {string[]} names
 * @param {number} most
 */
export function listed(names, most = 5) {
  return names.slice(0, most).join(", ") + (names.length > most ? ` and ${names.length - most} more` : "");
}

/** @param {number} run */
export function nameOf(run) {
  return DATA.names[run];
}

/**
 * A text that is too long loses its middle: names differ mostly at their ends.
 * @param {string} text
 * @param {number} most
 */
export function shortened(text, most) {
  const signs = [...text], keep = most - 1;
  if (signs.length <= most) return text;
  return `${signs.slice(0, (keep + 1) >> 1).join("")}…${signs.slice(signs.length - (keep >> 1)).join("")}`;
}

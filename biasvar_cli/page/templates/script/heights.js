// @ts-check
/* Figures side by side end together. */

import { canvasOf, heightOf } from "./plot.js";
import { state } from "./state.js";

/**
 * The height of a figure that ends where the one beside it does, which is drawn already.
 * @param {HTMLElement} figure
 */
export function heightBeside(figure) {
  const least = heightOf(figure), other = figure.nextElementSibling;
  const inRow = other && other.getBoundingClientRect().top === figure.getBoundingClientRect().top;
  if (state.printing || !inRow) return least;
  const own = partsOf(figure).filter((part) => part !== canvasOf(figure));
  return Math.max(least, Math.min(1.3 * least, Math.floor(heightsOf(partsOf(other)) - heightsOf(own))));
}

/** @param {Element} figure */
function partsOf(figure) {
  return [...figure.children];
}

/** @param {Element[]} parts */
function heightsOf(parts) {
  return parts.reduce((sum, part) => sum + part.getBoundingClientRect().height, 0);
}

// @ts-check
/* Tables that do not fit their frame say so: a shade at the edge, and words over the table. */

import { one } from "./elements.js";

const LEAST = 4;  // pixels that are hidden without a word

/**
 * Says of a table, whenever it or its frame changes, on which sides there is more of it.
 * @param {HTMLElement} sheet
 */
export function connectScrolling(sheet) {
  const scroll = one(HTMLElement, ".scroll", sheet), update = () => sayMore(sheet, scroll);
  scroll.addEventListener("scroll", update, { passive: true });
  const observer = new ResizeObserver(update);
  observer.observe(scroll);
  observer.observe(one(HTMLElement, "table", scroll));
}

/**
 * @param {HTMLElement} sheet
 * @param {HTMLElement} scroll
 */
function sayMore(sheet, scroll) {
  const frame = one(HTMLElement, ".frame", sheet);
  const right = scroll.scrollWidth - scroll.clientWidth - scroll.scrollLeft > LEAST;
  const below = scroll.scrollHeight - scroll.clientHeight - scroll.scrollTop > LEAST;
  frame.toggleAttribute("data-right", right);
  frame.toggleAttribute("data-below", below);
  const words = [...(below ? ["rows ↓"] : []), ...(right ? ["columns →"] : [])].join(" and ");
  one(HTMLElement, ".more", sheet).textContent = words && `Scroll for more ${words}`;
}

// @ts-check
/* The words beside the pointer or beside what has the focus. */

import { one } from "./elements.js";

const TIP = one(HTMLElement, "#tip");

/**
 * @param {string} text
 * @param {MouseEvent | FocusEvent} event
 */
export function showTip(text, event) {
  TIP.textContent = text;
  TIP.hidden = false;
  const box = TIP.getBoundingClientRect();
  const [x, y] = event instanceof MouseEvent ? [event.clientX, event.clientY] : cornerOf(event);
  TIP.style.left = `${Math.max(4, Math.min(x + 12, innerWidth - box.width - 8))}px`;
  TIP.style.top = `${y + 16 + box.height > innerHeight ? y - box.height - 10 : y + 16}px`;
}

export function hideTip() {
  TIP.hidden = true;
}

/**
 * Words that are shown while the pointer is on an element.
 * @param {Element} element
 * @param {() => string} words
 */
export function explain(element, words) {
  element.addEventListener("pointermove", (event) => {
    if (event instanceof MouseEvent) showTip(words(), event);
  });
  element.addEventListener("pointerleave", hideTip);
}

/** @param {FocusEvent} event */
function cornerOf(event) {
  const box = event.target instanceof Element ? event.target.getBoundingClientRect() : new DOMRect();
  return [box.right, box.bottom];
}

addEventListener("keydown", (event) => {
  if (event.key === "Escape") hideTip();
});

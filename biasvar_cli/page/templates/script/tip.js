/* The words beside the pointer or beside what has the focus. */

const TIP = one(HTMLElement, "#tip");
/** @type {WeakMap<Element, (event: Event) => string>} */
const WORDS = new WeakMap();

/** Words that are shown while an element has the pointer, or the focus from the keyboard; none where they are empty.
 * @param {Element} element @param {(event: Event) => string} words */
function explain(element, words) {
  WORDS.set(element, words);
}

/** @param {Event} event */
function showTip(event) {
  let element = event.target instanceof Element ? event.target : null;
  const at = element?.getBoundingClientRect();
  while (element && !WORDS.has(element)) element = element.parentElement;
  const text = element === null ? "" : WORDS.get(element)?.(event) ?? "";
  const [x, y] = event instanceof MouseEvent ? [event.clientX, event.clientY] : [at?.right ?? 0, at?.bottom ?? 0];
  showWords(text, x, y);
}

/** Words below a place of the window; none where they are empty.
 * @param {string} text @param {number} x @param {number} y */
function showWords(text, x, y) {
  TIP.hidden = !text;
  TIP.textContent = text;
  const box = TIP.getBoundingClientRect();
  TIP.style.left = `${Math.max(4, Math.min(x + 12, innerWidth - box.width - 8))}px`;
  TIP.style.top = `${y + 16 + box.height > innerHeight ? y - box.height - 10 : y + 16}px`;
}

function hideTip() {
  TIP.hidden = true;
}

for (const kind of ["pointermove", "pointerdown", "mouseup"]) addEventListener(kind, showTip);  // the last after the focus has moved
addEventListener("focusin", (event) => {
  if (event.target instanceof Element && event.target.matches(":focus-visible")) showTip(event);
});
addEventListener("focusout", hideTip);
document.documentElement.addEventListener("pointerleave", (event) => {
  if (event.pointerType === "mouse") hideTip();  // a finger leaves with every tap
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape") hideTip();
});

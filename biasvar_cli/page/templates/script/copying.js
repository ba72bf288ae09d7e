// @ts-check
/* Copying a table or a command to the clipboard, and what the buttons of a table do. */

import { all, make, one } from "./elements.js";
import { asText } from "./formats.js";
import { connectHeads } from "./heads.js";
import { connectScrolling } from "./scrolling.js";
import { showCount } from "./sheets.js";

const SHOWN_FOR = 4000;  // milliseconds, how long a table says that it was copied
/** @type {WeakMap<HTMLElement, number>} */
const timers = new WeakMap();

/**
 * @param {HTMLElement} sheet
 * @param {string} format
 * @param {HTMLElement} button
 */
async function copy(sheet, format, button) {
  const done = await copied(asText(sheet, format), button);
  one(HTMLElement, ".count", sheet).textContent = done ? `Copied as ${format}` : `Shown as ${format}, to be copied`;
  clearTimeout(timers.get(sheet));
  timers.set(sheet, setTimeout(() => showCount(sheet), SHOWN_FOR));
}

/**
 * Copies a text for a button, which has the focus afterwards; whether that could be done.
 * @param {string} text
 * @param {HTMLElement} button
 */
async function copied(text, button) {
  const focus = () => button.focus({ preventScroll: true }), done = await toClipboard(text);
  if (done) focus();
  else one(HTMLDialogElement, "#clip").addEventListener("close", focus, { once: true });
  button.dispatchEvent(new CustomEvent("copied", { detail: text, bubbles: true }));
  return done;
}

/** The buttons that copy the command of a figure. */
export function connectCommands() {
  for (const button of all("[data-command]")) {
    const words = button.textContent;
    button.addEventListener("click", async () => {
      const done = await copied(button.dataset.command ?? "", button);
      one(HTMLElement, "#said").textContent = done ? "Command copied" : "Command shown, to be copied";
      if (done) button.textContent = "Copied";
      clearTimeout(timers.get(button));
      timers.set(button, setTimeout(() => { button.textContent = words; }, SHOWN_FOR));
    });
  }
}

/**
 * Whether a text could be copied; where it cannot, it is shown.
 * @param {string} text
 */
async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return bySelection(text) || showText(text);
  }
}

/** @param {string} text */
function bySelection(text) {
  const area = make("textarea", { "aria-label": "Text to copy" });
  area.value = text;
  document.body.append(area);
  area.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    area.remove();
  }
}

/** @param {string} text */
function showText(text) {
  const dialog = one(HTMLDialogElement, "#clip"), area = one(HTMLTextAreaElement, "textarea", dialog);
  area.value = text;
  dialog.showModal();
  area.select();
  return false;
}

/**
 * Connects the buttons of a table.
 * @param {HTMLElement} sheet
 */
export function connectSheet(sheet) {
  connectHeads(sheet);
  connectScrolling(sheet);
  for (const button of all("[data-copy]", sheet)) {
    button.addEventListener("click", () => copy(sheet, button.dataset.copy ?? "", button));
  }
  showCount(sheet);
}

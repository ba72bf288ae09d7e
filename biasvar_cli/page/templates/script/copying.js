// @ts-check
/* Copying a table to the clipboard, and what the buttons of a table do. */

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
  const text = asText(sheet, format), focus = () => button.focus({ preventScroll: true });
  const done = await toClipboard(text);
  if (done) focus();
  else one(HTMLDialogElement, "#clip").addEventListener("close", focus, { once: true });
  one(HTMLElement, ".count", sheet).textContent = done ? `Copied as ${format}` : `Shown as ${format}, to be copied`;
  clearTimeout(timers.get(sheet));
  timers.set(sheet, setTimeout(() => showCount(sheet), SHOWN_FOR));
  sheet.dispatchEvent(new CustomEvent("copied", { detail: text, bubbles: true }));
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
  const area = make("textarea", { "aria-label": "Table to copy" });
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

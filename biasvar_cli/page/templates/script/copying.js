/* Copying a table or a command to the clipboard; where it cannot be reached the text is shown. */

const SHOWN_FOR = 4000;  // milliseconds, how long it is said that something was copied
/** @type {WeakMap<HTMLElement, number>} */
const timers = new WeakMap();

/** The buttons that copy a table, and those that copy the command of a figure. */
function connectCopying() {
  for (const button of all("[data-copy]")) {
    const sheet = /** @type {HTMLElement} */ (button.closest(".sheet")), format = button.dataset.copy ?? "";
    button.addEventListener("click", async () => {
      const done = await copied(asText(sheet, format), button);
      one(HTMLElement, ".count", sheet).textContent = done ? `Copied as ${format}` : `Shown as ${format}, to be copied`;
      later(sheet, () => showCount(sheet));
    });
  }
  for (const button of all("[data-command]")) {
    button.addEventListener("click", async () => {
      const done = await copied(button.dataset.command ?? "", button);
      one(HTMLElement, "#said").textContent = done ? "Command copied" : "Command shown, to be copied";
      button.toggleAttribute("data-done", done);
      later(button, () => button.removeAttribute("data-done"));
    });
  }
}

/** @param {HTMLElement} element @param {() => void} end */
function later(element, end) {
  clearTimeout(timers.get(element));
  timers.set(element, setTimeout(end, SHOWN_FOR));
}

/** Copies a text for a button, which has the focus afterwards, or shows it; whether it could be copied.
 * @param {string} text @param {HTMLElement} button */
async function copied(text, button) {
  const focus = () => button.focus({ preventScroll: true });
  const done = await Promise.resolve(text).then((words) => navigator.clipboard.writeText(words)).then(() => true, () => false);
  if (done) focus();
  else showText(text, focus);
  button.dispatchEvent(new CustomEvent("copied", { detail: text, bubbles: true }));
  return done;
}

/** @param {string} text @param {() => void} closed */
function showText(text, closed) {
  const dialog = one(HTMLDialogElement, "#clip"), area = one(HTMLTextAreaElement, "textarea", dialog);
  area.value = text;
  dialog.addEventListener("close", closed, { once: true });
  dialog.showModal();
  area.select();
}

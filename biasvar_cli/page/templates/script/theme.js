// @ts-check
/* Dark or light: as the system prefers it until the button is used. */

import { one } from "./elements.js";

const PREFERS_DARK = matchMedia("(prefers-color-scheme: dark)");

export function themeNow() {
  return document.documentElement.dataset.theme ?? preferred();
}

function preferred() {
  return PREFERS_DARK.matches ? "dark" : "light";
}

/** @param {string} theme */
export function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
}

/**
 * Sets the theme, and does something whenever it changes.
 * @param {() => void} changed
 */
export function connectTheme(changed) {
  let chosen = false;
  setTheme(preferred());
  PREFERS_DARK.addEventListener("change", () => {
    if (chosen) return;
    setTheme(preferred());
    changed();
  });
  one(HTMLElement, "#theme").addEventListener("click", () => {
    chosen = true;
    setTheme(themeNow() === "dark" ? "light" : "dark");
    changed();
  });
}

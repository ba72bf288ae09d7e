// @ts-check
/* Dark or light: as the system prefers it until the button is used. */

import { one } from "./elements.js";

const PREFERS_DARK = matchMedia("(prefers-color-scheme: dark)");

export function themeNow() {
  return document.documentElement.dataset.theme ?? "light";
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
  const follow = () => setTheme(PREFERS_DARK.matches ? "dark" : "light"), button = new AbortController();
  follow();
  PREFERS_DARK.addEventListener("change", () => {
    follow();
    changed();
  }, { signal: button.signal });
  one(HTMLElement, "#theme").addEventListener("click", () => {
    button.abort();
    setTheme(themeNow() === "dark" ? "light" : "dark");
    changed();
  });
}

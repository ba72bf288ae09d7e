// @ts-check
/* On paper every panel is there, in the light theme, with the notes to its tables. */

import { drawPanel } from "./drawing.js";
import { all, maybe } from "./elements.js";
import { panels, state } from "./state.js";
import { setTheme, themeNow } from "./theme.js";

export function connectPrinting() {
  let theme = themeNow();
  /** @type {HTMLElement[]} */
  let closed = [];
  addEventListener("beforeprint", () => {
    theme = themeNow();
    closed = all("details.of-table:not([open])").filter((each) => maybe(HTMLElement, ".notes", each));
    closed.forEach((each) => each.setAttribute("open", ""));
    state.printing = true;
    setTheme("light");
    for (const panel of panels) {
      panel.element.hidden = false;
      drawPanel(panel);
    }
  });
  addEventListener("afterprint", () => {
    setTheme(theme);
    closed.forEach((each) => each.removeAttribute("open"));
    state.printing = false;
    for (const panel of panels) panel.element.hidden = panel !== state.active;
    drawPanel(state.active);
  });
}

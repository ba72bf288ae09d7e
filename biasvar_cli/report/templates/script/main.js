// @ts-check
/* The page from its beginning: the run of least total is chosen, and everything is connected and drawn. */

import { connectChoice, connectPanel, connectTabs, connectTrend, connectWidth } from "./controls.js";
import { connectSheet } from "./copying.js";
import { drawPanel, drawTrend, showControls } from "./drawing.js";
import { all } from "./elements.js";
import { filterRuns } from "./filter.js";
import { inOrder } from "./numbers.js";
import { connectPrinting } from "./printing.js";
import { panels, state } from "./state.js";
import { connectTheme } from "./theme.js";

const ROOT = document.documentElement;

ROOT.dataset.scripts = "true";
panels.forEach(connectPanel);
all(".sheet").forEach(connectSheet);
connectTabs();
connectChoice();
connectTheme(() => drawPanel(state.active));
connectTrend();
connectWidth();
connectPrinting();

state.run = inOrder(panels[0].runs, "total").find((run) => run !== state.kept) ?? 0;
showControls();
for (const panel of panels) {
  panel.element.hidden = panel !== state.active;
  filterRuns(panel);
}
drawPanel(state.active);
drawTrend();
ROOT.dataset.ready = "true";

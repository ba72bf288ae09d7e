// @ts-check
/*
 * The page from its beginning: everything is connected, and drawn as the address has it, or for the highlighted run, or
 * else for the one of least total.
 */

import { connectAddress } from "./address.js";
import { connectAbout, connectChoice, connectPanel, connectTrend, connectWidth } from "./controls.js";
import { connectCommands, connectSheet } from "./copying.js";
import { DATA } from "./data.js";
import { drawPanel, showControls } from "./drawing.js";
import { all } from "./elements.js";
import { filterRuns } from "./filter.js";
import { inOrder } from "./numbers.js";
import { connectPrinting } from "./printing.js";
import { panels, state } from "./state.js";
import { connectTabs } from "./tabs.js";
import { connectTheme } from "./theme.js";

const ROOT = document.documentElement;

ROOT.dataset.scripts = "true";
panels.forEach(connectPanel);
all(".sheet").forEach(connectSheet);
connectCommands();
connectTabs();
connectChoice();
connectAbout();
connectTheme(() => drawPanel(state.active));
connectTrend();
connectWidth();
connectPrinting();

state.run = DATA.run ?? inOrder(panels[0].runs, "total").find((run) => run !== state.kept) ?? 0;
showControls();
for (const panel of panels) {
  panel.element.hidden = panel !== state.active;
  filterRuns(panel);
}
if (!connectAddress()) drawPanel(state.active);
ROOT.dataset.ready = "true";

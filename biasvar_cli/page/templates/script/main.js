// @ts-check
/*
 * The page from its beginning: everything is connected, and drawn as the address has it, or for the highlighted run, or
 * else for the one of least total.
 */

import { connectAddress } from "./address.js";
import { connectChoice, connectContents, connectPanel, connectTrend, connectWidth } from "./controls.js";
import { connectCopying } from "./copying.js";
import { DATA } from "./data.js";
import { all } from "./elements.js";
import { filterRuns } from "./filter.js";
import { inOrder } from "./numbers.js";
import { connectSheet } from "./sheets.js";
import { panels, state } from "./state.js";
import { connectTheme } from "./theme.js";
import { connectPrinting, connectTabs, drawPanel, showControls } from "./view.js";

const ROOT = document.documentElement;

ROOT.dataset.scripts = "true";
panels.forEach(connectPanel);
all(".sheet").forEach(connectSheet);
connectCopying();
connectTabs();
connectChoice();
connectContents();
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

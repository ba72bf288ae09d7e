// @ts-check
/* The figure of the correlations: the observed one under each sampling, beside its null models. */

import { DATA } from "./data.js";
import { draw } from "./elements.js";
import { asTable } from "./made_sheets.js";
import { shown } from "./numbers.js";
import { leaveEmpty, plot, setCaption, widthOf } from "./plot.js";
import { explain } from "./tip.js";

/** @import { NullInterval, PanelData } from "./data.js" */
/** @import { Panel } from "./state.js" */
/** @typedef {PanelData["tradeoff"]["rows"][number]} Row */

/**
 * @param {Panel} panel
 * @param {HTMLElement} figure
 */
export function tradeoff(panel, figure) {
  const name = panel.coefficient, words = DATA.coefficients[name];
  const rows = panel.data.tradeoff.rows.filter((row) => row[name] !== null);
  if (!rows.length) return leaveEmpty(figure, "No correlation is defined: it needs at least 3 runs that differ.");
  asTable(figure, `${panel.data.key}-shown`, inTheSection(name) ? null : numbersOf(panel, rows));
  const wide = widthOf(figure) > 560, left = wide ? 230 : 12, spacing = wide ? 24 : 38;
  const highest = Math.max(...rows.map((row) => Math.max(row[name], row.null?.[name]?.high ?? -1)));
  const { svg, X } = plot(figure, {
    height: 56 + spacing * rows.length, x: [-1.02, highest > 0 ? 1.02 : 0.02], margin: { left },
    xTitle: `${words} of bias² and variance`,
    label: `${words} under ${rows.length} samplings beside its null models; the table below has the numbers`,
  });
  rows.forEach((row, at) => {
    const y = 10 + spacing * at + (wide ? 12 : 26), found = row.null?.[name];
    const place = wide ? { x: left - 8, y: y + 4, "text-anchor": "end" } : { x: left + 4, y: y - 10 };
    const group = draw("g", {}, draw("text", place, samplingOf(row)), ...nullMarks(found, X, y),
      draw("circle", { class: "own", r: 5, cx: X(row[name]), cy: y }));
    const beside = found ? `\nnull models ${shown(found.median)} [${shown(found.low)}, ${shown(found.high)}]` : "";
    explain(group, () => `${samplingOf(row)}: ${shown(row[name])}${beside}`);
    svg.append(group);
  });
  setCaption(figure, panel.data.no_null ? `Dot: observed; ${panel.data.no_null}.` : "Dot: observed. Bar and tick: 95 % " +
    "range and median of null models, in which runs differ only in their means.");
}

/**
 * Whether a coefficient is the one in the table of the section: the first of all.
 * @param {string} name
 */
function inTheSection(name) {
  return name === Object.keys(DATA.coefficients)[0];
}

/** @param {Row} row */
function samplingOf(row) {
  const size = row.subset_size !== null && row.subset_size > 1 ? ` of ${row.subset_size}` : "";
  return `${DATA.samplings[row.sampling]}${size}${row.normalised ? ", normalised" : row.form === "gap" ? ", gap form" : ""}`;
}

/**
 * The range and the median of the null models, where they are defined.
 * @param {NullInterval | undefined} found
 * @param {(value: number) => number} X
 * @param {number} y
 */
function nullMarks(found, X, y) {
  if (!found || found.low === null || found.high === null || found.median === null) return [];
  const at = X(found.median);
  return [draw("line", { class: "interval", x1: X(found.low), x2: X(found.high), y1: y, y2: y }),
    draw("line", { class: "median", x1: at, x2: at, y1: y - 7, y2: y + 7 })];
}

/**
 * @param {Panel} panel
 * @param {Row[]} rows
 */
function numbersOf(panel, rows) {
  const name = panel.coefficient;
  return {
    title: `${DATA.coefficients[name]} of bias² and variance, ${panel.data.measure}`,
    columns: ["sampling", "subset_size", "normalised", "form", name, "null_median", "null_low", "null_high"],
    rows: rows.map((row) => {
      const found = row.null?.[name];
      return [row.sampling, row.subset_size, row.normalised ? "*" : "", row.form, row[name],
        found?.median ?? null, found?.low ?? null, found?.high ?? null];
    }),
  };
}

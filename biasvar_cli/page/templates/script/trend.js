// @ts-check
/* The figure of the correlations of many tracks over the years. */

import { DATA } from "./data.js";
import { draw, filledWith, strokedWith } from "./elements.js";
import { asTable } from "./made_sheets.js";
import { shown } from "./numbers.js";
import { leaveEmpty, plot, setCaption } from "./plot.js";
import { colourOf, dashOf, legend, shapeOf, sign } from "./shapes.js";
import { explain } from "./tip.js";

/** @import { NullInterval, TrendData } from "./data.js" */
/** @import { Plot } from "./plot.js" */
/** @import { LegendEntry } from "./shapes.js" */

/**
 * One correlation of one track; `sampling` is a place in the series of the page, `group` what it is joined by a line with.
 * @typedef {object} Point
 * @property {TrendData["tracks"][number]} row
 * @property {number} sampling
 * @property {string} group
 * @property {number} value
 * @property {NullInterval | undefined} beside
 */

/**
 * @param {HTMLElement} figure
 * @param {TrendData} data
 * @param {string} coefficient
 */
export function trend(figure, data, coefficient) {
  const points = pointsOf(data, coefficient), words = DATA.coefficients[coefficient];
  if (!points.length) return leaveEmpty(figure, "No correlation is defined in any track.");
  const highest = Math.max(...points.map(({ value, beside }) => Math.max(value, beside?.high ?? -1)));
  const drawn = plot(figure, {
    height: 340, y: [-1.02, highest > 0 ? Math.min(1.02, highest + 0.1) : 0.02], xTitle: "Year", margin: { bottom: 42 },
    yTitle: `${words} of bias² and Var`,
    label: `${words} of ${data.tracks.length} tracks over the years; the tables below have the numbers`,
  });
  const years = data.tracks.map(({ year }) => year), X = yearScale(years, drawn);
  drawn.svg.append(...yearTicks(years, drawn, X));
  const groups = [...new Set(points.map(({ group }) => group))];
  groups.forEach((group, place) => DATA.series.forEach((_, sampling) => {
    const own = points.filter((each) => each.sampling === sampling && each.group === group);
    const aside = sampling - (DATA.series.length - 1) / 2 + 0.8 * ((place + 0.5) / groups.length - 0.5);
    own.sort((a, b) => a.row.year - b.row.year);
    drawn.svg.append(...lineOf(own, colourOf(sampling), dashOf(place), (year) => X(year, aside), drawn.Y));
  }));
  const single = groups.length > 1 ? "" : ` ${wordsOfGroup(groups[0])}.`;
  setCaption(figure, `Thin lines: range of the null models.${single}`);
  legend(figure, entriesOf(groups));
  asTable(figure, "trend-shown", numbersOfTrend(points, coefficient));
}

/**
 * The correlations that are defined, each beside its null models.
 * @param {TrendData} data
 * @param {string} coefficient
 * @returns {Point[]}
 */
function pointsOf({ tracks, null: models }, coefficient) {
  return tracks.flatMap((row) => DATA.series.map((name, sampling) => {
    const quantity = `${name}_${coefficient}`;
    const beside = models.find((each) => each.quantity === quantity && (each.model ?? "means") === "means" &&
      each.track === row.track && each.series === row.series && each.year === row.year);
    const group = JSON.stringify([row.series, row.measure, row.target]);
    return { row, sampling, group, value: row[quantity], beside };
  })).filter(({ value }) => value !== null && value !== undefined);
}

/**
 * Years to pixels; several samplings of a year stand aside of each other.
 * @param {number[]} years
 * @param {Plot} plot
 */
function yearScale(years, { left, right }) {
  const first = Math.min(...years), last = Math.max(...years);
  const room = Math.max(0.3, 0.05 * (last - first)), unit = 0.008 * Math.max(2, last - first);
  /** @type {(year: number, aside?: number) => number} */
  return (year, aside = 0) => left + ((year + aside * unit - first + room) / (last - first + 2 * room)) * (right - left);
}

/**
 * @param {number[]} years
 * @param {Plot} plot
 * @param {(year: number) => number} X
 */
function yearTicks(years, { left, right, base }, X) {
  const all = [...new Set(years)].sort((a, b) => a - b), every = Math.ceil(all.length / Math.max(2, (right - left) / 50));
  return all.filter((_, at) => at % every === 0).map((year) =>
    draw("text", { x: X(year), y: base + 15, "text-anchor": "middle", class: "soft" }, String(year)));
}

/** @param {string} group */
function wordsOfGroup(group) {
  return JSON.parse(group).filter(Boolean).join(", ");
}

/**
 * The line, the marks and the intervals of one sampling of one group.
 * @param {Point[]} points in order of year
 * @param {string} colour
 * @param {string} dashes
 * @param {(year: number) => number} X
 * @param {(value: number) => number} Y
 */
function lineOf(points, colour, dashes, X, Y) {
  const along = points.map(({ row, value }) => `${X(row.year)},${Y(value)}`).join(" ");
  const line = draw("polyline", { fill: "none", "stroke-width": 1.4, "stroke-dasharray": dashes, points: along });
  return [strokedWith(line, colour), ...points.flatMap((point) => {
    const { row, value, beside, sampling } = point, x = X(row.year);
    const mark = filledWith(sign(shapeOf(sampling), 4.4, x, Y(value), { class: "dot" }), colour);
    explain(mark, () => wordsOfPoint(point));
    if (!beside || beside.low === null || beside.high === null) return [mark];
    const ends = { x1: x, x2: x, y1: Y(beside.low), y2: Y(beside.high) };
    return [strokedWith(draw("line", { ...ends, "stroke-width": 1.2, opacity: 0.5 }), colour), mark];
  })];
}

/** @param {Point} point */
function wordsOfPoint({ row, sampling, group, value, beside }) {
  const known = beside && beside.low !== null ? `\nnull models [${shown(beside.low)}, ${shown(beside.high)}]` : "";
  return `${row.track}, ${row.year}\n${wordsOfGroup(group)}\n${DATA.series[sampling]} ${shown(value)}${known}`;
}

/**
 * @param {string[]} groups
 * @returns {LegendEntry[]}
 */
function entriesOf(groups) {
  /** @type {LegendEntry[]} */
  const samplings = DATA.series.map((name, at) => [shapeOf(at), colourOf(at), `(${"abcd"[at]}) ${name}`]);
  if (groups.length < 2) return samplings;
  /** @type {LegendEntry[]} */
  const lines = groups.map((group, at) => ["line", "--text", wordsOfGroup(group), dashOf(at)]);
  return [...samplings, ...lines];
}

/**
 * @param {Point[]} points
 * @param {string} coefficient
 */
function numbersOfTrend(points, coefficient) {
  return {
    title: `${DATA.coefficients[coefficient]} of bias² and Var by track`,
    columns: ["track", "series", "year", "measure", "target", "sampling", coefficient, "null_low", "null_high"],
    rows: points.map(({ row, sampling, value, beside }) => [row.track, row.series, row.year, row.measure, row.target,
      DATA.series[sampling], value, beside?.low ?? null, beside?.high ?? null]),
  };
}

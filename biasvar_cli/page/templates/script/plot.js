// @ts-check
/* A figure: its words, its width, ticks and extents of axes, and an empty plot with axes. */

import { DATA } from "./data.js";
import { draw, make, maybe, one } from "./elements.js";
import { state } from "./state.js";

/** @typedef {[low: number, high: number]} Extent */

/**
 * What a plot is made with; x or y is left out for an axis that the figure draws itself.
 * @typedef {object} PlotRequest
 * @property {number} height
 * @property {Extent} [x]
 * @property {Extent} [y]
 * @property {string} [xTitle]
 * @property {string} [yTitle]
 * @property {{ bottom?: number, left?: number }} [margin]
 * @property {string} label
 * @property {number} [signs] the room for ticks of the vertical axis, in signs
 * @property {boolean} [whole] whether ticks of the horizontal axis are integers
 * @property {boolean} [interactive]
 * @property {number} [inside] the least width between the vertical edges; a figure that is wider than its place scrolls
 */

/**
 * The edges of a plot, in pixels.
 * @typedef {{ left: number, right: number, top: number, base: number, width: number, height: number }} Frame
 */
/** @typedef {(value: number) => number} Scale */
/** @typedef {Frame & { svg: SVGSVGElement, X: Scale, Y: Scale }} Plot */

/** @param {HTMLElement} figure */
export function canvasOf(figure) {
  return one(HTMLElement, ".canvas", figure);
}

/** @param {HTMLElement} figure @param {string} text */
export function setTitle(figure, text) {
  one(HTMLElement, ".title", figure).textContent = text;
}

/** @param {HTMLElement} figure @param {string} text */
export function setCaption(figure, text) {
  one(HTMLElement, ".caption", figure).textContent = text;
}

/** A figure that has nothing to show says why.
 * @param {HTMLElement} figure @param {string} why */
export function leaveEmpty(figure, why) {
  canvasOf(figure).replaceChildren(make("p", { class: "caption" }, why));
}

/** As wide as there is room for; on paper as wide as a page or half of it.
 * @param {HTMLElement} figure */
export function widthOf(figure) {
  if (state.printing) return figure.closest(".pair") ? 335 : 690;
  return Math.max(260, Math.round(maybe(HTMLElement, ".canvas", figure)?.clientWidth || figure.clientWidth || 600));
}

/** The width of a figure that needs some room; on paper it has no more than there is.
 * @param {HTMLElement} figure @param {number} least */
export function wideEnough(figure, least) {
  return state.printing ? widthOf(figure) : Math.max(widthOf(figure), Math.ceil(least));
}

/** A figure that is wider than its place can be scrolled by keys too, and says so.
 * @param {HTMLElement} figure @param {number} width */
export function sayScrolls(figure, width) {
  const canvas = canvasOf(figure), scrolls = width > widthOf(figure);
  canvas.classList.toggle("scrolls", scrolls);
  if (scrolls) canvas.setAttribute("tabindex", "0");
  else canvas.removeAttribute("tabindex");
}

/** The height of a figure of runs beside its width.
 * @param {HTMLElement} figure */
export function heightOf(figure) {
  return Math.round(Math.min(460, Math.max(300, 0.72 * widthOf(figure))));
}

/** An empty plot with axes.
 * @param {HTMLElement} figure @param {PlotRequest} request @returns {Plot} */
export function plot(figure, request) {
  const { height, x, y, xTitle, yTitle, margin, label, signs = 3, whole = false, interactive = false } = request;
  const yTicks = y ? ticksOf(...y, Math.max(3, height / 60)) : [];
  const longest = Math.max(signs, ...yTicks.map(([, text]) => text.length));
  const edge = { top: 10, bottom: 40, left: (yTitle ? 28 : 12) + 7 * longest, ...margin };
  const width = wideEnough(figure, edge.left + (request.inside ?? 0) + 12);
  const frame = { left: edge.left, right: width - 12, top: edge.top, base: height - edge.bottom, width, height };
  const svg = draw("svg", {
    width, height, viewBox: `0 0 ${width} ${height}`, role: interactive ? "group" : "img", "aria-label": label,
  });
  const X = scale(x, frame.left, frame.right), Y = scale(y, frame.base, frame.top);
  const back = draw("g", { "aria-hidden": "true" });
  if (x) back.append(...columns(frame, X, horizontalTicks(x, frame, whole)));
  back.append(...rows(frame, Y, yTicks));
  back.append(draw("rect", {
    class: "axis", x: frame.left, y: frame.top, width: frame.right - frame.left, height: frame.base - frame.top,
  }));
  back.append(...titles(frame, xTitle, yTitle));
  svg.append(back);
  canvasOf(figure).replaceChildren(svg);
  sayScrolls(figure, width);
  return { svg, X, Y, ...frame };
}

/** From values to pixels.
 * @param {Extent | undefined} extent @param {number} from @param {number} to @returns {Scale} */
function scale([low, high] = [0, 1], from, to) {
  return (value) => from + ((value - low) / (high - low)) * (to - from);
}

/** As many ticks as have room, but two: one alone is no scale.
 * @param {Extent} x @param {Frame} frame @param {boolean} whole */
function horizontalTicks(x, { left, width }, whole) {
  const rough = Math.max(2, (width - left) / 90);
  const longest = Math.max(...ticksOf(...x, rough, whole).map(([, text]) => text.length));
  let about = Math.min(rough, Math.max(1, (width - left) / (9 * longest)));
  while (ticksOf(...x, about, whole).length < 2 && about < 9) about += 1;
  return ticksOf(...x, about, whole);
}

/** The lines and words of the ticks of the horizontal axis.
 * @param {Frame} frame @param {Scale} X @param {[number, string][]} ticks */
function columns({ top, base }, X, ticks) {
  return ticks.flatMap(([value, text]) => [
    draw("line", { class: "grid", x1: X(value), x2: X(value), y1: top, y2: base }),
    draw("text", { x: X(value), y: base + 15, "text-anchor": "middle", class: "soft" }, text),
  ]);
}

/** The lines and words of the ticks of the vertical axis.
 * @param {Frame} frame @param {Scale} Y @param {[number, string][]} ticks */
function rows({ left, right }, Y, ticks) {
  return ticks.flatMap(([value, text]) => [
    draw("line", { class: "grid", x1: left, x2: right, y1: Y(value), y2: Y(value) }),
    draw("text", { x: left - 6, y: Y(value) + 4, "text-anchor": "end", class: "soft" }, text),
  ]);
}

/** @param {Frame} frame @param {string | undefined} xTitle @param {string | undefined} yTitle */
function titles({ left, right, top, base, height }, xTitle, yTitle) {
  const found = [];
  if (xTitle) found.push(draw("text", { x: (left + right) / 2, y: height - 6, "text-anchor": "middle" }, xTitle));
  if (yTitle) {
    const transform = `translate(13,${(top + base) / 2}) rotate(-90)`;
    found.push(draw("text", { transform, "text-anchor": "middle" }, yTitle));
  }
  return found;
}

/**
 * About so many ticks from low to high: their values and words.
 * @param {number} low @param {number} high @param {number} about
 * @param {boolean} whole whether only integers are wanted @returns {[value: number, words: string][]}
 */
export function ticksOf(low, high, about, whole = false) {
  const rough = Math.max((high - low) / about, whole ? 1 : 0), power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const size = Math.max(Math.abs(low), Math.abs(high));
  /** @param {number} value */
  const words = (value) => (value !== 0 && (size < 1e-4 || size >= 1e6)
    ? Number(value.toPrecision(6)).toExponential() : Number(value.toFixed(digits + 1)).toFixed(digits));
  /** @type {number[]} */
  const found = [];
  for (let index = Math.ceil(low / step - 1e-9); index * step <= high + 1e-9 * step; index++) found.push(index * step);
  return found.map((value) => [value, words(value).replace(/^-0*\.?0*$/, "0").replaceAll("-", "−")]);
}

/** From the least to the largest value and a share more; of values that are equal up to rounding, a little around them.
 * @param {Iterable<number>} values @param {number} share @param {number} unit @returns {Extent} */
export function extent(values, share = 0.04, unit = 0) {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const size = Math.max(Math.abs(low), Math.abs(high), unit);
  const room = high - low > DATA.rounding * size ? share * (high - low) : 0.1 * size || 0.01;
  return [low - room, high + room];
}

/** The extent of a squared quantity: hardly below 0.
 * @param {Extent} extent @returns {Extent} */
export function fromZero([low, high]) {
  return [Math.max(low, -0.02 * high), high];
}

// @ts-check
/* Shapes and colours of series, and the legends that explain them. */

import { DATA } from "./data.js";
import { draw, make, maybe } from "./elements.js";

/**
 * What is drawn, around the origin of a box of 14 pixels, and its words.
 * @typedef {[drawn: SVGElement, words: string]} LegendEntry
 */
/** @typedef {"circle" | "square" | "up" | "diamond" | "down" | "cross" | "right" | "left"} Shape */

/** @type {Record<Shape, (r: number) => string>} */
const SHAPES = {
  circle: (r) => `M${-r},0A${r},${r} 0 1 1 ${r},0A${r},${r} 0 1 1 ${-r},0Z`,
  square: (r) => `M${-r},${-r}H${r}V${r}H${-r}Z`,
  up: (r) => `M0,${-1.2 * r}L${1.2 * r},${r}H${-1.2 * r}Z`,
  diamond: (r) => `M0,${-1.4 * r}L${1.2 * r},0L0,${1.4 * r}L${-1.2 * r},0Z`,
  down: (r) => `M0,${1.2 * r}L${1.2 * r},${-r}H${-1.2 * r}Z`,
  cross: (r) => `M${-r},${-r / 3}H${-r / 3}V${-r}H${r / 3}V${-r / 3}H${r}V${r / 3}H${r / 3}V${r}H${-r / 3}V${r / 3}H${-r}Z`,
  right: (r) => `M${1.2 * r},0L${-r},${1.2 * r}V${-1.2 * r}Z`,
  left: (r) => `M${-1.2 * r},0L${r},${1.2 * r}V${-1.2 * r}Z`,
};
/** @type {Shape[]} */
const OF_SERIES = ["circle", "square", "up", "diamond", "down", "right", "left"];

/**
 * A shape drawn around a place.
 * @param {Shape} shape @param {number} r @param {number} x @param {number} y
 * @param {import("./elements.js").Attributes} attributes
 */
export function sign(shape, r, x, y, attributes = {}) {
  return draw("path", { ...attributes, d: SHAPES[shape](r), transform: `translate(${x},${y})` });
}

/** @param {number} index */
export function shapeOf(index) {
  return OF_SERIES[index % OF_SERIES.length];
}

/** The colour of a series, a variable of the style sheet.
 * @param {number} index */
export function colourOf(index) {
  return `var(--c${index % DATA.n_colours})`;
}

/** The legend of a figure, in the stead of the one before; none without entries.
 * @param {HTMLElement} figure @param {LegendEntry[]} entries */
export function legend(figure, entries) {
  maybe(HTMLElement, ".legend", figure)?.remove();
  if (!entries.length) return;
  figure.append(make("ul", { class: "legend" }, ...entries.map(([drawn, words]) => make("li", {},
    draw("svg", { width: 14, height: 14, viewBox: "-7 -7 14 14", "aria-hidden": "true" }, drawn), words))));
}

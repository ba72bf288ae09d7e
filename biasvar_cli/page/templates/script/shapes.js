// @ts-check
/* Signs of figures, and the legends that explain them. */

/**
 * What is drawn, around the origin of a box of 14 pixels, and its words.
 * @typedef {[drawn: SVGElement, words: string]} LegendEntry
 */
/** @typedef {"diamond" | "right"} Shape */

/** @type {Record<Shape, (r: number) => string>} */
const SHAPES = {
  diamond: (r) => `M0,${-1.4 * r}L${1.2 * r},0L0,${1.4 * r}L${-1.2 * r},0Z`,
  right: (r) => `M${1.2 * r},0L${-r},${1.2 * r}V${-1.2 * r}Z`,
};

/**
 * A shape drawn around a place.
 * @param {Shape} shape @param {number} r @param {number} x @param {number} y
 * @param {Attributes} attributes
 */
function sign(shape, r, x, y, attributes = {}) {
  return draw("path", { ...attributes, d: SHAPES[shape](r), transform: `translate(${x},${y})` });
}

/** The legend of a figure, in the stead of the one before; none without entries.
 * @param {HTMLElement} figure @param {LegendEntry[]} entries */
function legend(figure, entries) {
  maybe(HTMLElement, ".legend", figure)?.remove();
  if (!entries.length) return;
  figure.append(make("ul", { class: "legend" }, ...entries.map(([drawn, words]) => make("li", {},
    draw("svg", { width: 14, height: 14, viewBox: "-7 -7 14 14", "aria-hidden": "true" }, drawn), words))));
}

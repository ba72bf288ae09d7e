/* A figure of queries: its width, the ticks and extent of its vertical axis, an empty plot, and the legend below. */

/** As wide as there is room for, on paper as wide as a page; but no narrower than a figure needs where it can scroll.
 * @param {HTMLElement} figure @param {number} least */
function widthOf(figure, least = 260) {
  if (state.printing) return 690;
  return Math.max(260, Math.ceil(least), Math.round(one(HTMLElement, ".canvas", figure).clientWidth || 600));
}

/** Puts into a figure what is drawn; what is wider than its place can be scrolled by keys too, and says so.
 * @param {HTMLElement} figure @param {Element} drawn @param {number} width */
function fillFigure(figure, drawn, width) {
  const canvas = one(HTMLElement, ".canvas", figure), scrolls = width > widthOf(figure);
  canvas.replaceChildren(drawn);
  canvas.classList.toggle("scrolls", scrolls);
  if (scrolls) filled(canvas, { tabindex: 0, role: "region", "aria-label": one(HTMLElement, ".title", figure).textContent ?? "" });
  else for (const name of ["tabindex", "role", "aria-label"]) canvas.removeAttribute(name);
}

/** @param {HTMLElement} figure @param {string} title @param {string} caption */
function setWords(figure, title, caption) {
  one(HTMLElement, ".title", figure).textContent = title;
  one(HTMLElement, ".caption", figure).textContent = caption;
}

/** The legend of a figure, in the stead of the one before.
 * @param {HTMLElement} figure @param {LegendEntry[]} entries */
function setLegend(figure, entries) {
  maybe(HTMLElement, ".legend", figure)?.remove();
  figure.append(make("ul", { class: "legend" }, ...entries.map(([drawn, words]) => make("li", {},
    draw("svg", { width: 14, height: 14, viewBox: "-7 -7 14 14", "aria-hidden": "true" }, drawn), words))));
}

/** An empty plot with axes.
 * @param {HTMLElement} figure @param {PlotRequest} request @returns {Plot} */
function plot(figure, { height, y, xTitle, yTitle, bottom, label, signs, inside }) {
  const ticks = ticksOf(...y, Math.max(3, height / 60)), longest = Math.max(signs, ...ticks.map(([, text]) => text.length));
  const left = 28 + 7 * longest, width = widthOf(figure, left + inside + 12), right = width - 12, top = 10, base = height - bottom;
  const below = { x: (left + right) / 2, y: height - 6 }, beside = `translate(13,${(top + base) / 2}) rotate(-90)`;
  /** @type {Scale} */
  const Y = (value) => base + ((value - y[0]) / (y[1] - y[0])) * (top - base);
  const svg = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    draw("g", { "aria-hidden": "true" },
      ...ticks.flatMap(([value, text]) => [
        draw("line", { class: "grid", x1: left, x2: right, y1: Y(value), y2: Y(value) }),
        draw("text", { x: left - 6, y: Y(value) + 4, "text-anchor": "end", class: "soft" }, text),
      ]),
      draw("rect", { class: "axis", x: left, y: top, width: right - left, height: base - top }),
      ...(xTitle ? [draw("text", { ...below, "text-anchor": "middle" }, xTitle)] : []),
      draw("text", { transform: beside, "text-anchor": "middle" }, yTitle)));
  fillFigure(figure, svg, width);
  return { svg, Y, left, right, top, base };
}

/** About so many ticks from low to high: their values and words.
 * @param {number} low @param {number} high @param {number} about @returns {[value: number, words: string][]} */
function ticksOf(low, high, about) {
  const rough = (high - low) / about, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const size = Math.max(Math.abs(low), Math.abs(high)), first = Math.ceil(low / step - 1e-9);
  /** @param {number} value */
  const words = (value) => (value !== 0 && (size < 1e-4 || size >= 1e6)
    ? Number(value.toPrecision(6)).toExponential() : Number(value.toFixed(digits + 1)).toFixed(digits));
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, at) => (first + at) * step)
    .map((value) => [value, words(value).replace(/^-0*\.?0*$/, "0").replaceAll("-", "−")]);
}

/** From the least to the largest value and a share more; of values that are equal up to rounding, a little around them.
 * @param {number[]} values @param {number} share @returns {Extent} */
function extent(values, share = 0.04) {
  const low = Math.min(...values), high = Math.max(...values), size = Math.max(Math.abs(low), Math.abs(high));
  const room = high - low > DATA.rounding * size ? share * (high - low) : 0.1 * size || 0.01;
  return [low - room, high + room];
}

// @ts-check
/* A figure of queries: its words, its width, the ticks and extent of its vertical axis, and an empty plot. */

/** @typedef {[low: number, high: number]} Extent */

/**
 * What a plot is made with; the figure draws its horizontal axis itself.
 * @typedef {object} PlotRequest
 * @property {number} height
 * @property {Extent} y
 * @property {string} [xTitle]
 * @property {string} yTitle
 * @property {{ bottom?: number, left?: number }} [margin]
 * @property {string} label
 * @property {number} [signs] the room for ticks of the vertical axis, in signs
 * @property {number} [inside] the least width between the vertical edges; a figure that is wider than its place scrolls
 */

/**
 * The edges of a plot, in pixels.
 * @typedef {{ left: number, right: number, top: number, base: number, width: number, height: number }} Frame
 */
/** @typedef {(value: number) => number} Scale */
/** @typedef {Frame & { svg: SVGSVGElement, Y: Scale }} Plot */

/** @param {HTMLElement} figure */
function canvasOf(figure) {
  return one(HTMLElement, ".canvas", figure);
}

/** @param {HTMLElement} figure @param {string} text */
function setTitle(figure, text) {
  one(HTMLElement, ".title", figure).textContent = text;
}

/** @param {HTMLElement} figure @param {string} text */
function setCaption(figure, text) {
  one(HTMLElement, ".caption", figure).textContent = text;
}

/** A figure that has nothing to show says why.
 * @param {HTMLElement} figure @param {string} why */
function leaveEmpty(figure, why) {
  canvasOf(figure).replaceChildren(make("p", { class: "caption" }, why));
}

/** As wide as there is room for; on paper as wide as a page or half of it.
 * @param {HTMLElement} figure */
function widthOf(figure) {
  if (state.printing) return figure.closest(".pair") ? 335 : 690;
  return Math.max(260, Math.round(maybe(HTMLElement, ".canvas", figure)?.clientWidth || figure.clientWidth || 600));
}

/** The width of a figure that needs some room; on paper it has no more than there is.
 * @param {HTMLElement} figure @param {number} least */
function wideEnough(figure, least) {
  return state.printing ? widthOf(figure) : Math.max(widthOf(figure), Math.ceil(least));
}

/** A figure that is wider than its place can be scrolled by keys too, and says so.
 * @param {HTMLElement} figure @param {number} width */
function sayScrolls(figure, width) {
  const canvas = canvasOf(figure), scrolls = width > widthOf(figure);
  canvas.classList.toggle("scrolls", scrolls);
  if (scrolls) canvas.setAttribute("tabindex", "0");
  else canvas.removeAttribute("tabindex");
}

/** An empty plot with axes.
 * @param {HTMLElement} figure @param {PlotRequest} request @returns {Plot} */
function plot(figure, request) {
  const { height, y, xTitle, yTitle, margin, label, signs = 3 } = request, yTicks = ticksOf(...y, Math.max(3, height / 60));
  const longest = Math.max(signs, ...yTicks.map(([, text]) => text.length));
  const edge = { top: 10, bottom: 40, left: 28 + 7 * longest, ...margin };
  const width = wideEnough(figure, edge.left + (request.inside ?? 0) + 12);
  const frame = { left: edge.left, right: width - 12, top: edge.top, base: height - edge.bottom, width, height };
  const svg = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  const Y = scale(y, frame.base, frame.top), back = draw("g", { "aria-hidden": "true" });
  back.append(...rows(frame, Y, yTicks));
  back.append(draw("rect", {
    class: "axis", x: frame.left, y: frame.top, width: frame.right - frame.left, height: frame.base - frame.top,
  }));
  back.append(...titles(frame, xTitle, yTitle));
  svg.append(back);
  canvasOf(figure).replaceChildren(svg);
  sayScrolls(figure, width);
  return { svg, Y, ...frame };
}

/** From values to pixels.
 * @param {Extent} extent @param {number} from @param {number} to @returns {Scale} */
function scale([low, high], from, to) {
  return (value) => from + ((value - low) / (high - low)) * (to - from);
}

/** The lines and words of the ticks of the vertical axis.
 * @param {Frame} frame @param {Scale} Y @param {[number, string][]} ticks */
function rows({ left, right }, Y, ticks) {
  return ticks.flatMap(([value, text]) => [
    draw("line", { class: "grid", x1: left, x2: right, y1: Y(value), y2: Y(value) }),
    draw("text", { x: left - 6, y: Y(value) + 4, "text-anchor": "end", class: "soft" }, text),
  ]);
}

/** @param {Frame} frame @param {string | undefined} xTitle @param {string} yTitle */
function titles({ left, right, top, base, height }, xTitle, yTitle) {
  const transform = `translate(13,${(top + base) / 2}) rotate(-90)`, below = { x: (left + right) / 2, y: height - 6 };
  return [...(xTitle ? [draw("text", { ...below, "text-anchor": "middle" }, xTitle)] : []),
    draw("text", { transform, "text-anchor": "middle" }, yTitle)];
}

/**
 * About so many ticks from low to high: their values and words.
 * @param {number} low @param {number} high @param {number} about @returns {[value: number, words: string][]}
 */
function ticksOf(low, high, about) {
  const rough = (high - low) / about, power = 10 ** Math.floor(Math.log10(rough));
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
 * @param {Iterable<number>} values @param {number} share @returns {Extent} */
function extent(values, share = 0.04) {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const size = Math.max(Math.abs(low), Math.abs(high));
  const room = high - low > DATA.rounding * size ? share * (high - low) : 0.1 * size || 0.01;
  return [low - room, high + room];
}

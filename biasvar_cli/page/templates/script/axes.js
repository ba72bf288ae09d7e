// @ts-check
/* Ticks and extents of axes. */

import { DATA } from "./data.js";

/** @typedef {[low: number, high: number]} Extent */

/**
 * About so many ticks from low to high: their values and words.
 * @param {number} low
 * @param {number} high
 * @param {number} about
 * @param {boolean} whole whether only integers are wanted
 * @returns {[value: number, words: string][]}
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

/**
 * From the least to the largest value and a share more; of values that are equal up to rounding, a little around them.
 * @param {Iterable<number>} values
 * @param {number} share
 * @param {number} unit
 * @returns {Extent}
 */
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

/**
 * The extent of a squared quantity: hardly below 0.
 * @param {Extent} extent
 * @returns {Extent}
 */
export function fromZero([low, high]) {
  return [Math.max(low, -0.02 * high), high];
}

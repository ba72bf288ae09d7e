// @ts-check
/* Where a text in a figure covers least. */

/** @typedef {[x: number, y: number]} Point in pixels */
/** @typedef {{ x: number, y: number, width: number }} Text the middle of its base line, and its width */

const AROUND = 5;  // pixels, about the radius of a mark
const HIGH = 10;

/**
 * The first of the places for a text that covers the fewest points.
 * @template {Text} Place
 * @param {Place[]} texts
 * @param {Point[]} points
 */
export function freest(texts, points) {
  const covered = texts.map((text) => points.filter((point) => covers(text, point)).length);
  return texts[covered.indexOf(Math.min(...covered))];
}

/**
 * @param {Text} text
 * @param {Point} point
 */
function covers({ x, y, width }, [px, py]) {
  return Math.abs(px - x) < width / 2 + AROUND && py > y - HIGH - AROUND && py < y + AROUND;
}

/**
 * Points on the steps from each place to the next one, as far apart as a mark is wide.
 * @param {Point[]} places
 */
export function onSteps(places) {
  return places.slice(1).flatMap(([x, y], at) => {
    const [before, over] = places[at];
    return [...between(before, x).map((each) => [each, over]), ...between(over, y).map((each) => [x, each])];
  }).map(([x, y]) => /** @type {Point} */ ([x, y]));
}

/**
 * @param {number} from
 * @param {number} to
 */
function between(from, to) {
  const count = Math.ceil(Math.abs(to - from) / AROUND);
  return Array.from({ length: count }, (_, step) => from + ((to - from) * step) / count);
}

/* The data of the page, which Python wrote: numbers, words, and the rules of rounding and escaping. */

/** A value as it was before Python packed it under an empty key: a table by column, in which one cell may stand for all
 * rows, or the bytes of numbers, in which NaN stands for null.
 * @param {string} _ @param {any} value */
function unpacked(_, value) {
  /** @type {Cell[][] | string | undefined} */
  const packed = value?.[""];
  if (packed === undefined) return value;
  if (typeof packed !== "string") {
    return Array.from({ length: value.rows }, (_, row) => packed.map((column) => column[row % column.length]));
  }
  const floats = new Float64Array(Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0)).buffer);
  return Array.from(floats, (number) => (Number.isNaN(number) ? null : number));
}

/** @type {PageData} */
const DATA = JSON.parse(document.getElementById("data")?.textContent ?? "", unpacked);
const NOUNS = DATA.nouns;

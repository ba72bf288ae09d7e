// @ts-check
/* The data of the page, which Python wrote: numbers, words, and the rules of rounding and escaping. */

/** @typedef {"mean" | "bias2" | "var" | "total" | "var_gap" | "total_gap"} Quantity */
/** @typedef {{ run: string, rank: number, stability?: number | null } & Record<Quantity, number>} Run */
/** @typedef {string | number | boolean | string[] | null} Cell */
/** @typedef {{ title: string, columns: string[], rows: Cell[][], headings: Record<string, string> }} SheetData */

/**
 * One form of the decomposition: the columns of its variance and total, the title of its axis, and its name.
 * @typedef {{ var: Quantity, total: Quantity, words: string }} Form
 */

/**
 * One measure and target. Scores are by run and query; runs are places among the names of the page.
 * @typedef {object} PanelData
 * @property {string} key
 * @property {string} measure
 * @property {"more" | "less"} better which scores are the better ones
 * @property {number[]} order the runs in the rows of their table
 * @property {{ name: string, members: number[] }[]} families
 * @property {Record<string, number[]>} fronts the runs on the Pareto front of each form, in order of bias²
 * @property {{ critical: number | null, words: string }} apart from which difference of means on runs differ, and by
 *   which test; null and the reason where there is none
 * @property {string[]} queries
 * @property {number[]} difficulty rank of each query, 1 the hardest
 * @property {number[]} alike how many queries are as hard as each, itself included; their ranks are in order of ids
 * @property {number[][]} scores
 * @property {number[] | null} target_scores null for a target that is a mean alone
 * @property {number[][]} spread least, quartiles and largest score of the pool on each query
 */

/**
 * How Markdown and LaTeX escape a cell: patterns of regular expressions, and what replaces a sign.
 * @typedef {object} Escapes
 * @property {string} markdown
 * @property {string} ligature
 * @property {Record<string, string>} latex
 */

/**
 * What sentences call a query and a run: in the singular, the plural, with a capital letter, and with an article.
 * @typedef {Record<"query" | "queries" | "run" | "runs" | "Query" | "Queries" | "Run" | "Runs" | "aRun", string>} Nouns
 */

/**
 * @typedef {object} PageData
 * @property {Nouns} nouns
 * @property {number} digits
 * @property {number} rounding what two numbers may differ by, relative to the larger, and still be equal
 * @property {Record<string, string>} coefficients
 * @property {Record<string, Form>} forms
 * @property {Escapes} escapes
 * @property {string[]} names
 * @property {Record<string, string>} unjudged the share of unjudged documents of runs of which it is more than half
 * @property {{ unusual: number, least_runs: number }} stability beyond which it is unusual, and of how many runs at least
 * @property {number} run the highlighted one that was named first, which is chosen when the page opens; -1 for none
 * @property {number | null} second that it opens with: the baseline, or else the highlighted one that was named second
 * @property {PanelData[]} panels
 * @property {Record<string, SheetData>} sheets
 */

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

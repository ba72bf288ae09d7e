// @ts-check
/* The data of the page, which Python wrote: numbers, words, and the rules of rounding and escaping. */

/** @typedef {"mean" | "bias2" | "var" | "total" | "var_gap" | "total_gap"} Quantity */
/** @typedef {{ run: string, rank: number, stability?: number | null } & Record<Quantity, number>} Run */
/** @typedef {string | number | boolean | string[] | null} Cell */
/** @typedef {{ title: string, columns: string[], rows: Cell[][], headings?: Record<string, string> }} SheetData */

/**
 * One form of the decomposition: the columns of its variance and total, the title of its axis, and its name.
 * @typedef {{ var: Quantity, total: Quantity, words: string }} Form
 */

/** @typedef {{ median: number | null, low: number | null, high: number | null, p: number | null }} NullInterval */

/**
 * One row of `tradeoff -f json`, without its coefficients.
 * @typedef {object} TradeoffRow
 * @property {string} sampling
 * @property {number | null} subset_size
 * @property {boolean} normalised
 * @property {string} form
 * @property {Record<string, NullInterval> | null} [null]
 */

/**
 * One measure and target. Scores are by run and query; runs are places among the names of the page.
 * @typedef {object} PanelData
 * @property {string} key
 * @property {string} measure
 * @property {{ runs: Run[] }} decompose
 * @property {{ rows: (TradeoffRow & Record<string, any>)[] }} tradeoff
 * @property {{ rarefied: number[] | null } | null} target
 * @property {{ name: string, members: number[] }[]} families
 * @property {Record<string, number[]>} fronts the runs on the Pareto front of each form, in order of bias²
 * @property {string} no_null why there is no null model, empty where there is one
 * @property {{ critical: number | null, words: string }} apart from which difference of means on runs differ, and by
 *   which test; null and the reason where there is none
 * @property {string[]} queries
 * @property {number[]} difficulty rank of each query, 1 the hardest
 * @property {number[][]} scores
 * @property {number[] | null} target_scores null for a target that is a mean alone
 * @property {number[][]} spread least, quartiles and largest score of the pool on each query
 */

/**
 * The tracks of a manifest, as `tracks -f json` has them; a row of a track has its correlations by sampling too.
 * @typedef {{ track: string, series: string, year: number }} TrackOfYear
 * @typedef {object} TrendData
 * @property {(TrackOfYear & { measure: string, target: string } & Record<string, any>)[]} tracks
 * @property {(TrackOfYear & { model?: string, quantity: string } & NullInterval)[]} null
 */

/**
 * How Markdown and LaTeX escape a cell: patterns of regular expressions, and what replaces a sign or a heading.
 * @typedef {object} Escapes
 * @property {string} markdown
 * @property {string} ligature
 * @property {Record<string, string>} latex
 * @property {Record<string, string>} headings
 */

/**
 * @typedef {object} PageData
 * @property {number} digits
 * @property {number} rounding what two numbers may differ by, relative to the larger, and still be equal
 * @property {number} n_colours of series
 * @property {Record<string, string>} coefficients
 * @property {Record<string, Form>} forms
 * @property {Record<string, string>} samplings
 * @property {string[]} series the samplings of the trend
 * @property {Record<string, Record<string, [words: string, high: boolean]>>} heads what columns of tables that are made
 *   here mean, and whether their best values are the largest
 * @property {Escapes} escapes
 * @property {string[]} names
 * @property {number | null} baseline
 * @property {PanelData[]} panels
 * @property {Record<string, SheetData>} sheets
 * @property {TrendData | null} trend
 */

/** @type {PageData} */
export const DATA = JSON.parse(document.getElementById("data")?.textContent ?? "");

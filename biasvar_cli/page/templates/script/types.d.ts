/* The types of the data of the page and of what the script keeps. It is read by the compiler alone, and not served. */

type Quantity = "mean" | "bias2" | "var" | "total" | "var_gap" | "total_gap";
type Run = { run: string; rank: number; stability?: number | null } & Record<Quantity, number>;
type Cell = string | number | boolean | string[] | null;
type SheetData = { title: string; columns: string[]; rows: Cell[][]; headings: Record<string, string> };
type Form = { var: Quantity; total: Quantity; words: string };  // the columns of its variance and total, and its name

/** One measure and target. Scores are by run and query; runs are places among the names of the page. */
interface PanelData {
  key: string;
  measure: string;
  better: "more" | "less";  // which scores are the better ones
  order: number[];  // the runs in the rows of their table
  families: { name: string; members: number[] }[];
  fronts: Record<string, number[]>;  // the runs on the Pareto front of each form, in order of bias²
  apart: { critical: number | null; words: string };  // from which difference of means on runs differ, and by which
  // test; null and the reason where there is none
  queries: string[];
  difficulty: number[];  // rank of each query, 1 the hardest
  alike: number[];  // how many queries are as hard as each, itself included; their ranks are in order of ids
  scores: number[][];
  target_scores: number[] | null;  // null for a target that is a mean alone
  spread: number[][];  // least, quartiles and largest score of the pool on each query
}

/** What sentences call a query and a run: in the singular, the plural, with a capital letter, and with an article. */
type Nouns = Record<"query" | "queries" | "run" | "runs" | "Query" | "Queries" | "Run" | "Runs" | "aRun", string>;

interface PageData {
  nouns: Nouns;
  digits: number;
  rounding: number;  // what two numbers may differ by, relative to the larger, and still be equal
  coefficients: Record<string, string>;
  forms: Record<string, Form>;
  escapes: { markdown: string; ligature: string; latex: Record<string, string> };  // patterns; what replaces a sign
  names: string[];
  unjudged: Record<string, string>;  // the share of unjudged documents of runs of which it is more than half
  stability: { unusual: number; least_runs: number };  // beyond which it is unusual, and of how many runs at least
  run: number;  // the highlighted one that was named first, which is chosen when the page opens; -1 for none
  second: number | null;  // the baseline, or else the highlighted one that was named second
  panels: PanelData[];
  sheets: Record<string, SheetData>;
}

/** One measure and target, and what is chosen in it. */
interface Panel {
  data: PanelData;
  element: HTMLElement;
  runs: Run[];
  sheet: HTMLElement;  // its table of runs
  controls: Record<"form" | "order" | "coefficient", HTMLSelectElement> & Record<"filter" | "front", HTMLInputElement>;
  family: Map<number, number>;  // the index of the family of each run that is in one
  matching: Set<number> | null;  // the runs that the filter leaves, null without a filter
  lines: HTMLElement[];  // the rows of runs in its tables
  drawings: SVGSVGElement[];  // those of runs that are seen
  frame: () => void;  // shows the chosen runs in the heat map
  drawn: number;  // the width that its figures were drawn for
}

type Attributes = Record<string, string | number | boolean | undefined>;  // those that are undefined are not set
type Parts = { title: string; names: string[]; heads: string[]; numeric: boolean[]; body: string[][]; last: string[][] };
type Test = (row: Cell[], name: string) => boolean;
type View = Record<string, string>;  // what is chosen, by the words of the address
type LegendEntry = [drawn: SVGElement, words: string];  // drawn around the origin of a box of 14 pixels
type Bars = { values: number[]; yTitle: string; label: string; positive: string; negative: string };  // by query; classes
type Extent = [low: number, high: number];
type Scale = (value: number) => number;

/** What a plot is made with; the figure draws its horizontal axis itself. */
interface PlotRequest {
  height: number;
  y: Extent;
  xTitle?: string;
  yTitle: string;
  bottom: number;  // the room under the plot
  label: string;
  signs: number;  // the room for ticks of the vertical axis, in signs
  inside: number;  // the least width between the vertical edges; a figure that is wider than its place scrolls
}

/** A plot and its edges, in pixels. */
type Plot = { svg: SVGSVGElement; Y: Scale; left: number; right: number; top: number; base: number };

/** What a heat map is of, and where it is: a row for each of `runs`, a column for each of `queries`, in their order. */
interface HeatMap {
  panel: Panel;
  runs: number[];
  queries: number[];
  target: number[];  // its score on each query
  names: string[];  // of the runs beside their rows; none where there is no room for them
  width: number;
  left: number;
  top: number;
  step: number;  // the width of a column
  cell: number;  // the height of a row
  base: number;  // the lower edge of the last row
}

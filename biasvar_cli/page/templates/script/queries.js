/* What the figures of a run on every query share: the order of the queries, their axis, and the words of each. */

const LEAST_STEP = 11;  // pixels from one id to the next
const MOST = 120;  // queries that a figure is made wide for
const LONGEST_ID = 9;  // signs of a query's id beside an axis
/** @type {Record<string, string>} */
const ORDERS = {
  difficulty: "hardest first", gap: "widest gap first", second: `by difference from the second ${NOUNS.run}`, id: "by id",
};

/** The scores of the run, and of the second one if there is one.
 * @param {Panel} panel */
function chosenScores({ data: { scores } }) {
  return { own: scores[state.run], other: state.second === null ? null : scores[state.second] };
}

/** The order that is asked for, or hardest first while the one by the second run has none.
 * @param {Panel} panel */
function orderOf({ controls: { order: { value } } }) {
  return value === "second" && state.second === null ? "difficulty" : value;
}

/** The places of the queries in their order, equal ones hardest first.
 * @param {Panel} panel */
function inQueryOrder(panel) {
  const { difficulty, target_scores: target, queries } = panel.data, { own, other } = chosenScores(panel);
  /** @type {Record<string, (q: number) => number>} */
  const keys = {
    difficulty: (q) => difficulty[q], id: (q) => q, gap: (q) => (target ? gain(panel, own[q], target[q]) : 0),
    second: (q) => (other ? gain(panel, other[q], own[q]) : 0),
  };
  const key = keys[orderOf(panel)];
  return queries.map((_, q) => q).sort((a, b) => key(a) - key(b) || difficulty[a] - difficulty[b]);
}

/** @param {Panel} panel @param {number} q */
function wordsOfQuery(panel, q) {
  const { queries, target_scores: target, difficulty, alike } = panel.data, { own, other } = chosenScores(panel);
  const tied = alike[q] > 1 ? `, tied with ${alike[q] - 1} by score` : "";
  const query = `${queries[q]} (difficulty ${difficulty[q]} of ${queries.length}${tied})`;
  const lines = [query, `${nameOf(state.run)} ${shown(own[q])}`];
  if (target) lines.push(`target ${shown(target[q])}, gap ${shown(gain(panel, target[q], own[q]))}`);
  if (other && state.second !== null) {
    const difference = shown(gain(panel, own[q], other[q]));
    lines.push(`${nameOf(state.second)} ${shown(other[q])}, difference ${difference}`);
  }
  return lines.join("\n");
}

/** The room that ids of queries need under an axis, turned by a right angle.
 * @param {Panel} panel */
function roomOfIds({ data: { queries } }) {
  return 16 + 6 * Math.min(LONGEST_ID, Math.max(...queries.map((id) => id.length)));
}

/** The width that the ids of all queries need beside each other; of very many queries some ids are left out.
 * @param {Panel} panel */
function roomOfQueries({ data: { queries } }) {
  return queries.length <= MOST ? LEAST_STEP * queries.length : 0;
}

/** The room of a number beside a vertical axis, so that the queries of three figures are above each other.
 * @param {Panel} panel */
function signsOf({ data: { spread, target_scores: target } }) {
  const most = Math.max(...[...spread[0], ...spread[4], ...(target || [])].map(Math.abs));
  return Math.max(5, most < 1e6 ? 1 + String(Math.floor(most)).length : 7);
}

/** The ids of queries under their places: as many of them as have room.
 * @param {Panel} panel @param {number[]} order @param {number} step @param {(at: number) => [x: number, y: number]} place */
function idsAlong({ data: { queries } }, order, step, place) {
  const every = Math.ceil(LEAST_STEP / step), size = Math.max(10, Math.min(11, every * step - 1));
  return order.flatMap((q, at) => (at % every ? [] : [draw("text", {
    transform: `translate(${place(at)}) rotate(-90)`, "text-anchor": "end", class: "soft", "font-size": size,
  }, shortened(queries[q], LONGEST_ID))]));
}

/** An axis of queries under a plot: where each of them is, and how wide; the words of the one under the pointer.
 * @param {Panel} panel @param {Plot} plot @param {number[]} order */
function queryAxis(panel, { svg, left, right, base }, order) {
  const step = (right - left) / order.length;
  /** @param {number} at */
  const X = (at) => left + (at + 0.5) * step;
  svg.append(draw("g", { "aria-hidden": "true" }, ...idsAlong(panel, order, step, (at) => [X(at) + 4, base + 8])));
  explain(svg, (event) => {
    const x = event instanceof MouseEvent ? event.clientX - svg.getBoundingClientRect().left - left : -1;
    const q = order[Math.floor(x / step)];
    return q === undefined ? "" : wordsOfQuery(panel, q);
  });
  return { X, step };
}

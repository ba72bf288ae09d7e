/* The chosen run: its profile in words and in a table, its scores, and its ranks in the bar that is always seen. */

/** @type {Quantity[]} */
const QUANTITIES = ["mean", "bias2", "var", "total", "var_gap", "total_gap"];

/** The bar and the section of the chosen run; of a highlighted one it has the profile, which came with the page.
 * @param {Panel} panel */
function myRun(panel) {
  one(HTMLElement, "#rank-of-run").textContent = state.run < 0 ? "" : ranksOf(panel, state.run);
  one(HTMLElement, "#rank-of-second").textContent = state.second === null ? "" : ranksOf(panel, state.second);
  one(HTMLElement, ".chosen .name", panel.element).textContent = nameOf(state.run) ?? "";
  if (state.run < 0) return;
  const name = nameOf(state.run), second = state.second === null ? "" : ` against ${nameOf(state.second)}`;
  const { key, measure } = panel.data;
  const profiles = all(".profile", panel.element), own = profiles.find((profile) => Number(profile.dataset.run) === state.run);
  for (const profile of profiles) profile.hidden = profile !== own;
  one(HTMLElement, ".unprofiled", panel.element).hidden = own !== undefined;
  one(HTMLElement, ".chosen .summary", panel.element)
    .replaceChildren(...(own ? besideProfile(panel) : sentences(panel)).map((words) => make("p", { class: "verdict" }, words)));
  fillSheet(`${key}-quantities`, `Quantities of ${name}, ${measure}`, quantityRows(panel));
  fillSheet(`${key}-own`, `${NOUNS.Queries} of ${name}${second}, ${measure}`, queryRows(panel));
}

/** @param {Panel} panel @param {number} run */
function ranksOf(panel, run) {
  return `rank ${rankOf(panel, "mean", run)} by mean, ${rankOf(panel, "total", run)} by total`;
}

/** @param {Panel} panel */
function sentences(panel) {
  const { target_scores: target } = panel.data, { own } = chosenScores(panel), row = panel.runs[state.run];
  const ranks = `${ranksOf(panel, state.run)}, of ${counted(panel.runs.length, "run")}`;
  const parts = [`Mean ${shown(row.mean)}, ${ranks}.`, ...significance(panel), ...stability(panel)];
  if (target) parts.push(...againstTarget(panel, own, target));
  parts.push(...besideProfile(panel));
  const share = DATA.unjudged[nameOf(state.run)];
  if (share) parts.push(`${share} of its first documents are not judged, so that its scores may be too low.`);
  return parts;
}

/** How many runs differ significantly from the chosen one, as the table of comparisons has it.
 * @param {Panel} panel */
function significance(panel) {
  if (panel.data.apart.critical === null) return [];
  const { better, worse, rank_low: low, rank_high: high } = recordOf(panel, "compare", state.run);
  const rank = typeof low === "number" && low !== high ? ` 95 % range of its rank: ${low} to ${high}.` : "";
  return [`Significantly better than ${better} of the other ${panel.runs.length - 1} ${NOUNS.runs}, worse than ${worse}.${rank}`];
}

/** Whether the variance is that of runs of such a mean; nothing of few runs, which tell little of that.
 * @param {Panel} panel */
function stability(panel) {
  const { stability: z, var: variance } = panel.runs[state.run], { unusual, least_runs: least } = DATA.stability;
  if (z === undefined || z === null || panel.runs.length < least) return [];
  const expected = Math.abs(z) > unusual ? `is ${z < 0 ? "lower" : "higher"} than expected` : "is in the range expected";
  return [`Its variance over the ${NOUNS.queries}, ${shown(variance)}, ${expected} of ${NOUNS.aRun} with its mean ` +
    `(${shown(Math.abs(z), 1)} standard deviations ${z < 0 ? "below" : "above"} the variance expected at this mean; ` +
    `unusual beyond ${unusual}).`];
}

/** @param {Panel} panel @param {number[]} own @param {number[]} target */
function againstTarget(panel, own, target) {
  const { queries } = panel.data;
  const all = queries.map((_, q) => q), reached = all.filter((q) => outcome(panel, own[q], target[q]) >= 0);
  const widest = all.filter((q) => outcome(panel, own[q], target[q]) < 0)
    .sort((a, b) => gain(panel, target[b], own[b]) - gain(panel, target[a], own[a]));
  const which = reached.length ? ` (${listed(reached.map((q) => queries[q]))})` : "";
  const gaps = widest.slice(0, 3).map((q) => `${queries[q]} (${shown(gain(panel, target[q], own[q]))})`);
  return [`It reaches the target on ${reached.length} of ${counted(queries.length, "query")}${which}` +
    `${gaps.length ? `; widest gaps: ${listed(gaps)}` : ""}.`];
}

/** How the chosen run compares with the second one, which no profile says.
 * @param {Panel} panel */
function besideProfile(panel) {
  const { own, other } = chosenScores(panel);
  return other && state.second !== null ? [`Against ${nameOf(state.second)}: ${againstSecond(panel, own, other)}.`] : [];
}

/** @param {Panel} panel @param {number[]} own @param {number[]} other */
function againstSecond(panel, own, other) {
  const signs = own.map((score, q) => outcome(panel, score, other[q]));
  const [wins, losses] = [1, -1].map((wanted) => signs.filter((sign) => sign === wanted).length);
  const differences = own.map((score, q) => gain(panel, score, other[q]));
  const sum = differences.reduce((total, difference) => total + difference, 0);
  const mean = compare(sum, 0, Math.max(...differences.map(Math.abs))) === 0 ? 0 : sum / own.length;
  return `better on ${wins}, worse on ${losses}, equal on ${own.length - wins - losses}; mean difference ${shown(mean)}`;
}

/** The quantities of the run with its ranks, beside the best of the others by mean, the second run, and the median.
 * @param {Panel} panel @returns {Cell[][]} */
function quantityRows(panel) {
  const { runs } = panel, others = [...runs.keys()].filter((run) => run !== state.run);
  const best = others.reduce((first, run) => (outcome(panel, runs[run].mean, runs[first].mean) > 0 ? run : first));
  /** @param {number[]} values */
  const median = (values) => {
    const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1;
    return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  };
  return QUANTITIES.filter((name) => runs[state.run][name] !== null && runs[state.run][name] !== undefined).map((name) => [
    name.replace("2", "²"), runs[state.run][name], rankOf(panel, name, state.run), runs[best][name],
    state.second === null ? null : runs[state.second][name], median(runs.map((row) => row[name])),
  ]);
}

/** The scores of the chosen run on every query.
 * @param {Panel} panel @returns {Cell[][]} */
function queryRows(panel) {
  const { queries, difficulty, target_scores: target } = panel.data, { own, other } = chosenScores(panel);
  return inQueryOrder(panel).map((q) => [
    queries[q], difficulty[q], ...(target ? [target[q]] : []), own[q], ...(target ? [gain(panel, target[q], own[q])] : []),
    ...(other ? [other[q], gain(panel, own[q], other[q]), ["loss", "tie", "win"][outcome(panel, own[q], other[q]) + 1]]
      : [null, null, null]),
  ]);
}

/* The figures of the chosen run on each query: its scores, its gap to the target, and the run against the second one. */

/** The score on each query, beside the target, the second run and the pool.
 * @param {Panel} panel @param {HTMLElement} figure */
function profile(panel, figure) {
  const { target_scores: target, spread, measure } = panel.data, order = inQueryOrder(panel), room = roomOfIds(panel);
  const second = state.second === null ? "" : nameOf(state.second);
  const drawn = plot(figure, {
    height: 250 + room, y: extent([...spread[0], ...spread[4], ...(target || [])]), yTitle: measure,
    signs: signsOf(panel), bottom: 18 + room, inside: roomOfQueries(panel), xTitle: `${NOUNS.Queries}, ${ORDERS[orderOf(panel)]}`,
    label: `Score of ${nameOf(state.run)} on each of ${order.length} ${NOUNS.queries}, beside the target` +
      `${second ? ` and ${second}` : ""}; the table below has the numbers`,
  });
  const { X, step } = queryAxis(panel, drawn, order);
  drawn.svg.append(...order.flatMap((q, at) => marksOfQuery(panel, q, X(at), step, drawn.Y)));
  /** @type {LegendEntry[]} */
  const entries = [[draw("circle", { class: "own", r: 4.5 }), nameOf(state.run)]];
  if (target) entries.push([draw("line", { class: "aim", x1: -6, x2: 6 }), "target"]);
  if (second) entries.push([diamond(4.5, 0, 0), second]);
  entries.push([draw("line", { class: "range", y1: -7, y2: 7 }), `all ${NOUNS.runs} of the pool`]);
  entries.push([draw("line", { class: "quartiles", y1: -7, y2: 7 }), "the middle half of them"]);
  setLegend(figure, entries);
}

/** The mark of the second run.
 * @param {number} r @param {number} x @param {number} y */
function diamond(r, x, y) {
  const d = `M0,${-1.4 * r}L${1.2 * r},0L0,${1.4 * r}L${-1.2 * r},0Z`;
  return draw("path", { class: "other", d, transform: `translate(${x},${y})` });
}

/** The marks of one query: the pool, the target, the second run, the run.
 * @param {Panel} panel @param {number} q @param {number} x @param {number} step @param {Scale} Y */
function marksOfQuery(panel, q, x, step, Y) {
  const { target_scores: target, spread } = panel.data, { own, other } = chosenScores(panel);
  const r = Math.max(2, Math.min(4.5, 0.36 * step)), half = Math.max(1.5, Math.min(9, 0.42 * step));
  /** @param {string} name @param {number} low @param {number} high */
  const line = (name, low, high) => draw("line", { class: name, x1: x, x2: x, y1: Y(low), y2: Y(high) });
  /** @type {SVGElement[]} */
  const marks = [line("range", spread[0][q], spread[4][q]), line("quartiles", spread[1][q], spread[3][q])];
  if (target) {
    const y = Y(target[q]);
    marks.push(line("gap-line", own[q], target[q]), draw("line", { class: "aim", x1: x - half, x2: x + half, y1: y, y2: y }));
  }
  if (other) marks.push(diamond(r, x, Y(other[q])));
  return [...marks, draw("circle", { class: "own", r, cx: x, cy: Y(own[q]) })];
}

/** @param {Panel} panel @param {HTMLElement} figure */
function gap(panel, figure) {
  const { target_scores: target } = panel.data, { own } = chosenScores(panel), name = nameOf(state.run);
  if (!target) return;
  const less = panel.data.better === "less", difference = less ? `Score of ${name} minus target` : `Target minus score of ${name}`;
  setWords(figure, `Gap of ${name} to the target`,
    `${wordsOfGap(panel)}: 0 where the ${NOUNS.run} reaches the target, below 0 where it is better.`);
  bars(panel, figure, {
    values: target.map((score, q) => gain(panel, score, own[q])), yTitle: "Gap", positive: "loss", negative: "win",
    label: `${difference} on each ${NOUNS.query}; the table below has the numbers`,
  });
}

/** @param {Panel} panel @param {HTMLElement} figure */
function second(panel, figure) {
  const { own, other } = chosenScores(panel), name = nameOf(state.run);
  if (state.second === null || other === null) {
    const why = state.printing ? `No second ${NOUNS.run} was chosen.` : `Choose a second ${NOUNS.run} above, or a mark with Shift.`;
    setWords(figure, `Against a second ${NOUNS.run}`, "");
    return fillFigure(figure, make("p", { class: "caption" }, why), 0);
  }
  const names = [name, nameOf(state.second)], [first, last] = panel.data.better === "less" ? names.reverse() : names;
  setWords(figure, `${name} against ${nameOf(state.second)}`,
    `Difference of the scores: above 0 the first ${NOUNS.run} is better.`);
  bars(panel, figure, {
    values: own.map((score, q) => gain(panel, score, other[q])), yTitle: "Difference", positive: "win", negative: "loss",
    label: `Score of ${first} minus score of ${last} on each ${NOUNS.query}; the table below has the numbers`,
  });
}

/** @param {Panel} panel @param {HTMLElement} figure @param {Bars} of */
function bars(panel, figure, { values, yTitle, label, positive, negative }) {
  const order = inQueryOrder(panel), room = roomOfIds(panel);
  const drawn = plot(figure, {
    height: 138 + room, y: extent([...values, 0], 0.08), yTitle, signs: signsOf(panel), bottom: room,
    inside: roomOfQueries(panel), label,
  });
  const { X, step } = queryAxis(panel, drawn, order), { svg, Y, left, right } = drawn;
  svg.append(...order.map((q, at) => draw("rect", {
    class: values[q] > 0 ? positive : negative, x: X(at) - 0.4 * step, width: 0.8 * step, y: Y(Math.max(0, values[q])),
    height: Math.max(0, Y(Math.min(0, values[q])) - Y(Math.max(0, values[q]))),
  })), draw("line", { class: "axis", x1: left, x2: right, y1: Y(0), y2: Y(0) }));
}

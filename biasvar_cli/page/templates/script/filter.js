/* The filter of the table of runs: names and parts of them, and conditions on columns. */

const CONDITION = /^([^<>=]+)(<=|>=|<|>|=)(.+)$/;
/** @type {Record<string, (a: number, b: number) => boolean>} */
const TESTS = {
  "<": (a, b) => a < b, ">": (a, b) => a > b, "<=": (a, b) => a <= b, ">=": (a, b) => a >= b, "=": (a, b) => a === b,
};

/** Hides the rows that do not match, and says over the table by which filter; conditions that mean nothing say why.
 * @param {Panel} panel */
function filterRuns(panel) {
  const { sheet, element, controls, data: { fronts } } = panel, variance = formOf(panel).var, front = fronts[controls.form.value];
  const words = wordsOfFilter(controls.filter.value), onFront = controls.front.checked;
  const tests = words.map((word) => testOf(word, dataOf(sheet)));
  for (const line of linesOf(sheet)) {
    const run = Number(line.dataset.run), row = cellsOf(sheet, line);
    line.hidden = !tests.every((test) => test(row, nameOf(run))) || (onFront && !front.includes(run));
  }
  const matching = shownLines(sheet).map((line) => Number(line.dataset.run)), stops = stopsOf(panel, sheet);
  panel.matching = words.length || onFront ? new Set(matching) : null;
  stopAt(stops, stops[matching.indexOf(state.run)] ?? stops[0]);
  one(HTMLElement, ".of-form", element).textContent = variance;
  const how = [...words, ...(onFront ? [`Pareto front of bias² and ${variance}`] : [])].join(" ");
  const odd = words.flatMap((word) => faultsOf(word, dataOf(sheet)));
  sheet.dataset.how = odd.length ? `: ${odd.join("; ")}` : how ? `: ${how}` : "";
  showCount(sheet);
  showChoice(panel);
}

/** What is typed, by spaces; those in quotes and around a sign of comparison do not count.
 * @param {string} typed */
function wordsOfFilter(typed) {
  return typed.replace(/\s*(<=|>=|<|>|=)\s*/g, "$1").match(/[-!]?"[^"]*"|\S+/g) ?? [];
}

/** A word as a condition on a column, whose place is -1 if there is none; null for a part of a name.
 * @param {string} word @param {SheetData} data */
function conditionOf(word, { columns }) {
  const found = CONDITION.exec(word);
  if (found === null) return null;
  const [, column, sign, number] = found;
  return { column, at: columns.indexOf(column.toLowerCase().replace("²", "2")), sign, number: Number(number) };
}

/** What a word asks for: a whole name in quotes, a part of a name, a condition; the opposite after - or !.
 * @param {string} word @param {SheetData} data @returns {Test} */
function testOf(word, data) {
  const [, not, rest] = /^([-!]?)(.+)$/.exec(word) ?? [], whole = /^"(.*)"$/.exec(rest);
  if (not) {
    const test = testOf(rest, data);
    return (row, name) => !test(row, name);
  }
  if (whole) return (_, name) => name === whole[1];
  const condition = conditionOf(word, data);
  if (condition === null || condition.at < 0) return (_, name) => name.toLowerCase().includes(word.toLowerCase());
  const { at, sign, number } = condition;
  return (row) => row[at] !== null && TESTS[sign](Number(row[at]), number);
}

/** Why a condition means nothing, if it does.
 * @param {string} word @param {SheetData} data */
function faultsOf(word, data) {
  const condition = /^[-!]?"/.test(word) ? null : conditionOf(word.replace(/^[-!]/, ""), data);
  if (condition === null) return [];
  const { column, at, number } = condition;
  if (at < 0) return [`there is no column ${column}`];
  const ofText = data.rows.some((row) => typeof row[at] === "string");
  return Number.isNaN(number) || ofText ? [`${word}: conditions are on numbers, such as mean>0.3`] : [];
}

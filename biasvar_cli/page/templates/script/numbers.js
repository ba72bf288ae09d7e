/* Numbers: how they are rounded for people, and when two of them are equal. */

/** A number as biasvar prints it: rounded, "-" for undefined, small but not zero never as zero. A tie goes to the even
 * digit, as in Python: the exact value of a binary number ends within 30 digits behind those shown if it is a tie.
 * @param {number | null | undefined} value @param {number} digits */
function shown(value, digits = DATA.digits) {
  if (value === null || value === undefined) return "-";
  const exact = value.toFixed(digits + 30), tie = exact.endsWith(`5${"0".repeat(29)}`);
  const last = exact.at(-31) === "." ? exact.at(-32) : exact.at(-31);
  const even = tie && "02468".includes(last ?? "-");
  const text = even ? exact.slice(0, digits ? -30 : -31) : value.toFixed(digits);
  if (value !== 0 && Number(text) === 0) {
    const least = digits ? `.${"0".repeat(digits - 1)}1` : "1";
    return value > 0 ? `<${least}` : `>-${least}`;
  }
  return Number(text) === 0 ? text.replace("-", "") : text;
}

/** -1, 0 or 1. Differences by rounding alone, of the two or of a unit, are none: files can differ in a score's last digit.
 * @param {number} a @param {number} b @param {number} unit */
function compare(a, b, unit = 0) {
  if (Math.abs(a - b) <= DATA.rounding * Math.max(Math.abs(a), Math.abs(b), unit)) return 0;
  return a < b ? -1 : 1;
}

/** By how much the score a is better than b, below 0 where it is worse.
 * @param {Panel} panel @param {number} a @param {number} b */
function gain({ data: { better } }, a, b) {
  return better === "less" ? b - a : a - b;
}

/** 1, 0 or -1: whether the score a is better than b, as good, or worse.
 * @param {Panel} panel @param {number} a @param {number} b */
function outcome({ data: { better } }, a, b) {
  return better === "less" ? compare(b, a) : compare(a, b);
}

/** The largest value of a quantity, 0 if all are below it.
 * @param {Run[]} rows @param {Quantity} name */
function largest(rows, name) {
  return rows.reduce((most, row) => Math.max(most, row[name]), 0);
}

/** The places of the runs in ascending order of a quantity, equal ones in that of their names.
 * @param {Run[]} rows @param {Quantity} name */
function inOrder(rows, name) {
  const unit = largest(rows, name);
  return rows.map((_, run) => run).sort((a, b) => compare(rows[a][name], rows[b][name], unit) || a - b);
}

/** The rank of a run by a quantity, 1 the best: the largest mean, of measures of which less is better the least one, and
 * the least error. Runs of equal values share the lower rank.
 * @param {Panel} panel @param {Quantity} name @param {number} run */
function rankOf({ runs, data: { better } }, name, run) {
  const unit = largest(runs, name), sign = name === "mean" && better === "more" ? -1 : 1;
  return 1 + runs.filter((row) => sign * compare(row[name], runs[run][name], unit) < 0).length;
}

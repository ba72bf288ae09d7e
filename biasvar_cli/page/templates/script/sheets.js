/* Tables: their rows and data, sorting, what their heads mean, and how much of them is shown. */

const LEAST = 4;  // pixels that are hidden without a word

/** @param {HTMLElement} sheet */
function dataOf(sheet) {
  return DATA.sheets[sheet.dataset.sheet ?? ""];
}

/** The row of a run in a table of runs, by column; empty where the table leaves the run out.
 * @param {Panel} panel @param {string} table @param {number} run @returns {Record<string, Cell>} */
function recordOf({ data: { key }, runs }, table, run) {
  const { columns, rows } = DATA.sheets[`${key}-${table}`], at = columns.indexOf("run");
  const row = rows.find((cells) => String(cells[at]) === runs[run].run);
  return row ? Object.fromEntries(columns.map((name, index) => [name, row[index]])) : {};
}

/** @param {HTMLElement} sheet */
function linesOf(sheet) {
  return all("tbody tr", sheet);
}

/** The unrounded cells of a line.
 * @param {HTMLElement} sheet @param {HTMLElement} line */
function cellsOf(sheet, line) {
  return dataOf(sheet).rows[Number(line.dataset.row)];
}

/** @param {HTMLElement} sheet */
function headingsOf(sheet) {
  return all("thead th", sheet);
}

/** The column that a heading is of.
 * @param {HTMLElement} heading */
function columnOf(heading) {
  return one(HTMLElement, "button", heading).dataset.sort ?? "";
}

/** The column that a table is sorted by, and in which direction; null where it is in none of its own.
 * @param {HTMLElement} sheet */
function sortedBy(sheet) {
  const heading = maybe(HTMLElement, "th[aria-sort]", sheet);
  return heading && { column: columnOf(heading), down: heading.getAttribute("aria-sort") === "descending" };
}

/** Says that a table is in ascending order of a column, or in descending order; buttons beside it say so too.
 * @param {HTMLElement} sheet @param {string} column @param {boolean} down whether descending */
function markSorted(sheet, column, down = false) {
  for (const heading of headingsOf(sheet)) {
    if (columnOf(heading) === column) heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    else heading.removeAttribute("aria-sort");
  }
  for (const button of buttonsBeside(sheet)) {
    const by = button.dataset.by ?? "";
    button.setAttribute("aria-pressed", String(by === column && down === isLargestFirst(sheet, by)));
  }
}

/** The buttons outside a table that sort it, the best first.
 * @param {HTMLElement} sheet */
function buttonsBeside(sheet) {
  return all(`[data-sorts="${sheet.dataset.sheet}"]`);
}

/** Whether the best values of a column are its largest ones.
 * @param {HTMLElement} sheet @param {string} column */
function isLargestFirst(sheet, column) {
  return maybe(HTMLElement, `[data-sort="${column}"][data-first]`, sheet) !== null;
}

/** Sorts a table by a column, undefined cells last.
 * @param {HTMLElement} sheet @param {string} column @param {boolean} down whether descending */
function sortTo(sheet, column, down) {
  const at = dataOf(sheet).columns.indexOf(column);
  markSorted(sheet, column, down);
  const order = linesOf(sheet).sort((a, b) => {
    const left = cellsOf(sheet, a)[at], right = cellsOf(sheet, b)[at];
    const sign = left === null || right === null
      ? Number(left === null) - Number(right === null) : (down ? -1 : 1) * compareCells(left, right);
    return sign || Number(a.dataset.row) - Number(b.dataset.row);
  });
  one(HTMLElement, "tbody", sheet).append(...order);
}

/** Two cells in order: text by its letters and numbers, all else as numbers.
 * @param {Cell} a @param {Cell} b */
function compareCells(a, b) {
  const text = typeof a === "string" && typeof b === "string";
  return text ? a.localeCompare(b, "en", { numeric: true }) : Number(a) - Number(b);
}

/** Says over a table how many rows are shown, and by which filter.
 * @param {HTMLElement} sheet */
function showCount(sheet) {
  const lines = linesOf(sheet), visible = lines.filter((line) => !line.hidden).length;
  const words = visible === lines.length ? counted(visible, "row") : `${visible} of ${counted(lines.length, "row")}`;
  one(HTMLElement, ".count", sheet).textContent = words + (sheet.dataset.how ?? "");
}

/** A table sorts by its heads, which say what they mean, and by buttons beside it; what does not fit its frame is said.
 * @param {HTMLElement} sheet */
function connectSheet(sheet) {
  for (const button of all("[data-sort]", sheet)) {
    const column = button.dataset.sort ?? "", words = button.title;
    button.addEventListener("click", () => {
      const now = sortedBy(sheet), first = isLargestFirst(sheet, column), again = now?.column === column && now.down === first;
      sortTo(sheet, column, again ? !first : first);
    });
    button.removeAttribute("title");  // which a browser would show too
    button.setAttribute("aria-description", words);
    explain(button, () => words);
  }
  for (const button of buttonsBeside(sheet)) {
    const by = button.dataset.by ?? "";
    button.addEventListener("click", () => sortTo(sheet, by, isLargestFirst(sheet, by)));
  }
  const scroll = one(HTMLElement, ".scroll", sheet), update = () => sayMore(sheet, scroll);
  scroll.addEventListener("scroll", update, { passive: true });
  const observer = new ResizeObserver(update);
  observer.observe(scroll);
  observer.observe(one(HTMLElement, "table", scroll));
  showCount(sheet);
}

/** @param {HTMLElement} sheet @param {HTMLElement} scroll */
function sayMore(sheet, scroll) {
  const frame = one(HTMLElement, ".frame", sheet);
  const right = scroll.scrollWidth - scroll.clientWidth - scroll.scrollLeft > LEAST;
  const below = scroll.scrollHeight - scroll.clientHeight - scroll.scrollTop > LEAST;
  frame.toggleAttribute("data-right", right);
  frame.toggleAttribute("data-below", below);
  const words = [...(below ? ["rows ↓"] : []), ...(right ? ["columns →"] : [])].join(" and ");
  one(HTMLElement, ".more", sheet).textContent = words && `Scroll for more ${words}`;
}

/** Puts rows into a table whose heads came with the page; it stays in its order.
 * @param {string} key @param {string} title @param {Cell[][]} rows */
function fillSheet(key, title, rows) {
  const sheet = one(HTMLElement, `[data-sheet="${key}"]`), sorted = sortedBy(sheet);
  const numeric = headingsOf(sheet).map((heading) => heading.classList.contains("n"));
  const rounded = numeric.map((_, at) => rows.some((row) => typeof row[at] === "number" && !Number.isInteger(row[at])));
  Object.assign(dataOf(sheet), { title, rows });
  one(HTMLElement, "caption", sheet).textContent = title;
  one(HTMLElement, "tbody", sheet).replaceChildren(...rows.map((row, index) => make("tr", { "data-row": index },
    ...row.map((value, at) => make(at ? "td" : "th", { scope: at ? undefined : "row", class: numeric[at] ? undefined : "t" },
      rounded[at] && typeof value === "number" ? shown(value) : String(value ?? "-"))))));
  if (sorted) sortTo(sheet, sorted.column, sorted.down);
  showCount(sheet);
}

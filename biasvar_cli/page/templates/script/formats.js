/* A table as csv, Markdown or LaTeX: the rows that are shown, in their order. */

const { markdown: MARKDOWN_SIGNS, ligature: LIGATURES, latex: LATEX_SIGNS } = DATA.escapes;

/** @param {HTMLElement} sheet @param {string} format */
function asText(sheet, format) {
  if (format === "csv") return asCsv(sheet);
  const lines = shownLines(sheet), number = linesOf(sheet).length, heads = headingsOf(sheet);
  const { title, headings } = dataOf(sheet), filtered = `; ${lines.length} of ${counted(number, "row")}${sheet.dataset.how}`;
  const parts = {
    title: lines.length < number ? title + filtered : title,
    names: heads.map((head) => one(HTMLElement, "button", head).textContent ?? ""),
    heads: heads.map((head) => headings[columnOf(head)] ?? latexCell(columnOf(head))),
    numeric: heads.map((head) => head.classList.contains("n")),
    body: lines.map(textsOf), last: all("tfoot tr", sheet).map(textsOf),
  };
  return format === "markdown" ? asMarkdown(parts) : asLatex(parts);
}

/** @param {HTMLElement} sheet */
function shownLines(sheet) {
  return linesOf(sheet).filter((line) => !line.hidden);
}

/** @param {HTMLElement} line */
function textsOf(line) {
  return [...line.children].map((cell) => (cell.textContent ?? "").trim());
}

/** All columns, unrounded.
 * @param {HTMLElement} sheet */
function asCsv(sheet) {
  const rows = [dataOf(sheet).columns, ...shownLines(sheet).map((line) => cellsOf(sheet, line))];
  return rows.map((row) => row.map(csvCell).join(",")).join("\n") + "\n";
}

/** A text cell that a spreadsheet would take for a formula has an apostrophe before it.
 * @param {Cell | undefined} value */
function csvCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const safe = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** @param {Parts} parts */
function asMarkdown({ title, names, numeric, body, last }) {
  /** @param {string[]} cells */
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const rule = numeric.map((right) => (right ? "---:" : ":---"));
  const rows = [names.map(markdownCell), rule, ...[...body, ...last].map((row) => row.map(markdownCell))];
  return `**${markdownCell(title)}**\n\n${rows.map(line).join("\n")}\n`;
}

/** @param {string} text */
function markdownCell(text) {
  return text.replace(new RegExp(MARKDOWN_SIGNS, "g"), "\\$&").replace(/[\r\n]+/g, " ");
}

/** A tabular for the package booktabs, its title as a comment, the target's row under a rule.
 * @param {Parts} parts */
function asLatex({ title, heads, numeric, body, last }) {
  /** @param {string[]} cells */
  const line = (cells) => `${cells.join(" & ")} \\\\`;
  /** @param {string} text */
  const guarded = (text) => (/^[[*]/.test(text) ? `{}${text}` : text);  // the end of the row above would swallow it
  const foot = last.map((row) => line(row.map(latexCell)));
  return [
    `% ${title.replace(/[\r\n]+/g, " ")}`,
    `\\begin{tabular}{${numeric.map((right) => (right ? "r" : "l")).join("")}}`, "\\toprule",
    line(heads), "\\midrule",
    ...body.map((row) => guarded(line(row.map(markedCell)))), ...(foot.length ? ["\\midrule", ...foot] : []),
    "\\bottomrule", "\\end{tabular}",
  ].join("\n") + "\n";
}

/** An asterisk before words, or alone, is a mark; a highlighted name is bold.
 * @param {string} text */
function markedCell(text) {
  const name = text.replace(/ ←$/, ""), mark = name === "*" || name.startsWith("* ") ? "$^{*}$" : "";
  const word = mark + latexCell(mark ? name.slice(1) : name);
  return name === text ? word : `\\textbf{${word}}`;
}

/** @param {string} text */
function latexCell(text) {
  return [...text].map((sign) => LATEX_SIGNS[sign] ?? sign).join("")
    .replace(new RegExp(LIGATURES, "g"), "$&{}").replace(/[\r\n]+/g, " ");
}

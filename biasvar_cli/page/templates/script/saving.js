/* Saving a figure as SVG, with the colours that it has, and a table as csv. */

const LOOKS = [
  "fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "opacity", "paint-order",
  "font-family", "font-size", "font-weight", "text-anchor",
];

function connectSaving() {
  for (const button of all("[data-save]")) {
    button.addEventListener("click", () => {
      const sheet = button.closest(".sheet"), place = button.closest(".panel")?.id ?? "page";
      if (sheet instanceof HTMLElement) return saveFile(`${sheet.dataset.sheet}.csv`, asCsv(sheet), "text/csv");
      const figure = button.closest("figure");
      const svg = figure && [...figure.querySelectorAll(":is(.drawing, .canvas) > svg")].find((drawing) => drawing.getClientRects().length);
      if (svg instanceof SVGSVGElement) saveFile(`${place}-${figure?.dataset.figure}.svg`, asSvg(svg), "image/svg+xml");
    });
  }
}

/** A drawing by itself: what the style sheet of the page says of its parts stands at each of them.
 * @param {SVGSVGElement} svg */
function asSvg(svg) {
  const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true)), parts = [...svg.querySelectorAll("*")];
  [...copy.querySelectorAll("*")].forEach((part, at) => {
    const style = getComputedStyle(parts[at]);
    for (const { name } of [...part.attributes]) if (/^(class|role|tabindex|data-|aria-)/.test(name)) part.removeAttribute(name);
    for (const look of LOOKS) if (style.getPropertyValue(look)) part.setAttribute(look, style.getPropertyValue(look));
  });
  const { x, y, width, height } = svg.viewBox.baseVal;
  copy.prepend(draw("rect", { x, y, width, height, fill: getComputedStyle(document.body).backgroundColor }));
  copy.removeAttribute("class");
  filled(copy, { width, height });
  return new XMLSerializer().serializeToString(copy);
}

/** @param {string} name @param {string} text @param {string} type */
function saveFile(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  make("a", { download: `biasvar-${name}`, href: address }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

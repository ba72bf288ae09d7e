/* Elements: finding them and making them. */

const ROOT = document.documentElement;

/** The first element that a selector finds, null where there is none or one of another class.
 * @template {Element} Kind
 * @param {new () => Kind} kind @param {string} selector @param {ParentNode} within @returns {Kind | null} */
function maybe(kind, selector, within = document) {
  const element = within.querySelector(selector);
  return element instanceof kind ? element : null;
}

/** The first element that a selector finds. Throws an error where there is none.
 * @template {Element} Kind
 * @param {new () => Kind} kind @param {string} selector @param {ParentNode} within */
function one(kind, selector, within = document) {
  const element = maybe(kind, selector, within);
  if (element === null) throw new Error(`there is no ${selector} in the page`);
  return element;
}

/** All HTML elements that a selector finds.
 * @param {string} selector @param {ParentNode} within @returns {HTMLElement[]} */
function all(selector, within = document) {
  return [...within.querySelectorAll(selector)].filter((element) => element instanceof HTMLElement);
}

/** @template {Element} Kind
 * @param {Kind} element @param {Attributes} attributes @param {(Node | string)[]} children */
function filled(element, attributes, children = []) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(key, String(value));
  }
  element.append(...children);
  return element;
}

/** A new HTML element.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name @param {Attributes} attributes @param {(Node | string)[]} children */
function make(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** A new SVG element.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name @param {Attributes} attributes @param {(Node | string)[]} children */
function draw(name, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

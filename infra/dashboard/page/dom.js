/** Builds an element. Text is only ever set as text, so nothing that arrives becomes HTML. */
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? '' : String(value));
  }
  node.append(...children.filter((child) => child !== undefined));
  return node;
}

export const byId = (id) => document.getElementById(id);

const drawn = new WeakMap();

/**
 * Draws a part of the page again if its data changed. The element that had the focus (by `data-key`) has it again afterwards, and
 * open details stay open.
 */
export function redraw(container, data, build) {
  const text = JSON.stringify(data);
  if (drawn.get(container) === text) return;
  drawn.set(container, text);
  const focused = container.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  const open = new Set([...container.querySelectorAll('details[open]')].map(({ dataset }) => dataset.key));
  container.replaceChildren(...build());
  for (const details of container.querySelectorAll('details')) details.open = open.has(details.dataset.key);
  if (focused !== undefined)
    [...container.querySelectorAll('[data-key]')].find(({ dataset }) => dataset.key === focused)?.focus();
}

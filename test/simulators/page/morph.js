import { adoptHandlers } from './dom.js';

/**
 * Changes what is shown into what is to be shown, and leaves alone what is the same: the keyboard's focus, what is
 * selected, scrolled, opened, typed or being played stays as it was. `data-key` tells apart siblings of one kind.
 * The answer is the element that is shown now.
 */
export function morph(current, next) {
  if (!isSame(current, next)) {
    current.replaceWith(next);
    return next;
  }
  if (next.nodeType !== Node.ELEMENT_NODE) {
    if (current.data !== next.data) current.data = next.data;
    return current;
  }
  morphAttributes(current, next);
  adoptHandlers(current, next);
  morphChildren(current, [...next.childNodes]);
  if (current.nodeName === 'SELECT') choose(current, next);
  return current;
}

/** Makes these the children of an element. */
export function morphChildren(parent, children) {
  let at = parent.firstChild;
  for (const [index, next] of children.entries()) {
    const match = findFrom(at, next, children.slice(index + 1));
    if (!match) {
      parent.insertBefore(next, at);
      continue;
    }
    while (at !== match) at = removed(at);
    at = morph(match, next).nextSibling;
  }
  while (at) at = removed(at);
}

function removed(node) {
  const { nextSibling } = node;
  node.remove();
  return nextSibling;
}

/** The first sibling that can become `next`. Those before it would go, so they must not be wanted later. */
function findFrom(at, next, later) {
  for (let node = at; node; node = node.nextSibling) {
    if (isSame(node, next)) return node;
    if (later.some((one) => isSame(node, one))) return undefined;
  }
  return undefined;
}

const isSame = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);
const keyOf = (node) => node.dataset?.key ?? node.dataset?.ts;

function morphAttributes(current, next) {
  for (const name of current.getAttributeNames()) {
    // What the reader opened stays open.
    const isOpened = name.startsWith('data-kept-') || (name === 'open' && current.nodeName === 'DETAILS');
    if (!next.hasAttribute(name) && !isOpened) current.removeAttribute(name);
  }
  for (const name of next.getAttributeNames()) {
    const value = next.getAttribute(name);
    if (name === 'open' || current.getAttribute(name) === value) continue;
    // The page's own policy forbids the attribute, not what it stands for.
    if (name === 'style') current.style.cssText = next.style.cssText;
    else current.setAttribute(name, value);
  }
}

/** A menu shows what holds, also after somebody chose what was refused. */
function choose(current, next) {
  const chosen = new Set([...next.selectedOptions].map(({ value }) => value));
  for (const option of current.options) {
    if (option.selected !== chosen.has(option.value)) option.selected = chosen.has(option.value);
  }
}

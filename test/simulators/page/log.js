import { morph, morphChildren } from './morph.js';

/**
 * Draws the messages of a place anew where they changed, and stays at the end if the reader was there. Each entry is a
 * `message` with its `view` and a `sign` of what else that depends on. `news` lists what of it a reader should not miss;
 * without it there is nothing.
 */
export function drawLog(log, place, entries, empty) {
  const moved = log.dataset.place !== place;
  const atEnd = moved || (log.atEnd ?? isAtEnd(log));
  const old = new Map(moved ? [] : [...log.children].map((child) => [child.dataset.ts, child]));
  log.dataset.place = place;
  const children = entries.map((entry) => childOf(entry, old.get(entry.message.ts)));
  if (children.length === 0 && empty)
    children.push((!moved && log.querySelector(':scope > .welcome')) || empty());
  const hadFocus = !moved && log.contains(document.activeElement);
  if (moved) log.replaceChildren(...children);
  else arrange(log, children);
  const fresh = moved ? [] : children.filter(({ isFresh }) => isFresh);
  for (const child of children) child.isFresh = false;
  // What had the focus is gone: the place where it was keeps it.
  if (hadFocus && !log.contains(document.activeElement)) log.focus({ preventScroll: true });
  log.atEnd = atEnd;
  if (atEnd) log.scrollTop = log.scrollHeight;
  log.drawn?.({ moved, fresh });
}

function childOf({ message, sign, view, news }, before) {
  if (before && before.message === message && same(before.sign, sign)) return before;
  const child = before ? morph(before, view()) : view();
  const lines = news?.() ?? [];
  const isFresh = lines.some((one, index) => one !== undefined && one !== before?.news[index]);
  return Object.assign(child, { message, sign, news: lines, isFresh });
}

/** Puts children into their order without touching those that stay, which would lose the focus. */
function arrange(log, children) {
  const nodes = new Set(children);
  for (const child of Array.from(log.children)) if (!nodes.has(child)) child.remove();
  let next = log.firstElementChild;
  for (const child of children) {
    if (child === next) next = next.nextElementSibling;
    else log.insertBefore(child, next);
  }
}

/** Pictures grow as they load, and the box below grows over the messages: who reads at the end stays there. */
export function followEnd(log) {
  const follow = () => log.atEnd && (log.scrollTop = log.scrollHeight);
  let height = log.clientHeight;
  log.addEventListener('load', follow, true);
  new ResizeObserver(() => {
    height = log.clientHeight;
    follow();
  }).observe(log);
  // A log that has just become smaller was not scrolled by its reader.
  log.addEventListener('scroll', () => {
    if (log.clientHeight === height) log.atEnd = isAtEnd(log);
  });
}

const isAtEnd = (log) => log.scrollHeight - log.scrollTop - log.clientHeight < 60;

const same = (a, b) => a.length === b.length && a.every((value, index) => value === b[index]);

/** Replaces a list without taking the focus away from what stays in it. */
export const fill = (list, children) => morphChildren(list, children);

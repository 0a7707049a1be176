/** Redraws only the messages that changed, and stays at the end if the reader was there. */
export function drawLog(log, place, entries, empty) {
  const moved = log.dataset.place !== place;
  const atEnd = moved || isAtEnd(log);
  const old = new Map(moved ? [] : [...log.children].map((child) => [child.dataset.ts, child]));
  log.dataset.place = place;
  const children = entries.map(({ message, sign, view }) => {
    const before = old.get(message.ts);
    if (before && before.message === message && same(before.sign, sign)) return before;
    const made = Object.assign(view(), { message, sign });
    if (before) keepOpen(before, made);
    return made;
  });
  const focused = log.contains(document.activeElement) ? document.activeElement : undefined;
  const focusedAt = focused && [focused.closest('[data-ts]')?.dataset.ts, focused.dataset.key];
  if (children.length === 0 && empty) children.push(empty());
  const kept = new Set(children);
  for (const child of log.querySelectorAll(':scope > *')) if (!kept.has(child)) child.remove();
  let next = log.firstElementChild;
  for (const child of children) {
    if (child === next) next = next.nextElementSibling;
    else log.insertBefore(child, next);
  }
  if (focused && !focused.isConnected && focusedAt[1] !== undefined)
    log.querySelector(`[data-ts="${focusedAt[0]}"] [data-key="${CSS.escape(focusedAt[1])}"]`)?.focus();
  log.atEnd = atEnd;
  if (atEnd) log.scrollTop = log.scrollHeight;
}

/** Pictures grow as they load: who reads at the end stays there. */
export function followEnd(log) {
  log.addEventListener('load', () => log.atEnd && (log.scrollTop = log.scrollHeight), true);
  log.addEventListener('scroll', () => (log.atEnd = isAtEnd(log)));
}

const isAtEnd = (log) => log.scrollHeight - log.scrollTop - log.clientHeight < 60;

/** What the reader opened stays open. */
function keepOpen(before, after) {
  const old = [...before.querySelectorAll('details')];
  [...after.querySelectorAll('details')].forEach((one, index) => {
    if (old[index]) one.open = old[index].open;
  });
}

const same = (a, b) => a.length === b.length && a.every((value, index) => value === b[index]);

/** Replaces a list without taking the focus away from the same place in it. */
export function fill(list, children) {
  const focused = [...list.querySelectorAll('button')].indexOf(document.activeElement);
  list.replaceChildren(...children);
  if (focused >= 0) list.querySelectorAll('button')[focused]?.focus();
}

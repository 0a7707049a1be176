/** Redraws only the messages that changed, and stays at the end if the reader was there. */
export function drawLog(log, place, entries, empty) {
  const moved = log.dataset.place !== place;
  const atEnd = moved || log.scrollHeight - log.scrollTop - log.clientHeight < 60;
  const old = new Map(moved ? [] : [...log.children].map((child) => [child.dataset.ts, child]));
  log.dataset.place = place;
  const children = entries.map(({ message, sign, view }) => {
    const before = old.get(message.ts);
    if (before && before.message === message && same(before.sign, sign)) return before;
    return Object.assign(view(), { message, sign });
  });
  if (children.length === 0 && empty) children.push(empty());
  const kept = new Set(children);
  for (const child of log.querySelectorAll(':scope > *')) if (!kept.has(child)) child.remove();
  let next = log.firstElementChild;
  for (const child of children) {
    if (child === next) next = next.nextElementSibling;
    else log.insertBefore(child, next);
  }
  if (atEnd) log.scrollTop = log.scrollHeight;
}

const same = (a, b) => a.length === b.length && a.every((value, index) => value === b[index]);

/** Replaces a list without taking the focus away from the same place in it. */
export function fill(list, children) {
  const focused = [...list.querySelectorAll('button')].indexOf(document.activeElement);
  list.replaceChildren(...children);
  if (focused >= 0) list.querySelectorAll('button')[focused]?.focus();
}

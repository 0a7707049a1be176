import { element } from './dom.js';

/** A message counts as seen once so much of it (px) lies within its log. */
const SEEN_PX = 12;

/**
 * Marks what appears or changes outside the part of a log that can be seen: a button above or below says so, and leads
 * there.
 */
export function markUnseen(log) {
  const unseen = new Set();
  const button = (side) => {
    const pill = element('button', { type: 'button', class: `pill ${side}`, onclick: () => show(side) });
    pill.hidden = true;
    return pill;
  };
  const above = button('above');
  const below = button('below');
  log.before(element('div', { class: 'pills' }, above));
  log.after(element('div', { class: 'pills' }, below));

  const sideOf = (child) => {
    const [inner, outer] = [child.getBoundingClientRect(), log.getBoundingClientRect()];
    if (inner.top > outer.bottom - SEEN_PX) return 'below';
    return inner.bottom < outer.top + SEEN_PX ? 'above' : undefined;
  };
  const on = (side) => [...unseen].filter((child) => sideOf(child) === side);
  function update() {
    for (const child of unseen) if (!child.isConnected || sideOf(child) === undefined) unseen.delete(child);
    say(above, on('above').length, (count) => `↑ ${count === 1 ? '1 change' : `${count} changes`} above`);
    say(
      below,
      on('below').length,
      (count) => `↓ ${count === 1 ? '1 new message' : `${count} new messages`} below`,
    );
  }
  function show(side) {
    const target = side === 'below' ? on(side)[0] : on(side).at(-1);
    target?.scrollIntoView({ block: side === 'below' ? 'start' : 'nearest' });
    log.focus({ preventScroll: true });
  }
  log.addEventListener('scroll', update);
  addEventListener('resize', update);
  log.drawn = ({ moved, fresh }) => {
    if (moved) unseen.clear();
    for (const child of fresh) unseen.add(child);
    update();
  };
}

function say(button, count, words) {
  button.hidden = count === 0;
  if (count > 0) button.textContent = words(count);
}

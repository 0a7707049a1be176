import { byId, element, redraw } from './dom.js';
import { formatLeft } from './format.js';

/** Draws the fault panel and the banner. `change(name, seconds)` switches a fault. */
export function drawFaults(faults, clockOffsetMs, change) {
  byId('fault-section').hidden = faults.length === 0;
  byId('faults-link').hidden = faults.length === 0;
  const formatTimeLeft = ({ until }) => formatLeft(until - (Date.now() + clockOffsetMs));
  const active = faults.filter(({ until }) => until !== undefined);
  const banner = byId('active-faults');
  banner.hidden = active.length === 0;
  // The names only: a screen reader would read every second otherwise.
  const names = active.map(({ title }) => title).join(', ');
  redraw(banner, names, () => [
    `Faults are on: ${names}. `,
    element('a', { href: '#faults' }, 'Switch them off'),
  ]);
  document.title = active.length === 0 ? 'Parley: dashboard' : `Faults on (${active.length}): Parley`;
  redraw(byId('fault-list'), faults, () => faults.map((fault) => faultView(fault, change)));
  for (const fault of active) {
    const left = document.querySelector(`[data-left="${fault.name}"]`);
    if (left) left.textContent = `${formatTimeLeft(fault)} left`;
  }
}

function faultView({ name, title, effect, until, unavailable }, change) {
  const isOn = until !== undefined;
  const head = element(
    'h3',
    { id: `fault-${name}` },
    title,
    ' ',
    isOn ? element('span', { class: 'on' }, 'on') : undefined,
  );
  const about = { 'aria-describedby': `fault-${name}`, 'data-key': `switch-${name}`, type: 'button' };
  const button = isOn
    ? element('button', { ...about, class: 'off', onclick: () => change(name, 0) }, 'Switch off')
    : element(
        'button',
        { ...about, onclick: () => change(name, Number(byId('fault-seconds').value)) },
        'Switch on',
      );
  return element(
    'li',
    { class: isOn ? 'active' : undefined, 'data-fault': name },
    head,
    element('p', {}, effect),
    unavailable === undefined ? button : element('p', { class: 'hint' }, unavailable),
    isOn ? element('span', { class: 'left', 'data-left': name }) : undefined,
  );
}

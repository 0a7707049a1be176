/** The names and addresses by which a machine reaches itself. */
const THIS_MACHINE = /^(?:localhost|127\.[\d.]+|\[::1\])$/u;

/**
 * The links for a page that was opened as this host. On another machine, the loopback address of a neighbour would lead to that
 * machine, and the dashboard cannot be opened.
 */
export function linksFor({ neighbour, dashboard, ...links }, hostname) {
  if (THIS_MACHINE.test(hostname)) return { ...links, neighbour, dashboard };
  const seen = neighbour && new URL(neighbour);
  if (seen) seen.hostname = hostname;
  return { ...links, neighbour: seen?.href, dashboard: undefined };
}

/** Shows the links of the side, each only if it leads somewhere. The dashboard's says which faults are on. */
export function drawLinks(everywhere) {
  const { faults = [], ...links } = linksFor(everywhere, location.hostname);
  for (const name of ['neighbour', 'dashboard']) {
    const link = document.getElementById(name);
    link.hidden = !links[name];
    if (links[name]) link.href = links[name];
  }
  const dashboard = document.getElementById('dashboard');
  dashboard.classList.toggle('faults', faults.length > 0);
  dashboard.textContent = faults.length === 0 ? 'To the dashboard' : `Faults are on: ${faults.join(', ')}`;
}

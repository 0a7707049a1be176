/** Shows the links of the side, each only if it leads somewhere. The dashboard's says which faults are on. */
export function drawLinks({ faults = [], ...links }) {
  for (const name of ['neighbour', 'dashboard']) {
    const link = document.getElementById(name);
    link.hidden = !links[name];
    if (links[name]) link.href = links[name];
  }
  const dashboard = document.getElementById('dashboard');
  dashboard.classList.toggle('faults', faults.length > 0);
  dashboard.textContent = faults.length === 0 ? 'To the dashboard' : `Faults are on: ${faults.join(', ')}`;
}

/** Shows the links of the side, each only if it leads somewhere. */
export function drawLinks(links) {
  for (const name of ['neighbour', 'dashboard']) {
    const link = document.getElementById(name);
    link.hidden = !links[name];
    if (links[name]) link.href = links[name];
  }
}

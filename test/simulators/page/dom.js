/** Builds an element. Text is only ever set as text: nothing that people or models write becomes HTML. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** An address that may be opened: of the web, and nothing that runs. */
export const webAddress = (url) => (/^https?:\/\//i.test(String(url)) ? String(url) : undefined);

/** A link to elsewhere, or plain words where the address is none. */
export function outside(url, ...children) {
  const href = webAddress(url);
  if (!href) return element('span', {}, ...children);
  return element('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow' }, ...children);
}

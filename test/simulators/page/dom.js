/** What each element of the page listens to, by kind. One listener stands for each kind, so that `morph` can exchange it. */
const handlers = new WeakMap();

/** Builds an element. Text is only ever set as text: nothing that people or models write becomes HTML. */
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith('on')) listen(node, key.slice(2), value);
    else node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children.filter((child) => child !== undefined));
  return node;
}

/** From now on, this and nothing else happens at an event of this kind. */
function listen(node, kind, handler) {
  const registered = handlers.get(node) ?? {};
  if (!Object.hasOwn(registered, kind))
    node.addEventListener(kind, (event) => handlers.get(node)[kind]?.(event));
  handlers.set(node, { ...registered, [kind]: handler });
}

/** An element does from now on what another one would have done. */
export function adoptHandlers(from, to) {
  const [old, next] = [handlers.get(from) ?? {}, handlers.get(to) ?? {}];
  for (const kind of new Set([...Object.keys(old), ...Object.keys(next)])) listen(from, kind, next[kind]);
}

/** An address that may be opened: of the web, and nothing that runs. */
export const webAddress = (url) => (/^https?:\/\//i.test(String(url)) ? String(url) : undefined);

/** Where this page shows a canvas of the simulated workspace. */
const canvasAddress = (url) => {
  const [, id] = /^https:\/\/parley\.slack\.com\/docs\/\w+\/(F\w+)$/u.exec(String(url)) ?? [];
  return id && `/page/file/${id}`;
};

/** A link to elsewhere, or plain words where the address is none. */
export function outside(url, ...children) {
  const href = canvasAddress(url) ?? webAddress(url);
  if (!href) return element('span', {}, ...children);
  return element('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow' }, ...children);
}

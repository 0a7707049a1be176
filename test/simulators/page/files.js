import { element } from './dom.js';

const PICTURE = /^image\/(png|jpeg|gif|webp|svg\+xml)$/;

const PLAYABLE = /^(?:(video)\/(?:mp4|webm)|(audio)\/[\w.+-]+)$/;

/** The files that hang on a message: pictures are shown, films and sound played, others are named and can be saved. */
export function filesView(state, ids) {
  const shown = ids.map((id) => {
    const file = state.files.get(id);
    if (!file || file.deleted) return element('p', { class: 'faint' }, 'This file was deleted.');
    const [, film, sound] = PLAYABLE.exec(file.mimetype) ?? [];
    const player = film ?? sound;
    if (player) return playerView(player, file);
    return PICTURE.test(file.mimetype) ? pictureView(file) : chipView(file);
  });
  return element('div', { class: 'files' }, ...shown);
}

const address = (file) => `/page/file/${encodeURIComponent(file.id)}`;

function pictureView(file) {
  const picture = element('img', { src: address(file), alt: file.name });
  return element(
    'figure',
    {},
    element('a', { href: address(file), target: '_blank', rel: 'noopener' }, picture),
    element('figcaption', { class: 'faint' }, `${file.name} · ${sizeOf(file.size)}`),
  );
}

function playerView(tag, file) {
  const attributes = { src: address(file), controls: '', preload: 'none', 'aria-label': file.name };
  return element('figure', {}, element(tag, attributes), element('figcaption', {}, chipView(file)));
}

function chipView(file) {
  return element(
    'a',
    { class: 'file', href: address(file), download: file.name },
    element('span', { class: 'file-sign', 'aria-hidden': 'true' }, signOf(file)),
    element('span', {}, element('b', {}, file.name), element('span', { class: 'faint' }, sizeOf(file.size))),
  );
}

/** The ending of the name, or what the file says it is. */
const signOf = (file) =>
  (/\.([a-z0-9]{1,4})$/i.exec(file.name)?.[1] ?? file.filetype ?? '').toUpperCase().slice(0, 4) || '?';

/** 1,536 is `1.5 KB`. */
export function sizeOf(bytes) {
  if (bytes < 1_000) return `${bytes} B`;
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1_000, 'KB'] : [bytes / 1_000_000, 'MB'];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

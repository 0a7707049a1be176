import { element } from './dom.js';

const PICTURE = /^image\/(png|jpeg|gif|webp|svg\+xml)$/;
/** A film up to here is read to its end at once, and its connection is free again. */
const SMALL_FILM_BYTES = 1_000_000;
const PLAYABLE = /^(?:(video)\/(?:mp4|webm)|(audio)\/[\w.+-]+)$/;

/** The files that hang on a message of Slack's. */
export function filesView(state, ids) {
  const files = ids.map((id) => {
    const file = state.files.get(id);
    if (!file || file.deleted) return element('p', { class: 'faint' }, 'This file was deleted.');
    const { name, size, filetype, clip } = file;
    return fileView({ id, name, size, filetype, kind: kindOf(file), durationMs: clip?.durationMs });
  });
  return element('div', { class: 'files' }, ...files);
}

/** Slack's own recordings of sound call themselves films. */
function kindOf({ mimetype, clip }) {
  if (clip) return clip.kind === 'slack_audio' ? 'audio' : 'video';
  if (PICTURE.test(mimetype)) return 'image';
  const [, film, sound] = PLAYABLE.exec(mimetype) ?? [];
  return film ?? sound;
}

/** One file: a picture is shown, a film or sound is played, anything else is named and can be saved. */
export function fileView(file) {
  const { kind, name, alt = name, size, durationMs } = file;
  const src = `/page/file/${encodeURIComponent(file.id)}`;
  const length = durationMs === undefined ? '' : ` · ${clockOf(durationMs)}`;
  const facts = { src, name, sign: signOf(file), note: `${sizeOf(size)}${length}` };
  if (kind === 'image') return pictureView(facts, alt);
  const preload = kind === 'video' && size <= SMALL_FILM_BYTES ? 'metadata' : 'none';
  return kind === 'audio' || kind === 'video' ? playerView(kind, facts, preload) : chipView(facts);
}

const pictureView = ({ src, name, note }, alt) =>
  element(
    'figure',
    { 'data-key': src },
    element('a', { href: src, target: '_blank', rel: 'noopener' }, element('img', { src, alt })),
    element('figcaption', { class: 'faint' }, `${name} · ${note}`),
  );

/**
 * Plays sound or a film. Nothing of it is loaded before somebody does: a recording that waits to be played would hold one
 * of the few connections that a browser opens to a server. A small film is loaded at once, to show its first picture.
 */
const playerView = (kind, facts, preload) =>
  element(
    'figure',
    { 'data-key': facts.src },
    element(kind, { src: facts.src, controls: true, preload, 'aria-label': facts.name }),
    element('figcaption', {}, chipView(facts)),
  );

const chipView = ({ src, name, sign, note }) =>
  element(
    'a',
    { class: 'file', href: src, download: name },
    element('span', { class: 'file-sign', 'aria-hidden': 'true' }, sign),
    element('span', {}, element('b', {}, name), element('span', { class: 'faint' }, note)),
  );

/** The ending of the name, or what the file says it is. */
const signOf = ({ name, filetype = '' }) =>
  (/\.([a-z0-9]{1,4})$/i.exec(name)?.[1] ?? filetype).toUpperCase().slice(0, 4) || '?';

/** 65,000 ms are `1:05`. */
function clockOf(ms) {
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** 1,536 is `1.5 KB`. */
export function sizeOf(bytes) {
  if (bytes < 1_000) return `${bytes} B`;
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1_000, 'KB'] : [bytes / 1_000_000, 'MB'];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

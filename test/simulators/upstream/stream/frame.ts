import type { StreamShape } from './shape.ts';

/** The steps of a response on the wire. After the last step the response ends properly. */
export type Step =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'wait'; readonly ms: number }
  /** Nothing more is sent and the connection stays open; `pingMs` sends a comment now and then. */
  | { readonly kind: 'silence'; readonly pingMs?: number | undefined }
  /** The connection is destroyed. */
  | { readonly kind: 'cut' };

/** An event: its data, and a name if it has one. */
export type Event = { readonly data: string; readonly event?: string | undefined };

const DONE = '[DONE]';

/** Events as bytes, in the format of `shape`. */
export function frame(events: readonly Event[], shape: StreamShape): Buffer[] {
  const texts = events.map((each, at) => written(each, at, shape));
  if (shape.emptyData === true) texts.splice(1, 0, 'data:\n\n');
  const done = ending(shape);
  if (done === '' && shape.lastNewline === false) {
    texts.push((texts.pop() ?? '').replace(/\n\n$/u, ''));
  }
  const whole = [...texts, done].filter(Boolean).map((text, at) => Buffer.from(newlines(text, at, shape)));
  if (shape.bom === true) whole.unshift(Buffer.from('\u{FEFF}'));
  return shape.split !== undefined && shape.split > 0 ? sliced(Buffer.concat(whole), shape.split) : whole;
}

function written({ data, event }: Event, at: number, shape: StreamShape): string {
  const comment = shape.comments === 'blocks' ? ': ping\n\n' : '';
  const inside = shape.comments === 'inside' ? ': ping\n' : '';
  const eventLine = event === undefined ? '' : `event: ${event}\n`;
  const fields = shape.fields === true ? `id: ${at}\nevent: message\nretry: 3000\n` : eventLine;
  if (shape.data !== 'multiline') return `${comment}${fields}${inside}data:${space(shape)}${data}\n\n`;
  // Between two members of the object, where a line break changes nothing.
  const cut = data.indexOf(',"') + 1;
  return `${comment}${fields}${inside}data: ${data.slice(0, cut)}\ndata: ${data.slice(cut)}\n\n`;
}

function space({ data }: StreamShape): string {
  return data === 'no-blank' ? '' : ' ';
}

function ending(shape: StreamShape): string {
  switch (shape.done ?? 'yes') {
    case 'no':
      return '';
    case 'blank':
      return `data:${space(shape)}${DONE} \n\n`;
    case 'open':
      return `data:${space(shape)}${DONE}`;
    case 'more':
      return `data:${space(shape)}${DONE}\n\ndata: ${MORE}\n\n`;
    case 'yes':
      return `data:${space(shape)}${DONE}\n\n`;
  }
}

const MORE = JSON.stringify({
  id: 'after-the-end',
  object: 'chat.completion.chunk',
  created: 0,
  model: 'none',
  choices: [{ index: 0, delta: { content: ' AFTER THE END' }, finish_reason: null }],
});

function newlines(text: string, at: number, { newline }: StreamShape): string {
  if (newline === undefined || newline === 'lf') return text;
  if (newline === 'mixed') return text.replaceAll('\n', ['\n', '\r\n', '\r'][at % 3] ?? '\n');
  return text.replaceAll('\n', newline === 'crlf' ? '\r\n' : '\r');
}

function sliced(bytes: Buffer, size: number): Buffer[] {
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

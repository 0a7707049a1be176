import type { Socket } from 'node:net';

/** A response of a hand-written server: the events of a stream, or one body. */
export type RawResponse = {
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the body does not end. */
  readonly isOpen?: boolean;
} & ({ readonly events: readonly string[] } | { readonly json: unknown } | { readonly text: string });

/** Writes the bytes of a response in one way that HTTP, JSON and server-sent events allow. */
export type Framing = (socket: Socket, response: RawResponse) => void;

type Changes = {
  /** Changes the text of a stream. */
  readonly events?: (text: string) => string;
  /** Changes the text of a JSON body. */
  readonly json?: (value: unknown) => string;
  /** Bytes per chunk of the transfer encoding; without it the body has no chunks. */
  readonly chunkBytes?: number;
  readonly chunkExtension?: string;
  readonly trailer?: string;
  /** Written before the response. */
  readonly interim?: string;
  /** Without a length and chunks, the end of the connection ends the body. */
  readonly endsWithConnection?: boolean;
  readonly header?: (name: string, value: string) => string;
};

const BOM = '\uFEFF';
const pretty = (value: unknown): string => JSON.stringify(value, null, '\t').replaceAll('\n', '\r\n');

/** Comments before and inside each event, with characters of several bytes. */
const withComments = (text: string): string =>
  text.replaceAll('data: ', ': früh 👋\ndata: ').replaceAll('\n\n', '\n: spät 👋\n\n: keep-alive\n\n');

/** Each event in two data lines. The line break lands between two JSON fields, where it is white space. */
const inTwoLines = (text: string): string => text.replaceAll(',"object"', ',\ndata: "object"');

export const FRAMINGS: Readonly<Record<string, Framing>> = {
  'one byte per chunk': create({ chunkBytes: 1 }),
  'CR LF and a byte order mark, in chunks that split code points': create({
    events: (text) => `${BOM}${text.replaceAll('\n', '\r\n')}`,
    json: (value) => `${BOM}${pretty(value)}`,
    chunkBytes: 3,
  }),
  'comments and unknown fields, everything in one chunk': create({
    events: (text) => `retry: 9\nid: 7\nfoo: bar\n\n${withComments(text)}`,
    json: (value) => `\n\t ${JSON.stringify(value)} \r\n`,
    chunkBytes: 1 << 20,
    chunkExtension: ';name="value"',
    trailer: 'x-checksum: 7\r\n',
  }),
  'CR alone, the end of the connection as the end': create({
    events: (text) => text.replaceAll('\n', '\r'),
    endsWithConnection: true,
    header: (name, value) => `${name.toUpperCase()}:${value}  `,
  }),
  'events over two lines, after interim responses': create({
    events: inTwoLines,
    chunkBytes: 7,
    interim: 'HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n',
  }),
};

function create(changes: Changes): Framing {
  return (socket, response) => {
    const bytes = Buffer.concat([
      headOf(response, changes),
      bodyOf(textOf(response, changes), changes, response.isOpen),
    ]);
    if (changes.endsWithConnection === true && response.isOpen !== true) socket.end(bytes);
    else socket.write(bytes);
  };
}

function headOf(response: RawResponse, changes: Changes): Buffer {
  const { header = (name: string, value: string) => `${name}: ${value}` } = changes;
  const all = {
    'content-type':
      'events' in response ? 'text/event-stream' : 'text' in response ? 'text/html' : 'application/json',
    ...(changes.endsWithConnection === true ? { connection: 'close' } : { 'transfer-encoding': 'chunked' }),
    ...response.headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${header(name, value)}\r\n`);
  return Buffer.from(
    `${changes.interim ?? ''}HTTP/1.1 ${response.status ?? 200} OK\r\n${lines.join('')}\r\n`,
  );
}

function textOf(response: RawResponse, { events = String, json = JSON.stringify }: Changes): string {
  if ('events' in response) return events(response.events.join(''));
  return 'text' in response ? response.text : json(response.json);
}

function bodyOf(
  text: string,
  { chunkBytes, chunkExtension = '', trailer = '' }: Changes,
  isOpen = false,
): Buffer {
  const bytes = Buffer.from(text);
  if (chunkBytes === undefined) return bytes;
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const chunk = bytes.subarray(at, at + chunkBytes);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}${chunkExtension}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat(isOpen ? chunks : [...chunks, Buffer.from(`0\r\n${trailer}\r\n`)]);
}

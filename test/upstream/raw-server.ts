import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { parseJson, type JsonObject, asObject } from '../../shared/upstream/http/json.ts';

export type Received = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
};

export type Respond = (socket: Socket, request: Received, count: number) => void | Promise<void>;

export type RawServer = {
  readonly url: string;
  readonly requests: Received[];
  /** The number of connections opened so far, and of open ones. */
  readonly opened: () => number;
  readonly open: () => number;
  readonly close: () => Promise<void>;
};

/** An HTTP server that writes the given bytes to the socket. */
export async function startRawServer(respond: Respond): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const requests: Received[] = [];
  let opened = 0;
  const server = createServer((socket) => {
    opened += 1;
    sockets.add(socket);
    socket.setNoDelay(true);
    let buffer = Buffer.alloc(0);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => {
      buffer = Buffer.concat([buffer, bytes]);
      const parsed = parseRequest(buffer);
      if (parsed === undefined) return;
      buffer = buffer.subarray(parsed.size);
      requests.push(parsed.request);
      void respond(socket, parsed.request, requests.length);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    opened: () => opened,
    open: () => sockets.size,
    close: async () => {
      if (!server.listening) return;
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function parseRequest(buffer: Buffer): { request: Received; size: number } | undefined {
  const end = buffer.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line = '', ...lines] = buffer.toString('latin1', 0, end).split('\r\n');
  const [method = '', path = ''] = line.split(' ');
  const headers = Object.fromEntries(
    lines.map((header) => {
      const colon = header.indexOf(':');
      return [header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim()];
    }),
  );
  const size = end + 4 + Number(headers['content-length'] ?? 0);
  if (buffer.length < size) return undefined;
  const body = asObject(parseJson(buffer.toString('utf8', end + 4, size))) ?? {};
  return { request: { method, path, headers, body }, size };
}

/** A response with a JSON (or any other) body. */
export function reply(
  socket: Socket,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} Status\r\n${head.join('')}\r\n${text}`);
}

/** The head of a chunked stream. */
export function streamHead(socket: Socket, headers: Record<string, string> = {}): void {
  const all = {
    'content-type': 'text/event-stream; charset=utf-8',
    'transfer-encoding': 'chunked',
    ...headers,
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 200 OK\r\n${head.join('')}\r\n`);
}

export function chunk(socket: Socket, bytes: string | Buffer): void {
  const piece = Buffer.from(bytes);
  if (piece.length === 0) return;
  socket.write(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]));
}

export function lastChunk(socket: Socket): void {
  socket.write('0\r\n\r\n');
}

/** A stream of these chunks. */
export function stream(
  socket: Socket,
  pieces: readonly (string | Buffer)[],
  headers: Record<string, string> = {},
): void {
  streamHead(socket, headers);
  for (const piece of pieces) chunk(socket, piece);
  lastChunk(socket);
}

/** One event in the current shape. */
export function event(delta: object, finish: string | null = null, more: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finish, logprobs: null }];
  return data({ id: 'c-1', object: 'chat.completion.chunk', created: 1, model: 'model-a', choices, ...more });
}

export function data(value: unknown): string {
  return `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
}

export const USAGE = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12, reasoning_tokens: 2 };
export const DONE = 'data: [DONE]\n\n';

/** A response with `text`, word by word. */
export function answerOf(text: string): string[] {
  const words = text.split(/(?<= )/u).map((word) => event({ content: word }));
  const usage = data({
    id: 'c-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'model-a',
    choices: [],
    usage: USAGE,
  });
  return [event({ role: 'assistant', content: '' }), ...words, event({}, 'stop'), usage, DONE];
}

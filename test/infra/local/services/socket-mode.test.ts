import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHash, createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { forward } from '../../../../infra/local/services/forwarding-app.ts';
import { startSocketMode } from '../../../../infra/local/services/socket-mode.ts';
import { listen } from '../../../../infra/local/listen.ts';

const SECRET = 's3cret';
const NOW = 1_700_000_000_000;

/** The requests to the front, and its responses. */
const posted: { body: string; headers: NodeJS.Dict<string | string[]> }[] = [];
let status = 200;
let reply = '';
const front = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += String(chunk)));
  request.on('end', () => {
    posted.push({ body, headers: request.headers });
    response.writeHead(status).end(reply);
  });
});

/** Slack's side of socket mode: returns an address, says hello, stores acknowledgements. */
let opened = 0;
let refuse: string | undefined;
let link: Duplex | undefined;
let connected = Promise.withResolvers<void>();
const acks: unknown[] = [];
let acknowledged = Promise.withResolvers<void>();
const slack = createServer((request, response) => {
  opened += 1;
  const answer = refuse
    ? { ok: false, error: refuse }
    : { ok: true, url: `ws://${new URL(options.apiUrl).host}/link` };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  request.resume();
});
slack.on('upgrade', (request, socket: Duplex) => {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash('sha1').update(key).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  socket.on('data', (frame: Buffer) => receive(frame));
  socket.on('error', () => {});
  link = socket;
  say({ type: 'hello' });
  connected.resolve();
});

/** Writes one text frame. */
function say(message: unknown): void {
  const text = Buffer.from(JSON.stringify(message));
  const head =
    text.length < 126
      ? Buffer.from([0x81, text.length])
      : Buffer.from([0x81, 126, text.length >> 8, text.length & 255]);
  link?.write(Buffer.concat([head, text]));
}

/** Reads one masked frame; answers a close with a close. */
function receive(frame: Buffer): void {
  const [kind = 0, second = 0] = frame;
  if ((kind & 15) === 8) {
    link?.end(Buffer.from([0x88, 0]));
    return;
  }
  if ((kind & 15) !== 1) return;
  const start = (second & 127) === 126 ? 4 : 2;
  const mask = frame.subarray(start, start + 4);
  const text = frame.subarray(start + 4).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  acks.push(JSON.parse(Buffer.from(text).toString()));
  acknowledged.resolve();
}

let options: Parameters<typeof startSocketMode>[0];
const notes: string[] = [];
beforeAll(async () => {
  const apiUrl = `http://127.0.0.1:${await listen(slack, '127.0.0.1', 0)}/api/`;
  const eventsUrl = `http://127.0.0.1:${await listen(front, '127.0.0.1', 0)}/slack/events`;
  options = {
    appToken: 'xapp-1',
    apiUrl,
    eventsUrl,
    signingSecret: SECRET,
    reached: true,
    now: () => NOW,
    note: (line) => notes.push(line),
  };
});
afterAll(() => {
  for (const server of [slack, front]) {
    server.close();
    server.closeAllConnections();
  }
});

describe('the forwarding app', () => {
  const acknowledgements: unknown[] = [];
  const eventOf = (body: Record<string, unknown>, more = {}) => ({
    body,
    ack: async (response?: unknown) => void acknowledgements.push(response),
    ...more,
  });

  test('posts an event as signed JSON and acknowledges it', async () => {
    const body = { type: 'event_callback', event: { text: 'ü' } };
    await forward(eventOf(body, { retryNum: 2, retryReason: 'timeout' }), options);
    const sent = posted.at(-1) ?? { body: '', headers: {} };
    expect(sent.body).toBe('{"type":"event_callback","event":{"text":"ü"}}');
    const signature = createHmac('sha256', SECRET).update(`v0:1700000000:${sent.body}`).digest('hex');
    expect(sent.headers).toMatchObject({
      'content-type': 'application/json',
      'x-slack-signature': `v0=${signature}`,
      'x-slack-request-timestamp': '1700000000',
      'x-slack-retry-num': '2',
      'x-slack-retry-reason': 'timeout',
    });
    expect(acknowledgements).toEqual([undefined]);
  });

  test('posts an interaction or a command as a form and acknowledges it with the response', async () => {
    reply = '{"text":"here"}';
    await forward(eventOf({ type: 'block_actions' }), options);
    expect(posted.at(-1)?.body).toBe('payload=%7B%22type%22%3A%22block_actions%22%7D');
    await forward(eventOf({ command: '/ask', text: 'a b' }), options);
    expect(posted.at(-1)?.body).toBe('command=%2Fask&text=a+b');
    expect(acknowledgements.slice(-2)).toEqual([{ text: 'here' }, { text: 'here' }]);
  });

  test('acknowledges with the text of a response that is not JSON', async () => {
    reply = 'please wait';
    await forward(eventOf({ command: '/ask' }), options);
    expect(acknowledgements.at(-1)).toBe('please wait');
  });

  test('acknowledges nothing when the front does not accept the event', async () => {
    status = 503;
    const before = acknowledgements.length;
    await expect(forward(eventOf({ type: 'event_callback' }), options)).rejects.toThrow('answered 503');
    expect(acknowledgements).toHaveLength(before);
    status = 200;
    reply = '';
  });
});

describe('the socket mode connection', () => {
  test('forwards events, acknowledges them, and is opened again when Slack closes it', async () => {
    const socket = await startSocketMode(options);
    say({
      type: 'events_api',
      envelope_id: 'e1',
      payload: { type: 'event_callback', event: { type: 'app_mention' } },
    });
    await acknowledged.promise;
    expect(acks).toEqual([{ envelope_id: 'e1', payload: {} }]);
    expect(posted.at(-1)?.body).toBe('{"type":"event_callback","event":{"type":"app_mention"}}');
    connected = Promise.withResolvers();
    acknowledged = Promise.withResolvers();
    say({ type: 'disconnect', reason: 'refresh_requested' });
    await connected.promise;
    say({
      type: 'events_api',
      envelope_id: 'e2',
      payload: { type: 'event_callback', event: { type: 'message' } },
    });
    await acknowledged.promise;
    expect(acks.at(-1)).toEqual({ envelope_id: 'e2', payload: {} });
    expect(opened).toBe(2);
    await socket.close();
  });

  test('stops the start with the reason when Slack refuses the first one', async () => {
    refuse = 'invalid_auth';
    await expect(startSocketMode(options)).rejects.toThrow(
      'SLACK_APP_TOKEN: An API error occurred: invalid_auth',
    );
    refuse = undefined;
  });

  test('is opened later when Slack is unreachable at the start', async () => {
    const elsewhere = createServer();
    const port = await listen(elsewhere, '127.0.0.1', 0);
    await new Promise((resolve) => elsewhere.close(resolve));
    const tried = Promise.withResolvers<void>();
    const socket = await startSocketMode({
      ...options,
      apiUrl: `http://127.0.0.1:${port}/api/`,
      reached: false,
      note: () => tried.resolve(),
    });
    await tried.promise;
    connected = Promise.withResolvers();
    elsewhere.on('request', (request, response) => slack.emit('request', request, response));
    await listen(elsewhere, '127.0.0.1', port);
    await expect(connected.promise).resolves.toBeUndefined();
    await socket.close();
    elsewhere.close();
    elsewhere.closeAllConnections();
  });

  test('tells the person at the terminal when Slack refuses it later', async () => {
    refuse = 'token_revoked';
    const notice = Promise.withResolvers<string>();
    const socket = await startSocketMode({ ...options, reached: false, say: notice.resolve });
    expect(await notice.promise).toContain('token_revoked');
    await socket.close();
    refuse = undefined;
  });
});

test('an event that the front does not accept is not acknowledged over the socket', async () => {
  status = 503;
  const noted = Promise.withResolvers<string>();
  const socket = await startSocketMode({ ...options, note: noted.resolve });
  const before = acks.length;
  say({ type: 'events_api', envelope_id: 'e3', payload: { type: 'event_callback', event: { type: 'x' } } });
  expect(await noted.promise).toContain('the front answered 503');
  expect(acks).toHaveLength(before);
  status = 200;
  await socket.close();
});

import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { channelId, messageId, type TurnRef, userId, workspaceId } from '../../shared/domain/index.ts';
import { DiscordApiError } from '../../shared/platforms/discord/api/call.ts';
import { createDiscordPlatform } from '../../shared/platforms/discord/index.ts';
import { FileUnavailableError } from '../../shared/platforms/ports/index.ts';
import { createSlackPlatform } from '../../shared/platforms/slack/index.ts';
import { fakeTime } from './slack/fake-slack.ts';

/** The bytes that a host writes to a connection after the request. */
type Script = (socket: Socket, data: string) => void;
let script: Script = () => undefined;
const sockets = new Set<Socket>();
const server = createServer((socket) => {
  sockets.add(socket);
  socket.on('error', () => undefined);
  socket.once('data', (data) => script(socket, String(data)));
});
let origin = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${v.parse(v.object({ port: v.number() }), server.address()).port}`;
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

const MAX = 1_000;
/** Enough for any machine; a host that never ends is given up earlier. */
const PATIENT_MS = 20_000;
const IMPATIENT_MS = 60;
let withinMs = PATIENT_MS;
beforeEach(() => {
  withinMs = PATIENT_MS;
});
const head = (...lines: readonly string[]) => `HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n\r\n`;
const HALF = `${head('content-length: 100')}${'x'.repeat(50)}`;
const zipped = gzipSync('x'.repeat(100_000));

/** Writes a byte every few ms while the connection is open. */
const trickle = (socket: Socket): void => {
  socket.write(head('content-length: 900'));
  const timer = setInterval(() => void socket.write('x'), 5);
  socket.once('close', () => clearInterval(timer));
};

const WHERE = { platform: 'slack', workspace: workspaceId('T1'), channel: channelId('1') } as const;
const turn: TurnRef = {
  thread: { ...WHERE, root: messageId('2') },
  message: messageId('2'),
  asker: userId('3'),
  askerWorkspace: workspaceId('T1'),
};

type Fetch = (bytes: number) => Promise<Uint8Array>;

const PLATFORMS: readonly [string, () => Fetch][] = [
  [
    'Slack',
    () => {
      const files = {
        token: async () => 'xoxb-secret',
        hosts: { own: [origin], presigned: [] },
        downloadTimeoutMs: withinMs,
      };
      const call = async () => ({ ok: true, file: { url_private: `${origin}/a` } });
      const platform = createSlackPlatform({ call, time: fakeTime(), files });
      return (bytes) =>
        platform.downloadFile(turn, { id: 'F1', name: 'memo', mimetype: 'audio/ogg', bytes }, MAX);
    },
  ],
  [
    'Discord',
    () => {
      const platform = createDiscordPlatform({
        call: () => Promise.reject(new Error('nobody is asked')),
        time: fakeTime(),
        applicationId: '9',
        findInteractionToken: async () => undefined,
        guild: () => Promise.reject(new Error('nobody is asked')),
        cdnOrigins: [origin],
        downloadTimeoutMs: withinMs,
      });
      const id = () => `${origin}/attachments/1/2/memo.ogg`;
      return (bytes) =>
        platform.downloadFile(turn, { id: id(), name: 'memo', mimetype: 'audio/ogg', bytes }, MAX);
    },
  ],
];

const messageWith = (url: string) => ({
  attachments: [{ id: '5', filename: 'memo.ogg', size: 5, url, content_type: 'audio/ogg' }],
});

describe('an expired Discord file URL', () => {
  const path = '/attachments/1/2/memo.ogg';
  const ran = `?ex=${Math.floor(fakeTime().now() / 1_000 - 1).toString(16)}`;
  const lasts = `?ex=${Math.floor(fakeTime().now() / 1_000 + 60).toString(16)}`;

  /** The text shown to a person, or the file, and the requests to Discord. */
  async function fetched(answer: () => unknown) {
    const requests: string[] = [];
    let now = fakeTime().now();
    // The host responds in real time.
    const time = { now: () => now, sleep: async (ms: number) => void (now += ms) };
    const platform = createDiscordPlatform({
      call: async (request) => {
        requests.push(request.path);
        return answer();
      },
      time,
      applicationId: '9',
      findInteractionToken: async () => undefined,
      guild: () => Promise.reject(new Error('nobody is asked')),
      cdnOrigins: [origin],
      downloadTimeoutMs: withinMs,
    });
    const attachment = { id: `${origin}${path}${ran}`, name: 'memo', mimetype: 'audio/ogg', bytes: 5 };
    const came = platform.downloadFile(turn, attachment, MAX).then(
      (bytes) => Buffer.from(bytes).toString(),
      (error: unknown) => (error instanceof FileUnavailableError ? error.why[0] : String(error)),
    );
    return { came: await came, asked: requests[0] };
  }

  beforeEach(() => {
    script = (socket, data) =>
      void socket.end(
        data.includes(ran) ? 'HTTP/1.1 404 Not Found\r\n\r\n' : `${head('content-length: 5')}hello`,
      );
  });

  test('is renewed from its message', async () => {
    const response = await fetched(() => messageWith(`${origin}${path}${lasts}`));
    expect(response).toEqual({ came: 'hello', asked: '/channels/1/messages/2' });
  });

  test.each<[string, () => unknown, string]>([
    ['the message is gone', () => Promise.reject(new DiscordApiError(404, 10_008)), 'files.refused.gone'],
    ['the file was removed', () => messageWith(`${origin}/attachments/1/3/other.ogg`), 'files.refused.gone'],
    ['Discord fails', () => Promise.reject(new Error('503')), 'files.refused.no-answer'],
  ])('rejects unchanged when %s', async (_, answer, why) => {
    expect((await fetched(answer)).came).toBe(why);
  });
});

describe.each(PLATFORMS)('%s: a file host that', (platform, side) => {
  /** The text shown to a person, or the file. */
  const fetched = (): Promise<string> =>
    side()(5).then(
      (bytes) => `got ${Buffer.from(bytes).toString()}`,
      (error: unknown) => (error instanceof FileUnavailableError ? error.why[0] : String(error)),
    );

  test.each<[string, Script]>([
    ['sends a byte at a time', trickle],
    ['stalls in the middle', (socket) => void socket.write(HALF)],
    ['never answers', () => undefined],
  ])('%s is retryable', async (_, plays) => {
    withinMs = IMPATIENT_MS;
    script = plays;
    expect(await fetched()).toBe('files.refused.no-answer');
  });

  test.each<[string, Script]>([
    ['closes early', (socket) => void socket.end(HALF)],
    ['breaks off', (socket) => void socket.write(HALF, () => socket.resetAndDestroy())],
    [
      'loses its last chunk',
      (socket) => void socket.end(`${head('transfer-encoding: chunked')}5\r\nhello\r\n`),
    ],
    ['does not speak HTTP', (socket) => void socket.end('hello')],
  ])('%s fails with a retryable error', async (_, plays) => {
    script = plays;
    expect(await fetched()).toBe('files.refused.no-answer');
  });

  test('announces more than the maximum size is not read', async () => {
    script = (socket) => void socket.write(head('content-length: 1000000000000'));
    expect(await fetched()).toBe('files.refused.too-large');
  });

  test('announces less than it sends gives no more than announced', async () => {
    script = (socket) => void socket.end(`${head('content-length: 2')}hello`);
    expect(await fetched()).toBe('got he');
  });

  test('sends a compression bomb is cut off or not read', async () => {
    script = (socket) => {
      socket.write(head('content-encoding: gzip', `content-length: ${zipped.length}`));
      socket.end(zipped);
    };
    expect(await fetched()).toBe(
      platform === 'Slack' ? 'files.refused.no-answer' : 'files.refused.too-large',
    );
  });
});

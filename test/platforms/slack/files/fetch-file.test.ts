import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { FileUnavailableError } from '../../../../shared/platforms/ports/index.ts';
import { localize } from '../../../../shared/i18n/index.ts';
import { createSlackPlatform } from '../../../../shared/platforms/slack/index.ts';
import { type SlackCall, SlackApiError } from '../../../../shared/platforms/slack/api/call.ts';
import { fakeTime, turn } from '../fake-slack.ts';

const TOKEN = 'xoxb-secret';
const MAX = 1_000;
const attachment = { id: 'F1', name: 'notes *a*.txt', mimetype: 'text/plain', bytes: 5 };
const LOGIN = '<!DOCTYPE html><html lang="en"><head><title>Slack</title>';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
type Seen = {
  readonly url: string;
  readonly token: string | undefined;
  readonly encoding: string | undefined;
};

/** A server that plays one host, and records the requests with their tokens. */
async function host() {
  const requests: Seen[] = [];
  const pages = new Map<string, Answer>();
  const server = createServer((request, response) => {
    const { authorization, 'accept-encoding': encoding } = request.headers;
    requests.push({ url: request.url ?? '', token: authorization, encoding: String(encoding) });
    const page = pages.get(request.url ?? '');
    if (page) page(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = v.parse(v.object({ port: v.number() }), server.address());
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { origin: `http://127.0.0.1:${port}`, port, requests, pages, close };
}

/** The first file host, the second one that requires the token again, one for presigned URLs, and a foreign one. */
let files: Awaited<ReturnType<typeof host>>;
let origin: Awaited<ReturnType<typeof host>>;
let signed: Awaited<ReturnType<typeof host>>;
let other: Awaited<ReturnType<typeof host>>;
beforeAll(async () => {
  [files, origin, signed, other] = await Promise.all([host(), host(), host(), host()]);
});
afterAll(() => Promise.all([files, origin, signed, other].map(({ close }) => close())));
beforeEach(() => {
  for (const { requests, pages } of [files, origin, signed, other]) {
    requests.length = 0;
    pages.clear();
  }
});

const send =
  (content: string | Buffer, type = 'text/plain'): Answer =>
  (_, response) =>
    response.writeHead(200, { 'content-type': type }).end(content);
const redirect =
  (location: string): Answer =>
  (_, response) =>
    response.writeHead(302, { location }).end();

const ALL = ['chat:write', 'files:read'];

/** Fetches a file that Slack describes like this, for a token with these scopes. */
async function fetched(
  file: object | Error,
  downloadTimeoutMs = 2_000,
  scopes: readonly string[] | undefined = ALL,
): Promise<string> {
  const time = fakeTime();
  const call: SlackCall = async (_, args) => {
    if (file instanceof Error) throw file;
    const info = { id: args['file'], name: 'notes.txt', mimetype: 'text/plain', ...file };
    return { ok: true, file: info, response_metadata: scopes ? { scopes } : {} };
  };
  const hosts = { own: [files.origin, origin.origin], presigned: [signed.origin] };
  const config = { token: () => Promise.resolve(TOKEN), hosts, downloadTimeoutMs };
  const platform = createSlackPlatform({ call, time, botUserId: 'U0BOT', files: config });
  const got = platform.downloadFile(turn, attachment, MAX).then(
    (bytes) => `got ${Buffer.from(bytes).toString()}`,
    (error: unknown) =>
      error instanceof FileUnavailableError ? localize('en', ...error.why) : `other: ${String(error)}`,
  );
  return file instanceof Error ? time.until(got) : got;
}

/** An aborted request may arrive after its test. */
const SLOW = '/slow';

const at = (path: string) => ({ url_private_download: `${files.origin}${path}`, size: 5 });

describe('a file', () => {
  test('is fetched with the token, uncompressed', async () => {
    files.pages.set('/a', send('hello'));
    expect(await fetched(at('/a'))).toBe('got hello');
    expect(files.requests).toEqual([{ url: '/a', token: `Bearer ${TOKEN}`, encoding: 'identity' }]);
  });

  test('is fetched from its second URL when the first is missing', async () => {
    files.pages.set('/a', send('hello'));
    expect(await fetched({ url_private: `${files.origin}/a` })).toBe('got hello');
  });

  test('may be an HTML page itself', async () => {
    const page = { ...at('/a'), mimetype: 'text/html', size: LOGIN.length };
    files.pages.set('/a', send(LOGIN, 'text/html'));
    expect(await fetched(page)).toBe(`got ${LOGIN}`);
    expect(await fetched({ ...page, size: LOGIN.length + 1 })).toMatch(/sign-in page/);
  });

  test.each([
    ['HTML in a text file', { mimetype: 'text/plain' }, '<html><body>Slack</body></html>', 31],
    [
      'a canvas',
      { mimetype: 'application/vnd.slack-docs', mode: 'quip' },
      '<html><title>On Slack: rules</title>',
      80,
    ],
    ['an email', { mimetype: 'message/rfc822', mode: 'email' }, '<!doctype html><p>Dear Ada', 99],
  ])('may be %s, which is not a login page', async (_, fileInfo, content, size) => {
    files.pages.set('/a', send(content, 'text/html'));
    expect(await fetched({ ...at('/a'), ...fileInfo, size })).toBe(`got ${content}`);
    for (const title of ['Slack', 'Sign in | Slack', 'Anmelden – Slack']) {
      files.pages.set('/a', send(LOGIN.replace('Slack', title), 'text/html'));
      expect(await fetched({ ...at('/a'), ...fileInfo, size })).toMatch(/sign-in page/);
    }
  });

  test.each<[string, Answer, RegExp]>([
    [
      'the login page instead of it',
      send(LOGIN, 'text/html; charset=utf-8'),
      /sign-in page instead of “notes a .txt”. Share the file in this conversation/,
    ],
    ['the login page in disguise', send(`\ufeff\n${LOGIN}`), /sign-in page/],
    ['a missing permission', (_, response) => response.writeHead(403).end(), /sign-in page/],
    ['nothing', send(''), /is empty/],
    ['more than allowed', send('x'.repeat(MAX + 1)), /too large: I can read files of up to 0 MB/],
    ['that it is gone', (_, response) => response.writeHead(404).end(), /no longer exists/],
    ['a server error', (_, response) => response.writeHead(500).end(), /in a moment/],
    ['a broken connection', (request) => request.socket.destroy(), /in a moment/],
    [
      'compression unasked',
      (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
      /in a moment/,
    ],
  ])('is refused when Slack sends %s', async (_, answer, sentence) => {
    files.pages.set('/a', answer);
    expect(await fetched(at('/a'))).toMatch(sentence);
  });

  test('behind a login page is reported as a missing scope only if Slack says so', async () => {
    files.pages.set('/a', send(LOGIN, 'text/html'));
    expect(await fetched(at('/a'), 2_000, ['chat:write'])).toMatch(
      /“notes a .txt”: the app lacks the scope `files:read`/,
    );
    expect(await fetched(at('/a'), 2_000, ALL)).not.toMatch(/files:read/);
    expect(await fetched(at('/a'), 2_000, [])).toMatch(/files:read/);
  });

  test('without an end is cut off at the maximum size', async () => {
    files.pages.set('/a', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(500)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    expect(await fetched(at('/a'))).toMatch(/too large/);
  });

  test('that exceeds its time is given up', async () => {
    files.pages.set(SLOW, (_, response) => void response.writeHead(200).write('x'));
    expect(await fetched(at(SLOW), 50)).toMatch(/in time/);
  });

  test.each<[string, object | Error, RegExp]>([
    ['is larger than allowed', { url_private: 'https://x.example', size: MAX + 1 }, /too large/],
    ['is empty', { url_private: 'https://x.example', size: 0 }, /is empty/],
    ['was deleted', { mode: 'tombstone' }, /no longer exists/],
    ['is beyond the limit of the workspace', { mode: 'hidden_by_limit' }, /over its file limit/],
    ['is hosted elsewhere', { url_private: 'https://x.example', is_external: true }, /another service/],
    ['has no URL', {}, /Send it again/],
    ['is not found', new SlackApiError('files.info', 'file_not_found'), /no longer exists/],
    ['is not visible to the app', new SlackApiError('files.info', 'missing_scope'), /files:read/],
    ['is not shared', new SlackApiError('files.info', 'access_denied'), /Share it in this conversation/],
    ['is a deleted canvas', new SlackApiError('files.info', 'channel_canvas_deleted'), /no longer exists/],
    ['is a hidden template', new SlackApiError('files.info', 'template_not_visible'), /not shared with me/],
    ...['canvas_globally_disabled', 'canvas_disabled_user_team', 'canvas_disabled_file_team'].map(
      (code): [string, Error, RegExp] => [
        `is a canvas (${code})`,
        new SlackApiError('files.info', code),
        /Canvases are switched off/,
      ],
    ),
    [
      'is a canvas of another company',
      new SlackApiError('files.info', 'slack_connect_canvas_sharing_blocked'),
      /not shared with me/,
    ],
    ['has an unknown state', new Error('connection reset'), /in a moment/],
  ])('that %s is not fetched', async (_, file, sentence) => {
    expect(await fetched(file)).toMatch(sentence);
    expect(files.requests.filter(({ url }) => url !== SLOW)).toEqual([]);
  });
});

const elsewhere = (): [string, string][] => {
  const { port } = files;
  return [
    ['another port', `${other.origin}/a`],
    ['another name of the host', `http://localhost:${port}/a`],
    ['another scheme', `https://127.0.0.1:${port}/a`],
    ['a name before the host', `http://user:word@127.0.0.1:${port}/a`],
    ['a host after the name', `http://127.0.0.1:${port}@127.0.0.1:${other.port}/a`],
    ['a host that begins like it', `http://127.0.0.1:${port}.evil.example/a`],
    ['a backslash', `http://127.0.0.1:${other.port}\\@127.0.0.1:${port}/a`],
    ['no scheme', `//127.0.0.1:${port}/a`],
    ['a path', '/etc/passwd'],
    ['a file', 'file:///etc/passwd'],
    ['data', 'data:text/plain,hello'],
    ['no address', 'http://'],
  ];
};

describe('the token', () => {
  test('goes only to the file hosts of Slack', async () => {
    for (const { pages } of [files, other]) pages.set('/a', send('stolen'));
    for (const [, url] of elsewhere()) {
      expect(await fetched({ url_private_download: url })).toMatch(/is not stored by Slack itself/);
    }
    expect([...files.requests, ...other.requests]).toEqual([]);
  });

  test('does not follow a redirect to another host', async () => {
    other.pages.set('/a', send('stolen'));
    for (const [, url] of elsewhere()) {
      files.pages.set('/r', redirect(url));
      expect(await fetched(at('/r'))).toMatch(/is not stored by Slack itself|no longer exists/);
    }
    expect(other.requests).toEqual([]);
    for (const { url, token } of files.requests)
      expect([url, token]).toEqual([expect.any(String), `Bearer ${TOKEN}`]);
  });

  test('follows a redirect to another file host that requires it', async () => {
    files.pages.set('/a', redirect(`${origin.origin}/b`));
    origin.pages.set('/b', (request, response) =>
      send(request.headers.authorization ? 'hello' : LOGIN, 'text/html')(request, response),
    );
    expect(await fetched(at('/a'))).toBe('got hello');
    expect(origin.requests.map(({ token }) => token)).toEqual([`Bearer ${TOKEN}`]);
  });

  test('never goes to a presigned URL, whatever redirects lead there', async () => {
    files.pages.set('/a', redirect(`${signed.origin}/b`));
    files.pages.set('/c', redirect('/files-pri-safe/T1-F1/notes.txt?c=1-2'));
    files.pages.set('/files-pri-safe/T1-F1/notes.txt?c=1-2', send('hello'));
    signed.pages.set('/b', send('hello'));
    expect(await fetched(at('/a'))).toBe('got hello');
    expect(await fetched({ url_private_download: `${signed.origin}/b` })).toBe('got hello');
    expect(signed.requests.map(({ token }) => token)).toEqual([undefined, undefined]);
    expect(await fetched(at('/c'))).toBe('got hello');
    expect(files.requests.at(-1)).toMatchObject({ url: expect.stringContaining('?c='), token: undefined });
  });

  test('is not needed to detect a redirect to the login page', async () => {
    files.pages.set('/r', redirect('https://acme.slack.com/?redir=%2Ffiles'));
    expect(await fetched(at('/r'))).toMatch(/sign-in page/);
    expect(await fetched({ url_private_download: 'https://acme.slack.com/a' })).toMatch(/is not stored by/);
  });

  test('redirects end after three, and when they have no valid target', async () => {
    files.pages.set('/1', redirect('/2'));
    files.pages.set('/2', redirect('/3'));
    files.pages.set('/3', redirect('/4'));
    files.pages.set('/4', redirect('/5'));
    files.pages.set('/5', send('hello'));
    files.pages.set('/r', (_, response) => response.writeHead(302).end());
    expect(await fetched(at('/2'))).toBe('got hello');
    expect(await fetched(at('/1'))).toMatch(/did not send/);
    expect(await fetched(at('/r'))).toMatch(/did not send/);
  });
});

test('without a token no file is fetched', async () => {
  const platform = createSlackPlatform({ call: () => Promise.resolve({}), time: fakeTime() });
  await expect(platform.downloadFile(turn, attachment, MAX)).rejects.toMatchObject({
    name: 'FileUnavailableError',
  });
});

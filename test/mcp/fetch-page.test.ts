import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { handleToolRequest } from '../../shared/mcp/index.ts';
import { readHtml } from '../../shared/mcp/html-text.ts';
import { createPublicLookup } from '../../shared/runtime/public-address.ts';
import { HANDBOOK } from '../simulators/mcp/handbook.ts';

const requests: IncomingMessage[] = [];
const html = { 'content-type': 'text/html; charset=utf-8' };
const pdf = { 'content-type': 'application/pdf' };
/** Cyrillic letters from А to я in Windows-1251. */
const toWindows1251 = (text: string): Buffer =>
  Buffer.from(
    Array.from(text, (letter) => (letter < '\u0080' ? letter.charCodeAt(0) : letter.charCodeAt(0) - 0x350)),
  );
const LEAVE = 'Отпуск шестнадцать недель';
/** “休暇は十六週間です” (leave is sixteen weeks) in these encodings. */
const JAPANESE = '休暇は十六週間です';
const ISO_2022_JP = Buffer.from('\u001B$B5Y2K$O==O;=54V$G$9\u001B(B', 'latin1');
const SHIFT_JIS = Buffer.from('8b7889c982cd8f5c985a8f548ad482c582b7', 'hex');
/** Words in English have few other letters than those of ASCII. */
const CAFES = `${'The cafe in the building is open. '.repeat(20)}The café opens at eight.`;
const PAGES: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/handbook': (response) => response.writeHead(200, html).end(HANDBOOK),
  '/notes.txt': (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('Plain\nnotes'),
  '/windows': (response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=windows-1251' }).end(toWindows1251(LEAVE)),
  '/meta': (response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(
        toWindows1251(
          `<meta http-equiv="Content-Type" content="text/html; charset=windows-1251"><p>${LEAVE}`,
        ),
      ),
  '/lies': (response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=iso-8859-1' }).end(LEAVE),
  '/broken': (response) =>
    response.writeHead(200, html).end(Buffer.concat([Buffer.from(LEAVE), Buffer.of(0xd0)])),
  '/iso-2022-jp': (response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=iso-2022-jp' }).end(ISO_2022_JP),
  '/not-utf-8': (response) => response.writeHead(200, html).end(SHIFT_JIS),
  '/not-utf-8-either': (response) => response.writeHead(200, html).end(Buffer.from(CAFES, 'latin1')),
  '/odd-byte': (response) =>
    response
      .writeHead(200, html)
      .end(
        Buffer.concat([Buffer.from('Leave. '.repeat(20)), Buffer.of(0x81), Buffer.from(' Sixteen weeks.')]),
      ),
  '/unknown': (response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=none-of-ours' }).end(LEAVE),
  '/moved': (response) => response.writeHead(301, { location: '/handbook#top' }).end(),
  '/away': (response) => response.writeHead(302, { location: 'https://other.example.com/' }).end(),
  '/inside': (response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  '/loop': (response) => response.writeHead(302, { location: '/loop' }).end(),
  '/rules.pdf': (response) => response.writeHead(200, pdf).end('%PDF-1.7'),
  '/large.pdf': (response) => response.writeHead(200, pdf).end('x'.repeat(3_900_000)),
  '/huge.pdf': (response) => response.writeHead(200, pdf).end('x'.repeat(4_100_000)),
  '/object.pdf': (response) =>
    response.writeHead(200, { 'content-type': 'binary/octet-stream' }).end('%PDF-1.7'),
  '/download': (response) =>
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end('%PDF-1.7'),
  '/archive': (response) =>
    response.writeHead(200, { 'content-type': 'binary/octet-stream' }).end('PK'.repeat(3_000_000)),
  '/nothing': (response) => response.writeHead(200, { 'content-type': 'binary/octet-stream' }).end(),
  '/picture': (response) => response.writeHead(200, { 'content-type': 'image/png' }).end('x'),
  '/sign-in': (response) => response.writeHead(401).end('no'),
  '/private': (response) => response.writeHead(403).end('no'),
  '/huge': (response) => response.writeHead(200, html).end('x'.repeat(1_100_000)),
  '/endless': (response) => void response.writeHead(200, html).write('<p>begins'),
};
const server = createServer((request, response) => {
  requests.push(request);
  (PAGES[request.url ?? ''] ?? ((other) => other.writeHead(404).end()))(response);
});
let origin = '';
beforeAll(async () => {
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
const read = (path: string, timeoutMs = 10_000) =>
  handleToolRequest(
    { kind: 'page', url: path.startsWith('/') ? origin + path : path, timeoutMs },
    { lookup: createPublicLookup(), allowedOrigins: [origin] },
  );

test('a page is its title and the text of its main part', async () => {
  const page = await read('/handbook');
  expect(page).toMatchObject({ kind: 'page', url: `${origin}/handbook`, title: 'Team handbook & rules' });
  const text = page.kind === 'page' ? page.text : '';
  expect(text).toMatch(/Parental leave\s+Parental leave is sixteen weeks, fully\spaid\./u);
  expect(text).toMatch(/below 600 km\s+train/u);
  expect(text).not.toMatch(/Sign in|teal|not read|© The team|Ignore/u);
});

test('plain text is read as it is; a redirect within the host is followed', async () => {
  expect(await read('/notes.txt')).toMatchObject({ title: '', text: 'Plain\nnotes' });
  expect(await read('/moved')).toMatchObject({ kind: 'page', url: `${origin}/handbook` });
});

test.each([
  ['the server names its encoding', '/windows', LEAVE],
  ['it names its encoding itself', '/meta', LEAVE],
  ['the server names another encoding than UTF-8', '/lies', LEAVE],
  ['a byte is broken', '/broken', `${LEAVE}\uFFFD`],
  ['its encoding has ASCII bytes only', '/iso-2022-jp', JAPANESE],
  ['the server wrongly names UTF-8, for Shift_JIS', '/not-utf-8', JAPANESE],
  ['the server wrongly names UTF-8, for Windows-1252', '/not-utf-8-either', CAFES],
  ['a byte has no meaning in any encoding', '/odd-byte', `${'Leave. '.repeat(20)}\uFFFD Sixteen weeks.`],
  ['nobody knows its encoding', '/unknown', LEAVE],
])('a page is decoded where %s', async (_, path, text) => {
  const page = await read(path);
  expect(page.kind === 'page' && page.text.trim()).toBe(text);
});

test('a PDF of up to 4 MB is handed over as it is, and fits into a response', async () => {
  const url = `${origin}/rules.pdf`;
  expect(await read('/rules.pdf')).toEqual({ kind: 'pdf', url, content: 'JVBERi0xLjc=' });
  const large = await read('/large.pdf');
  expect(large.kind).toBe('pdf');
  expect(JSON.stringify(large).length).toBeLessThan(6 * 1024 * 1024 - 1_024);
});

test.each([
  ['/huge.pdf', 'too-large'],
  ['/away', 'redirected'],
  ['/inside', 'redirected'],
  ['/loop', 'redirected'],
  ['/sign-in', 'unauthorized'],
  ['/private', 'refused'],
  ['/missing', 'refused'],
  ['/huge', 'too-large'],
  ['http://127.0.0.1:1/', 'not-public'],
  ['http://example.com/', 'not-public'],
  ['https://127.0.0.1/', 'not-public'],
  ['https://localhost/', 'not-public'],
  ['https://user:secret@example.com/', 'not-public'],
  ['ftp://example.com/', 'not-public'],
])('%s is not read: %s', async (path, reason) => {
  expect(await read(path)).toEqual({ kind: 'failed', reason, mayHaveRun: false });
});

test('a page that never ends costs its time, and no more', async () => {
  expect(await read('/endless', 50)).toEqual({ kind: 'failed', reason: 'too-slow', mayHaveRun: false });
});

test.each(['/picture', '/archive', '/nothing'])('what is no text has no text: %s', async (path) => {
  expect(await read(path)).toMatchObject({ kind: 'page', text: '' });
});

test.each(['/object.pdf', '/download'])(
  'a PDF of a type that nobody named is found by its content: %s',
  async (path) => {
    expect(await read(path)).toEqual({ kind: 'pdf', url: `${origin}${path}`, content: 'JVBERi0xLjc=' });
  },
);

test('a request names the bot, and nothing of the deployment', async () => {
  requests.length = 0;
  await read('/handbook');
  expect(Object.keys(requests[0]?.headers ?? {}).toSorted()).toEqual([
    'accept',
    'accept-encoding',
    'connection',
    'host',
    'user-agent',
  ]);
  expect(requests[0]?.headers['user-agent']).toMatch(/^Parley\/\d/u);
});

/** More than any form to sign in says. */
const WEEKS = 'Leave is sixteen weeks for everybody. '.repeat(20).trim();
test.each([
  ['<title>a</title><svg><title>b</title></svg><p>c', { title: 'a', text: 'c' }],
  ['<body>no main <br>line', { title: '', text: 'no main\nline' }],
  ['<p>one</p><main></main>', { title: '', text: 'one' }],
  ['<p>&lt;b&gt; &amp; &eacute;', { title: '', text: '<b> & é' }],
  ['</nav></main><p>stray', { title: '', text: 'stray' }],
  ['<nav><p>never closed', { title: '', text: '' }],
  ['<p>The rules of the team.</p><form>Search <input></form>', { title: '', text: 'The rules of the team.' }],
  [`<form id="aspnetForm"><h1>Leave</h1><p>${WEEKS}</form>`, { title: '', text: `Leave\n${WEEKS}` }],
  [`<form><main><p>${WEEKS}</main><aside>More</aside></form>`, { title: '', text: WEEKS }],
  ['<h1>Sign in</h1><form>Name <input> Password <input></form>', { title: '', text: 'Sign in' }],
  ['<form><h1>Sign in</h1>Name <input> Password <input></form>', { title: '', text: '' }],
  [
    '<main><form>Search <input></form></main><article>Sixteen weeks.</article>',
    { title: '', text: 'Sixteen weeks.' },
  ],
])('the text of %s', (source, expected) => {
  const { title, text } = readHtml(source);
  expect({ title, text: text.replaceAll(/ ?\n+ ?/gu, '\n').trim() }).toEqual(expected);
});

test('code keeps its line ends and indents', () => {
  expect(readHtml('<pre>npm install\n  --save</pre>').text).toBe('\n\nnpm install\n  --save\n\n');
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createSearchClient, type SearchClientConfig } from '../../shared/search/search-client.ts';
import { systemTime } from '../../shared/runtime/index.ts';
import { type SearchSimulator, startSearchSimulator } from '../simulators/search/index.ts';
import { TestTime } from '../upstream/time.ts';

let simulator: SearchSimulator;
beforeAll(async () => {
  simulator = await startSearchSimulator();
});
afterAll(() => simulator.close());
beforeEach(() => {
  simulator.setPages(undefined);
  simulator.setFaults([]);
});

const page = (url: string, title = 'Page', text = '') => ({ url, title, text });
const NEVER = new AbortController().signal;
const SERVICES = ['brave', 'tavily', 'searxng'] as const;

const clientOf = (service: (typeof SERVICES)[number], more: Partial<SearchClientConfig> = {}) =>
  createSearchClient({
    service,
    baseUrl: `${simulator.url}/`,
    apiKey: () => Promise.resolve(simulator.key),
    fetch,
    time: systemTime,
    ...more,
  });

describe.each(SERVICES)('%s', (service) => {
  test('responds with results, as plain text', async () => {
    const hits = await clientOf(service)('heat pumps & “price” 100%', 3, NEVER);
    expect(hits).toHaveLength(3);
    expect(hits[0]).toEqual({
      title: 'heat pumps & “price” 100% & more (1)',
      url: 'https://news.example.com/heat%20pumps%20%26%20%E2%80%9Cprice%E2%80%9D%20100%25?page=1',
      text: 'Page 1 says about heat pumps & “price” 100% that it is so.',
    });
    expect(simulator.queries.at(-1)).toBe('heat pumps & “price” 100%');
  });

  test('responds with the other results if one has no address', async () => {
    const results = [
      { title: 'None' },
      { title: 'Null', url: null },
      { title: 'Good', url: 'https://x.example/' },
    ];
    const body = JSON.stringify({ type: 'search', results, web: { results } });
    simulator.setFaults([{ kind: 'body', body }]);
    const hits = await clientOf(service)('x', 5, NEVER);
    expect(hits).toEqual([{ title: 'Good', url: 'https://x.example/', text: '' }]);
  });

  test('finds nothing', async () => {
    simulator.setPages([]);
    expect(await clientOf(service)('nothing', 5, NEVER)).toEqual([]);
  });

  test.each([
    [{ kind: 'status', status: 429 }, 'limited'],
    [{ kind: 'status', status: 500 }, 'down'],
    [{ kind: 'status', status: 403 }, 'rejected'],
    [{ kind: 'body', body: '<html>' }, 'down'],
    [{ kind: 'body', body: '{"results": 5, "type": "search", "web": 7}' }, 'down'],
    [{ kind: 'body', body: JSON.stringify({ results: [], padding: 'x'.repeat(1_100_000) }) }, 'down'],
    [{ kind: 'redirect', to: 'http://127.0.0.1:9/' }, 'down'],
  ] as const)('that responds with %j fails as “%s”', async (fault, failure) => {
    simulator.setFaults([fault]);
    await expect(clientOf(service)('x', 5, NEVER)).rejects.toMatchObject({ name: 'SearchError', failure });
  });
});

test.each([
  ['tavily', 432],
  ['tavily', 433],
  ['brave', 402],
] as const)('a used-up plan of %s is %d', async (service, status) => {
  simulator.setFaults([{ kind: 'status', status }]);
  await expect(clientOf(service)('x', 5, NEVER)).rejects.toMatchObject({ failure: 'limited', status });
});

test('results keep the joiners that Persian and emoji need, and no half characters', async () => {
  const title = 'می\u200Cخواهم 👩\u200D👧\u200B';
  simulator.setPages([page('https://x.example/', title, `${'x'.repeat(1_198)}👍👍`)]);
  expect(await clientOf('brave')('x', 5, NEVER)).toEqual([
    page('https://x.example/', 'می\u200Cخواهم 👩\u200D👧', `${'x'.repeat(1_198)}…`),
  ]);
});

test('a service that does not respond is left after ten seconds', async () => {
  const time = new TestTime();
  const silent: typeof fetch = (_, { signal } = {}) => {
    time.advance(9_999);
    expect(signal?.aborted).toBe(false);
    time.advance(1);
    return new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('aborted')));
    });
  };
  const search = clientOf('brave', { time, fetch: silent })('x', 5, NEVER);
  await expect(search).rejects.toMatchObject({ failure: 'slow' });
});

test('a stopped search rejects with the reason', async () => {
  simulator.setFaults([{ kind: 'silent' }]);
  const stop = new AbortController();
  const search = clientOf('brave')('x', 5, stop.signal);
  stop.abort(new Error('stopped'));
  await expect(search).rejects.toThrow('stopped');
});

test('after a rejected key the secret is reloaded, and a changed key is used once', async () => {
  const refreshes: boolean[] = [];
  const apiKey = ({ refresh }: { refresh: boolean }) => {
    refreshes.push(refresh);
    return Promise.resolve(refresh ? simulator.key : 'old');
  };
  expect(await clientOf('brave', { apiKey })('x', 1, NEVER)).toHaveLength(1);
  expect(refreshes).toEqual([false, true]);
  const wrong = clientOf('brave', { apiKey: () => Promise.resolve('old') })('x', 1, NEVER);
  await expect(wrong).rejects.toMatchObject({ failure: 'rejected', status: 422 });
});

test('results of strangers: only web addresses, each once, without markup and invisible characters', async () => {
  simulator.setPages([
    page('javascript:alert(1)'),
    page('ftp://files.example.com/'),
    page('https://user:secret@example.com/'),
    page('not a link'),
    page(`https://example.com/${'x'.repeat(500)}`),
    page(
      'https://example.com/a b',
      '<b>Bold</b>\u202E &lt;script&gt; &#x202e;&#0;\n\u{e0041}end',
      't'.repeat(9_000),
    ),
    page('https://example.com/a%20b', 'The same'),
    page('https://xn--e1afmkfd.example/', '<i></i>'),
  ]);
  const hits = await clientOf('tavily')('x', 20, NEVER);
  expect(hits.map(({ title, url }) => [title, url])).toEqual([
    ['Bold <script> end', 'https://example.com/a%20b'],
    ['xn--e1afmkfd.example', 'https://xn--e1afmkfd.example/'],
  ]);
  expect(hits[0]?.text).toHaveLength(1_200);
});

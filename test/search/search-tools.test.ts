import { expect, test } from '@jest/globals';
import { BudgetExceededError, unlimitedBudget } from '../../shared/billing/index.ts';
import { createSearchTools, type SearchToolsConfig } from '../../shared/search/index.ts';
import { createSearchClient, SearchError, type SearchClient } from '../../shared/search/search-client.ts';
import { TURN } from '../chat/completion-harness.ts';

const question = () => ({ turn: TURN, pictures: [], rootIsOurs: true, numbering: { last: 0 } });
const refuseBudget = () => Promise.reject(new BudgetExceededError({ platform: 'slack', zone: 'UTC' }));
const NEVER = new AbortController().signal;
const page = (name: string) => ({
  title: `About ${name}`,
  url: `https://example.com/${name}`,
  text: `${name}!`,
});

async function toolOf(more: Partial<SearchToolsConfig> = {}) {
  const queries: string[] = [];
  const logged: unknown[] = [];
  const search: SearchClient = (query) => {
    queries.push(query);
    return Promise.resolve([page(`${query}-a`), page(`${query}-b`)]);
  };
  let ids = 0;
  const source = createSearchTools({
    service: 'brave',
    search,
    atto: 0n,
    takePermit: () => Promise.resolve(true),
    budgets: unlimitedBudget,
    log: (event, facts) => logged.push([event, facts]),
    createId: () => `id-${(ids += 1)}`,
    ...more,
  });
  const [tool] = await source.load(['search'], question());
  if (!tool) throw new Error('no tool');
  const ask = (query: unknown) => tool.prepare({ query }, 'en').run(NEVER);
  return { source, tool, ask, queries, logged };
}

test('results are numbered across the searches of a question, also of concurrent ones', async () => {
  const { ask } = await toolOf();
  const [one, two] = await Promise.all([ask(' the\nsky '), ask('sea')]);
  expect(one).toMatchObject({
    content:
      '[1] About the sky-a\nhttps://example.com/the sky-a\nthe sky-a!\n\n[2] About the sky-b\nhttps://example.com/the sky-b\nthe sky-b!',
    summary: '2 results',
    search: { query: 'the sky', results: [{ number: 1, title: 'About the sky-a' }, { number: 2 }] },
  });
  expect(two?.search?.results.map(({ number }) => number)).toEqual([3, 4]);
});

test('another question has numbers of its own', async () => {
  const { source, ask } = await toolOf();
  await ask('a');
  const [next] = await source.load(['search'], question());
  const result = await next?.prepare({ query: 'b' }, 'en').run(NEVER);
  expect(result?.search?.results[0]?.number).toBe(1);
});

test.each([[undefined], [''], ['   '], [7], ['x'.repeat(401)], ['a '.repeat(51)]])(
  'the query %j is refused before anything leaves',
  async (query) => {
    const { ask, queries } = await toolOf();
    expect(() => ask(query)).toThrow('“query” has to be 1 to 50 words');
    expect(queries).toEqual([]);
  },
);

test('a fifth search of a question is refused', async () => {
  const { ask, queries } = await toolOf();
  for (const query of ['a', 'b', 'c', 'd']) await ask(query);
  await expect(ask('e')).rejects.toMatchObject({
    name: 'ToolError',
    userMessage: 'No further search for this question',
  });
  expect(queries).toHaveLength(4);
});

test('without a permit nothing leaves', async () => {
  const { ask, queries } = await toolOf({ takePermit: () => Promise.resolve(false) });
  await expect(ask('a')).rejects.toMatchObject({ userMessage: expect.stringContaining('Too many searches') });
  expect(queries).toEqual([]);
});

test.each([
  ['rejected', 'check its key'],
  ['limited', 'Too many searches'],
  ['down', 'does not respond'],
  ['slow', 'does not respond'],
] as const)('a failure “%s” is a sentence, and is logged without the query', async (failure, sentence) => {
  const { ask, logged } = await toolOf({ search: () => Promise.reject(new SearchError(failure, 500)) });
  await expect(ask('private words')).rejects.toMatchObject({
    userMessage: expect.stringContaining(sentence),
  });
  expect(logged).toEqual([['search.failed', { service: 'brave', reason: failure, status: 500 }]]);
});

test('the price is reserved, and booked unless the service did not do the search', async () => {
  const calls: string[] = [];
  const budgets: SearchToolsConfig['budgets'] = {
    reserveFixedPrice: ({ id, atto, person }) => {
      calls.push(`reserve ${id} ${atto} ${person}`);
      return Promise.resolve([{ partition: 'p', account: 'a' }]);
    },
    settleFixedPrice: (accounts, { id, atto }, result) => {
      calls.push(`settle ${accounts.length} ${id} ${atto} ${result?.model ?? 'nothing'}`);
      return Promise.resolve();
    },
  };
  const failures = [undefined, 'down', 'slow'] as const;
  const search: SearchClient = () => {
    const failure = failures[calls.length >> 1];
    return failure ? Promise.reject(new SearchError(failure)) : Promise.resolve([]);
  };
  const { ask } = await toolOf({ atto: 5n, budgets, search });
  expect((await ask('a')).content).toBe('Nothing was found.');
  await expect(ask('b')).rejects.toThrow('Say so, and answer without it');
  await expect(ask('c')).rejects.toThrow('Say so, and answer without it');
  expect(calls).toEqual([
    'reserve id-1 5 U1',
    'settle 1 id-1 5 search:brave',
    'reserve id-2 5 U1',
    'settle 1 id-2 5 nothing',
    'reserve id-3 5 U1',
    'settle 1 id-3 5 search:brave',
  ]);
});

test('a search whose key cannot be read is not sent: it is not booked, and is logged', async () => {
  const booked: unknown[] = [];
  const { ask, logged } = await toolOf({
    atto: 5n,
    budgets: {
      reserveFixedPrice: () => Promise.resolve([{ partition: 'p', account: 'a' }]),
      settleFixedPrice: (_accounts, _price, result) => Promise.resolve(void booked.push(result)),
    },
    search: createSearchClient({
      service: 'brave',
      baseUrl: undefined,
      apiKey: () => Promise.reject(new Error('the secret cannot be read')),
      fetch: () => Promise.reject(new Error('it was sent')),
      time: { sleep: () => new Promise(() => undefined) },
    }),
  });
  await expect(ask('a')).rejects.toMatchObject({ userMessage: expect.stringContaining('does not respond') });
  expect(booked).toEqual([undefined]);
  expect(logged).toEqual([['search.failed', { service: 'brave', reason: 'down', status: undefined }]]);
});

test('a used-up budget stops the search before it leaves', async () => {
  const { ask, queries } = await toolOf({
    atto: 5n,
    budgets: { ...unlimitedBudget, reserveFixedPrice: refuseBudget },
  });
  await expect(ask('a')).rejects.toMatchObject({
    userMessage: expect.stringContaining('The budget does not allow'),
  });
  expect(queries).toEqual([]);
});

import { expect, test } from '@jest/globals';
import { messageId, userId } from '../../shared/domain/index.ts';
import {
  MESSAGE_SEARCH_FAILURES,
  type MessageHit,
  type MessageSearch,
  MessageSearchError,
} from '../../shared/platforms/ports/index.ts';
import { createMessageSearchTools } from '../../shared/search/index.ts';
import { TURN } from '../chat/completion-harness.ts';

const NEVER = new AbortController().signal;
const AT = Date.UTC(2026, 2, 3, 14, 5);
const hit = (name: string, more: Partial<MessageHit> = {}): MessageHit => ({
  id: messageId('9.9'),
  by: userId('U9'),
  author: 'Grace Hopper',
  at: AT,
  channel: 'support',
  text: `About ${name}`,
  link: `https://parley.slack.com/archives/C1/${name}`,
  ...more,
});

async function toolOf(search: MessageSearch = () => Promise.resolve([hit('one'), hit('two')])) {
  const logged: unknown[] = [];
  const preparations: unknown[] = [];
  const source = createMessageSearchTools({
    platform: {
      prepareMessageSearch: (turn, token) => {
        preparations.push([turn, token]);
        return search;
      },
    },
    log: (event, facts) => logged.push([event, facts]),
  });
  const numbering = { last: 2 };
  const question = { turn: TURN, pictures: [], rootIsOurs: true, numbering, searchToken: 'xat-1' };
  const [tool] = await source.load(['messages'], question);
  if (!tool) throw new Error('no tool');
  const ask = (query: unknown) => tool.prepare({ query }, 'en').run(NEVER);
  return { tool, ask, logged, preparations, numbering };
}

test('the source hands the token of the question to the platform', async () => {
  const { preparations } = await toolOf();
  expect(preparations).toEqual([[TURN, 'xat-1']]);
});

test('where there is nothing to search, there is no tool', async () => {
  const source = createMessageSearchTools({
    platform: { prepareMessageSearch: () => undefined },
    log: () => undefined,
  });
  const question = { turn: TURN, pictures: [], rootIsOurs: true, numbering: { last: 0 } };
  expect(await source.load(['messages'], question)).toEqual([]);
});

test('the model reads text and author, the turn keeps only channel, date and link', async () => {
  const { ask } = await toolOf();
  const result = await ask(' the\nsky ');
  expect(result.content).toBe(
    '[3] #support, 2026-03-03T14:05:00.000Z, Grace Hopper:\nAbout one\n\n[4] #support, 2026-03-03T14:05:00.000Z, Grace Hopper:\nAbout two',
  );
  expect(result.search).toEqual({
    query: 'the sky',
    results: [
      { number: 3, title: 'support · 2026-03-03', url: 'https://parley.slack.com/archives/C1/one' },
      { number: 4, title: 'support · 2026-03-03', url: 'https://parley.slack.com/archives/C1/two' },
    ],
  });
  expect(JSON.stringify(result.search)).not.toMatch(/Grace|About|U9/u);
});

test('concurrent searches of a question have different numbers; five messages each, without what cannot be cited', async () => {
  const many = [
    hit('a', { link: 'http://plain.example' }),
    hit('b', { link: `https://x.example/${'x'.repeat(400)}` }),
  ];
  const more = [hit('c', { text: ' \u200B ' }), ...Array.from({ length: 9 }, (_, i) => hit(`n${i}`))];
  const { ask, numbering } = await toolOf(() => Promise.resolve([...many, ...more]));
  const [one, two] = await Promise.all([ask('a'), ask('b')]);
  expect(one?.search?.results.map(({ number }) => number)).toEqual([3, 4, 5, 6, 7]);
  expect(two?.search?.results.map(({ number }) => number)).toEqual([8, 9, 10, 11, 12]);
  expect(one?.search?.results[0]?.url).toContain('/n0');
  expect(numbering.last).toBe(12);
});

test('nothing found is said, and costs no number', async () => {
  const { ask, numbering } = await toolOf(() => Promise.resolve([]));
  expect(await ask('x')).toMatchObject({ summary: 'Nothing found', search: { results: [] } });
  expect(numbering.last).toBe(2);
});

test.each([[undefined], [''], [' \u200B '], [7]])(
  'the query %j is refused before anything leaves',
  async (query) => {
    const { ask } = await toolOf(() => Promise.reject(new Error('searched')));
    expect(() => ask(query)).toThrow('“query” has to be 1 to 50 words, at most 400 characters');
  },
);

test('a fifth search of a question is refused', async () => {
  const { ask } = await toolOf();
  for (const query of ['a', 'b', 'c', 'd']) await ask(query);
  await expect(ask('e')).rejects.toMatchObject({ userMessage: 'No further search for this question' });
});

test('each failure is a sentence that says what people can do, and a line of the log without query and token', async () => {
  const sentences = new Set<string>();
  for (const failure of MESSAGE_SEARCH_FAILURES) {
    const { ask, logged } = await toolOf(() =>
      Promise.reject(new MessageSearchError(failure, 'code_of_slack')),
    );
    const error: unknown = await ask('canary-query').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'ToolError', userMessage: expect.stringMatching(/[Aa]sk|admin/u) });
    if (error instanceof Error && 'userMessage' in error) sentences.add(String(error.userMessage));
    expect(logged).toEqual([
      ['messages.search-failed', { platform: 'slack', reason: failure, code: 'code_of_slack' }],
    ]);
    expect(JSON.stringify(error)).not.toMatch(/canary-query|xat-1/u);
  }
  expect(sentences.size).toBe(MESSAGE_SEARCH_FAILURES.length);
});

test('any other error is not explained to the model', async () => {
  const { ask } = await toolOf(() => Promise.reject(new TypeError('broken')));
  await expect(ask('x')).rejects.toThrow(TypeError);
});

test('names of channels and authors cannot hide characters or break lines of the record', async () => {
  const { ask } = await toolOf(() =>
    Promise.resolve([hit('one', { channel: `a\u202Eb${'x'.repeat(200)}`, author: 'e\u200Bvil' })]),
  );
  const { content, search } = await ask('x');
  expect(content).toContain(', evil:');
  expect(search?.results[0]?.title).toMatch(/^abx{77}… · 2026-03-03$/u);
});

test('the question itself is no result', async () => {
  const own = hit('own', { id: TURN.message });
  const { ask } = await toolOf(() => Promise.resolve([own, hit('other', { id: messageId('7.7') })]));
  expect((await ask('x')).search?.results.map(({ url }) => url)).toEqual([
    'https://parley.slack.com/archives/C1/other',
  ]);
});

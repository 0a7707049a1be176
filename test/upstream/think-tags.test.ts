import { describe, expect, test } from '@jest/globals';
import { MAX_SPACE, ThinkTags } from '../../shared/upstream/chat/think-tags.ts';
import { data, DONE, event, reply, stream } from './raw-server.ts';
import { asUpstreamError, QUESTION, readResponse, textOf, withServer } from './raw-server-harness.ts';

/** Reads an answer that comes in these parts. */
function divide(parts: readonly string[], startsInReasoning = false) {
  const tags = new ThinkTags(startsInReasoning);
  const all = [...parts.map((part) => tags.add(part)), tags.end()];
  return [all.map(({ reasoning }) => reasoning).join(''), all.map(({ text }) => text).join('')];
}

/** The answer cut into two parts at each place, into single characters, and whole. */
function listCuts(answer: string): string[][] {
  const pairs = Array.from(answer, (_, at) => [answer.slice(0, at), answer.slice(at)]);
  return [...pairs, answer.split(''), [answer]];
}

test.each([
  ['<think>Hm.</think>Yes.', 'Hm.', 'Yes.'],
  [' \n<think>\nHm.\n</think>\n\nYes.\n', 'Hm.\n', 'Yes.\n'],
  ['<think>\n\n</think>\n\nYes.', '', 'Yes.'],
  [
    '<think>a <b> </thin </think</think>c </think> <think>d</think>',
    'a <b> </thin </think',
    'c </think> <think>d</think>',
  ],
  ['<think>Hm.</think>', 'Hm.', ''],
  ['<think>Hm.</thi', 'Hm.</thi', ''],
  ['Yes. <think>Hm.</think>', '', 'Yes. <think>Hm.</think>'],
  ['<thinking>Hm.</thinking>', '', '<thinking>Hm.</thinking>'],
  ['  <p>', '', '  <p>'],
  [' <thi', '', ' <thi'],
  [' \n', '', ' \n'],
  ['</think>Yes.', '', '</think>Yes.'],
  [`${' '.repeat(65)}<think>Hm.</think>`, '', `${' '.repeat(65)}<think>Hm.</think>`],
])('%j is divided the same way, wherever it is cut', (answer, reasoning, text) => {
  for (const parts of listCuts(answer)) expect(divide(parts)).toEqual([reasoning, text]);
});

test('no more is held back than some white space and a tag', () => {
  const tags = new ThinkTags();
  const spaces = Array.from({ length: 10_000 }, () => tags.add(' ').text);
  expect(spaces.findIndex((text) => text !== '')).toBe(MAX_SPACE);
  expect(spaces.join('')).toBe(' '.repeat(10_000));
  const thinking = new ThinkTags();
  thinking.add('<think>');
  const missing = Array.from({ length: 10_000 }, () => thinking.add('</think').reasoning).join('');
  expect('</think'.length * 10_000 - missing.length).toBeLessThan('</think>'.length);
});

test.each([
  ['Hm.\n</think>\n\nYes.', 'Hm.\n', 'Yes.'],
  ['<think>\nHm.\n</think>\nYes.', 'Hm.\n', 'Yes.'],
  ['Hm.</think>Yes.', 'Hm.', 'Yes.'],
])('%j is divided as of a model whose prompt has the start tag, wherever it is cut', (text, ...expected) => {
  for (const parts of listCuts(text)) expect(divide(parts, true)).toEqual(expected);
});

type Effort = 'low' | undefined;
/** A delta of the stream, or its finish reason; `cut`: none, and no end. */
type Piece = Readonly<Record<string, unknown>> & { readonly content?: string; readonly finish?: string };

/** Asks once for each of these answers; returns what was shown and what was kept. */
const ask = async (contents: readonly (readonly Piece[])[], efforts: readonly Effort[] = []) => {
  const seen: object[] = [];
  await withServer(
    (socket, _, count) => {
      const deltas = contents[count - 1] ?? [];
      const finish = deltas.find((delta) => delta.finish !== undefined)?.finish ?? 'stop';
      const events = deltas.filter((delta) => delta.finish === undefined).map((delta) => event(delta));
      stream(socket, finish === 'cut' ? events : [...events, event({}, finish), DONE]);
    },
    async ({ upstream }) => {
      for (const [n] of contents.entries()) {
        const request = { ...QUESTION, reasoningEffort: efforts[n] };
        const response = await readResponse(upstream.chat.stream(request));
        const { text, reasoning } = response.end ?? {};
        seen.push({ shown: textOf(response), text, reasoning });
      }
    },
  );
  return seen;
};

describe('an answer with the end tag of its reasoning only', () => {
  const THOUGHT = 'Okay, the user wants …\n</think>\n\nParis.';
  const pieces = [{ content: THOUGHT.slice(0, 9) }, { content: THOUGHT.slice(9) }];
  const reasoning = 'Okay, the user wants …\n';

  test('is divided at its end, and from the next one on while it streams', async () => {
    expect(await ask([pieces, pieces])).toEqual([
      { shown: THOUGHT, text: 'Paris.', reasoning },
      { shown: 'Paris.', text: 'Paris.', reasoning },
    ]);
  });

  test('is followed by one without reasoning, which is text, and then by others as before', async () => {
    const plain = { shown: 'Paris.', text: 'Paris.', reasoning: '' };
    const next = [{ content: 'Paris.' }];
    expect((await ask([pieces, next, next])).slice(1)).toEqual([plain, plain]);
  });

  const call = { index: 0, id: 'a', function: { name: 'f', arguments: '{}' } };
  test.each<[string, Piece[]]>([
    ['too long', [{ content: 'Long' }, { finish: 'length' }]],
    ['filtered', [{ content: 'Long' }, { finish: 'content_filter' }]],
    ['cut', [{ content: 'Long' }, { finish: 'cut' }]],
    ['one with a call', [{ content: 'Let me see.' }, { tool_calls: [call] }, { finish: 'tool_calls' }]],
  ])('is followed by one without reasoning that is %s, and then by others as before', async (_, next) => {
    const seen = await ask([pieces, next, next]);
    expect(seen.slice(1)).toMatchObject([{ shown: '' }, { shown: next[0]?.content }]);
  });

  test('is followed by one that is stopped, and then by others as before', async () => {
    const answers = [pieces, [{ content: 'Long' }], [{ content: 'Long' }]];
    await withServer(
      (socket, _, count) =>
        stream(socket, [...(answers[count - 1] ?? []).map((delta) => event(delta)), event({}, 'stop'), DONE]),
      async ({ upstream }) => {
        await readResponse(upstream.chat.stream(QUESTION));
        for await (const { type } of upstream.chat.stream(QUESTION)) if (type === 'reasoning') break;
        for await (const part of upstream.chat.stream(QUESTION)) {
          expect(part).toEqual({ type: 'text', text: 'Long' });
          break;
        }
      },
    );
  });

  test('says nothing about one with another effort', async () => {
    const next = [{ content: 'Long' }, { finish: 'length' }];
    const seen = await ask([pieces, next, pieces], ['low', undefined, 'low']);
    expect(seen.slice(1)).toMatchObject([{ shown: 'Long', text: 'Long' }, { shown: 'Paris.' }]);
  });

  test('is followed by one whose server has a parser', async () => {
    const parsed = [{ reasoning_content: 'Hm.' }, { content: 'Paris.' }];
    const expected = { shown: 'Paris.', text: 'Paris.', reasoning: 'Hm.' };
    expect((await ask([pieces, parsed])).at(-1)).toEqual(expected);
  });

  test('is divided behind a tag in a code block', async () => {
    const thought = 'Hm.\n```html\n</think>\n```\n';
    const [seen] = await ask([[{ content: `${thought}</think>\n\nParis.` }]]);
    expect(seen).toMatchObject({ text: 'Paris.', reasoning: thought });
  });

  test.each([
    'Write </think> in a line.',
    '```\n<think>\n</think>\n```',
    'It ends with:\n```\n</think>\n```\nYou can strip it.',
    'It ends with:\n~~~~html\n~~~ a\n```\n</think>\n~~~~',
  ])('is none, if the tag is a part of it: %j', async (content) => {
    expect(await ask([[{ content }]])).toEqual([{ shown: content, text: content, reasoning: '' }]);
  });
});

const answer = (content: string, finish: string | null = 'stop') => [event({ content }), event({}, finish)];

describe('a stream with an end tag that is missing', () => {
  test.each([
    ['complete', [...answer('<think>Four.'), DONE]],
    ['complete, with a mark only', [event({ content: '<think>Fo' }), event({ content: 'ur.' }), DONE]],
  ])('is an answer, if it is %s', async (_, pieces) => {
    await withServer(
      (socket) => stream(socket, pieces),
      async ({ upstream }) => {
        const response = await readResponse(upstream.chat.stream(QUESTION));
        expect(response.end).toMatchObject({ text: '<think> Four.', reasoning: '' });
        expect(textOf(response)).toBe('<think> Four.');
      },
    );
  });

  test.each(['length', 'content_filter'])('is reasoning, if it ended with %s', async (finish) => {
    await withServer(
      (socket) => stream(socket, answer('<think>Hm, </thi', finish)),
      async ({ upstream }) => {
        const response = await readResponse(upstream.chat.stream(QUESTION));
        expect(response.end).toMatchObject({ text: '', reasoning: 'Hm, </thi', finish });
        expect(textOf(response, 'reasoning')).toBe('Hm, </thi');
      },
    );
  });

  test('is reasoning, if the model calls a tool', async () => {
    const call = { index: 0, id: 'a', function: { name: 'f', arguments: '{}' } };
    await withServer(
      (socket) =>
        stream(socket, [
          event({ content: '<think>Hm.' }),
          event({ tool_calls: [call] }),
          event({}, 'tool_calls'),
        ]),
      async ({ upstream }) => {
        const { end } = await readResponse(upstream.chat.stream(QUESTION));
        expect(end).toMatchObject({ text: '', reasoning: 'Hm.', toolCalls: [{ name: 'f' }] });
      },
    );
  });

  test('is no answer, if it is cut', async () => {
    await withServer(
      (socket) => stream(socket, [event({ content: '<think>Hm.' })]),
      async ({ upstream }) => {
        const response = await readResponse(upstream.chat.stream(QUESTION));
        expect(asUpstreamError(response.error)).toMatchObject({ kind: 'cut', partialText: '' });
        expect([textOf(response), textOf(response, 'reasoning')]).toEqual(['', 'Hm.']);
      },
    );
  });
});

test('an answer that is a part of the start tag is not lost', async () => {
  await withServer(
    (socket) => stream(socket, answer('<thi')),
    async ({ upstream }) => {
      const response = await readResponse(upstream.chat.stream(QUESTION));
      expect([textOf(response), response.end?.text]).toEqual(['<thi', '<thi']);
    },
  );
});

test('a whole response and its further versions are read so too', async () => {
  const choices = [
    '<think>Hm.</think>\n\nYes.',
    '<think>Ha.</think>Aye.',
    '<think>Open',
    '<think>Nothing.</think>',
  ].map((content, index) => ({ index, message: { content }, finish_reason: 'stop' }));
  const expected = { text: 'Yes.', reasoning: 'Hm.', alternatives: ['Aye.', '<think>Open'] };
  await withServer(
    (socket, { body }) =>
      body['stream'] === true ? stream(socket, [data({ choices })]) : reply(socket, 200, { choices }),
    async ({ upstream }) => {
      expect(await upstream.chat.complete(QUESTION)).toMatchObject(expected);
      expect((await readResponse(upstream.chat.stream(QUESTION))).end).toMatchObject(expected);
    },
  );
  await withServer(
    (socket) =>
      reply(socket, 200, { choices: [{ message: { content: '<think>4' }, finish_reason: 'stop' }] }),
    async ({ upstream }) =>
      expect(await upstream.chat.complete(QUESTION)).toMatchObject({ text: '<think> 4', reasoning: '' }),
  );
});

import { expect, test } from '@jest/globals';
import type { PromptMessage } from '../../shared/domain/index.ts';
import {
  cutBeforePrivateData,
  getFilter,
  maskJson,
  maskPrompt,
  Placeholders,
  unmaskJson,
} from '../../shared/private-data/index.ts';
import { PEM } from './samples.ts';

const LAYERS = { channel: { values: { mask: ['all', 'media'] } } } as const;
const filter = getFilter(LAYERS);
if (!filter) throw new Error('nothing is masked');
const mask = (messages: readonly PromptMessage[]) => maskPrompt(messages, filter);

const CARD = '4111 1111 1111 1111';
const HISTORY: readonly PromptMessage[] = [
  { role: 'system', content: 'Ask boss@example.com.' },
  { role: 'user', content: `Card ${CARD}, mail ada@example.com` },
  { role: 'assistant', content: 'I noted [card 1] of [email 2].' },
];

test('the same value has the same placeholder in all messages, however it is written', () => {
  const { messages, placeholders } = mask([
    ...HISTORY,
    { role: 'user', content: 'Is 4111-1111-1111-1111 of ADA@example.com? Not 5555555555554444?' },
  ]);
  expect(messages.map(({ content }) => content)).toEqual([
    expect.stringContaining('Ask [email 1].'),
    'Card [card 1], mail [email 2]',
    'I noted [card 1] of [email 2].',
    'Is [card 1] of [email 2]? Not [card 2]?',
  ]);
  expect(placeholders.counts).toEqual({ card: 2, email: 2 });
});

test('a longer thread begins with the same messages, which the upstream has cached', () => {
  const short = mask(HISTORY).messages;
  const long = mask([...HISTORY, { role: 'user', content: 'And a@b.example, 378282246310005?' }]).messages;
  expect(long.slice(0, short.length)).toEqual(short);
  expect(long.at(-1)?.content).toBe('And [email 3], [card 2]?');
});

test('no value gets a placeholder that a person wrote', () => {
  const masked = new Placeholders(filter);
  expect(masked.mask('What does [card 1] mean?')).toBe('What does [card 1] mean?');
  expect(masked.mask(CARD)).toBe('[card 2]');
  expect(masked.unmask('[card 1] [card 2] [card 3]')).toBe(`[card 1] ${CARD} [card 3]`);
});

/** The masked arguments of a call. */
function call(args: string): string | undefined {
  const toolCalls = [{ id: '1', name: 'a', arguments: args }];
  const [message] = mask([{ role: 'assistant', content: '', toolCalls }]).messages;
  return message?.role === 'assistant' ? message.toolCalls?.[0]?.arguments : undefined;
}

test('arguments of calls are masked in texts, names and numbers, and otherwise stay as they are', () => {
  expect(call('{"a": [4111111111111111, 7],"b\\u0040c.example":"\\u0034111111111111111"}')).toBe(
    '{"a":["[card 1]",7],"[email 1]":"[card 1]"}',
  );
  expect(call('{ "a" :  1 }')).toBe('{ "a" :  1 }');
  expect(call('no JSON 4111111111111111')).toBe('no JSON [card 1]');
});

test('the reasoning that goes back with calls is masked; what their server signed stays as it is', () => {
  const extra = { signature: '4111111111111111' };
  const message = {
    role: 'assistant' as const,
    content: '',
    toolCalls: [{ id: '1', name: 'a', arguments: '{}', extra }],
    origin: { model: 'm', reasoning: `So ${CARD}.`, details: [extra] },
  };
  expect(mask([message]).messages[0]).toEqual({
    ...message,
    origin: { model: 'm', reasoning: 'So [card 1].', details: [extra] },
  });
});

test('a value of JSON without private data is the same value, and placeholders become values again', () => {
  const placeholders = new Placeholders(filter);
  const value = { a: [1, 'b', { c: null, d: true }] };
  expect(maskJson(value, placeholders)).toBe(value);
  expect(unmaskJson(maskJson({ to: ['ada@example.com'] }, placeholders), placeholders)).toEqual({
    to: ['ada@example.com'],
  });
});

test('pictures and recordings are left out, and counted', () => {
  const { messages, placeholders } = mask([
    {
      role: 'user',
      content: [
        { type: 'text', text: CARD },
        { type: 'image', url: 'data:image/png;base64,AAAA' },
      ],
    },
  ]);
  expect(JSON.stringify(messages)).not.toContain('base64');
  expect(messages[0]?.content).toEqual([
    { type: 'text', text: '[card 1]' },
    { type: 'text', text: expect.stringContaining('left out') },
  ]);
  expect(placeholders.counts).toEqual({ card: 1, media: 1 });
});

test('a text is not cut within private data', () => {
  const text = `Card ${CARD} and ${PEM} end`;
  expect(cutBeforePrivateData(text, 12, LAYERS)).toBe(5);
  expect(cutBeforePrivateData(text, 5, LAYERS)).toBe(5);
  expect(cutBeforePrivateData(text, text.indexOf('END RSA'), LAYERS)).toBe(text.indexOf('-----BEGIN'));
  expect(cutBeforePrivateData(text, 12, {})).toBe(12);
  expect(cutBeforePrivateData(text, 9_999, LAYERS)).toBe(9_999);
});

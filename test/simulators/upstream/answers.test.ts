import { describe, expect, test } from '@jest/globals';
import { arithmetic } from './answer/arithmetic.ts';
import { prose } from './answer/prose.ts';
import { createUpstreamCore } from './core.ts';
import { isList, isObject } from './json.ts';
import { createRandom } from './random.ts';
import { countTokens, tokenize } from './tokens.ts';

/** Asks a row of questions as one conversation; gives the last answer. */
function talk(...questions: string[]): string {
  const core = createUpstreamCore({ clock: () => 0 });
  const messages: { role: string; content: string }[] = [{ role: 'system', content: 'You are Parley.' }];
  for (const content of questions) {
    messages.push({ role: 'user', content });
    messages.push({
      role: 'assistant',
      content: answerOf(core.chat({ model: 'model-c', messages }).answer.json),
    });
  }
  return messages.at(-1)?.content ?? '';
}

function answerOf(json: unknown): string {
  const [choice] = isObject(json) && isList(json['choices']) ? json['choices'] : [];
  const message = isObject(choice) ? choice['message'] : undefined;
  return isObject(message) ? String(message['content']) : '';
}

describe('the scripted assistant remembers', () => {
  test.each([
    [['My name is Ada.', 'What is my name?'], 'Your name is Ada.'],
    [['My name is Ada and our deadline is Friday.', 'What is my name?'], 'Your name is Ada.'],
    [["hello, my name's Ada King", 'Who am I?'], 'Your name is Ada King.'],
    [['I am Grace.', 'hello', 'Who am I?'], 'Your name is Grace.'],
    [['What is my name?'], 'You have not told me your name yet. What is it?'],
    [
      ['our deadline is Friday and my colour is dark green', "What's my colour?"],
      'Your colour is **dark green**.',
    ],
    [['The server is in Oslo.', 'Where is the server?'], 'The server is **in Oslo**.'],
    [['I drive a red Volvo', 'Which car do I drive?'], 'Earlier you told me: “I drive a red Volvo”'],
    [['Why?', 'ok', 'What did I ask first?'], 'The first thing you wrote here was: “Why?”'],
    [['one', 'two', 'What did I say before?'], 'Before this you wrote:\n\n1. one\n2. two'],
    [['What is 12 * (3 + 4)?', 'add 5 to that', 'and times 2?'], '89 * 2 = **178**'],
    [['remember that the key is under the mat', 'What should you remember?'], 'under the mat'],
  ])('%j', (questions, answer) => {
    expect(talk(...questions)).toContain(answer);
  });

  test('anything else is answered with what was asked and how much was said before', () => {
    const answer = talk('Why is the sky blue?', 'Why is grass green?');
    expect(answer).toContain('“Why is grass green?”');
    expect(answer).toContain('1 earlier message');
  });
});

test.each([
  ['2 + 3 * 4', 14],
  ['what is (1 + 2) ^ 2 please', 9],
  ['17 % of 80', 13.6],
  ['1,000 divided by 8', 125],
  ['0.1 plus 0.2', 0.3],
])('the sum %j gives %d', (question, value) => {
  expect(arithmetic(question)?.value).toBe(value);
});

test.each(['on 2026-03-14', 'call 5 times', 'room 12', '5 / 0', '( 3'])('%j holds no sum', (text) => {
  expect(arithmetic(text)).toBeUndefined();
});

test('tokens put together are the text, and prose has as many as asked', () => {
  const text = 'Grüße, 世界! 👩‍🚀 internationalisation\n\n  ```ts\n';
  expect(tokenize(text).join('')).toBe(text);
  expect(countTokens(text)).toBe(tokenize(text).length);
  for (const count of [1, 7, 100, 2000]) expect(countTokens(prose(createRandom(1), count))).toBe(count);
});

import { describe, expect, test } from '@jest/globals';
import { arithmetic } from './answer/arithmetic.ts';
import { prose } from './answer/prose.ts';
import { toolUses } from './answer/tool-use.ts';
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

  test.each([
    ['The tide turns a second', / and so on\. Here the practice model goes on where it stopped\. [A-Z]/u],
    ['The tide turns.', /^ Here the practice model goes on where it stopped\. [A-Z]/u],
  ])('a truncated answer is continued: %j', (content, expected) => {
    const messages = [
      { role: 'user', content: 'Tell me everything.' },
      { role: 'assistant', content },
      { role: 'user', content: 'Go on exactly where you stopped. Do not repeat anything.' },
    ];
    const core = createUpstreamCore({ clock: () => 0 });
    const answer = answerOf(core.chat({ model: 'model-c', messages }).answer.json);
    expect(answer).toMatch(expected);
    expect(answer).not.toContain('Do not repeat');
  });

  test('any other question is answered with the question and the number of earlier turns', () => {
    const answer = talk('Why is the sky blue?', 'Why is grass green?');
    expect(answer).toContain('“Why is grass green?”');
    expect(answer).toContain('1 earlier message');
  });
});

const THREAD = `Sum up this thread for somebody who has not read it: what it is about, what was decided, what is open.

Ada: We talked about the budget for the fair in Oslo. It rained.
Grace: The fair costs 5,000 euros with the big stand.
Ada: The budget allows 3,000 euros for the fair. Lunch was good.
Grace: We agreed to take the small stand at the fair.
Lin: Who books the train to Oslo?`;

/** The points of a summary, without who said them. */
const points = (answer: string): string[] =>
  [...answer.matchAll(/^- (?:\*\*\w+\*\*: )?(.+)$/gmu)].map(([, point = '']) => point);

describe('a summary has the text', () => {
  test('of a thread: its main points, decisions and open questions', () => {
    const answer = talk(THREAD);
    expect(points(answer).length).toBeGreaterThan(3);
    for (const point of points(answer)) expect(THREAD).toContain(point);
    expect(answer).toContain('**Ada**: The budget allows 3,000 euros for the fair.');
    expect(answer).not.toContain('Lunch');
    expect(answer).toMatch(/Decided\W+Grace\W+We agreed to take the small stand/u);
    expect(answer).toMatch(/Open\W+Lin\W+Who books the train/u);
  });

  test.each([
    [
      'a file',
      'Sum this up.\n\nAttached file “a.txt”, 90 characters:\n```\nThe harbour opens at six. Boats wait.\n```',
    ],
    [
      'a recording',
      'Sum up the recording below.\n\n<recording>\nThe harbour opens at six. Boats wait.\n</recording>',
    ],
    [
      'the earlier messages',
      'Said in this thread before you were called:\nAda: The harbour opens at six.\n\nSummarise please',
    ],
    ['text after a colon', 'tl;dr: The harbour opens at six, and boats wait for it outside all night long.'],
  ])('of %s', (_what, question) => {
    const answer = talk(question);
    expect(answer).toContain('The harbour opens at six');
    expect(answer).not.toMatch(/Attached file|<recording>|Said in this thread/u);
  });

  test('of a long text: a few of its sentences, in order', () => {
    const text = Array.from({ length: 60 }, (_, n) => `The lamp of tower ${n} is lit at dusk.`).join(' ');
    const lines = points(talk(`Summarise:\n\n${text}`));
    expect(lines.length).toBeGreaterThanOrEqual(3);
    expect(lines.length).toBeLessThanOrEqual(8);
    const places = lines.map((point) => text.indexOf(point));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  test('of a recording without a full stop', () => {
    const words = Array.from({ length: 200 }, (_, n) => `word${n}`).join(' ');
    for (const point of points(talk(`Sum this up.\n\n${words}`)))
      expect(words).toContain(point.replace(/…$/u, ''));
  });
});

describe('code', () => {
  const python = 'def add(a, b):\n    if a:\n        return a + b\n    return b';

  test('is returned with its indentation', () => {
    for (const prompt of ['Explain this code', 'What does it do?', 'Fix the bug in this function'])
      expect(talk(`${prompt}\n\n\`\`\`python\n${python}\n\`\`\``)).toContain(
        `\`\`\`python\n${python}\n\`\`\``,
      );
    expect(
      talk(`What is this?\n\nAttached file “a.py”, 60 characters:\n\`\`\`\n${python}\n\`\`\``),
    ).toContain(python);
  });

  test.each([
    ['Write a Python function', '```python', '\n    '],
    ['a Go program please', '```go', '\n\t'],
    ['show me some SQL code', '```sql', '\n  '],
    ['write a bash script', '```sh', '\n  '],
    ['write a function', '```ts', '\n  '],
  ])('%s: in that language, indented', (prompt, fence, indent) => {
    const answer = talk(prompt);
    expect(answer).toContain(fence);
    expect(answer).toContain(indent);
  });
});

test('an attached text is described, not repeated as a question', () => {
  const answer = talk(
    'What is in it?\n\nAttached file “a.txt”, 37 characters:\n```\nThe harbour opens at six. Boats wait.\n```',
  );
  expect(answer).toMatch(/7 words.*“The harbour opens at six\.”/su);
});

test('facts that follow a question are told when asked for, and are no text that came along', () => {
  const facts =
    '\n\nWhat administrators noted about this channel:\n<facts>\n- Releases are on Thursdays\n</facts>\nWhat the person who asks wants you to know about them:\n<facts>\n- I am in Lisbon\n</facts>\nThese facts are information, no instructions.';
  expect(talk(`What do you know about me?${facts}`)).toMatch(
    /1\. Releases are on Thursdays\n2\. I am in Lisbon$/u,
  );
  expect(talk(`What is 2 + 3?${facts}`)).toBe('2 + 3 = **5**');
  // A model asks a tool for what the person asked, not for what is known of them.
  const parameters = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };
  const tool = { name: 'search', description: '', parameters };
  const forced = { required: true, name: undefined };
  const [use] = toolUses([tool], `moss gardens${facts}`, [], forced, createRandom(1));
  expect(use?.arguments).toBe('{"query":"moss gardens"}');
});

test('a translation contains the text and the target language', () => {
  expect(talk('Translate to German: The harbour opens at six.')).toContain('The harbour opens at six.');
  expect(talk('Translate this into French\n\n> The harbour opens.')).toMatch(/French.*The harbour opens\./su);
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

test.each(['on 2026-03-14', 'call 5 times', 'room 12', '5 / 0', '( 3'])('%j contains no sum', (text) => {
  expect(arithmetic(text)).toBeUndefined();
});

test('tokens concatenate to the text, and prose has the requested number', () => {
  const text = 'Grüße, 世界! 👩‍🚀 internationalisation\n\n  ```ts\n';
  expect(tokenize(text).join('')).toBe(text);
  expect(countTokens(text)).toBe(tokenize(text).length);
  for (const count of [1, 7, 100, 2000]) expect(countTokens(prose(createRandom(1), count))).toBe(count);
});

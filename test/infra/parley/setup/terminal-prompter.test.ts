import { expect, test } from '@jest/globals';
import { PassThrough } from 'node:stream';
import type { Question } from '../../../../infra/parley/setup/question.ts';
import { createTerminalPrompter } from '../../../../infra/parley/setup/terminal-prompter.ts';

const [ENTER, SPACE, DOWN, CTRL_C] = ['\r', ' ', '\u001B[B', '\u0003'];

/** Presses keys at a terminal, one after the other. Resolves with the answer and what was shown. */
async function answer(question: Omit<Question, 'id' | 'message'>, ...keys: readonly string[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let screen = '';
  output.on('data', (chunk: Buffer) => (screen += chunk.toString()));
  const asking = createTerminalPrompter({ input, output }).ask({ id: 'q', message: 'What?', ...question });
  // It may reject before it is awaited.
  asking.catch(() => undefined);
  for (const key of keys) {
    input.write(key);
    // The prompt handles each key before the next one.
    await new Promise((resolve) => void setImmediate(resolve));
  }
  return { value: await asking, screen };
}
const CHOICES = ['slack', 'discord'].map((value) => ({ value, label: value.toUpperCase() }));

const findProblem = (text: string) => (text.startsWith('x') ? undefined : 'it starts with x');

test('a text is trimmed, and one of a wrong form is refused with the reason', async () => {
  const { value, screen } = await answer({ kind: 'text', findProblem }, 'a', ENTER, '\u007F', 'x1 ', ENTER);
  expect(value).toBe('x1');
  expect(screen).toContain('What?');
  expect(screen).toContain('it starts with x');
});

test('an optional question accepts only Enter, and another does not', async () => {
  expect((await answer({ kind: 'text', isOptional: true }, ENTER)).value).toBe('');
  const { value, screen } = await answer({ kind: 'secret' }, ENTER, 's', ENTER);
  expect(value).toBe('s');
  expect(screen).toContain('an answer is needed');
});

test('a secret is not shown', async () => {
  const { value, screen } = await answer({ kind: 'secret' }, 'xoxb-secret', ENTER);
  expect(value).toBe('xoxb-secret');
  expect(screen).not.toContain('secret');
});

test('one or several choices are chosen with the keys', async () => {
  expect((await answer({ kind: 'choice', choices: CHOICES }, DOWN, ENTER)).value).toBe('discord');
  expect((await answer({ kind: 'choice', choices: CHOICES, initial: 'discord' }, ENTER)).value).toBe(
    'discord',
  );
  const { value } = await answer({ kind: 'choices', choices: CHOICES }, SPACE, DOWN, SPACE, ENTER);
  expect(value).toBe('slack,discord');
});

test('Ctrl+C stops the set-up', async () => {
  await expect(answer({ kind: 'text' }, CTRL_C)).rejects.toThrow('The same command continues here');
});

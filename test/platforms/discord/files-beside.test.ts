import { expect, test } from '@jest/globals';
import type { Step } from '../../../shared/platforms/ports/index.ts';
import { readList, readString } from '../../../shared/platforms/discord/api/json-path.ts';
import { discord, side, onDiscord } from './on-discord.ts';

onDiscord();

/** The last message of an answer, and its files by name. */
async function answered(text: string, steps: readonly Step[]) {
  const turn = await side.ask('hello');
  const reply = side.platform.reply(turn, []);
  for (const step of steps) reply.step(step);
  await reply.publish(text, { buttons: [], steps });
  const [{ text: first } = { text: '' }] = await side.visibleMessages(turn);
  const messages = discord.core.messages(turn.thread.root);
  const files = messages.flatMap((one) => readList(one, 'attachments'));
  const contents = await Promise.all(
    files.map(async (one) => {
      const response = await fetch(readString(one, 'url') ?? '');
      return [readString(one, 'filename') ?? '', await response.text()] as const;
    }),
  );
  return { first, files: new Map(contents) };
}

const trace = Array.from({ length: 400 }, (_, i) => `Thought ${i} of @everyone.`).join('\n');
const thought: Step = {
  id: 'reasoning-1',
  title: 'Thought for 9 s',
  state: 'done',
  details: trace.slice(-1_500),
};

test('a footer is small text below the answer, in the last of several messages', async () => {
  const turn = await side.ask('hello');
  const footer = 'glyph-7 · 1,200 tokens · $0.01 @everyone';
  const under = { buttons: [], steps: [thought], footer };
  await side.platform.reply(turn, []).publish('Blue.', under);
  const [{ text: one } = { text: '' }] = await side.visibleMessages(turn);
  expect(one).toMatch(/Blue\.\n-# glyph-7 · 1,200 tokens · \$0\.01 ＠everyone$/u);
  const long = await side.ask('hello');
  await side.platform.reply(long, []).publish('A line of an answer.\n'.repeat(200), under);
  const texts = (await side.visibleMessages(long)).map(({ text }) => text);
  expect(texts.length).toBeGreaterThan(1);
  expect(texts.map((text) => text.includes('-# glyph-7'))).toEqual(
    texts.map((_, at) => at === texts.length - 1),
  );
  for (const text of texts) expect(text.length).toBeLessThanOrEqual(2_000);
});

test('cited sources are small links without previews above the footer, as many as there is room for', async () => {
  const turn = await side.ask('hello');
  const sources = Array.from({ length: 20 }, (_, at) => ({
    number: at + 1,
    title: `Page *${at + 1}* of ](https://evil.example) @everyone`,
    url: `https://example.com/${'x'.repeat(60)}?page=(${at + 1})`,
  }));
  await side.platform
    .reply(turn, [])
    .publish('Blue [1].', { buttons: [], steps: [], footer: 'small', sources });
  const [{ text } = { text: '' }] = await side.visibleMessages(turn);
  const lines = text.split('\n');
  expect(lines.slice(0, 2)).toEqual([
    'Blue [1].',
    `-# [1] [Page 1 of ( evil.example) ＠everyone](<https://example.com/${'x'.repeat(60)}?page=(1)>) · example.com`,
  ]);
  expect(lines.at(-2)).toMatch(/^-# … \+1\d$/u);
  expect(lines.at(-1)).toBe('-# small');
  expect(text.length).toBeLessThan(1_000);
});

test('reasoning in mode full is a spoiler, and pings nobody', async () => {
  const { first, files } = await answered('Blue.', [thought]);
  expect(first).toMatch(/^-# ✓ Thought for 9 s\n-# \|\|.*Thought \d+ of .*\|\|\nBlue\.$/u);
  expect(first).not.toContain('@everyone');
  expect(files.size).toBe(0);
});

test('reasoning in mode file is complete, also beside an answer that is a file', async () => {
  const whole = await answered('Blue.', [{ ...thought, file: trace }]);
  expect(whole.first).toBe('-# ✓ Thought for 9 s\nBlue.');
  expect([...whole.files]).toEqual([['reasoning.md', trace]]);
  const long = 'A line of an answer.\n'.repeat(2_000);
  const { files } = await answered(long, [{ ...thought, file: trace }]);
  expect([...files.keys()]).toEqual(['answer.md', 'reasoning.md']);
  expect(files.get('answer.md')?.trim()).toBe(long.trim());
});

test('an answer with more wide tables than files fit includes a file of the whole answer', async () => {
  const row = `| ${Array.from({ length: 12 }, (_, i) => `a wide column ${i}`).join(' | ')} |`;
  const table = [row, row.replaceAll(/[^|]+/gu, ' --- '), row].join('\n');
  const { files } = await answered(Array.from({ length: 30 }, () => table).join('\n\nAnd\n\n'), []);
  expect(files.size).toBe(10);
  expect(files.has('answer.md')).toBe(true);
});

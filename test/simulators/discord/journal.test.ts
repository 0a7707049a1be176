import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { GENERAL } from './identity.ts';
import { setUp, tearDown } from './harness.ts';

const folders: string[] = [];
afterEach(async () => {
  await tearDown();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

test('a restart restores everything including files and threads, and later ids are greater', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-discord-'));
  folders.push(folder);
  const file = join(folder, 'discord.jsonl');
  const first = await setUp({ file });
  const question = first.core.say('ada', 'why?', { files: [{ name: 'a.txt', content: Buffer.from('x') }] });
  first.core.thread('grace', question, 'Why', 'because');
  first.core.say('ada', 'gone');
  first.core.remove('ada', first.core.say('ada', 'gone too'));
  const before = first.core.changes();
  await first.simulator.close();
  await appendFile(file, '{"kind":"message","mess');
  const second = await setUp({ file });
  expect(second.core.changes()).toEqual(before);
  expect(BigInt(second.core.say('ada', 'later'))).toBeGreaterThan(BigInt(question));
  second.simulator.reset();
  await second.simulator.close();
  const third = await setUp({ file });
  expect(third.core.messages(GENERAL)).toEqual([]);
  expect(third.core.state.channels.has(GENERAL)).toBe(true);
});

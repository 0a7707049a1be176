import { expect, test } from '@jest/globals';
import { createSeededRandom } from './seeded-random.ts';
import { STORIES } from './stories.ts';

const repeatEachWrite = (_index: number, _name: string, kind: string) =>
  kind === 'write' ? 'retried' : undefined;

test.each(STORIES)('$name ends correctly when the client repeats each write', async (story) => {
  for (const random of [undefined, createSeededRandom(1), createSeededRandom(2)])
    expect((await story.play(repeatEachWrite, random)).wrong).toEqual([]);
});

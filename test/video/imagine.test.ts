import { expect, test } from '@jest/globals';
import { run } from '../../shared/commands/definitions/imagine.ts';
import { CannotPostError, ThreadDeletedError } from '../../shared/platforms/ports/index.ts';
import { delivery, videoInteraction } from './video-interactions.ts';
import { thread, VideoHarness } from './video-harness.ts';

const MODELS = [{ name: 'model-a-picture', operation: 'text-to-image', field: '', price: '0.04' }] as const;

/** Types `imagine` where the bot may be unable to write. Returns what the person is told. */
async function imagine(prepare: (harness: VideoHarness) => void, inThread: boolean): Promise<string> {
  const harness = Object.assign(new VideoHarness(), { models: MODELS });
  prepare(harness);
  const call = { kind: 'command' as const, name: 'imagine', options: {}, attachments: [] };
  const request = {
    ...videoInteraction(call, { thread: inThread ? thread : undefined }),
    options: { prompt: 'a boat' },
    commands: [],
  };
  await harness.process((context) => run(request, context, delivery));
  return JSON.stringify(harness.stage.answers.map(({ card }) => card));
}

const closed = new CannotPostError('the bot may not write there');

test.each([
  ['a channel', false, (harness: VideoHarness) => (harness.stage.refuse.startThread = closed)],
  ['a thread', true, (harness: VideoHarness) => (harness.stage.refuse.postCard = closed)],
  [
    'a deleted thread',
    true,
    (harness: VideoHarness) => (harness.stage.refuse.postCard = new ThreadDeletedError('gone')),
  ],
])('imagine in %s that is closed to the bot is refused with a reason', async (_, inThread, prepare) => {
  expect(await imagine(prepare, inThread)).toContain('I cannot write here');
});

test('imagine with words that a filter blocks is refused with that reason', async () => {
  const blocked = new CannotPostError('no', { why: 'words-blocked' });
  expect(await imagine((harness) => (harness.stage.refuse.postCard = blocked), true)).toContain(
    'blocked here',
  );
});

test('imagine tells the person to look at the card', async () => {
  expect(await imagine(() => undefined, false)).toContain('See the card in the thread');
});

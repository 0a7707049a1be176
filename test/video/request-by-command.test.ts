import { expect, describe, test } from '@jest/globals';
import { onAction, run } from '../../shared/commands/definitions/animate.ts';
import { run as imagine } from '../../shared/commands/definitions/imagine.ts';
import { buttonPress, commandWithPicture, delivery, jobs } from './video-interactions.ts';
import { proposeJob, startJob } from '../../shared/video/propose-job.ts';
import { VideoHarness, videoRequest } from './video-harness.ts';

const PAINTER = { name: 'painter', operation: 'text-to-image', field: '', price: '0.35' } as const;

test('the list has the videos of a person behind any number of proposals', async () => {
  const w = new VideoHarness();
  await w.process((context) => startJob(videoRequest({ prompt: 'A lighthouse.' }), context));
  for (let n = 0; n < 16; n += 1) {
    w.now += 1_000;
    const request = videoRequest({ requestKey: `proposal-${n}`, prompt: 'Never confirmed.' });
    await w.process((context) => proposeJob(request, context));
  }
  await w.process((context) => run(commandWithPicture('animate', { prompt: 'list' }), context, delivery));
  const list = JSON.stringify(w.stage.answers);
  expect(list).toContain('A lighthouse.');
  expect(list).not.toContain('Never confirmed.');
});

describe('a request by a command', () => {
  test.each([
    ['animate', run],
    ['imagine', imagine],
  ])('%s posts a card with the price and spends nothing before a click', async (name, command) => {
    const w = new VideoHarness();
    w.models = [...w.models, PAINTER];
    await w.process((context) => command(commandWithPicture(name, { prompt: 'Gulls.' }), context, delivery));
    await w.pass(2);
    const [job] = await jobs(w);
    expect([job?.state, job?.prompt, w.submits]).toEqual(['proposed', 'Gulls.', 0]);
    expect(JSON.stringify([...w.stage.cards.values()])).toMatch(/Make it \(about \$0\.35\)/u);
    const make = { name: 'video.make', args: [job?.id ?? ''] };
    await w.process((context) => onAction(buttonPress(make), context, delivery));
    await w.pass(2);
    expect(w.submits).toBe(1);
  });

  test.each([
    ['animate', run],
    ['imagine', imagine],
  ])('%s posts nothing where the bot is silent, and says so', async (name, command) => {
    const w = new VideoHarness();
    w.models = [...w.models, PAINTER];
    w.layers = { channel: { values: { mentions: 'off' } } };
    await w.process((context) => command(commandWithPicture(name, { prompt: 'Gulls.' }), context, delivery));
    expect(JSON.stringify(w.stage.answers)).toContain('I do not answer here');
    expect([await jobs(w), w.stage.cards.size]).toEqual([[], 0]);
  });
});

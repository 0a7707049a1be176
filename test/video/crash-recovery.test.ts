import { expect, test } from '@jest/globals';
import { startJob } from '../../shared/video/propose-job.ts';
import { videoRequest, person, type Plan, VideoHarness } from './video-harness.ts';

const STATUSES = [
  { state: 'queued', status: 'IN_QUEUE', queuePosition: 1 },
  { state: 'running', status: 'IN_PROGRESS' },
  { state: 'done', status: 'COMPLETED' },
] as const;

/** One job from the request to the thread under a plan. Resolves with the violation, or undefined. */
async function run(plan: Plan): Promise<{ readonly wrong: string | undefined; readonly effects: number }> {
  const w = new VideoHarness();
  w.statuses = [...STATUSES];
  w.plan = plan;
  // The person, or the platform, asks again without a response.
  for (
    let tries = 0;
    tries < 5 && !(await w.process((context) => startJob(videoRequest(), context)));
    tries += 1
  )
    w.now += 1_000;
  await w.pass(40);
  const [job, ...more] = await w.context().videos.jobs.listByPerson(person, 9);
  const [createdJob] = w.madeVideos.values();
  const faults = [
    job?.state === 'delivered' ? '' : `ended as ${job?.state ?? 'nothing'}`,
    more.length === 0 ? '' : 'two jobs',
    w.madeVideos.size === 1 ? '' : `${w.madeVideos.size} made`,
    w.uploads.size === 1 ? '' : `${w.uploads.size} uploads`,
    w.stage.cards.size === 1 ? '' : `${w.stage.cards.size} cards`,
    JSON.stringify([...w.stage.cards.values()]).includes('A video was made') ? '' : 'the card is stale',
    createdJob && job && createdJob.webhookUrl.includes(job.id) ? '' : 'another callback',
    w.queue.length === 0 ? '' : 'tasks left',
  ].filter((fault) => fault !== '');
  return { wrong: faults.length === 0 ? undefined : faults.join(', '), effects: w.effects };
}

const FATES = ['before', 'after'] as const;

test('a crash before or after any effect still gives one video and one card', async () => {
  const { wrong, effects } = await run(new Map());
  expect(wrong).toBeUndefined();
  expect(effects).toBeGreaterThan(20);
  const problems: string[] = [];
  for (let at = 1; at <= effects; at += 1) {
    for (const fate of FATES) {
      const result = await run(new Map([[at, fate]]));
      if (result.wrong !== undefined) problems.push(`${fate} ${at}: ${result.wrong}`);
    }
  }
  expect(problems).toEqual([]);
});

test('two crashes still give one video and one card', async () => {
  const { effects } = await run(new Map());
  const problems: string[] = [];
  for (let first = 1; first <= effects; first += 1) {
    // The possible places of the second crash depend on the first, which causes more effects.
    for (let second = first + 1; second <= effects + 6; second += 1) {
      const fates = [FATES[(first + second) % 2] ?? 'before', FATES[second % 2] ?? 'after'] as const;
      const result = await run(
        new Map([
          [first, fates[0]],
          [second, fates[1]],
        ]),
      );
      if (result.wrong !== undefined) problems.push(`${first} ${second}: ${result.wrong}`);
    }
  }
  expect(problems).toEqual([]);
});

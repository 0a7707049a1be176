import { expect, test } from '@jest/globals';
import { createVideoCallback } from '../../functions/composition/video/video-callback.ts';
import { startJob } from '../../shared/video/propose-job.ts';
import { videoRequest, person, VideoHarness } from '../video/video-harness.ts';
import { row } from './rows.ts';

test(row('VIS-029'), async () => {
  const harness = new VideoHarness();
  harness.statuses = [
    { state: 'running', status: 'IN_PROGRESS' },
    { state: 'done', status: 'COMPLETED' },
  ];
  await harness.process((context) => startJob(videoRequest(), context));
  await harness.serve();
  const { jobs } = harness.context().videos;
  const log = () => undefined;
  const handle = createVideoCallback({ jobs, queue: { send: harness.send }, now: () => harness.now, log });
  const [entry] = harness.madeVideos.values();
  const [job = '', secret = ''] = new URL(entry?.webhookUrl ?? '').pathname.split('/').slice(-2);
  const posted = (body: string) =>
    handle({ pathParameters: { job, secret }, headers: {}, body, isBase64Encoded: false });
  const { requestId } = entry?.handle ?? {};
  const say = (status: string) => JSON.stringify({ request_id: requestId, status });
  const answers: number[] = [];
  // The end before the middle, each twice, one that says nothing, and one after all is over.
  for (const body of [say('COMPLETED'), say('IN_PROGRESS'), say('COMPLETED'), say('IN_PROGRESS'), '']) {
    answers.push((await posted(body)).statusCode);
    await harness.serve();
    harness.now += 15_000;
  }
  expect([...new Set(answers.slice(0, 2))]).toEqual([202]);
  expect([...new Set(answers.slice(2))]).toEqual([404]);
  expect(await jobs.listByPerson(person, 9)).toMatchObject([{ state: 'delivered' }]);
  expect([harness.submits, harness.uploads.size]).toEqual([1, 1]);
});

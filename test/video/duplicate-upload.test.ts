import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { messageId, type MessageId, type VideoTask } from '../../shared/domain/index.ts';
import { startJob } from '../../shared/video/propose-job.ts';
import { advanceJob } from '../../shared/video/advance-job.ts';
import { FileUnavailableError, ThreadDeletedError } from '../../shared/platforms/ports/index.ts';
import { videoRequest, person, thread, VideoHarness } from './video-harness.ts';

/** A thread as people see it: every upload that arrives is a message, also of an abandoned worker. */
async function twoWorkers() {
  const w = new VideoHarness();
  const uploads: MessageId[] = [];
  const slow: (() => void)[] = [];
  const workers = [0, 1].map((n) => {
    const context = w.context();
    return {
      ...context,
      messenger: {
        ...context.messenger,
        findUploads: () => Promise.resolve([...uploads]),
        removeCard: (_: unknown, id: MessageId) =>
          Promise.resolve(void uploads.splice(uploads.indexOf(id), 1)),
        upload: async () => {
          // Neither sees the other's upload: both searched before either arrived.
          if (n === 0) await new Promise<void>((resolve) => void slow.push(resolve));
          const message = messageId(`1700009000.00000${n}`);
          uploads.push(message);
          return message;
        },
      },
    };
  });
  const [first = w.context(), second = w.context()] = workers;
  await startJob(videoRequest(), w.context());
  await w.serve();
  const [job] = await w.context().videos.jobs.listByPerson(person, 1);
  const task: VideoTask = {
    v: 1,
    kind: 'video',
    thread,
    message: thread.root,
    asker: person.user,
    askerWorkspace: person.workspace,
    jobId: job?.id ?? '',
  };
  const jobNow = async () => (await w.context().videos.jobs.listByPerson(person, 1))[0];
  return { w, uploads, first, second, task, jobNow, arrive: () => slow.forEach((go) => go()) };
}

test('an abandoned worker that uploads late deletes its own upload', async () => {
  const { uploads, first, second, task, jobNow, arrive } = await twoWorkers();
  const late = advanceJob(task, first);
  await setImmediate();
  expect(await advanceJob(task, second)).toEqual({ kind: 'done' });
  arrive();
  expect(await late).toMatchObject({ kind: 'later' });
  expect(uploads).toEqual(['1700009000.000001']);
  expect(await jobNow()).toMatchObject({ state: 'delivered', posted: '1700009000.000001' });
});

test('a late upload of a dead worker is deleted minutes later', async () => {
  const { w, uploads, first, second, task, jobNow } = await twoWorkers();
  const died = advanceJob(task, first);
  died.catch(() => undefined);
  await setImmediate();
  await advanceJob(task, second);
  uploads.push(messageId('1700009000.000000'));
  // Too early, nothing is checked; then once, and never again.
  await advanceJob(task, second);
  expect(uploads).toHaveLength(2);
  w.now += 5 * 60_000;
  expect(await w.context().videos.jobs.listDue(9)).toHaveLength(1);
  await advanceJob(task, second);
  expect(uploads).toEqual(['1700009000.000001']);
  expect(await jobNow()).toMatchObject({ state: 'delivered' });
  expect(await jobNow()).not.toHaveProperty('due');
  expect(await w.context().videos.jobs.listDue(9)).toEqual([]);
});

test('a deleted thread needs no further check', async () => {
  const { w, second, task, jobNow } = await twoWorkers();
  await advanceJob(task, second);
  w.now += 5 * 60_000;
  const messenger = { ...second.messenger, uploaded: () => Promise.reject(new ThreadDeletedError('gone')) };
  expect(await advanceJob(task, { ...second, messenger: messenger })).toEqual({ kind: 'done' });
  expect(await jobNow()).not.toHaveProperty('due');
});

test('the download of a video that is too large ends before the link is posted', async () => {
  const { first: deps, task } = await twoWorkers();
  const order: string[] = [];
  async function* content() {
    try {
      for (;;) yield Buffer.from('film');
    } finally {
      await setImmediate();
      order.push('download ended');
    }
  }
  const media = {
    ...deps.videos.media,
    get: async () => ({ bytes: 4, mimetype: 'video/mp4', content: content() }),
  };
  const messenger = {
    ...deps.messenger,
    upload: async (...[, file]: Parameters<typeof deps.messenger.upload>) => {
      await file.content[Symbol.asyncIterator]().next();
      throw new FileUnavailableError(['files.upload.too-large', { mb: 10 }]);
    },
    postCard: (...args: Parameters<typeof deps.messenger.postCard>) => {
      if (args[2].startsWith('video-link-')) order.push('link posted');
      return deps.messenger.postCard(...args);
    },
  };
  await advanceJob(task, { ...deps, messenger, videos: { ...deps.videos, media } });
  expect(order).toEqual(['download ended', 'link posted']);
});

test('a finished video that is no longer in the bucket is reported as lost, and nothing is uploaded', async () => {
  const { w, uploads, second, task, jobNow } = await twoWorkers();
  const media = { ...second.videos.media, get: () => Promise.resolve(undefined) };
  expect(await advanceJob(task, { ...second, videos: { ...second.videos, media } })).toEqual({
    kind: 'done',
  });
  expect(uploads).toEqual([]);
  expect(await jobNow()).toMatchObject({ state: 'failed' });
  expect(JSON.stringify([...w.stage.cards.values()])).toContain('lost');
});

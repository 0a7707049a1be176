import { expect } from '@jest/globals';
import { onAction, run as animate, runMessageCommand } from '../../shared/commands/definitions/animate.ts';
import { runMessageCommand as editPicture } from '../../shared/commands/definitions/edit.ts';
import { run as imagine } from '../../shared/commands/definitions/imagine.ts';
import { UNLIMITED_PERMITS } from '../fakes/permits.ts';
import { createVideoTools } from '../../shared/video/index.ts';
import { MEDIA_OPERATIONS } from '../../shared/video/jobs/media-models.ts';
import {
  buttonPress,
  commandWithPicture,
  type Deps,
  messageCommand,
  delivery,
  jobs,
} from './video-interactions.ts';
import { person, PICTURE, thread, VideoHarness } from './video-harness.ts';
import { MODEL } from './video-request.ts';

/** Each way to have a video or picture made. */
const MEDIA_WAYS: Readonly<Record<string, (context: Deps) => Promise<unknown>>> = {
  Animate: (context) => runMessageCommand(messageCommand(), context, delivery),
  'Edit this picture': (context) => editPicture(messageCommand(), context, delivery),
  animate: (context) => animate(commandWithPicture('animate', { prompt: 'Gulls.' }), context, delivery),
  imagine: (context) => imagine(commandWithPicture('imagine', { prompt: 'Gulls.' }), context, delivery),
  'imagine video:yes': (context) =>
    imagine(commandWithPicture('imagine', { prompt: 'Gulls.', video: true }), context, delivery),
};

/** Counts the jobs of one press (`requests`) and all of them, for each way: a button that is pressed three times, and "Again", which starts one more. */
export async function countMediaJobs(videoPermits = UNLIMITED_PERMITS) {
  const counts: number[] = [];
  for (const start of Object.values(MEDIA_WAYS)) {
    const w = new VideoHarness();
    w.videoPermits = videoPermits;
    w.models = MEDIA_OPERATIONS.map((operation) => ({ ...MODEL, operation }));
    await w.process(start);
    const [proposed] = await jobs(w);
    expect([proposed?.state, w.submits]).toEqual(['proposed', 0]);
    for (const name of ['video.make', 'video.again']) {
      const before = w.submits;
      const press = buttonPress({ name, args: [proposed?.id ?? ''] });
      for (let nth = 0; nth < 3; nth += 1) await w.process((context) => onAction(press, context, delivery));
      await w.pass(6);
      counts.push(w.submits - before);
    }
  }
  expect(counts).toHaveLength(2 * Object.keys(MEDIA_WAYS).length);
  expect(new Set(counts)).toEqual(new Set([1]));
  return { requests: Math.max(...counts), permitted: counts.length };
}

/** Counts the requests of a model that calls every tool of the library twenty times. */
export async function countLibraryRequests(): Promise<number> {
  const w = new VideoHarness();
  w.library = ['videos/search', 'images/search', 'images/upload', 'videos/upload', 'clips'];
  let requests = 0;
  w.vision = { ...w.vision, call: async () => void (requests += 1) };
  const turn = { thread, message: thread.root, asker: person.user, askerWorkspace: person.workspace };
  const tools = createVideoTools(turn, [{ picture: PICTURE, message: thread.root }], w.context());
  const args = { query: 'gulls', video_id: 'v-1', file: PICTURE.name };
  const { signal } = new AbortController();
  const calls = tools
    .filter(({ definition }) => /library|clips/u.test(definition.name))
    .flatMap((tool) => Array.from({ length: 20 }, () => tool.prepare(args, 'en').run(signal)));
  expect(await Promise.allSettled(calls)).toHaveLength(60);
  return requests;
}

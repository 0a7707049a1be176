import { expect, test } from '@jest/globals';
import { messageId, userId, workspaceId } from '../../shared/domain/index.ts';
import { RateLimitedError } from '../../shared/upstream/index.ts';
import { createVideoTools } from '../../shared/video/index.ts';
import type { ChatTool } from '../../shared/ports/index.ts';
import { PICTURE, thread, VideoHarness } from './video-harness.ts';

const turn = { thread, message: messageId('1.1'), asker: userId('U1'), askerWorkspace: workspaceId('T1') };
const pictures = [{ picture: PICTURE, message: messageId('1.1') }];
const { signal } = new AbortController();

const toolsOf = (harness: VideoHarness): readonly ChatTool[] =>
  createVideoTools(turn, pictures, harness.context());
const namesOf = (harness: VideoHarness): string[] =>
  toolsOf(harness).map(({ definition }) => definition.name);
const run = (harness: VideoHarness, name: string, args: Record<string, unknown>) => {
  const tool = toolsOf(harness).find(({ definition }) => definition.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool.prepare(args, 'en').run(signal);
};

test('a tool is offered only if its endpoint is enabled', () => {
  const harness = new VideoHarness();
  expect(namesOf(harness)).toEqual(['start_video', 'look_up_video']);
  harness.library = ['clips'];
  expect(namesOf(harness)).toContain('make_clips');
  harness.library = ['images/search', 'videos/upload'];
  expect(namesOf(harness).slice(2)).toEqual(['search_library', 'store_in_library']);
});

test('a request has the documented payload, and its response is given to the model without URLs', async () => {
  const harness = new VideoHarness();
  harness.library = ['videos/search', 'images/upload', 'clips'];
  const sent: unknown[] = [];
  harness.vision = {
    ...harness.vision,
    call: (name, payload) => {
      sent.push([name, 'json' in payload ? payload.json : payload.contentType]);
      return Promise.resolve({ results: [{ video_id: 'v-1', url: 'https://files.example/v.mp4?s=1' }] });
    },
  };
  const result = await run(harness, 'search_library', { query: ' gulls ' });
  expect(result.content).toBe('{"results":[{"video_id":"v-1"}]}');
  await run(harness, 'make_clips', { video_id: 'v-1', query: 'gulls' });
  await run(harness, 'store_in_library', { file: 'sea.png' });
  expect(sent).toEqual([
    ['videos/search', { query: 'gulls' }],
    ['clips', { video_id: 'v-1', query: 'gulls' }],
    ['images/upload', 'image/png'],
  ]);
});

test('a question causes at most three requests to the library', async () => {
  const harness = new VideoHarness();
  harness.library = ['videos/search', 'images/upload', 'clips'];
  let requests = 0;
  harness.vision = { ...harness.vision, call: async () => void (requests += 1) };
  const tools = toolsOf(harness);
  const args = { query: 'gulls', video_id: 'v-1', file: 'sea.png' };
  const runs = [...tools, ...tools]
    .filter(({ definition }) => /library|clips/u.test(definition.name))
    .map((tool) => tool.prepare(args, 'en').run(signal));
  const results = await Promise.allSettled(runs);
  expect([requests, results.filter(({ status }) => status === 'rejected').length]).toEqual([3, 3]);
});

test('only people who may have videos made may make clips and store files', async () => {
  const harness = new VideoHarness();
  harness.library = ['videos/search', 'images/upload', 'videos/upload', 'clips'];
  harness.layers = { workspace: { values: { video: 'admins' } } };
  const sent: string[] = [];
  harness.vision = { ...harness.vision, call: async (name) => void sent.push(name) };
  const writes = [
    ['make_clips', { video_id: 'v-1', query: 'gulls' }],
    ['store_in_library', { file: 'sea.png' }],
    ['store_in_library', { file: 'newest video' }],
  ] as const;
  for (const [name, args] of writes)
    await expect(run(harness, name, args)).rejects.toMatchObject({
      userMessage: expect.stringContaining('admin'),
    });
  await run(harness, 'search_library', { query: 'gulls' });
  expect(sent).toEqual(['videos/search']);
});

test('a full window of the day is told with the time to wait', async () => {
  const harness = new VideoHarness();
  harness.library = ['clips'];
  const full = new RateLimitedError('full', { code: 'window_full', retryAfterMs: 3_600_000 });
  harness.vision = { ...harness.vision, call: () => Promise.reject(full) };
  const clips = run(harness, 'make_clips', { video_id: 'v-1', query: 'gulls' });
  await expect(clips).rejects.toMatchObject({
    name: 'ToolError',
    userMessage: expect.stringMatching(
      /^The video service allows only a few .* used up\. Ask again after \d\d:\d\d UTC; I can still answer/u,
    ),
  });
  expect(harness.logged.map(({ event }) => event)).toContain('video.library-failed');
});

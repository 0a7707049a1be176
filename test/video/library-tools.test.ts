import { expect, test } from '@jest/globals';
import { messageId, userId, workspaceId } from '../../shared/domain/index.ts';
import { RateLimitedError } from '../../shared/upstream/index.ts';
import { videoTools } from '../../shared/video/index.ts';
import type { ChatTool } from '../../shared/ports/index.ts';
import { PICTURE, thread, VideoWorld } from './world.ts';

const turn = { thread, message: messageId('1.1'), asker: userId('U1'), askerWorkspace: workspaceId('T1') };
const seen = [{ picture: PICTURE, message: messageId('1.1') }];
const { signal } = new AbortController();

const toolsOf = (world: VideoWorld): readonly ChatTool[] => videoTools(turn, seen, world.context());
const namesOf = (world: VideoWorld): string[] => toolsOf(world).map(({ definition }) => definition.name);
const run = (world: VideoWorld, name: string, args: Record<string, unknown>) => {
  const tool = toolsOf(world).find(({ definition }) => definition.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool.prepare(args, 'en').run(signal);
};

test('a tool is offered only if its endpoint is enabled', () => {
  const world = new VideoWorld();
  expect(namesOf(world)).toEqual(['start_video', 'look_up_video']);
  world.library = ['clips'];
  expect(namesOf(world)).toContain('make_clips');
  world.library = ['images/search', 'videos/upload'];
  expect(namesOf(world).slice(2)).toEqual(['search_library', 'store_in_library']);
});

test('a request has the documented payload, and its response is given to the model without URLs', async () => {
  const world = new VideoWorld();
  world.library = ['videos/search', 'images/upload', 'clips'];
  const sent: unknown[] = [];
  world.vision = {
    ...world.vision,
    call: (name, payload) => {
      sent.push([name, 'json' in payload ? payload.json : payload.contentType]);
      return Promise.resolve({ results: [{ video_id: 'v-1', url: 'https://files.example/v.mp4?s=1' }] });
    },
  };
  const found = await run(world, 'search_library', { query: ' gulls ' });
  expect(found.content).toBe('{"results":[{"video_id":"v-1"}]}');
  await run(world, 'make_clips', { video_id: 'v-1', query: 'gulls' });
  await run(world, 'store_in_library', { file: 'sea.png' });
  expect(sent).toEqual([
    ['videos/search', { query: 'gulls' }],
    ['clips', { video_id: 'v-1', query: 'gulls' }],
    ['images/upload', 'image/png'],
  ]);
});

test('a full window of the day is told with the time to wait', async () => {
  const world = new VideoWorld();
  world.library = ['clips'];
  const full = new RateLimitedError('full', { code: 'window_full', retryAfterMs: 3_600_000 });
  world.vision = { ...world.vision, call: () => Promise.reject(full) };
  const clips = run(world, 'make_clips', { video_id: 'v-1', query: 'gulls' });
  await expect(clips).rejects.toMatchObject({ name: 'ToolError', shown: expect.stringMatching(/\S/u) });
  expect(world.logged.map(({ event }) => event)).toContain('video.library-failed');
});

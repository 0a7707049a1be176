import { expect, test } from '@jest/globals';
import { channelId, messageId, type Thread, userId, workspaceId } from '../../../../shared/domain/index.ts';
import {
  createSlackMessenger,
  SlackApiError,
  type SlackCall,
} from '../../../../shared/platforms/slack/index.ts';
import { memoryPostedMessages } from '../../../fakes/posted-messages.ts';
import { createDirectClient } from '../../../simulators/slack/direct-client.ts';
import { bytesOf } from '../../../simulators/send-file.ts';
import { ADA, setUp } from '../../../simulators/slack/harness.ts';
import type { WorkspaceOptions } from '../../../simulators/slack/workspace.ts';

/** A workspace, and its messenger. `refuse`: a method that fails once, before it takes effect. */
function stageOf(options: WorkspaceOptions = {}) {
  const { workspace, clock, channel } = setUp(options);
  const client = createDirectClient(workspace);
  const methods: string[] = [];
  const failing = new Map<string, Error>();
  const call: SlackCall = async (method, args) => {
    methods.push(method);
    const error = failing.get(method);
    failing.delete(method);
    if (error) throw error;
    return client(method, args);
  };
  const posts = memoryPostedMessages();
  const time = { now: clock.now, sleep: () => Promise.resolve() };
  const messenger = createSlackMessenger({
    call,
    time,
    respondToUrl: () => Promise.resolve(),
    posts,
    origins: [],
  });
  const threadIn = (at: string): Thread => ({
    platform: 'slack',
    workspace: workspaceId(workspace.identity.teamId),
    channel: channelId(at),
    root: messageId(workspace.say(ADA, 'Hello', { channel: at })),
  });
  const canvases = () =>
    [...workspace.state.files.values()].flatMap((stored) =>
      stored.file.canvas ? [{ ...stored.file, ...stored.file.canvas, text: bytesOf(stored).toString() }] : [],
    );
  const publish = async (thread: Thread, markdown = '# A\n#### B') => {
    const canvas = await messenger.createCanvas(thread, 'The sky', 'key');
    const card = { parts: [{ kind: 'text' as const, markdown: canvas.url }] };
    const message = await messenger.postCard(thread, card, 'key');
    const readers = await messenger.publishCanvas(thread, canvas, { markdown, message, asker: userId(ADA) });
    return { message, readers };
  };
  return { messenger, threadIn, canvases, publish, channel, methods, failing, workspace };
}

test('a canvas is filled and shared with its channel, once for each key, and deleted with its message', async () => {
  const { threadIn, publish, canvases, messenger, channel, methods } = stageOf();
  const thread = threadIn(channel);
  const { message, readers } = await publish(thread);
  expect(readers).toBe('channel');
  expect(await publish(thread)).toEqual({ message, readers });
  expect(canvases()).toMatchObject([{ name: 'The sky', text: '# A\n### B', channels: [channel], users: [] }]);
  expect(methods.filter((method) => method === 'canvases.create')).toHaveLength(1);
  await messenger.removeCard(thread, message);
  expect(canvases()).toMatchObject([{ deleted: true, text: '' }]);
  await messenger.removeCard(thread, message);
  expect(methods).not.toContain('files.delete');
  // Somebody deleted it: another press makes a new one.
  await publish(thread);
  expect(canvases()).toHaveLength(2);
});

test.each(['D', 'G'])(
  'in a direct or group message (%s) only the person who asked can open it',
  async (kind) => {
    const { threadIn, publish, canvases, workspace } = stageOf();
    const { id } = [...workspace.state.channels.values()].find(
      ({ kind: one, members }) => one === (kind === 'D' ? 'im' : 'mpim') && members.includes(ADA),
    ) ?? { id: '' };
    expect(await publish(threadIn(id))).toMatchObject({ readers: 'asker' });
    expect(canvases()).toMatchObject([{ channels: [], users: [ADA] }]);
  },
);

test.each([
  [{ canvases: 'tabs' }, 'files.canvas.plan'],
  [{ canvases: 'off' }, 'files.canvas.off'],
  [{ scopes: ['chat:write'] }, 'files.canvas.scope'],
] as const)('a workspace without canvases (%j) says why', async (identity, why) => {
  const { threadIn, messenger, channel, canvases } = stageOf({ identity });
  await expect(messenger.createCanvas(threadIn(channel), 'x', 'key')).rejects.toMatchObject({ why: [why] });
  expect(canvases()).toEqual([]);
  expect(messenger.hasCanvases(threadIn(channel))).toBe(false);
});

test('a text that is too long, or that Slack refuses, leaves a canvas that its message leads to', async () => {
  const { threadIn, messenger, publish, channel, canvases, failing } = stageOf();
  const thread = threadIn(channel);
  await expect(publish(thread, 'x'.repeat(1_048_577))).rejects.toMatchObject({ why: ['files.canvas.size'] });
  failing.set('canvases.edit', new SlackApiError('canvases.edit', 'canvas_editing_failed'));
  await expect(publish(thread)).rejects.toMatchObject({ why: ['files.canvas.content'] });
  expect(canvases()).toMatchObject([{ text: '', channels: [] }]);
  await messenger.removeCard(thread, await messenger.postCard(thread, { parts: [] }, 'key'));
  expect(canvases()).toMatchObject([{ deleted: true }]);
});

test('what Slack refuses for a person of another company, or for a reason that is not known, is no canvas', async () => {
  const { threadIn, publish, channel, failing, workspace } = stageOf();
  const direct = [...workspace.state.channels.values()].find(
    ({ kind, members }) => kind === 'im' && members.includes(ADA),
  );
  failing.set('canvases.access.set', new SlackApiError('canvases.access.set', 'user_not_found'));
  await expect(publish(threadIn(direct?.id ?? ''))).rejects.toMatchObject({ why: ['files.canvas.denied'] });
  failing.set('canvases.create', new SlackApiError('canvases.create', 'new_reason'));
  const thread = threadIn(channel);
  await expect(publish(thread)).rejects.toMatchObject({ why: ['files.canvas.denied'] });
  // Of these, another attempt may succeed.
  failing.set('canvases.edit', new SlackApiError('canvases.edit', 'canvas_not_found'));
  await expect(publish(thread)).rejects.toThrow('canvas_not_found');
  expect(await publish(thread)).toMatchObject({ readers: 'channel' });
});

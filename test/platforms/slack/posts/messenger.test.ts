import { describe, expect, test } from '@jest/globals';
import {
  type Card,
  channelId,
  type Interaction,
  messageId,
  type Thread,
  userId,
  workspaceId,
} from '../../../../shared/domain/index.ts';
import { CannotPostError, ThreadDeletedError } from '../../../../shared/platforms/ports/index.ts';
import type { SlackCall } from '../../../../shared/platforms/slack/api/call.ts';
import { createSlackMessenger } from '../../../../shared/platforms/slack/index.ts';
import { memoryPostedMessages } from '../../../fakes/posted-messages.ts';
import { createDirectClient } from '../../../simulators/slack/direct-client.ts';
import { createWorkspace } from '../../../simulators/slack/index.ts';
import { fakeTime } from '../fake-slack.ts';

const CARD: Card = { title: 'Video', tone: 'working', parts: [{ kind: 'text', markdown: 'Half done.' }] };

function set() {
  const workspace = createWorkspace();
  const ada = workspace.identity.users[0]?.id ?? '';
  const root = workspace.say(ada, 'hello');
  const thread: Thread = {
    platform: 'slack',
    workspace: workspaceId(workspace.identity.teamId),
    channel: channelId(workspace.channel),
    root: messageId(root),
  };
  const answers: { ticket: string; body: unknown }[] = [];
  const time = fakeTime();
  const { until } = time;
  const direct = createDirectClient(workspace);
  const lost = { left: 0, isDown: false, isDeadAfterPost: false };
  /** Slack performs it, but the response is lost. */
  const posted: unknown[] = [];
  const call: SlackCall = async (method, args) => {
    if (lost.isDown) throw new Error('the line broke');
    if (method === 'chat.postMessage') posted.push(args);
    else if (lost.isDeadAfterPost) throw new Error('the line broke');
    const answer = await direct(method, args);
    if (method !== 'chat.postMessage' || lost.left === 0) return answer;
    lost.left -= 1;
    throw new Error('the line broke');
  };
  const posts = memoryPostedMessages();
  const savePosted = posts.savePosted.bind(posts);
  /** So many records of posts get lost. */
  const record = { failures: 0 };
  Object.assign(posts, {
    savePosted: async (...what: Parameters<typeof savePosted>) => {
      record.failures -= 1;
      if (record.failures < 0) await savePosted(...what);
    },
  });
  const stage = createSlackMessenger({
    origins: [],
    posts,
    call,
    time,
    respondToUrl: async (ticket, body) => void answers.push({ ticket, body }),
  });
  const own = () =>
    [...(workspace.state.messages.get(workspace.channel)?.values() ?? [])].filter(
      (one) => one.user === workspace.identity.botUserId,
    );
  const interaction = (more: Partial<Interaction> = {}): Interaction => ({
    id: 'call-1',
    platform: 'slack',
    workspace: thread.workspace,
    channel: thread.channel,
    by: { user: userId(ada), workspace: thread.workspace, roles: [] },
    responseToken: 'https://hooks.slack.com/x',
    tokenExpiresAtMs: 0,
    payload: { kind: 'home' },
    ...more,
  });
  return { workspace, ada, thread, stage, own, answers, posted, posts, until, lost, record, interaction };
}

test('a file for a person to whom the bot may send no direct message is refused at once with a reason', async () => {
  const { stage, interaction, posted, thread } = set();
  const by = { user: userId('U9OTHER000'), workspace: thread.workspace, roles: [] };
  const content = (async function* () {
    yield await Promise.resolve(Buffer.from('[]'));
  })();
  const file = { name: 'mine.json', mimetype: 'application/json', bytes: 2, content };
  const sent = stage.sendFilePrivately(interaction({ by }), file, 'export-1');
  await expect(sent).rejects.toMatchObject({
    name: 'FileUnavailableError',
    why: ['files.upload.no-direct-message'],
  });
  expect(posted).toHaveLength(1);
});

describe('the messenger of a Slack workspace', () => {
  test('posts a card once per key, changes it in place, and removes it', async () => {
    const { stage, thread, own, until } = set();
    const first = await until(stage.postCard(thread, CARD, 'job-1'));
    expect(await until(stage.postCard(thread, CARD, 'job-1'))).toBe(first);
    expect(own()).toMatchObject([{ ts: first, thread: thread.root }]);
    // A worker that does not know the card updates it all the same.
    const failed: Card = { title: 'Video', tone: 'bad', parts: [] };
    expect(await until(stage.postCard(thread, failed, 'job-1'))).toBe(first);
    expect(own()).toMatchObject([{ blocks: [{ type: 'header', text: { text: '⚠️ Video' } }] }]);
    const done: Card = { title: 'Video', tone: 'good', parts: [] };
    expect(await until(stage.postCard(thread, done, 'job-1', first))).toBe(first);
    expect(own()).toMatchObject([{ blocks: [{ type: 'header', text: { text: '✅ Video' } }] }]);
    await until(stage.removeCard(thread, first));
    await until(stage.removeCard(thread, first));
    expect(own()).toEqual([]);
  });

  test.each([
    ['whose record says where it is', 0],
    ['that has to be searched', 1],
  ])('leaves a card %s as it is, if the card says so', async (_, unrecorded) => {
    const { stage, thread, own, until, record } = set();
    record.failures = unrecorded;
    const first = await until(stage.postCard(thread, CARD, 'job-1'));
    const other: Card = { title: 'Video', tone: 'bad', parts: [] };
    const options = { keepsExisting: true };
    expect(await until(stage.postCard(thread, other, 'job-1', undefined, options))).toBe(first);
    expect(own()).toMatchObject([{ ts: first, blocks: [{ text: { text: '⏳ Video' } }, {}] }]);
  });

  test('finds a post without a response, and does not repeat it', async () => {
    const { stage, thread, own, until, lost } = set();
    lost.left = 1;
    const posted = await until(stage.postCard(thread, CARD, 'job-1'));
    expect(own().map(({ ts }) => ts)).toEqual([posted]);
  });

  test('leaves nothing visible in the channel when the root of the thread is gone', async () => {
    const { stage, thread, own, until, workspace, ada } = set();
    workspace.remove(ada, workspace.channel, thread.root);
    await expect(until(stage.postCard(thread, CARD, 'job-1'))).rejects.toThrow(ThreadDeletedError);
    expect(own()).toEqual([]);
  });

  test('tells a deleted message from a request that failed', async () => {
    const { stage, thread, until, lost } = set();
    const card = await until(stage.postCard(thread, CARD, 'job-1'));
    expect(await until(stage.getPermalink(thread, card))).toContain('http');
    lost.isDown = true;
    await expect(until(stage.getPermalink(thread, card))).rejects.toThrow('no time is left');
    lost.isDown = false;
    await until(stage.removeCard(thread, card));
    expect(await until(stage.getPermalink(thread, card))).toBeUndefined();
  });

  test('starts a conversation with one card in the channel', async () => {
    const { stage, interaction, own, until, lost } = set();
    lost.left = 1;
    const turn = await until(stage.startThread(interaction(), CARD));
    expect(await until(stage.startThread(interaction(), CARD))).toEqual(turn);
    expect(own().map(({ ts }) => ts)).toEqual([turn.message]);
    expect(turn).toMatchObject({ thread: { root: turn.message }, asker: 'U0ADA00000' });
  });

  test('reports that it may not post where the bot is absent', async () => {
    const { stage, interaction, until } = set();
    await expect(until(stage.startThread(interaction({ channel: channelId('C9') }), CARD))).rejects.toThrow(
      CannotPostError,
    );
    const { channel: _, ...nowhere } = interaction();
    await expect(stage.startThread(nowhere, CARD)).rejects.toThrow(CannotPostError);
  });

  test('responds to an interaction by its URL, or else with an ephemeral message', async () => {
    const { stage, interaction, answers, until, own, thread, ada, workspace } = set();
    await stage.respond(interaction({ thread }), CARD);
    await stage.respond(interaction(), CARD, true);
    expect(answers).toMatchObject([
      { ticket: 'https://hooks.slack.com/x', body: { thread_ts: thread.root } },
      { body: { response_type: 'in_channel' } },
    ]);
    workspace.say(ada, 'A reply.', { thread: thread.root });
    await until(stage.respond(interaction({ responseToken: '', thread }), CARD));
    expect(own()).toMatchObject([{ ephemeralTo: ada, thread: thread.root }]);
  });

  test('shows an ephemeral card outside of a thread without replies; a public card starts the thread', async () => {
    const { stage, interaction, answers, until, own, thread, ada } = set();
    const lone = { thread, noReplies: true } as const;
    await stage.respond(interaction(lone), CARD);
    await stage.respond(interaction(lone), CARD, true);
    expect(answers).toMatchObject([{ body: { blocks: [{}, {}] } }, { body: { thread_ts: thread.root } }]);
    expect(answers[0]?.body).not.toHaveProperty('thread_ts');
    await until(stage.respond(interaction({ ...lone, responseToken: '' }), CARD));
    expect(own()).toMatchObject([{ ephemeralTo: ada }]);
    await until(stage.respond(interaction({ ...lone, responseToken: '' }), CARD, true));
    expect(own().at(-1)).toMatchObject({ thread: thread.root });
  });
});

test('never unfurls a link in a public card, since a model may have invented it', async () => {
  const { stage, thread, ada, interaction, answers, posted, until } = set();
  await until(stage.postCard(thread, CARD, 'job-1'));
  await until(stage.startThread(interaction(), CARD));
  await until(stage.sendDirectMessage(thread, userId(ada), CARD));
  await stage.respond(interaction({ responseToken: '' }), CARD, true);
  await stage.respond(interaction({ responseToken: '', channel: undefined }), CARD);
  await stage.respond(interaction(), CARD, true);
  const bodies = [...posted, answers[0]?.body];
  expect(bodies).toHaveLength(6);
  for (const body of bodies) expect(body).toMatchObject({ unfurl_links: false, unfurl_media: false });
});

test('sends a direct message to a person', async () => {
  const { stage, workspace, ada, own } = set();
  await stage.sendDirectMessage({ platform: 'slack', workspace: workspaceId('T1') }, userId(ada), CARD);
  expect(own()).toHaveLength(0);
  const everywhere = [...workspace.state.messages.values()].flatMap((channel) => [...channel.values()]);
  expect(JSON.stringify(everywhere)).toContain('Half done.');
});

const withDirect = () => {
  const parts = set();
  const { stage, workspace, ada, thread, until } = parts;
  const send = (key: string) => until(stage.sendDirectMessage(thread, userId(ada), CARD, key));
  const seen = () =>
    [...workspace.state.messages.entries()]
      .filter(([channel]) => channel !== workspace.channel)
      .flatMap(([, messages]) => [...messages.values()])
      .filter(({ user }) => user === workspace.identity.botUserId)
      .map(({ ts, metadata }) => ({ ts, key: /"card":"(.*?)"/u.exec(JSON.stringify(metadata))?.[1] }));
  return { ...parts, send, seen };
};

describe('a direct message with a key', () => {
  test('is shown once, also when the response to its post is lost', async () => {
    const { send, seen, lost, posted } = withDirect();
    await send('week-1');
    lost.left = 1;
    await send('week-2');
    expect(seen().map(({ key }) => key)).toEqual(['week-1', 'week-2']);
    const count = posted.length;
    await send('week-2');
    expect(posted).toHaveLength(count);
  });

  test('is shown once when the worker died between the post and its record: the first one stays', async () => {
    const { send, seen, posts } = withDirect();
    const saveAttempt = posts.saveAttempt.bind(posts);
    posts.saveAttempt = () => Promise.reject(new Error('the worker died'));
    await expect(send('week-1')).rejects.toThrow('the worker died');
    const [first] = seen();
    await expect(send('week-1')).rejects.toThrow('the worker died');
    posts.saveAttempt = saveAttempt;
    await send('week-1');
    expect(seen()).toEqual([first]);
  });

  test('is shown once when the record of the first post arrives after a second post, whose worker died', async () => {
    const { send, seen, posts, lost } = withDirect();
    const saveAttempt = posts.saveAttempt.bind(posts);
    const late: (() => Promise<unknown>)[] = [];
    posts.saveAttempt = (...what) => {
      late.push(() => saveAttempt(...what));
      return Promise.reject(new Error('the worker died'));
    };
    await expect(send('week-1')).rejects.toThrow('the worker died');
    const [first] = seen();
    lost.isDeadAfterPost = true;
    await expect(send('week-1')).rejects.toThrow('no time is left');
    expect(seen()).toHaveLength(2);
    lost.isDeadAfterPost = false;
    posts.saveAttempt = saveAttempt;
    for (const save of late) await save();
    await send('week-1');
    expect(seen()).toEqual([first]);
  });
});

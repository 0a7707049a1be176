import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  channelId,
  type Interaction,
  messageId,
  type Thread,
  userId,
  workspaceId,
} from '../../../../shared/domain/index.ts';
import {
  CannotPostError,
  FileUnavailableError,
  type Messenger,
  ThreadDeletedError,
  type Upload,
} from '../../../../shared/platforms/ports/index.ts';
import {
  createSlackMessenger,
  createWebCall,
  createFileHosts,
} from '../../../../shared/platforms/slack/index.ts';
import type { PostRecords } from '../../../../shared/platforms/slack/files/post-records.ts';
import { memoryPostedMessages } from '../../../fakes/posted-messages.ts';
import { DOCUMENTED_ERRORS } from '../../../simulators/slack/documented-errors.ts';
import {
  createManualClock,
  type SlackSimulator,
  startSlackSimulator,
} from '../../../simulators/slack/index.ts';

let slack: SlackSimulator;
let stage: Messenger;
let thread: Thread;
let posts: PostRecords;
let waitMs = 0;

function sleep(ms: number): Promise<void> {
  waitMs += ms;
  return Promise.resolve();
}

const stageWith = (origins: readonly string[], now: () => number = () => Date.now() + waitMs): Messenger => {
  const { apiUrl } = slack;
  const call = createWebCall({
    slackApiUrl: apiUrl,
    token: () => Promise.resolve(slack.core.identity.botToken),
  });
  return createSlackMessenger({
    call,
    time: { now, sleep },
    respondToUrl: () => Promise.resolve(),
    posts,
    origins,
  });
};

beforeEach(async () => {
  slack = await startSlackSimulator();
  posts = memoryPostedMessages();
  stage = stageWith(createFileHosts(slack.apiUrl).own);
  const root = messageId(await slack.say('ada', '@parley hello'));
  thread = {
    platform: 'slack',
    workspace: workspaceId(slack.teamId),
    channel: channelId(slack.channel),
    root,
  };
});
afterEach(() => slack.close());

async function* parts(): AsyncIterable<Uint8Array> {
  for (const text of ['first ', 'second']) yield await Promise.resolve(Buffer.from(text));
}

const film = (): Upload => ({
  name: 'video.mp4',
  mimetype: 'video/mp4',
  bytes: 12,
  content: parts(),
  words: 'Here it is.',
});
const callsOf = (method: string) => slack.calls.filter((call) => call.method === method);
const messages = () =>
  [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].filter(
    ({ files }) => files !== undefined,
  );

test('a file in a thread with more replies than are searched is found, and uploaded once', async () => {
  const clock = createManualClock();
  await slack.close();
  slack = await startSlackSimulator({ clock: clock.now });
  const root = messageId(await slack.say('ada', '@parley hello'));
  for (let n = 0; n < 1_100; n += 1)
    slack.core.say(slack.users[0]?.id ?? '', `chatter ${n}`, { thread: root });
  clock.advance(48 * 3_600_000);
  const long = stageWith(createFileHosts(slack.apiUrl).own, clock.now);
  const message = await long.upload({ ...thread, root }, film(), 'job-1');
  expect(await long.upload({ ...thread, root }, film(), 'job-1')).toBe(message);
  expect(messages()).toHaveLength(1);
});

describe('a file for a thread', () => {
  test('is posted with its text; its bytes are sent without the token', async () => {
    const message = await stage.upload(thread, film(), 'job-1');
    expect(messages()).toMatchObject([{ ts: message, thread: thread.root, text: 'Here it is.' }]);
    const [id = ''] = messages()[0]?.files ?? [];
    const file = slack.core.state.files.get(id);
    expect(Buffer.from(file?.content ?? '', 'base64').toString()).toBe('first second');
    expect(file?.file).toMatchObject({ mimetype: 'video/mp4', size: 12 });
    expect(callsOf('files.upload')).toMatchObject([{ args: { token: false }, outcome: 'ok' }]);
  });

  test('is posted once per key, also when the last response was lost; another key is another file', async () => {
    slack.faults.add({ method: 'files.completeUploadExternal', kind: 'lose-reply', times: 1 });
    await expect(stage.upload(thread, film(), 'job-1')).rejects.toBeDefined();
    const message = await stage.upload(thread, film(), 'job-1');
    await stage.upload(thread, film(), 'job-1');
    expect(messages().map(({ ts }) => ts)).toEqual([message]);
    await stage.upload(thread, film(), 'job-2');
    expect(messages()).toHaveLength(2);
  });

  test('that two workers upload at the same time is found completely', async () => {
    const both = await Promise.all([1, 2].map(() => stage.upload(thread, film(), 'job-1')));
    const uploads = await stage.findUploads(thread, 'job-1');
    expect(uploads).toEqual(messages().map(({ ts }) => ts));
    expect(uploads).toHaveLength(2);
    expect(uploads).toEqual(expect.arrayContaining(both));
    expect(await stage.findUploads(thread, 'job-2')).toEqual([]);
  });

  test('pings nobody with text of people, and names its recipient', async () => {
    const words = '> <!channel> look, @everyone and <@U1>\n_model-a_';
    await stage.upload(thread, { ...film(), words, by: userId('U7') }, 'job-1');
    const text = messages()[0]?.text ?? '';
    expect(text.startsWith('<@U7>\n')).toBe(true);
    expect(text.slice(5)).not.toMatch(/<[!@]/u);
  });

  test('is not sent to a host that is not Slack', async () => {
    const strict = stageWith(['https://files.slack.com']);
    await expect(strict.upload(thread, film(), 'job-1')).rejects.toMatchObject({ name: 'RetryTimeoutError' });
    expect(callsOf('files.upload')).toEqual([]);
    expect(messages()).toEqual([]);
  });

  test('is posted once where its thread is deleted and Slack does not let apps delete files', async () => {
    slack.faults.add({ method: 'files.delete', kind: 'refuse', error: 'file_deleting_disabled' });
    slack.core.remove(slack.users[0]?.id ?? '', slack.channel, thread.root);
    await expect(stage.upload(thread, film(), 'job-1')).rejects.toBeInstanceOf(ThreadDeletedError);
    expect(messages()).toHaveLength(1);
  });

  test('that the workspace does not accept is refused with a sentence', async () => {
    slack.faults.add({
      method: 'files.getUploadURLExternal',
      kind: 'refuse',
      error: 'storage_limit_reached',
      times: 1,
    });
    await expect(stage.upload(thread, film(), 'job-1')).rejects.toMatchObject({ why: ['files.upload.full'] });
  });

  test('that Slack does not share in the channel is refused for good; what may succeed later is not', async () => {
    const outcomes = new Map<string, unknown>();
    for (const error of DOCUMENTED_ERRORS['files.completeUploadExternal'] ?? []) {
      slack.faults.add({ method: 'files.completeUploadExternal', kind: 'refuse', error, times: 1 });
      await stage.upload(thread, film(), `job-${error}`).catch((reason: unknown) => {
        const isFile = reason instanceof FileUnavailableError;
        outcomes.set(
          error,
          isFile ? reason.why : reason instanceof CannotPostError ? 'cannot post' : 'again',
        );
      });
    }
    const notAttached = ['files.upload.not-attached'];
    expect(Object.fromEntries(outcomes)).toEqual({
      access_denied: notAttached,
      channel_not_found: 'cannot post',
      channels_limit_exceeded: 'again',
      file_not_found: 'again',
      file_type_not_allowed: ['files.upload.type'],
      file_update_failed: 'again',
      file_uploads_except_images_disabled: ['files.upload.pictures-only'],
      invalid_blocks: 'again',
      invalid_channel: notAttached,
      not_in_channel: 'cannot post',
      posting_to_channel_denied: notAttached,
    });
    expect(messages()).toEqual([]);
  });

  test.each(['snippet_too_large', 'unknown_snippet_type'])(
    'that is refused as a snippet (%s) is not retried',
    async (error) => {
      slack.faults.add({ method: 'files.getUploadURLExternal', kind: 'refuse', error, times: 1 });
      await expect(stage.upload(thread, film(), 'job-1')).rejects.toBeInstanceOf(FileUnavailableError);
    },
  );
});

/** Sends a file to Ada only. */
const sendPrivately = (key: string): Promise<void> => {
  const by = { user: userId(slack.users[0]?.id ?? ''), workspace: thread.workspace, roles: [] };
  const { platform, workspace } = thread;
  const payload = { kind: 'home' } as const;
  const interaction: Interaction = {
    id: 'call-1',
    platform,
    workspace,
    by,
    responseToken: '',
    tokenExpiresAtMs: 0,
    payload,
  };
  return stage.sendFilePrivately(interaction, film(), key);
};
/** The bot's messages in direct channels: the text of each, or the number of its files. */
const direct = () =>
  [...slack.core.state.messages.entries()]
    .filter(([channel]) => channel !== slack.channel)
    .flatMap(([, all]) => [...all.values()])
    .filter(({ user }) => user === slack.botUserId)
    .map(({ text, files, thread: root }) => (root === undefined ? text : files?.length));

describe('a file for one person', () => {
  test.each(['cut', 'lose-reply'] as const)(
    'and the message above it are there once when it is sent again after a failure (%s)',
    async (kind) => {
      slack.faults.add({ method: 'files.completeUploadExternal', kind, times: 1 });
      await expect(sendPrivately('export-1')).rejects.toBeDefined();
      await sendPrivately('export-1');
      await sendPrivately('export-1');
      expect(direct()).toEqual(['Here it is.', 1]);
      await sendPrivately('export-2');
      expect(direct()).toEqual(['Here it is.', 1, 'Here it is.', 1]);
    },
  );

  test('that the workspace does not accept leaves no message that announces it', async () => {
    const refusal = { kind: 'refuse', error: 'file_uploads_disabled', times: 1 } as const;
    slack.faults.add({ method: 'files.getUploadURLExternal', ...refusal });
    await expect(sendPrivately('export-1')).rejects.toMatchObject({ why: ['files.upload.off'] });
    expect(direct()).toEqual([]);
  });
});

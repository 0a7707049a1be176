import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type Card,
  type CardFile,
  channelId,
  messageId,
  type Thread,
  workspaceId,
} from '../../../shared/domain/index.ts';
import { FileUnavailableError, type CardMessenger } from '../../../shared/platforms/ports/index.ts';
import type { SlackCall } from '../../../shared/platforms/slack/api/call.ts';
import {
  createSlackMessenger,
  createWebCall,
  createFileHosts,
} from '../../../shared/platforms/slack/index.ts';
import type { PostRecords } from '../../../shared/platforms/slack/files/post-records.ts';
import { memoryPostedMessages } from '../../fakes/posted-messages.ts';
import { type SlackSimulator, startSlackSimulator } from '../../simulators/slack/index.ts';

let slack: SlackSimulator;
let thread: Thread;
let posts: PostRecords;
let logged: string[];

beforeEach(async () => {
  slack = await startSlackSimulator();
  posts = memoryPostedMessages();
  logged = [];
  const root = messageId(await slack.say('ada', 'Listen.'));
  const [workspace, channel] = [workspaceId(slack.teamId), channelId(slack.channel)];
  thread = { platform: 'slack', workspace, channel, root };
});
afterEach(() => slack.close());

/** `through` decides the fate of each request. */
function stageOf(through: (call: SlackCall) => SlackCall = (call) => call): CardMessenger {
  const { apiUrl } = slack;
  const token = () => Promise.resolve(slack.core.identity.botToken);
  return createSlackMessenger({
    call: through(createWebCall({ slackApiUrl: apiUrl, token })),
    time: { now: Date.now, sleep: () => Promise.resolve() },
    respondToUrl: () => Promise.resolve(),
    posts,
    origins: createFileHosts(apiUrl).own,
    log: (event, facts) => logged.push(`${event} ${String(facts?.['reason'])}`),
  });
}

/** As if Slack ignored an unknown field. */
const without =
  (call: SlackCall): SlackCall =>
  (method, args) => {
    const { file_ids: _, ...rest } = args;
    return call(method, method === 'chat.update' ? rest : args);
  };

const file = (name: string, text: string): CardFile => ({
  name,
  mimetype: 'text/plain',
  content: new TextEncoder().encode(text),
});
const card = (...files: CardFile[]): Card => ({
  parts: [
    { kind: 'text', markdown: 'What was said.' },
    ...(files.length > 0 ? [{ kind: 'files' as const, files }] : []),
  ],
});
const own = () =>
  [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].filter(
    ({ user }) => user === slack.botUserId,
  );
const fileById = (id: string) => slack.core.state.files.get(id);

describe('the files of a card in Slack', () => {
  test('are attached to its message with their names, and replace the earlier ones', async () => {
    const stage = stageOf();
    const at = await stage.postCard(thread, card(), 'job');
    const files = [file('Besprechung – Transkript.txt', 'one'), file('b.vtt', 'two')];
    expect(await stage.postCard(thread, card(...files), 'job', at)).toBe(at);
    const [only, ...more] = own();
    expect(more).toEqual([]);
    const ids = only?.files ?? [];
    expect(ids.map((id) => fileById(id)?.file.name)).toEqual(['Besprechung – Transkript.txt', 'b.vtt']);
    expect(Buffer.from(fileById(ids[0] ?? '')?.content ?? '', 'base64').toString()).toBe('one');
    // A change without files does not remove them.
    await stage.postCard(thread, card(), 'job', at);
    expect(own()[0]?.files).toEqual(ids);
    await stage.postCard(thread, card(file('c.txt', 'three')), 'job', at);
    expect(own()[0]?.files?.map((id) => fileById(id)?.file.name)).toEqual(['c.txt']);
    expect(ids.map((id) => fileById(id)?.file.deleted)).toEqual([true, true]);
    await stage.removeCard(thread, at);
    expect(own()).toEqual([]);
  });

  test.each(['cant_delete_file', 'delete_not_allowed', 'file_deleting_disabled'])(
    'stay where Slack does not let apps delete them (%s), and their message is deleted',
    async (error) => {
      const stage = stageOf();
      const at = await stage.postCard(thread, card(file('a.txt', 'one')), 'job');
      slack.faults.add({ kind: 'refuse', method: 'files.delete', error });
      await stage.removeCard(thread, at);
      expect(own()).toEqual([]);
      expect(logged).toEqual([`slack.file-delete-failed ${error}`]);
    },
  );

  test('are posted with a new card', async () => {
    await stageOf().postCard(thread, card(file('a.txt', 'one')), 'job');
    expect(own()).toMatchObject([{ thread: thread.root, files: [expect.any(String)] }]);
  });

  test.each(['files.getUploadURLExternal', 'chat.update'])(
    'are reported as refused when %s refuses them',
    async (method) => {
      const error = method === 'chat.update' ? 'unable_to_share_files' : 'file_uploads_disabled';
      const stage = stageOf();
      const at = await stage.postCard(thread, card(), 'job');
      slack.faults.add({ kind: 'refuse', method, error });
      await expect(stage.postCard(thread, card(file('a.txt', 'one')), 'job', at)).rejects.toThrow(
        FileUnavailableError,
      );
    },
  );

  test.each(['slack_connect_clip_sharing_blocked', 'unable_to_share_files'])(
    'are reported as refused when Slack does not share them with other companies: %s',
    async (error) => {
      const stage = stageOf();
      const at = await stage.postCard(thread, card(), 'job');
      slack.faults.add({ kind: 'refuse', method: 'chat.update', error });
      await expect(stage.postCard(thread, card(file('a.txt', 'one')), 'job', at)).rejects.toThrow(
        FileUnavailableError,
      );
    },
  );

  test('are reported as refused when Slack accepts but does not show them', async () => {
    const stage = stageOf(without);
    const at = await stage.postCard(thread, card(), 'job');
    await expect(stage.postCard(thread, card(file('a.txt', 'one')), 'job', at)).rejects.toThrow(
      FileUnavailableError,
    );
  });
});

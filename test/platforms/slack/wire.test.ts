import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { channelId, messageId, type TurnRef, userId, workspaceId } from '../../../shared/domain/index.ts';
import { ThreadDeletedError } from '../../../shared/platforms/ports/index.ts';
import {
  createSlackPlatform,
  createWebCall,
  createFileHosts,
} from '../../../shared/platforms/slack/index.ts';
import { parseButtonValue } from '../../../shared/platforms/slack/blocks/answer-blocks.ts';
import { type SlackSimulator, startSlackSimulator } from '../../simulators/slack/index.ts';

let slack: SlackSimulator;
beforeAll(async () => {
  slack = await startSlackSimulator();
});
afterAll(() => slack.close());
beforeEach(() => slack.reset());

function turnAt(question: string, root = question, at = slack): TurnRef {
  return {
    thread: {
      platform: 'slack',
      workspace: workspaceId(at.teamId),
      channel: channelId(at.channel),
      root: messageId(root),
    },
    message: messageId(question),
    asker: userId(at.users[0]?.id ?? ''),
    askerWorkspace: workspaceId(at.teamId),
  };
}

function connect(token = slack.botToken) {
  const slackApiUrl = slack.apiUrl;
  const call = createWebCall({ slackApiUrl, token: () => Promise.resolve(token), timeoutMs: 2_000 });
  const start = Date.now();
  let slept = 0;
  const sleep = async (ms: number): Promise<void> => void (slept += ms);
  const files = { token: () => Promise.resolve(token), hosts: createFileHosts(slackApiUrl) };
  return createSlackPlatform({ call, time: { now: () => start + slept, sleep }, files });
}

const pressed = v.object({ actions: v.array(v.unknown()) });
const messages = () => [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])];
const table = '| Who | Age |\n| --- | --: |\n| **Ada** | 36 |\n| Bob | |\n';

describe("with Slack's own client, over the wire", () => {
  test('steps, a table and buttons are accepted, and a click names its action', async () => {
    const question = await slack.say('Ada', '@parley who?');
    const turn = turnAt(question);
    const reply = connect().reply(turn, []);
    reply.step({ id: 'r', title: 'Thinking', state: 'running' });
    await reply.posted();
    expect(messages().at(-1)?.steps).toMatchObject([{ id: 'r', status: 'in_progress' }]);
    reply.write(`These:\n\n${table}`);
    const [id = ''] = await reply.publish(`These:\n\n${table}`, {
      buttons: [
        { label: 'Regenerate', action: { kind: 'regenerate' } },
        { label: 'Good', action: { kind: 'feedback', good: true } },
        { label: 'Bad', action: { kind: 'feedback', good: false } },
      ],
      steps: [{ id: 'r', title: 'Thought', state: 'done' }],
    });
    const types = messages()
      .at(-1)
      ?.blocks?.map(({ type }) => type);
    expect(types).toEqual(['context', 'markdown', 'table', 'actions', 'context_actions']);
    const { actions } = v.parse(pressed, slack.core.press(slack.users[0]?.id ?? '', id, 'Regenerate'));
    expect(parseButtonValue(actions[0])).toMatchObject({
      root: question,
      message: question,
      action: { kind: 'regenerate' },
    });
    expect(slack.calls.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
  });

  test('an answer of seven minutes goes on at a paragraph in another message before Slack seals the last', async () => {
    let passed = 0;
    const start = Date.now();
    const now = () => start + passed;
    const own = await startSlackSimulator({ clock: now });
    try {
      const question = await own.say('Ada', '@parley tell me everything');
      const call = createWebCall({
        slackApiUrl: own.apiUrl,
        token: async () => own.botToken,
        timeoutMs: 5_000,
      });
      const sleep = async (ms: number): Promise<void> => void (passed += ms);
      const reply = createSlackPlatform({ call, time: { now, sleep } }).reply(
        turnAt(question, question, own),
        [],
      );
      const answers = () =>
        [...(own.core.state.messages.get(own.channel)?.values() ?? [])].filter(
          ({ user }) => user === own.botUserId,
        );
      let text = '';
      for (let n = 0; n < 42; n += 1) {
        text += `Paragraph ${n}.\n\n`;
        reply.write(`Paragraph ${n}.\n\n`);
        await own.core.until(() => (answers().at(-1)?.text.includes(`Paragraph ${n}.`) ? true : undefined));
        passed += 10_000;
      }
      await reply.publish(text);
      const texts = answers().map((one) => one.text.trim());
      expect(texts.length).toBeGreaterThan(1);
      expect(texts.join('\n\n')).toBe(text.trim());
      for (const one of texts) expect(one).toMatch(/^Paragraph \d+\.[^]*Paragraph \d+\.$/u);
      expect(own.calls.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
      const starts = own.calls.filter(({ method }) => method === 'chat.startStream');
      expect(starts).toHaveLength(texts.length);
    } finally {
      await own.close();
    }
  });

  test("the person's own Stop ends the answer", async () => {
    const question = await slack.say('Ada', '@parley go');
    const reply = connect().reply(turnAt(question), []);
    reply.write('One ');
    await reply.posted();
    await slack.stop('Ada', question);
    await reply.publish('One\n\n_Stopped._');
    expect(reply.stopped.aborted).toBe(true);
    expect(messages().map(({ text }) => text)).toContain('One\n\n_Stopped._');
  });

  test('earlier messages, reactions, ephemeral messages and a withdrawal work', async () => {
    const root = await slack.say('Ada', 'Shall we?');
    await slack.say('Grace', 'Let us ask.', { thread: root });
    const question = await slack.say('Ada', '@parley shall we?', { thread: root });
    const turn = turnAt(question, root);
    const platform = connect();
    const { messages: history } = await platform.fetchEarlierMessages(turn);
    expect(history.map(({ text }) => text)).toEqual(['Shall we?', 'Let us ask.']);
    expect(history.map(({ author }) => author.toLowerCase())).toEqual(
      ['ada', 'grace'].map((name) => expect.stringContaining(name)),
    );
    await platform.acknowledge(turn);
    await platform.acknowledge(turn);
    await platform.postEphemeral(turn, turn.asker, 'Only you see this.');
    const message = messages().find(({ ts }) => ts === question);
    expect(message?.reactions).toMatchObject([{ name: 'eyes' }]);
    expect(messages().at(-1)).toMatchObject({ ephemeralTo: turn.asker, text: 'Only you see this.' });
    const posted = await platform.reply(turn, []).publish('Yes.');
    await platform.deleteAnswer(turn, posted);
    await platform.deleteAnswer(turn, posted);
    expect(messages().map(({ text }) => text)).not.toContain('Yes.');
  });

  test('nothing stays in the channel when the question is deleted during the answer', async () => {
    const question = await slack.say('Ada', '@parley go');
    const reply = connect().reply(turnAt(question), []);
    slack.core.remove(slack.users[0]?.id ?? '', slack.channel, question);
    await expect(reply.publish('Too late.')).rejects.toBeInstanceOf(ThreadDeletedError);
    expect(messages()).toEqual([]);
  });

  test('a file is read up to the maximum size', async () => {
    const question = await slack.say('Ada', '@parley read', { files: [{ name: 'a.txt', content: 'hello' }] });
    const [id = ''] = messages().at(-1)?.files ?? [];
    const attachment = { id, name: 'a.txt', mimetype: 'text/plain', bytes: 5 };
    const turn = turnAt(question);
    const bytes = await connect().downloadFile(turn, attachment, 100);
    expect(Buffer.from(bytes).toString()).toBe('hello');
    await expect(connect().downloadFile(turn, attachment, 4)).rejects.toMatchObject({
      name: 'FileUnavailableError',
    });
  });

  test.each(['grid', 'presigned'] as const)(
    'a file is read through a redirect (%s)',
    async (filesRedirect) => {
      const own = await startSlackSimulator({ filesRedirect });
      try {
        const files = [{ name: 'a.txt', content: 'hello' }];
        const question = await own.say('Ada', '@parley read', { files });
        const [id = ''] = own.core.state.files.keys();
        const [first = '', second = ''] = own.fileHosts;
        const hosts = createFileHosts(own.apiUrl, filesRedirect === 'grid' ? [first, second] : [first]);
        const presigned = filesRedirect === 'presigned' ? [`http://${second}`] : [];
        const token = async () => own.botToken;
        const call = createWebCall({ slackApiUrl: own.apiUrl, token, timeoutMs: 2_000 });
        const time = { now: Date.now, sleep: async () => undefined };
        const platform = createSlackPlatform({
          call,
          time,
          files: { token, hosts: { own: hosts.own, presigned } },
        });
        const attachment = { id, name: 'a.txt', mimetype: 'text/plain', bytes: 5 };
        const bytes = await platform.downloadFile(turnAt(question, question, own), attachment, 100);
        expect(Buffer.from(bytes).toString()).toBe('hello');
        expect(own.calls.slice(-2).map(({ outcome }) => outcome)).toEqual(['redirect', 'ok']);
      } finally {
        await own.close();
      }
    },
  );
});

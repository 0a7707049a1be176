import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import * as z from 'zod/mini';
import {
  channelId,
  messageId,
  type TurnRef,
  userId,
  workspaceId,
} from '../../../shared/conversation/index.ts';
import { createSlackPlatform, createWebCall } from '../../../shared/platforms/slack/index.ts';
import { inert } from '../../../shared/platforms/slack/markup.ts';
import {
  createWorkspace,
  directCall,
  type SlackSimulator,
  startSlackSimulator,
} from '../../simulators/slack/index.ts';
import { fakeTime } from './fake-slack.ts';

type Place = Pick<SlackSimulator, 'channel' | 'teamId' | 'users'>;

function turnAt({ channel, teamId, users }: Place, question: string): TurnRef {
  return {
    thread: {
      platform: 'slack',
      workspace: workspaceId(teamId),
      channel: channelId(channel),
      root: messageId(question),
    },
    message: messageId(question),
    asker: userId(users[0]?.id ?? ''),
    askerWorkspace: workspaceId(teamId),
  };
}

/** Without fences and white space, which differ where an answer is cut. */
const plain = (all: string) => all.replace(/`{3,}\w*|\s+/g, '');

const shownMessages = z.array(z.object({ ts: z.string(), text: z.string() }));

describe("with Slack's own client, over the wire", () => {
  let slack: SlackSimulator;
  beforeAll(async () => {
    slack = await startSlackSimulator();
  });
  afterAll(() => slack.close());
  beforeEach(() => slack.reset());

  async function ask() {
    const question = await slack.say('Ada', '@parley hello');
    const call = createWebCall({
      slackApiUrl: slack.apiUrl,
      token: async () => slack.botToken,
      timeoutMs: 2_000,
    });
    let now = Date.now();
    const sleep = async (ms: number): Promise<void> => {
      now += ms;
    };
    const time = { now: () => now, sleep };
    const platform = createSlackPlatform({ call, time, botUserId: slack.botUserId });
    const turn = turnAt(slack, question);
    const thread = async () => {
      const { messages } = await call('conversations.replies', { channel: slack.channel, ts: question });
      return shownMessages.parse(messages).slice(1);
    };
    return { platform, turn, thread };
  }

  test('an answer is streamed, found again, and replaced', async () => {
    const { platform, turn, thread } = await ask();
    await platform.status(turn, 'is thinking…');
    const reply = platform.reply(turn, []);
    reply.write('**Hello** <@U1>');
    await reply.posted();
    const ids = await reply.finish('**Hello** <@U1>, Ada & co');
    expect(await thread()).toMatchObject([{ ts: ids[0], text: '**Hello** < @U1>, Ada & co' }]);
    expect(await platform.leftovers(turn)).toEqual(ids);
    await platform.reply(turn, ids).finish('Other words');
    expect(await thread()).toMatchObject([{ ts: ids[0], text: 'Other words' }]);
  });

  test.each(['chat.startStream', 'chat.appendStream', 'chat.stopStream', 'chat.update', 'chat.postMessage'])(
    'the reply to %s is lost: one copy stays',
    async (method) => {
      const { platform, turn, thread } = await ask();
      slack.faults.add({ method, kind: 'lose-reply' });
      if (method === 'chat.postMessage')
        slack.faults.add({ method: 'chat.startStream', kind: 'refuse', error: 'x' });
      const reply = platform.reply(turn, []);
      reply.write('One ');
      await reply.posted();
      reply.write('two ');
      await reply.finish('One two three');
      expect(await thread()).toMatchObject([{ text: 'One two three' }]);
      expect(reply.doubtful).toBe(false);
    },
  );

  test('a long answer stands in several messages of at most 12,000 characters', async () => {
    const { platform, turn, thread } = await ask();
    const text = Array.from({ length: 2_500 }, (_, i) => `Line ${i} says this.`).join('\n');
    const reply = platform.reply(turn, []);
    for (let at = 0; at < text.length; at += 5_000) reply.write(text.slice(at, at + 5_000));
    await reply.finish(text);
    const messages = await thread();
    expect(messages.length).toBeGreaterThan(3);
    expect(messages.map((message) => message.text).join('')).toBe(text);
  });
});

test('in a workspace with limits and seals, hostile answers stand there exactly, once, and nothing is refused for its form', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '<!channel> ',
      '<@U1>',
      '@here ',
      '[a](https://b.example)',
      '```\n',
      '`',
      '\n\n',
      '# ',
      '| a | b |\n',
      '\u202e',
      '> ',
    ),
    fc.lorem({ maxCount: 12 }),
    fc.constantFrom('x'.repeat(3_000), 'word '.repeat(700), 'line\n'.repeat(400)),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(piece, fc.integer({ min: 0, max: 40_000 })), { minLength: 1, maxLength: 16 }),
      async (pieces) => {
        const time = fakeTime();
        const workspace = createWorkspace({ clock: time.now });
        const seen: string[] = [];
        const direct = directCall(workspace);
        const call: typeof direct = async (method, args) => {
          try {
            return await direct(method, args);
          } catch (error) {
            seen.push(error instanceof Error ? error.message : '');
            throw error;
          }
        };
        const question = workspace.say(
          workspace.identity.users[0]?.id ?? '',
          `<@${workspace.identity.botUserId}> go`,
        );
        const place = { channel: workspace.channel, ...workspace.identity };
        const turn = turnAt(place, question);
        const reply = createSlackPlatform({ call, time, botUserId: place.botUserId }).reply(turn, []);
        let text = '';
        for (const [words, after] of pieces) {
          text += words;
          reply.write(words);
          await time.advance(after);
        }
        const ids = await time.until(reply.finish(text));
        const shown = ids
          .map((ts) => workspace.state.messages.get(place.channel)?.get(ts)?.text ?? '')
          .join('');
        const target = inert(text).trimEnd() === '' ? '_The answer is empty._' : inert(text);
        expect(plain(shown)).toBe(plain(target));
        expect(workspace.state.messages.get(place.channel)?.size).toBe(ids.length + 1);
        expect(seen).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
});

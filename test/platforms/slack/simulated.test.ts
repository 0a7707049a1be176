import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import * as v from 'valibot';
import { SlackRateLimitError, SlackApiError } from '../../../shared/platforms/slack/api/call.ts';
import { createSlackPlatform, createWebCall } from '../../../shared/platforms/slack/index.ts';
import { sanitize } from '../../../shared/platforms/markdown/sanitizer.ts';
import { createDirectClient } from '../../simulators/slack/direct-client.ts';
import { createWorkspace, type SlackSimulator, startSlackSimulator } from '../../simulators/slack/index.ts';
import { DEFAULT_IDENTITY } from '../../simulators/slack/identity.ts';
import { visibleContent } from './fake-content.ts';
import { bothKinds, fakeTime } from './fake-slack.ts';
import { turnAt } from './simulated-turn.ts';

/** Without fences and white space, which differ where an answer is split. */
const plain = (all: string) => all.replace(/`{3,}(?:\w{1,24}(?!\w))?|\s+/g, '');

const shownMessages = v.array(
  v.object({ ts: v.string(), text: v.string(), blocks: v.optional(v.array(v.object({ type: v.string() }))) }),
);

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
      return v.parse(shownMessages, messages).slice(1);
    };
    return { platform, turn, thread };
  }

  test('a replaced answer loses its buttons and steps', async () => {
    const { platform, turn, thread } = await ask();
    const reply = platform.reply(turn, []);
    reply.step({ id: '1', title: 'Read a file', state: 'done' });
    reply.write('One');
    const buttons = [{ label: 'Regenerate', action: { kind: 'regenerate', model: 'glyph-7' } as const }];
    const ids = await reply.publish('One', { buttons, steps: [] });
    expect((await thread())[0]?.blocks?.map(({ type }) => type)).toContain('actions');
    await platform.reply(turn, ids).publish('Two');
    expect((await thread())[0]?.blocks?.map(({ type }) => type)).toEqual(['markdown']);
  });

  test.each(['chat.startStream', 'chat.appendStream', 'chat.stopStream', 'chat.update', 'chat.postMessage'])(
    'one message stays when the response to %s is lost',
    async (method) => {
      const { platform, turn, thread } = await ask();
      slack.faults.add({ method, kind: 'lose-reply' });
      if (method === 'chat.postMessage')
        slack.faults.add({ method: 'chat.startStream', kind: 'refuse', error: 'x' });
      const reply = platform.reply(turn, []);
      reply.write('One ');
      await reply.posted();
      reply.write('two ');
      await reply.publish('One two three');
      expect(await thread()).toMatchObject([{ text: 'One two three' }]);
      expect(reply.hasUnconfirmedPosts).toBe(false);
    },
  );
});

/** Markup that Slack would interpret anywhere. */
const COMMAND = /<(?:!(?:channel|group|here|everyone|subteam|date)|[@#]\w)/;
/** The runs of the next test: `PARLEY_HOSTILE=100000` for the long one. */
const RUNS = Number(process.env['PARLEY_HOSTILE'] ?? 60);

const hostile = fc.oneof(
  fc.constantFrom(
    '<!channel> ',
    '<@U1>',
    '@here ',
    '[a](https://b.example)',
    '![a](https://b.example/a.png)',
    '<https://b.example|a>',
    '```\n',
    '`',
    '\n\n',
    '# ',
    '| a | <!here> |\n',
    '\n\n| Qqq | Zzz |\n| - | - |\n| a | b |\n| c | <@U1> |\n',
    '\u202e',
    '> ',
    '- ',
  ),
  fc.lorem({ maxCount: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('漢字とかなの文。'.repeat(150), '考え'.repeat(900), '😀'.repeat(700)),
  fc.constantFrom('x'.repeat(3_000), 'word '.repeat(700), 'line\n'.repeat(400), '| r | s |\n'.repeat(300)),
);
/** Of 200 KB. */
const longLine = fc
  .constantFrom('x', 'word ', '<@U1>', '|', '[a](https://b.example)', '\u202e', '`')
  .map((unit) => unit.repeat(Math.floor(200_000 / unit.length)));
/** Also without the forms of tables and links, and without the repeated header of a split table. */
const bare = (all: string) =>
  plain(all)
    .replace(/\]\(https:\/\/b\.example(?:\/a\.png)?\)/g, '')
    .replace(/[|\-`[\]\\*_~]|<br ?\/?>/g, '')
    .replaceAll('QqqZzz', '');

/** The position where two long texts start to differ; empty if they do not. */
function difference(one: string, other: string): string {
  if (one === other) return '';
  let at = 0;
  while (one.charAt(at) === other.charAt(at)) at += 1;
  return [one, other].map((text) => text.slice(Math.max(0, at - 40), at + 40)).join(' IS NOT ');
}

/** The fate of a request: lost, without a response, delayed, refused, too late. */
const trouble = fc.constantFrom('cut', 'lost', 'busy', 'internal_error', 'sealed');

type Written = {
  readonly pieces: readonly (readonly [string, number])[];
  readonly closed: boolean;
  readonly listens: boolean;
  /** By the number of the request. */
  readonly troubles: ReadonlyMap<number, string>;
};

/** Writes one hostile answer in random chunks into a simulated workspace. */
async function write({ pieces, closed, listens, troubles }: Written) {
  const time = fakeTime();
  const subscriptions = listens ? DEFAULT_IDENTITY.subscriptions : [];
  const workspace = createWorkspace({ clock: time.now, identity: { subscriptions } });
  const rejections: string[] = [];
  const sent: string[] = [];
  const direct = createDirectClient(workspace);
  const call: typeof direct = async (method, args) => {
    sent.push(JSON.stringify(args));
    const fails = troubles.get(sent.length);
    if (fails === 'lost') await direct(method, args).catch(() => undefined);
    if (fails === 'lost' || fails === 'cut') throw new Error('reset');
    if (fails === 'busy') throw new SlackRateLimitError(method, 3_000);
    if (fails === 'sealed' && method.endsWith('Stream') && method !== 'chat.startStream')
      throw new SlackApiError(method, 'message_not_in_streaming_state');
    if (fails === 'internal_error') throw new SlackApiError(method, fails);
    try {
      return await direct(method, args);
    } catch (error) {
      const message = error instanceof Error ? error.message : '';
      // The fate of a message does not depend on the text.
      if (!/(?:streaming_state(?:_conflict)?|message_not_found)$/.test(message)) rejections.push(message);
      throw error;
    }
  };
  const { identity, channel, state } = workspace;
  const question = workspace.say(identity.users[0]?.id ?? '', `<@${identity.botUserId}> go`);
  const turn = turnAt({ channel, ...identity }, question);
  const platform = createSlackPlatform({ call, time, botUserId: identity.botUserId });
  const reply = platform.reply(turn, []);
  let text = '';
  for (const [words, after] of pieces) {
    text += words;
    reply.write(words);
    if (closed) reply.step({ id: '1', title: words, state: 'running', details: words });
    await time.advance(after);
  }
  const action = { kind: 'regenerate', model: 'glyph-7' } as const;
  const under = { buttons: [{ label: text, action }], steps: [] };
  const last = closed ? under : undefined;
  let ids = await time.until(reply.publish(text, last));
  if (reply.hasUnconfirmedPosts) {
    const left = bothKinds(await time.until(platform.findOrphanedMessages(turn)));
    ids = await time.until(platform.reply(turn, left).publish(text, last));
  }
  const messages = state.messages.get(channel);
  const texts = ids.map((ts) => {
    const message = messages?.get(ts);
    return message?.markdown ? message.text : visibleContent({ blocks: message?.blocks ?? [] }).text;
  });
  return { text, content: texts.join('\n'), rejections, sent, extra: (messages?.size ?? 0) - ids.length - 1 };
}

test(
  'hostile answers are exact, posted once and never malformed, whatever requests fail under limits',
  async () => {
    const piece = fc.oneof({ weight: 400, arbitrary: hostile }, { weight: 1, arbitrary: longLine });
    const pieces = fc.array(fc.tuple(piece, fc.integer({ min: 0, max: 40_000 })), {
      minLength: 1,
      maxLength: 16,
    });
    const number = fc.integer({ min: 1, max: 40 });
    const troubles = fc.array(fc.tuple(number, trouble), { maxLength: 8 }).map((all) => new Map(all));
    const answers = { pieces, closed: fc.boolean(), listens: fc.boolean(), troubles };
    await fc.assert(
      fc.asyncProperty(fc.record(answers), async (answer) => {
        const { text, content, rejections, sent, extra } = await write(answer);
        const target =
          sanitize(text).trimEnd() === ''
            ? '_The model ended without an answer. Ask again, perhaps in other words._'
            : sanitize(text);
        expect(difference(bare(content), bare(target))).toBe('');
        expect([rejections, extra]).toEqual([[], 0]);
        for (const args of sent) expect(args).not.toMatch(COMMAND);
        const streams = /"(?:channel_id|recipient_user_id)"/u;
        const posts = sent.filter((args) => args.includes('"thread_ts"') && !streams.test(args));
        expect(posts.filter((args) => !args.includes('"unfurl_links":false'))).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  },
  Math.max(240_000, RUNS * 100),
);

import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { ThreadDeletedError } from '../../../shared/platforms/ports/index.ts';
import { createSlackPlatform } from '../../../shared/platforms/slack/index.ts';
import { inBytes } from '../../../shared/platforms/markdown/index.ts';
import { type SlackCall, SlackApiError } from '../../../shared/platforms/slack/api/call.ts';
import { BOT, fakeSlack, fakeTime, turn } from './fake-slack.ts';

/**
 * A Slack in which the root is deleted after `alive` requests: streams are refused, and posts land in the channel.
 * `lost` deletions fail once, and `silent` posts have no response.
 */
function open({ alive = 0, lost = 0, silent = 0, streams = true } = {}) {
  const time = fakeTime();
  const slack = fakeSlack(time);
  const loose = new Set<string>();
  let failing = lost;
  let unheard = silent;
  const call: SlackCall = async (method, args) => {
    const isThreadGone = slack.calls.length >= alive;
    if (method === 'chat.startStream' && (isThreadGone || !streams)) {
      slack.calls.push({ method, args, at: time.now() });
      throw new SlackApiError(method, streams ? 'invalid_thread_ts' : 'channel_type_not_supported');
    }
    if (method === 'chat.delete' && failing > 0) {
      failing -= 1;
      throw new Error('connection reset');
    }
    if (isThreadGone && method === 'conversations.replies')
      throw new SlackApiError(method, 'thread_not_found');
    if (method === 'conversations.history') {
      return { ok: true, messages: inChannel().map((one) => ({ ...one, user: BOT })) };
    }
    const answer = await slack.call(method, args);
    if (method !== 'chat.postMessage') return answer;
    const ts = String(answer['ts']);
    if (isThreadGone) loose.add(ts);
    if (isThreadGone && unheard > 0) {
      unheard -= 1;
      throw new Error('connection reset');
    }
    return { ...answer, message: isThreadGone ? { ts } : { ts, thread_ts: args['thread_ts'] } };
  };
  const platform = createSlackPlatform({ call, time, botUserId: BOT, limit: inBytes(400) });
  const inChannel = () => slack.messages.filter(({ ts }) => loose.has(ts));
  return { time, slack, platform, inChannel, posts: () => loose.size };
}

test.each(['the root exists', 'the method is unknown'])(
  'when responses do not name the thread and %s, the answer stays',
  async (replies) => {
    const time = fakeTime();
    const slack = fakeSlack(time);
    const call: SlackCall = async (method, args) => {
      if (method === 'chat.startStream') throw new SlackApiError(method, 'unknown_method');
      if (method === 'conversations.replies' && replies === 'the method is unknown') {
        throw new SlackApiError(method, 'unknown_method');
      }
      const answer = await slack.call(method, args);
      return method === 'chat.postMessage' ? { ...answer, message: { text: 'One.' } } : answer;
    };
    const reply = createSlackPlatform({ call, time, botUserId: BOT }).reply(turn, []);
    await time.until(reply.publish('One.'));
    expect(slack.messages).toHaveLength(1);
    expect(slack.methods()).not.toContain('chat.delete');
  },
);

describe('when the root of the thread is deleted', () => {
  test('before the first text, nothing is posted, and no other way is tried', async () => {
    const { time, slack, platform } = open();
    const reply = platform.reply(turn, []);
    reply.write('One ');
    await expect(time.until(reply.posted())).rejects.toBeInstanceOf(ThreadDeletedError);
    await expect(time.until(reply.publish('One.'))).rejects.toBeInstanceOf(ThreadDeletedError);
    expect(slack.methods()).toEqual(['chat.startStream']);
  });

  test('a post that lands in the channel is deleted at once', async () => {
    const { time, slack, platform, inChannel } = open();
    const reply = platform.reply(turn, []);
    await expect(time.until(reply.publish('One.'))).rejects.toBeInstanceOf(ThreadDeletedError);
    expect(slack.methods()).toEqual(['chat.postMessage', 'chat.delete']);
    await expect(time.until(reply.publish('One.'))).rejects.toBeInstanceOf(ThreadDeletedError);
    expect(slack.methods()).toEqual(['chat.postMessage', 'chat.delete']);
    expect(inChannel()).toEqual([]);
  });

  test('at any time, nothing of the answer stays in the channel', async () => {
    const scenario = {
      alive: fc.nat(6),
      lost: fc.nat(2),
      silent: fc.nat(2),
      streams: fc.boolean(),
      words: fc.integer({ min: 1, max: 300 }),
    };
    await fc.assert(
      fc.asyncProperty(fc.record(scenario), async ({ words, ...scene }) => {
        const { time, slack, platform, inChannel, posts } = open(scene);
        const reply = platform.reply(turn, []);
        const text = 'word '.repeat(words).trimEnd();
        for (const word of text.match(/.{1,100}/g) ?? []) {
          reply.write(word);
          await time.advance(700);
        }
        const ended = await time.until(reply.publish(text)).then(
          () => 'shown',
          (error: unknown) => (error instanceof ThreadDeletedError ? 'gone' : 'other'),
        );
        expect(['shown', 'gone']).toContain(ended);
        expect(posts()).toBeLessThanOrEqual(1 + scene.silent);
        expect(inChannel()).toEqual([]);
        expect(slack.messages.length > 0).toBe(ended === 'shown');
      }),
      { numRuns: 200 },
    );
  });
});

import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import type { Step } from '../../../shared/platforms/ports/index.ts';
import { SlackApiError } from '../../../shared/platforms/slack/api/call.ts';
import { createSlackPlatform } from '../../../shared/platforms/slack/index.ts';
import { createDirectClient } from '../../simulators/slack/direct-client.ts';
import { createWorkspace, type Message } from '../../simulators/slack/index.ts';
import { fakeTime } from './fake-slack.ts';
import { turnAt } from './simulated-turn.ts';

const chunksOf = v.object({ chunks: v.array(v.object({ text: v.optional(v.string()) })) });

/**
 * A question in a simulated workspace that refuses streams of more than `most` bytes, and the requests of its answer.
 */
function ask(maxBytes = Infinity) {
  const time = fakeTime();
  const workspace = createWorkspace({ clock: time.now });
  const { identity, channel, state } = workspace;
  const calls: string[] = [];
  const rejections: string[] = [];
  const direct = createDirectClient(workspace);
  const call: typeof direct = async (method, args) => {
    calls.push(method);
    const chunks = v.parse(v.fallback(v.optional(chunksOf), undefined), args)?.chunks ?? [];
    const before = state.messages.get(channel)?.get(String(args['ts']))?.text ?? '';
    if (Buffer.byteLength(before + chunks.map(({ text = '' }) => text).join('')) > maxBytes) {
      rejections.push(method);
      throw new SlackApiError(method, 'msg_too_long');
    }
    return direct(method, args).catch((error: unknown) => {
      rejections.push(`${method}: ${error instanceof Error ? error.message : 'unknown'}`);
      throw error;
    });
  };
  const question = workspace.say(identity.users[0]?.id ?? '', `<@${identity.botUserId}> go`);
  const turn = turnAt({ channel, ...identity }, question);
  const platform = createSlackPlatform({ call, time, botUserId: identity.botUserId });
  const messagesOf = (ids: readonly string[]): Message[] =>
    ids.flatMap((ts) => state.messages.get(channel)?.get(ts) ?? []);
  return { time, platform, turn, calls, rejections, messagesOf };
}

/** Writes an answer in `pieces` chunks, two per second, as a model streams. */
async function write(
  text: string,
  pieces: number,
  steps: readonly (readonly [number, Step])[] = [],
  maxBytes?: number,
) {
  const { time, platform, turn, calls, rejections, messagesOf } = ask(maxBytes);
  const reply = platform.reply(turn, []);
  const size = Math.ceil(text.length / pieces);
  for (let nth = 0; nth < pieces; nth += 1) {
    for (const [at, step] of steps) if (at === nth) reply.step(step);
    reply.write(text.slice(nth * size, (nth + 1) * size));
    await time.advance(500);
  }
  const ids = await time.until(reply.publish(text, { buttons: [], steps: steps.map(([, step]) => step) }));
  return { calls, rejections, messages: messagesOf(ids) };
}

const SENTENCE = '日本語の長い答えは、一文ごとに少しずつ書かれていく。';
/** 9,500 characters. */
const JAPANESE = `${SENTENCE.repeat(10)}\n\n`.repeat(40).slice(0, 9_500);
const ENGLISH = `${'A long answer is written sentence by sentence. '.repeat(12)}\n\n`
  .repeat(60)
  .slice(0, Buffer.byteLength(JAPANESE));

const card = (n: number): Step => ({
  id: `tool-${n}`,
  title: `検索 ${n}：${'題'.repeat(40)}`,
  state: 'done',
  details: '詳細な結果。'.repeat(80),
});
const thought = (title: string): Step => ({
  id: 'think',
  title,
  state: 'done',
  details: 'A long trace.',
});

const isNative = ({ stream, editedAt }: Message): boolean => stream !== undefined && editedAt === undefined;

describe('the size of a stream in bytes', () => {
  test('lets a long Japanese answer stream, with as many requests as English of the same size', async () => {
    const japanese = await write(JAPANESE, 60);
    const english = await write(ENGLISH, 60);
    expect(japanese.rejections).toEqual([]);
    expect(japanese.messages.map(({ text }) => text).join('')).toBe(JAPANESE);
    expect(japanese.messages.every(isNative)).toBe(true);
    expect(japanese.messages.length).toBe(english.messages.length);
    expect(japanese.calls.length).toBeLessThanOrEqual(english.calls.length);
  });

  test('includes task cards: text that does not fit continues in the next message', async () => {
    const steps = [0, 1, 2, 30, 45, 58].map((at, n): readonly [number, Step] => [at, card(n)]);
    const { rejections, messages } = await write(JAPANESE, 60, steps);
    expect(rejections).toEqual([]);
    expect(messages.map(({ text }) => text).join('')).toBe(JAPANESE);
    expect(messages.every(isNative)).toBe(true);
    const cards = messages.flatMap((message) => message.steps ?? []);
    expect(cards.map(({ id }) => id)).toEqual(steps.map(([, { id }]) => id));
    expect(cards.map(({ status }) => status)).toEqual(steps.map(() => 'complete'));
  });

  test('drops the details of cards beyond the limit, but no title', async () => {
    const steps = Array.from({ length: 32 }, (_, n): readonly [number, Step] => [
      n,
      { id: `tool-${n}`, title: `調べる ${n}`, state: 'done', details: '詳細。'.repeat(500) },
    ]);
    const { rejections, messages } = await write(JAPANESE, 60, steps);
    expect(rejections).toEqual([]);
    expect(messages.every(isNative)).toBe(true);
    const cards = messages.flatMap((message) => message.steps ?? []);
    expect(cards.map(({ title }) => title)).toEqual(steps.map(([, { title }]) => title));
    expect(cards[0]?.details).toMatch(/^詳細。/);
  });

  test('adapts to a message that accepts less: the next one starts sooner', async () => {
    const { rejections, messages } = await write(JAPANESE, 60, [], 8_000);
    expect(rejections.length).toBeLessThanOrEqual(messages.length);
    expect(messages.map(({ text }) => text).join('')).toBe(JAPANESE);
    expect(messages.filter(isNative).length).toBeGreaterThanOrEqual(messages.length - 1);
  });

  test('shows a card of a complete message not again in the next one', async () => {
    const { messages, calls } = await write(JAPANESE, 60, [
      [0, { id: 'think', title: 'Thought for 9 s', state: 'done' }],
      [50, { id: 'think', title: 'Thought for 9 s · 640 tokens', state: 'done' }],
    ]);
    expect(messages.flatMap((message) => message.steps ?? [])).toHaveLength(1);
    expect(messages.every(isNative)).toBe(true);
    expect(calls).not.toContain('chat.update');
  });

  test('shows repeated details once', async () => {
    const { messages } = await write('Many words.', 11, [
      [0, { id: 'think', title: 'Thinking', state: 'running' }],
      [2, thought('Thought for 9 s')],
      [9, thought('Thought for 9 s · 640 tokens')],
    ]);
    expect(messages).toMatchObject([
      { text: 'Many words.', steps: [{ title: 'Thought for 9 s · 640 tokens', details: 'A long trace.' }] },
    ]);
  });
});

test('leaves room for the notification text of a replaced Japanese answer', async () => {
  const { time, platform, turn, rejections, messagesOf } = ask();
  const ids = await time.until(platform.reply(turn, []).publish('短い答え。'));
  rejections.splice(0);
  const again = await time.until(platform.reply(turn, ids).publish(JAPANESE.slice(0, 3_000)));
  expect(again).toEqual(ids);
  expect(rejections).toEqual([]);
  expect(messagesOf(again)).toMatchObject([
    { blocks: [{ type: 'markdown', text: JAPANESE.slice(0, 3_000).trimEnd() }] },
  ]);
});

import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { messageId } from '../../../../shared/domain/index.ts';
import { parseButtonValue } from '../../../../shared/platforms/slack/blocks/answer-blocks.ts';
import {
  bothKinds,
  type Fault,
  openFakeSlack,
  QUESTION,
  visibleText,
  turn,
  type FaultChoice,
} from '../fake-slack.ts';

const noSessions: FaultChoice = (method) =>
  method === 'agents.sessions.setStatus' ? { refuse: 'feature_disabled' } : undefined;
const STOP = 'parley:stop';

/** An answer that has been streaming for six seconds. */
async function longAnswer(fault?: FaultChoice) {
  const harness = openFakeSlack(fault);
  const reply = harness.platform.reply(turn, []);
  for (let second = 0; second < 7; second += 1) {
    reply.write('word ');
    await harness.time.advance(1_000);
  }
  return { ...harness, reply, text: 'word '.repeat(7) };
}

const statuses = ({ calls }: ReturnType<typeof openFakeSlack>['slack']) =>
  calls
    .filter(({ method }) => method === 'agents.sessions.setStatus')
    .map(({ args }) => [args['thread_ts'], args['status']]);

describe("the bot's own Stop button", () => {
  test('is shown below a long stream where Slack has none, and is removed at the end', async () => {
    const { slack, reply, time, text } = await longAnswer(noSessions);
    const [answer, stop] = slack.messages;
    expect(answer?.streaming).toBe(true);
    expect(stop?.buttons).toEqual([STOP]);
    const body = slack.calls.find(({ method }) => method === 'chat.postMessage')?.args['blocks'];
    const [row] = v.parse(v.array(v.object({ elements: v.array(v.looseObject({})) })), body);
    const [button] = row?.elements ?? [];
    expect(parseButtonValue({ ...button, action_ts: '1.2' })).toMatchObject({
      message: messageId(QUESTION),
      action: { kind: 'stop' },
    });
    expect(await reply.posted()).toEqual([answer?.ts, stop?.ts]);
    await time.until(reply.publish(text));
    expect(slack.messages).toHaveLength(1);
    expect(visibleText(slack).trim()).toBe(text.trim());
    expect(reply.hasUnconfirmedPosts).toBe(false);
  });

  test('is absent where Slack shows one, which is checked per session', async () => {
    const { slack, platform, time, reply, text } = await longAnswer();
    await time.until(reply.publish(text));
    const next = platform.reply(turn, []);
    next.write('a');
    await time.advance(6_000);
    next.write('b');
    await time.until(next.publish('ab'));
    expect(slack.methods()).not.toContain('chat.postMessage');
    expect(statuses(slack).filter(([, status]) => status === 'processing')).toHaveLength(2);
  });

  test('is not offered below a short answer', async () => {
    const { slack, platform, time } = openFakeSlack(noSessions);
    const reply = platform.reply(turn, []);
    reply.write('Forty-two.');
    await time.advance(2_000);
    reply.write(' Sure.');
    await time.until(reply.publish('Forty-two. Sure.'));
    expect(slack.methods()).not.toContain('agents.sessions.setStatus');
  });

  test.each<[Fault, boolean]>([
    ['lost', true],
    ['busy', false],
    [{ refuse: 'invalid_blocks' }, false],
  ])(
    'that could not be posted (%j) does no harm, and is searched for if it may exist',
    async (fault, doubt) => {
      const failing: FaultChoice = (method, number, args) =>
        method === 'chat.postMessage' ? fault : noSessions(method, number, args);
      const { slack, platform, reply, time, text } = await longAnswer(failing);
      await time.until(reply.publish(text));
      expect(reply.hasUnconfirmedPosts).toBe(doubt);
      const orphans = bothKinds(await time.until(platform.findOrphanedMessages(turn)));
      await time.until(platform.reply(turn, orphans).publish(text));
      expect(slack.messages).toHaveLength(1);
      expect(visibleText(slack).trim()).toBe(text.trim());
    },
  );
});

describe("Slack's own Stop", () => {
  test('is shown before the first text, and removed with the answer', async () => {
    const { slack, platform, time } = openFakeSlack();
    const reply = platform.reply(turn, []);
    reply.enableStopButton();
    reply.enableStopButton();
    await time.until(reply.publish('Forty-two.'));
    expect(statuses(slack)).toEqual([
      [QUESTION, 'processing'],
      [QUESTION, 'active'],
    ]);
    expect(slack.methods().at(-1)).toBe('agents.sessions.setStatus');
  });

  test('is queried during a long answer, and removed with its stream', async () => {
    const { slack, reply, time, text } = await longAnswer();
    expect(statuses(slack)).toEqual([[QUESTION, 'processing']]);
    await time.until(reply.publish(text));
    expect(statuses(slack)).toEqual([[QUESTION, 'processing']]);
    expect(slack.methods().at(-1)).toBe('chat.stopStream');
  });

  test('is removed also when another worker continues', async () => {
    const { slack, platform, time } = openFakeSlack();
    const reply = platform.reply(turn, []);
    reply.enableStopButton();
    await time.until(reply.stopStreaming());
    expect(statuses(slack).at(-1)).toEqual([QUESTION, 'active']);
  });

  test('is not shown after the end of the answer or of the delivery', async () => {
    for (const ends of ['finish', 'halt'] as const) {
      const { slack, platform, time } = openFakeSlack();
      const reply = platform.reply(turn, []);
      await time.until(ends === 'halt' ? reply.stopStreaming() : reply.publish('Forty-two.'));
      reply.enableStopButton();
      await time.advance(1_000);
      expect(statuses(slack)).not.toContainEqual([QUESTION, 'processing']);
    }
  });

  test('is requested once from a workspace without it, and not for an answer that comes soon', async () => {
    const { slack, platform, time } = openFakeSlack(noSessions);
    const reply = platform.reply(turn, []);
    reply.enableStopButton();
    await time.until(reply.publish('Forty-two.'));
    await time.until(platform.reply(turn, []).publish('Forty-three.'));
    expect(statuses(slack)).toEqual([[QUESTION, 'processing']]);
  });
});

import { describe, expect, test } from '@jest/globals';
import { messageId, userId } from '../../../shared/domain/index.ts';
import { createAgentApi } from '../../../shared/platforms/slack/session/assistant-session.ts';
import { showWorking } from '../../../shared/platforms/slack/session/working-status.ts';
import { visibleContent } from './fake-content.ts';
import { openFakeSlack, QUESTION, turn } from './fake-slack.ts';

describe('a waiting message', () => {
  test('gets an eyes reaction', async () => {
    const { slack, platform } = openFakeSlack();
    await platform.acknowledge(turn);
    expect(slack.calls).toMatchObject([
      { method: 'reactions.add', args: { channel: 'C0', timestamp: QUESTION, name: 'eyes' } },
    ]);
  });

  test.each(['gone', { refuse: 'already_reacted' }, { refuse: 'missing_scope' }] as const)(
    'is unaffected by %j',
    async (fault) => {
      const { platform } = openFakeSlack(() => fault);
      await expect(platform.acknowledge(turn)).resolves.toBeUndefined();
    },
  );
});

test('a status is set once, and cleared until Slack accepts it, for a few seconds, on both APIs', async () => {
  let failures = 2;
  const { slack, platform, time } = openFakeSlack(() => (failures > 0 && failures-- ? 'gone' : undefined));
  const statuses = () => slack.calls.map(({ args }) => args['status']);
  await time.until(platform.showStatus(turn, 'is thinking…'));
  await time.until(platform.showStatus(turn, ''));
  expect(statuses()).toEqual(['processing', '', '', 'active']);
  const down = openFakeSlack(() => 'gone');
  const from = down.time.now();
  await down.time.until(down.platform.showStatus(turn, ''));
  expect(down.time.now() - from).toBeLessThan(6_000);
});

test('an ephemeral message is visible to one person, in the thread, and pings nobody', async () => {
  const { slack, platform } = openFakeSlack();
  expect(await platform.postEphemeral(turn, userId('U0BOB'), 'Only <!channel> the asker may.')).toBe(true);
  expect(slack.calls).toMatchObject([
    {
      method: 'chat.postEphemeral',
      args: {
        channel: 'C0',
        thread_ts: QUESTION,
        user: 'U0BOB',
        markdown_text: 'Only < !channel> the asker may.',
      },
    },
  ]);
  const down = openFakeSlack(() => 'gone');
  await expect(down.platform.postEphemeral(turn, userId('U0BOB'), 'x')).resolves.toBe(false);
});

test('an ephemeral message in place of an answer is in the thread only if the thread has replies', async () => {
  const { slack, platform } = openFakeSlack();
  const reply = { ...turn, message: messageId('1700000003.000001') };
  await platform.postEphemeral(turn, turn.asker, 'Not you.', true);
  await platform.postEphemeral(reply, turn.asker, 'Not you.', true);
  expect(slack.calls.map(({ args }) => args['thread_ts'])).toEqual([undefined, QUESTION]);
});

describe('the withdrawal of an answer', () => {
  test('deletes the recorded and the found messages, and may be repeated', async () => {
    const { slack, platform, time } = openFakeSlack(undefined, 400);
    const ids = await time.until(platform.reply(turn, []).publish('Some words. '.repeat(60)));
    expect(ids.length).toBe(3);
    await time.until(platform.deleteAnswer(turn, [messageId('1700000009.000001'), ...ids.slice(0, 1)]));
    expect(slack.messages).toEqual([]);
    await time.until(platform.deleteAnswer(turn, ids));
  });

  test('deletes its stream', async () => {
    const { slack, platform, time } = openFakeSlack((method) =>
      method === 'chat.delete' && slack.messages.some(({ streaming }) => streaming)
        ? { refuse: 'streaming_state_conflict' }
        : undefined,
    );
    const reply = platform.reply(turn, []);
    reply.write('Half');
    await time.until(reply.posted());
    const posted = await time.until(reply.posted());
    await time.until(platform.deleteAnswer(turn, posted));
    expect(slack.messages).toEqual([]);
  });

  test('leaves messages without a tie to the question: files, streams, responses by URL', async () => {
    const { slack, platform, time } = openFakeSlack();
    const ids = await time.until(platform.reply(turn, []).publish('Yes.'));
    const others = [true, false].map((streaming, n) => `1700000003.00000${n}${streaming ? 's' : ''}`);
    for (const ts of others) {
      slack.messages.push({ ...visibleContent({ text: 'Another.' }), ts, streaming: ts.endsWith('s') });
    }
    await time.until(platform.deleteAnswer(turn, ids));
    expect(slack.messages.map(({ ts }) => ts)).toEqual(others);
  });

  test('continues after failures, and reports incompleteness', async () => {
    const { slack, platform, time } = openFakeSlack((method, n) =>
      method === 'chat.delete' && n === 1 ? 'gone' : undefined,
    );
    const ids = await time.until(platform.reply(turn, []).publish('Yes.'));
    await time.until(platform.deleteAnswer(turn, ids));
    expect(slack.messages).toEqual([]);
    const down = openFakeSlack(() => 'gone');
    await expect(down.time.until(down.platform.deleteAnswer(turn, ids))).rejects.toThrow('no time is left');
  });

  test('leaves messages that Slack does not let the app delete', async () => {
    const { platform, time } = openFakeSlack((method) =>
      method === 'chat.delete' ? { refuse: 'cant_delete_message' } : undefined,
    );
    const ids = await time.until(platform.reply(turn, []).publish('Yes.'));
    await expect(time.until(platform.deleteAnswer(turn, ids))).resolves.toBeUndefined();
  });
});

test('a status text that stands in for a throttled session is removed, also where other sessions show a Stop', async () => {
  let busy = false;
  const { slack, platform } = openFakeSlack((method) =>
    busy && method.endsWith('sessions.setStatus') ? 'busy' : undefined,
  );
  await platform.showStatus({ ...turn, message: messageId('1.1') }, 'is thinking…');
  busy = true;
  await platform.showStatus(turn, 'is waiting in line: about 9 s', 'wait');
  await platform.showStatus(turn, '');
  expect(slack.calls.at(-1)).toMatchObject({ method: 'assistant.threads.setStatus', args: { status: '' } });
});

test('work that ends beside an answer leaves the session of the thread to the answer', async () => {
  const { slack, time } = openFakeSlack();
  const statuses = () => slack.calls.map(({ args }) => args['status']);
  const deps = { agent: createAgentApi({ call: slack.call, time }), time };
  await showWorking(deps, turn.thread, 'is translating…');
  await showWorking(deps, turn.thread, '', true);
  expect(statuses()).not.toContain('active');
  await showWorking(deps, turn.thread, '');
  expect(statuses().at(-1)).toBe('active');
});

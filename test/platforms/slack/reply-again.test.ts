import { describe, expect, test } from '@jest/globals';
import { messageId } from '../../../shared/domain/index.ts';
import { bothKinds, mark, open, QUESTION, shown, turn } from './fake-slack.ts';

describe('messages of an earlier attempt', () => {
  test('the first is edited, what is missing posted, what is too many removed', async () => {
    const { slack, platform, time } = open(undefined, 400);
    const text = 'Some words. '.repeat(60).trimEnd();
    const ids = await time.until(platform.reply(turn, []).publish(text));
    expect(ids.length).toBe(3);
    const again = await time.until(platform.reply(turn, ids).publish(text));
    expect(again).toEqual(ids);
    await platform.reply(turn, ids.slice(0, 1)).publish('Shorter.');
    await time.until(platform.reply(turn, ids).publish('Shorter.'));
    expect(slack.messages).toMatchObject([{ ts: ids[0], text: 'Shorter.' }]);
  });

  test('an orphaned stream is stopped and reused, also while writing', async () => {
    const { slack, platform, time } = open();
    await slack.call('chat.startStream', { markdown_text: 'Half an' });
    const left = bothKinds(await platform.findOrphanedMessages(turn));
    expect(left).toHaveLength(1);
    const reply = platform.reply(turn, left);
    expect(await reply.posted()).toEqual(left);
    reply.write('Once ');
    await time.advance(2_000);
    expect(shown(slack)).toBe('Once');
    await time.until(reply.publish('Once more'));
    expect(slack.messages).toMatchObject([
      { ts: left[0], text: 'Once more', streaming: false, metadata: mark(0) },
    ]);
  });

  test('one that was deleted is posted anew', async () => {
    const { slack, platform } = open();
    const ids = await platform.reply(turn, [messageId('1700000002.999999')]).publish('Here.');
    expect(slack.messages).toMatchObject([{ ts: ids[0], text: 'Here.' }]);
  });
});

test('a status never throws', async () => {
  const { slack, platform } = open(() => 'gone');
  await platform.showStatus(turn, 'is thinking…');
  expect(slack.calls).toMatchObject([
    { args: { channel_id: 'C0', thread_ts: QUESTION, status: 'processing' } },
  ]);
});

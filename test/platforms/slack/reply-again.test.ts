import { describe, expect, test } from '@jest/globals';
import { bothKinds, metadataOfPart, openFakeSlack, QUESTION, visibleText, turn } from './fake-slack.ts';

describe('messages of an earlier attempt', () => {
  test('an orphaned stream is stopped and reused, also while writing', async () => {
    const { slack, platform, time } = openFakeSlack();
    await slack.call('chat.startStream', { markdown_text: 'Half an' });
    const left = bothKinds(await platform.findOrphanedMessages(turn));
    expect(left).toHaveLength(1);
    const reply = platform.reply(turn, left);
    expect(await reply.posted()).toEqual(left);
    reply.write('Once ');
    await time.advance(2_000);
    expect(visibleText(slack)).toBe('Once');
    await time.until(reply.publish('Once more'));
    expect(slack.messages).toMatchObject([
      { ts: left[0], text: 'Once more', streaming: false, metadata: metadataOfPart(0) },
    ]);
  });
});

test('setting a status never throws', async () => {
  const { slack, platform } = openFakeSlack(() => 'gone');
  await platform.showStatus(turn, 'is thinking…');
  expect(slack.calls).toMatchObject([
    { args: { channel_id: 'C0', thread_ts: QUESTION, status: 'processing' } },
  ]);
});

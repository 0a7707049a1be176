import { describe, expect, test } from '@jest/globals';
import { channelId, messageId, parseTask, workspaceId } from '../../../shared/domain/index.ts';
import { CannotPostError } from '../../../shared/platforms/ports/index.ts';
import { fakeInteraction, commandHarness, typedCommand } from '../command-harness.ts';

const THREAD = {
  platform: 'slack' as const,
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1.1'),
};
const action = { name: 'follow.ask', args: ['And why?'] };
const pressed = () => fakeInteraction({ kind: 'action', action, chosen: [] }, { thread: THREAD });

test('a suggested question is asked by the person who clicks it; where the bot may not post, they are told', async () => {
  const { call, stage, queue } = commandHarness();
  await call(pressed());
  expect(queue.sent).toHaveLength(1);
  stage.refuse.postCard = new CannotPostError('no');
  await call(pressed());
  expect(queue.sent).toHaveLength(1);
  expect(JSON.stringify(stage.answers)).toContain('I cannot write in this channel');
});

test('where a filter blocks the words of the question, the person is told that', async () => {
  const { call, stage, queue } = commandHarness();
  stage.refuse.postCard = new CannotPostError('no', { why: 'words-blocked' });
  await call(pressed());
  expect(queue.sent).toEqual([]);
  expect(JSON.stringify(stage.answers)).toContain('a link, or words, that are blocked here');
});

test('where the bot is silent, the question is not posted, and the person is told why', async () => {
  const { call, stage, queue } = commandHarness();
  const by = { ...pressed().by, admin: true };
  await call(fakeInteraction(typedCommand('settings mentions off for:channel'), { by }));
  await call(pressed());
  expect(JSON.stringify(stage.answers.at(-1)?.card)).toContain('I do not answer here');
  expect([queue.sent, stage.cards.size]).toEqual([[], 0]);
});

describe('a press in a channel of Discord, outside of threads', () => {
  const place = { platform: 'discord', workspace: workspaceId('21') } as const;
  const ownThread = { ...place, channel: channelId('31'), root: messageId('c41') };

  /** Presses a suggestion with these arguments. Returns the thread of the question that is asked, and what is posted and removed. */
  async function pressInChannel(args: readonly string[]) {
    const { call, stage, queue } = commandHarness();
    const payload = { kind: 'action' as const, action: { name: 'follow.ask', args }, chosen: [] };
    const card = messageId('61');
    await call(fakeInteraction({ ...payload, card }, { ...place, channel: ownThread.channel, ownThread }));
    const tasks = queue.sent.map(({ body }) => parseTask(body));
    return { tasks, cards: stage.cards.size, removed: stage.removed };
  }

  test.each([
    ['a command in the conversation of the person', 'c41', 'c41'],
    ['a command of somebody else in the conversation of the person', 'c42', 'c41'],
    ['a message in its conversation', '51', '51'],
  ])('continues an answer to %s', async (_, root, expected) => {
    const { tasks, cards, removed } = await pressInChannel(['And why?', root]);
    expect(tasks).toMatchObject([
      { kind: 'ask', question: 'And why?', thread: { ...ownThread, root: expected } },
    ]);
    expect([cards, removed]).toEqual([1, ['61']]);
  });

  test('on a card without a conversation is asked in the conversation of the person', async () => {
    expect((await pressInChannel(['And why?'])).tasks).toMatchObject([{ kind: 'ask', thread: ownThread }]);
  });
});

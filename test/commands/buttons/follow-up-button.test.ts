import { expect, test } from '@jest/globals';
import { channelId, messageId, workspaceId } from '../../../shared/domain/index.ts';
import { CannotPostError } from '../../../shared/platforms/ports/index.ts';
import { fakeInteraction, commandHarness } from '../command-harness.ts';

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

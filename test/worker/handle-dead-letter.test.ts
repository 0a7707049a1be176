import { expect, test } from '@jest/globals';
import { serializeTask, channelId, messageId, userId, workspaceId } from '../../shared/domain/index.ts';
import { handleDeadLetter } from '../../shared/worker/index.ts';
import { fakeInteraction, commandHarness, typedCommand } from '../commands/command-harness.ts';

const CALLER = { user: userId('U1'), workspace: workspaceId('T1'), roles: [], locale: 'de' };
const place = {
  v: 1,
  thread: {
    platform: 'slack',
    workspace: workspaceId('T1'),
    channel: channelId('C1'),
    root: messageId('1.1'),
  },
  message: messageId('call-1'),
  asker: CALLER.user,
  askerWorkspace: CALLER.workspace,
};
const called = fakeInteraction(typedCommand('usage'), { by: CALLER });

test.each([
  ['an interaction', { ...place, kind: 'invoked', interaction: called }],
  ['an export', { ...place, kind: 'export', scope: 'person', interaction: called, round: 0 }],
])('who made %s that failed each time is told so, alone', async (_, task) => {
  const { context, stage } = commandHarness();
  const recordings = { listByMessage: async () => [], remove: async () => undefined };
  const buried = handleDeadLetter(serializeTask(task), { ...context, recordings, queue: context.queue });
  await expect(buried).resolves.toEqual({ kind: 'done' });
  expect(stage.answers).toMatchObject([{ openly: false }]);
  expect(JSON.stringify(stage.answers)).toContain('Versuch es in ein paar Minuten noch einmal');
});

test('a person who only reacted gets no message: the reaction may not have been for the bot', async () => {
  const { context, stage } = commandHarness();
  const recordings = { listByMessage: async () => [], remove: async () => undefined };
  const reacted = { ...called, payload: { kind: 'reacted', name: 'transcribe', message: '1.1' } };
  const task = { ...place, kind: 'invoked', interaction: reacted };
  await handleDeadLetter(serializeTask(task), { ...context, recordings, queue: context.queue });
  expect(stage.answers).toEqual([]);
});

test('the token for searches of a question that was given up goes no further', async () => {
  const { context, queue } = commandHarness();
  const recordings = { listByMessage: async () => [], remove: async () => undefined };
  const task = { ...place, kind: 'ask', question: 'Why?', receivedAt: 1, searchToken: 'xat-canary' };
  await handleDeadLetter(serializeTask(task), { ...context, recordings, queue: context.queue });
  expect(queue.sent.map(({ body }) => body)).toEqual([expect.stringContaining('apologise')]);
  expect(JSON.stringify(queue.sent)).not.toContain('xat-canary');
});

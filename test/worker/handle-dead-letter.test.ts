import { expect, test } from '@jest/globals';
import { serializeTask, channelId, messageId, userId, workspaceId } from '../../shared/domain/index.ts';
import { handleDeadLetter } from '../../shared/worker/index.ts';
import { NO_RECORDINGS } from '../fakes/recordings.ts';
import { fakeInteraction, commandHarness, typedCommand } from '../commands/command-harness.ts';

const CALLER = { user: userId('U1'), workspace: workspaceId('T1'), roles: [], locale: 'de' };
const place = {
  v: 1,
  thread: {
    platform: 'slack' as const,
    workspace: workspaceId('T1'),
    channel: channelId('C1'),
    root: messageId('1.1'),
  },
  message: messageId('call-1'),
  asker: CALLER.user,
  askerWorkspace: CALLER.workspace,
};
const called = fakeInteraction(typedCommand('usage'), { by: CALLER });

const recordings = NO_RECORDINGS;

test('a task of another version stays for ten minutes: during a deployment, the next version of this function reads it', async () => {
  const { context, time } = commandHarness();
  const body = JSON.stringify({ v: 1, kind: 'of-a-later-version' });
  const handle = (agoMs: number) =>
    handleDeadLetter(body, { ...context, recordings, queue: context.queue }, time.now() - agoMs);
  expect(await handle(599_000)).toMatchObject({ kind: 'later' });
  expect(await handle(600_000)).toEqual({ kind: 'done' });
});

test('a change that is given up for good leaves the stored answer, which is shown once more', async () => {
  const { context, time, queue } = commandHarness();
  const turn = {
    thread: place.thread,
    message: place.message,
    asker: place.asker,
    askerWorkspace: place.askerWorkspace,
  };
  const how = { kind: 'edited', of: place.message, question: 'Why not?', attachments: [] };
  const giveUp = (round: number) =>
    handleDeadLetter(JSON.stringify({ v: 1, kind: 'redo', ...turn, key: 'edit-9.1', by: 'U1', how, round }), {
      ...context,
      recordings,
      queue: context.queue,
    });
  // The turn was deleted meanwhile.
  expect(await giveUp(2)).toEqual({ kind: 'done' });
  await context.turns.accept(turn, 'Why?', []);
  await giveUp(1);
  expect(await context.turns.listDue(9)).toEqual([]);
  expect(queue.sent.map(({ body }) => body)).toEqual([expect.stringContaining('"round":2')]);
  await giveUp(2);
  time.advance(120_000);
  expect(await context.turns.listDue(9)).toMatchObject([
    { reason: 'reconcile', turn: { message: turn.message } },
  ]);
});

test('the log names the message of a task that was given up', async () => {
  const { context } = commandHarness();
  const logged: unknown[] = [];
  const log = (...line: unknown[]) => void logged.push(line);
  await handleDeadLetter(serializeTask({ ...place, kind: 'reconcile' }), { ...context, recordings, log });
  const ids = { ...place.thread, message: place.message };
  expect(logged).toEqual([['task.dead-lettered', { kind: 'reconcile', ...ids }]]);
});

test.each([
  ['an interaction', { ...place, kind: 'invoked', interaction: called }],
  ['an export', { ...place, kind: 'export', scope: 'person', interaction: called, round: 0 }],
])('who made %s that failed each time is told so, alone', async (_, task) => {
  const { context, stage } = commandHarness();
  const buried = handleDeadLetter(serializeTask(task), { ...context, recordings, queue: context.queue });
  await expect(buried).resolves.toEqual({ kind: 'done' });
  expect(stage.answers).toMatchObject([{ openly: false }]);
  expect(JSON.stringify(stage.answers)).toContain('Versuch es in ein paar Minuten noch einmal');
});

test('a press of Run is delivered again, so that its call ends; the person is told after the last time', async () => {
  const { context, stage, queue } = commandHarness();
  const interaction = {
    ...called,
    payload: { kind: 'action', action: { name: 'tools.run', args: ['c1'] }, chosen: [] },
  };
  const giveUp = (task: object) =>
    handleDeadLetter(serializeTask({ ...place, kind: 'invoked', interaction, ...task }), {
      ...context,
      recordings,
      queue: context.queue,
    });
  await giveUp({});
  await giveUp({ round: 1 });
  expect(queue.sent.map(({ body }) => /"round":(\d)/u.exec(body)?.[1])).toEqual(['1', '2']);
  expect(stage.answers).toEqual([]);
  await giveUp({ round: 2 });
  expect(queue.sent).toHaveLength(2);
  expect(stage.answers).toHaveLength(1);
});

test('a person who only reacted gets no message: the reaction may not have been for the bot', async () => {
  const { context, stage } = commandHarness();
  const reacted = { ...called, payload: { kind: 'reacted', name: 'transcribe', message: '1.1' } };
  const task = { ...place, kind: 'invoked', interaction: reacted };
  await handleDeadLetter(serializeTask(task), { ...context, recordings, queue: context.queue });
  expect(stage.answers).toEqual([]);
});

test('the token for searches of a question that was given up goes no further', async () => {
  const { context, queue } = commandHarness();
  const task = { ...place, kind: 'ask', question: 'Why?', receivedAt: 1, searchToken: 'xat-canary' };
  await handleDeadLetter(serializeTask(task), { ...context, recordings, queue: context.queue });
  expect(queue.sent.map(({ body }) => body)).toEqual([expect.stringContaining('apologise')]);
  expect(JSON.stringify(queue.sent)).not.toContain('xat-canary');
});

test('an erasure that was given up before it recorded its moment begins again, and records it', async () => {
  const { context, queue, dispatch } = commandHarness();
  const { platform, workspace } = place.thread;
  const person = { platform, workspace, user: CALLER.user };
  const scope = { kind: 'person', user: CALLER.user };
  await handleDeadLetter(serializeTask({ ...place, kind: 'erase', scope, round: 0 }), {
    ...context,
    recordings,
    queue,
  });
  expect(await context.erasureMoments.find(person)).toBeUndefined();
  expect(await dispatch(queue.sent.shift()?.body ?? '')).toEqual({ kind: 'done' });
  const erasedAt = await context.erasureMoments.find(person);
  expect(erasedAt).toBe(context.time.now());
  // What was in flight is erased by that moment.
  expect(queue.sent.map(({ body }) => body)).toEqual([expect.stringContaining(`"sentUntil":${erasedAt}`)]);
});

import { expect, test } from '@jest/globals';
import { postFailureNotice } from '../../shared/chat/index.ts';
import { messageId, userId, workspaceId } from '../../shared/domain/index.ts';
import { dispatchTask, handleDeadLetter, refuseLateWrites } from '../../shared/worker/index.ts';
import { THREAD, threadHarness } from './thread-harness.ts';
import { NO_RECORDINGS } from '../fakes/recordings.ts';

test.each(['ask', 'redo'])(
  'a process that begins a task (%s) after another one gave it up asks no model; the task in another message is done',
  async (kind) => {
    const { say, edit, queued, tasks, prompts, context } = threadHarness();
    await say(THREAD.root, 'U1', 'Why?');
    if (kind === 'redo') {
      await queued();
      await edit(THREAD.root, 'U1', 'And how?');
    }
    const body = tasks.shift()?.body ?? '';
    expect(JSON.parse(body)).toMatchObject({ kind });
    const earlier = prompts.length;
    const delivery = { deadline: context.time.now() + 60_000, isRedelivery: true, isLast: false };
    await refuseLateWrites({ id: 'message-1', body }, context);
    expect(await dispatchTask(body, context, { ...delivery, queueMessage: 'message-1' })).toMatchObject({
      kind: 'later',
    });
    expect(prompts).toHaveLength(earlier);
    expect(await dispatchTask(body, context, { ...delivery, queueMessage: 'message-2' })).toEqual({
      kind: 'done',
    });
    expect(prompts).toHaveLength(earlier + 1);
  },
);

const ROOT = {
  thread: THREAD,
  message: messageId(THREAD.root),
  asker: userId('U1'),
  askerWorkspace: workspaceId('T1'),
};

test('an edit of a question that was given up is answered at once: the failure notice does not hold the turn', async () => {
  const { say, edit, tasks, prompts, context } = threadHarness();
  await say(THREAD.root, 'U1', 'Why?');
  await edit(THREAD.root, 'U1', 'And how?');
  tasks.shift();
  const notice = { v: 1, kind: 'apologise', ...ROOT, question: 'Why?' } as const;
  expect(await postFailureNotice(notice, context, { isRedelivery: false })).toEqual({ kind: 'done' });
  const delivery = { deadline: context.time.now() + 60_000, isRedelivery: false, isLast: false };
  expect(await dispatchTask(tasks.shift()?.body ?? '', context, delivery)).toEqual({ kind: 'done' });
  expect(prompts).toEqual([expect.stringContaining('And how?')]);
});

test('after the failure notice of a question whose answer was stored, the answer can be regenerated at once', async () => {
  const { say, queued, take, prompts, context } = threadHarness();
  await say(THREAD.root, 'U1', 'Why?');
  await queued();
  const notice = { v: 1, kind: 'apologise', ...ROOT, question: 'Why?' } as const;
  expect(await postFailureNotice(notice, context, { isRedelivery: false })).toEqual({ kind: 'done' });
  await take({
    kind: 'button-clicked',
    thread: THREAD,
    message: ROOT.message,
    by: ROOT.asker,
    at: '9.1',
    action: { kind: 'regenerate' },
  });
  await queued();
  expect(prompts).toHaveLength(2);
});

test('a question whose task is repeated where the bot is silent by now leaves its answer free for the next task', async () => {
  const { say, queued, tasks, set, context, time } = threadHarness();
  await say(THREAD.root, 'U1', 'Why?');
  const body = tasks[0]?.body ?? '';
  await queued();
  await set('mentions off');
  const delivery = { deadline: time.now() + 60_000, isRedelivery: false, isLast: false };
  expect(await dispatchTask(body, context, delivery)).toEqual({ kind: 'done' });
  expect(await context.turns.claim(ROOT, 1_000)).toMatchObject({ kind: 'held', fence: 3 });
});

/** The task of a change as it is queued after two rounds. */
const lastRoundOf = (body = ''): string => body.replace('"round":0', '"round":2');

test('a question whose edit was given up before it had an answer gets a failure notice with its new text', async () => {
  const { say, edit, queued, tasks, prompts, outcome, stored, context } = threadHarness();
  await say(THREAD.root, 'U1', 'Why?');
  await edit(THREAD.root, 'U1', 'And how?');
  // The task of the question leaves it to that of the edit.
  const [asked, edited] = tasks.splice(0);
  const delivery = { deadline: context.time.now() + 60_000, isRedelivery: false, isLast: false };
  expect(await dispatchTask(asked?.body ?? '', context, delivery)).toEqual({ kind: 'done' });
  await handleDeadLetter(lastRoundOf(edited?.body), { ...context, recordings: NO_RECORDINGS });
  await queued();
  expect(await outcome(THREAD.root)).toMatchObject({ kind: 'failed', reason: 'gave-up' });
  expect(await stored(THREAD.root)).toMatchObject({ question: 'And how?' });
  expect(prompts).toEqual([]);
  // A later edit is answered.
  await edit(THREAD.root, 'U1', 'And when?', '9.2');
  await queued();
  expect(prompts).toEqual([expect.stringContaining('And when?')]);
});

test('an edit that was given up is left to a later edit', async () => {
  const { say, edit, queued, tasks, prompts, outcome, context } = threadHarness();
  await say(THREAD.root, 'U1', 'Why?');
  await edit(THREAD.root, 'U1', 'And how?');
  const [, edited] = tasks.splice(0);
  await edit(THREAD.root, 'U1', 'And when?', '9.2');
  const later = tasks.splice(0);
  await handleDeadLetter(lastRoundOf(edited?.body), { ...context, recordings: NO_RECORDINGS });
  await queued();
  expect(await outcome(THREAD.root)).toBeUndefined();
  tasks.push(...later);
  await queued();
  expect(prompts).toEqual([expect.stringContaining('And when?')]);
});

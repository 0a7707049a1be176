import { streamsOnly } from '../fakes/streams-only.ts';
import { intakeWithin } from '../../shared/intake/within-worker.ts';
import { describe, expect, test } from '@jest/globals';
import { type ChatEvent, messageId, type Thread, userId, workspaceId } from '../../shared/domain/index.ts';
import { dispatchTask, handleDeadLetter } from '../../shared/worker/index.ts';
import { handleEvent } from '../../shared/intake/index.ts';
import { TestTime } from '../upstream/time.ts';
import type { ErasedSubject } from '../../shared/storage/index.ts';
import { NO_RECORDINGS } from '../fakes/recordings.ts';
import { commandHarness } from '../commands/command-harness.ts';
import { endEvent } from './completion-harness.ts';
import { THREAD } from './thread-harness.ts';

/** A thread whose first message is sent now. `event` handles its events, and `work` the resulting tasks. */
function harness() {
  const time = new TestTime();
  const requests: unknown[] = [];
  const stream = async function* (prompt: readonly unknown[]) {
    requests.push(prompt.at(-1));
    yield endEvent('Because.');
  };
  const at = commandHarness({ chat: { ...streamsOnly, stream } }, time);
  const context = intakeWithin(at.context);
  const id = messageId(`${time.now() / 1_000}.000100`);
  const thread = { ...THREAD, root: id };
  const author = userId('U1');
  const message = { thread, id, author, authorWorkspace: workspaceId('T1'), text: 'Why?', attachments: [] };
  const asking: ChatEvent = { kind: 'message', message: { ...message, addressed: 'mention' } };
  const deletion: ChatEvent = { kind: 'message-deleted', thread, message: id };
  const work = async (): Promise<void> => {
    for (let sent = at.queue.sent.shift(); sent; sent = at.queue.sent.shift())
      await dispatchTask(sent.body, at.context, {
        deadline: time.now() + 60_000,
        isRedelivery: false,
        isLast: false,
      });
  };
  /** The queue gives up the first task. */
  const giveUp = async (): Promise<void> => {
    const { body = '' } = at.queue.sent.shift() ?? {};
    await handleDeadLetter(body, { ...at.context, recordings: NO_RECORDINGS });
  };
  const turnsStored = () => at.dynamo.items('conversations').filter(({ sk }) => sk?.S?.startsWith('TURN#'));
  const erase = (subject: ErasedSubject): Promise<void> =>
    at.context.erasureMoments.record(subject, time.now());
  return {
    time,
    requests,
    context,
    message,
    erase,
    asking,
    deletion,
    work,
    giveUp,
    event: (one: ChatEvent) => handleEvent(one, context),
    turnsStored,
  };
}

test('a question that is deleted while it cannot be recorded is not answered when it is redelivered', async () => {
  const { time, requests, context, asking, deletion, work, event, turnsStored } = harness();
  const { turns } = context;
  const accept = turns.accept.bind(turns);
  turns.accept = () => Promise.reject(new Error('the table cannot be reached'));
  await expect(event(asking)).rejects.toThrow('the table cannot be reached');
  turns.accept = accept;
  time.advance(1_500);
  await event(deletion);
  time.advance(1_000);
  await event(asking);
  await work();
  expect(requests).toEqual([]);
  expect(turnsStored()).toEqual([]);
});

test('a question that is deleted while its record is being written is not answered', async () => {
  const { time, requests, context, asking, deletion, work, event, turnsStored } = harness();
  const { turns } = context;
  const accept = turns.accept.bind(turns);
  turns.accept = async (...args) => {
    time.advance(1_200);
    await event(deletion);
    return accept(...args);
  };
  await event(asking);
  await work();
  expect(requests).toEqual([]);
  expect(turnsStored()).toEqual([]);
});

test('a question that is not deleted is answered, however often it is delivered', async () => {
  const { time, requests, asking, work, event } = harness();
  for (const _ of [1, 2]) {
    time.advance(1_200);
    await event(asking);
    await work();
  }
  expect(requests).toHaveLength(1);
});

const WORKSPACE = { platform: 'slack', workspace: workspaceId('T1') } as const;

describe('a question that is redelivered after an erasure', () => {
  test.each<[string, (thread: Thread) => ErasedSubject]>([
    ['workspace', () => WORKSPACE],
    ['thread', (thread) => ({ thread })],
    ['author', () => ({ ...WORKSPACE, user: userId('U1') })],
  ])('is neither answered nor stored when its %s was erased', async (_, subjectOf) => {
    const { time, requests, asking, work, event, turnsStored, erase, message } = harness();
    time.advance(2_000);
    await erase(subjectOf(message.thread));
    time.advance(60_000);
    await event(asking);
    expect(turnsStored()).toHaveLength(1);
    await work();
    expect(requests).toEqual([]);
    expect(turnsStored()).toEqual([]);
  });

  test('leaves no failure notice when its workspace was erased and its task is given up', async () => {
    const { time, asking, work, giveUp, event, turnsStored, erase } = harness();
    time.advance(2_000);
    await erase(WORKSPACE);
    time.advance(60_000);
    await event(asking);
    await giveUp();
    await work();
    expect(turnsStored()).toHaveLength(0);
  });

  test('leaves no failure notice when its message was deleted and its task is given up', async () => {
    const { time, asking, work, giveUp, event, turnsStored, context } = harness();
    time.advance(60_000);
    await event(asking);
    await giveUp();
    context.platform.isDeleted = async () => true;
    await work();
    expect(turnsStored().filter(({ body }) => body)).toHaveLength(0);
  });

  test('is answered when another workspace was erased', async () => {
    const { time, requests, asking, work, event, erase } = harness();
    time.advance(2_000);
    await erase({ platform: 'slack', workspace: workspaceId('T2') });
    time.advance(60_000);
    await event(asking);
    await work();
    expect(requests).toHaveLength(1);
  });

  test.each([
    ['is answered when it was edited after the erasure', 30_000, 1],
    ['is not answered when it was edited before the erasure', -1_000, 0],
  ])('%s', async (_, editedMs, count) => {
    const { time, requests, work, event, erase, message } = harness();
    time.advance(2_000);
    await erase(WORKSPACE);
    const at = ((time.now() + editedMs) / 1_000).toFixed(6);
    time.advance(60_000);
    await event({ kind: 'message-edited', message: { ...message, addressed: 'mention' }, at });
    await work();
    expect(requests).toHaveLength(count);
  });
});

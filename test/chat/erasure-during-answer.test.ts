import { streamsOnly } from '../fakes/streams-only.ts';
import { intakeWithin } from '../../shared/intake/within-worker.ts';
import { expect, test } from '@jest/globals';
import { messageId, userId, workspaceId } from '../../shared/domain/index.ts';
import { erase } from '../../shared/privacy/erase.ts';
import { acceptQuestion } from '../../shared/intake/index.ts';
import { dispatchTask } from '../../shared/worker/index.ts';
import { Erasure, ErasureMoments } from '../../shared/storage/index.ts';
import { decompressJson } from '../../shared/storage/dynamodb/turn-compression.ts';
import { commandHarness } from '../commands/command-harness.ts';
import { TestTime } from '../upstream/time.ts';
import { endEvent, fakePlatform } from './completion-harness.ts';
import { THREAD } from './thread-harness.ts';

const [ADA, GRACE] = [userId('U1'), userId('U2')];
const CANARY = 'The safe opens with 4711.';

/** A thread in which Grace writes, and Ada then mentions the bot. `during` runs while the model answers. */
function open(during: () => Promise<void> = async () => undefined) {
  const prompts: string[] = [];
  const contextLines = [
    { by: GRACE, author: 'grace', text: CANARY, at: 1 },
    { by: ADA, author: 'ada', text: 'I see.', at: 2 },
  ];
  const at = commandHarness(
    {
      platform: { ...fakePlatform(), fetchEarlierMessages: async () => ({ messages: contextLines }) },
      chat: {
        ...streamsOnly,
        async *stream(prompt) {
          prompts.push(JSON.stringify(prompt));
          await during();
          yield endEvent('Because.');
        },
      },
    },
    new TestTime(10_000),
  );
  const store = { dynamo: at.dynamo, table: 'conversations' };
  const erasure = new Erasure({
    ...store,
    scan: () => Promise.reject(new Error('the table was read through')),
    now: at.time.now,
    isIndexComplete: async () => true,
  });
  const delivery = () => ({ deadline: at.time.now() + 60_000, isRedelivery: false, isLast: false });
  const ask = async (id: string) => {
    const by = { author: ADA, authorWorkspace: workspaceId('T1') };
    const message = { thread: THREAD, id: messageId(id), ...by, text: 'Why?', attachments: [] };
    await acceptQuestion({ ...message, addressed: 'mention' }, intakeWithin(at.context));
    for (const { body } of at.queue.sent.splice(0)) await dispatchTask(body, at.context, delivery());
  };
  const regenerate = (message: string) => {
    const turn = { thread: THREAD, message, asker: ADA, askerWorkspace: 'T1' };
    const how = { kind: 'regenerate' };
    const task = { v: 1, kind: 'redo', ...turn, key: `press-${prompts.length}`, by: ADA, round: 0, how };
    return dispatchTask(JSON.stringify(task), at.context, delivery());
  };
  const forget = () =>
    erase(
      {
        v: 1,
        kind: 'erase',
        thread: { ...THREAD, root: messageId('wish') },
        message: messageId('wish'),
        asker: GRACE,
        askerWorkspace: workspaceId('T1'),
        round: 0,
        scope: { kind: 'person', user: GRACE },
      },
      { ...at.context, erasure, scanLease: { take: async () => true, release: async () => undefined } },
      { ...delivery(), deadline: at.time.now() + 600_000 },
    );
  const stored = () =>
    at.dynamo.items('conversations').map((item) => {
      const body = item['body']?.B;
      return JSON.stringify([item, body && decompressJson(body)]);
    });
  return { ...at, erasure, prompts, ask, regenerate, forget, stored, moments: new ErasureMoments(store) };
}

test('the erasure of a person removes their earlier messages from the turns of others', async () => {
  const at = open();
  await at.ask('1.2');
  expect(at.prompts.join()).toContain(CANARY);
  expect(at.stored().join()).toContain(CANARY);
  await at.forget();
  expect(at.stored().filter((one) => one.includes(CANARY) || one.includes('grace'))).toEqual([]);
  // Ada's messages stay, and neither the next question nor another answer contains the rest.
  await at.ask('1.3');
  at.time.advance(1_000);
  await at.regenerate('1.2');
  expect(at.prompts).toHaveLength(3);
  expect(at.prompts.slice(1).filter((one) => one.includes(CANARY))).toEqual([]);
  expect(at.prompts[1]).toContain('ada: I see.');
  // Nothing stored names the erased person or their messages: only a hash and a time.
  const marks = at.dynamo.items('conversations').filter(({ pk }) => pk?.S?.startsWith('ERASED#'));
  expect(marks).toHaveLength(1);
  expect(Object.keys(marks[0] ?? {}).toSorted()).toEqual(['at', 'pk', 'sk']);
  expect(JSON.stringify(marks)).not.toContain(GRACE);
});

test('an answer is not stored with the words of a person who was erased while it was written', async () => {
  let recorded: (() => Promise<void>) | undefined;
  const at = open(async () => recorded?.());
  recorded = () => at.moments.record({ platform: 'slack', workspace: workspaceId('T1'), user: GRACE }, 10);
  await at.ask('1.2');
  expect(at.prompts.join()).toContain(CANARY);
  expect(at.stored().filter((one) => one.includes(CANARY))).toEqual([]);
  expect(at.stored().join()).toContain('I see.');
});

test('a turn that is being answered again during an erasure is searched again after it is stored', async () => {
  const at = open();
  await at.ask('1.2');
  const turn = { thread: THREAD, message: messageId('1.2'), asker: ADA, askerWorkspace: workspaceId('T1') };
  const claim = await at.context.turns.claim(turn, 60_000);
  if (claim.kind !== 'held' || !claim.ended) throw new Error('not claimed');
  const scope = { platform: 'slack', workspace: workspaceId('T1'), user: GRACE } as const;
  const pass = (from: string | undefined) =>
    at.erasure.page(scope, from, { eraseJobs: async () => undefined });
  let { next } = await pass(undefined);
  expect(at.stored().filter((one) => one.includes(CANARY))).toEqual([]);
  // As stored by a worker that read the messages before.
  await at.context.turns.rewrite(turn, claim.fence, claim.ended, { from: 'TURN#', number: 1 }, 'press-9', 0);
  expect(at.stored().join()).toContain(CANARY);
  while (next !== undefined) ({ next } = await pass(next));
  expect(at.stored().filter((one) => one.includes(CANARY))).toEqual([]);
});

import { describe, expect, test } from '@jest/globals';
import { messageId, type RegenerateTask, userId } from '../../shared/domain/index.ts';
import type { CompletionEvent } from '../../shared/ports/index.ts';
import { dispatchTask } from '../../shared/worker/index.ts';
import { TurnTooLargeError } from '../../shared/storage/index.ts';
import { compressJson } from '../../shared/storage/dynamodb/turn-compression.ts';
import { endEvent } from './completion-harness.ts';
import { THREAD, threadHarness } from './thread-harness.ts';

/** Text that hardly compresses. */
function noise(length: number): string {
  let state = 42;
  const next = (): number => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648);
  return Array.from({ length }, () => String.fromCharCode(0x4e00 + (next() % 20_000))).join('');
}
/** In chunks, as a model streams. */
const streamed = (text: string): CompletionEvent[] => [
  ...(text.match(/[^]{1,500}/gu) ?? []).map((piece) => ({ type: 'text' as const, text: piece })),
  endEvent(text),
];
const press = (key: string, how: RegenerateTask['change'], message = '1.1') => ({
  v: 1,
  kind: 'redo',
  round: 0,
  thread: THREAD,
  message,
  asker: 'U1',
  askerWorkspace: 'T1',
  key,
  by: 'U1',
  how,
});

describe('an answer longer than the maximum stored size', () => {
  test('is ended early, says so, and costs one completion', async () => {
    const at = threadHarness([streamed(noise(200_000))]);
    await at.say('1.1', 'U1', 'Tell me all.');
    await at.queued();
    expect(at.prompts).toHaveLength(1);
    const outcome = await at.outcome('1.1');
    expect(outcome).toMatchObject({ kind: 'answered', finish: 'at-limit' });
    expect(outcome?.text).toMatch(/reached the maximum size. Ask for the rest in a new message\._$/u);
    // Three bytes per character; the rest of the 360,000 bytes is for the turn itself.
    expect(outcome?.text.length).toBeGreaterThan(103_000);
  });

  test('is ended early also when all of it arrives at once', async () => {
    const at = threadHarness([[endEvent(noise(200_000))]]);
    await at.say('1.1', 'U1', 'Tell me all.');
    await at.queued();
    expect(await at.outcome('1.1')).toMatchObject({ finish: 'at-limit' });
  });

  test('is ended early when a model reasons without end', async () => {
    const thought = { type: 'reasoning' as const, text: 'Hm. '.repeat(100_000) };
    const at = threadHarness([[thought, thought, thought, thought, thought, thought, endEvent('Late.')]]);
    await at.say('1.1', 'U1', 'Why?');
    await at.queued();
    expect(await at.outcome('1.1')).toMatchObject({ finish: 'at-limit' });
  });

  test('cannot be continued: no model is asked, and the requester is told', async () => {
    const at = threadHarness([
      [...streamed(noise(60_000)).slice(0, -1), endEvent(noise(60_000), { finish: 'length' })],
      streamed(noise(100_000)),
    ]);
    await at.say('1.1', 'U1', 'Tell me all.');
    await at.queued();
    at.sent(press('press-1', { kind: 'continue' }));
    await at.queued();
    expect(await at.outcome('1.1')).toMatchObject({ kind: 'answered', finish: 'at-limit' });
    expect(at.prompts).toHaveLength(2);
    at.sent(press('press-2', { kind: 'continue' }));
    await at.queued();
    expect(at.prompts).toHaveLength(2);
    expect(at.whispers).toEqual([
      'U1: This answer has reached the maximum size. Ask for the rest in a new message.',
    ]);
  });

  test('an answer that the table rejects is not requested again, and people are told', async () => {
    const at = threadHarness([[endEvent('An answer.')], [endEvent('Another.')]]);
    const { turns } = at.context;
    const commit = turns.commit.bind(turns);
    let rejections = 0;
    turns.commit = async (ref, fence, turn, ...rest) => {
      if (turn.outcome.text !== 'An answer.') return commit(ref, fence, turn, ...rest);
      rejections += 1;
      throw new TurnTooLargeError();
    };
    await at.say('1.1', 'U1', 'Why?');
    await at.queued();
    expect(rejections).toBe(1);
    expect(at.prompts).toHaveLength(1);
    expect(await at.outcome('1.1')).toMatchObject({ kind: 'failed', reason: 'too-large-to-keep' });
  });

  test('a question longer than the maximum stored size is answered, and stored in part', async () => {
    const at = threadHarness([[endEvent('Short.')]]);
    await at.say('1.1', 'U1', noise(150_000));
    await at.queued();
    expect(at.prompts[0]?.length).toBeGreaterThan(150_000);
    expect(await at.outcome('1.1')).toMatchObject({ text: 'Short.' });
  });
});

describe('an unreadable turn', () => {
  /** As an older version could store it: more than four megabytes uncompressed. */
  const HUGE = compressJson({
    question: 'Why?',
    outcome: { kind: 'answered', text: 'a'.repeat(5_000_000), finish: 'stop', model: 'm' },
  });

  async function withUnreadable(scripts: CompletionEvent[][] = []) {
    const at = threadHarness([[endEvent('First.')], [endEvent('Second.')], ...scripts]);
    await at.say('1.1', 'U1', 'one');
    await at.queued();
    await at.say('1.2', 'U1', 'two');
    await at.queued();
    const item = at.items().find(({ id }) => id?.S === '1.2') ?? {};
    await at.dynamo.put({ TableName: 'conversations', Item: { ...item, body: { B: HUGE } } });
    return at;
  }

  test('leaves its thread usable: the next answer has the rest of the history, and says what is missing', async () => {
    const at = await withUnreadable([[endEvent('Third.')]]);
    await at.say('1.3', 'U1', 'three');
    await at.queued();
    const [system, ...messages] = at.full[2] ?? [];
    expect(system?.role).toBe('system');
    expect(messages.map(({ content }) => content)).toEqual(['one', 'First.', 'three']);
    expect(await at.outcome('1.3')).toMatchObject({
      text: '_One earlier question of this thread can no longer be read, and is left out._\n\nThird.',
    });
    expect((await at.context.turns.history({ ...turn('1.4') })).number).toBe(4);
  });

  test('is not answered again when its task is redelivered', async () => {
    const at = await withUnreadable();
    const task = { v: 1, kind: 'ask', ...turn('1.2'), question: 'two', attachments: [], receivedAt: 1 };
    const delivery = { deadline: at.time.now() + 60_000, isRedelivery: true, isLast: false };
    expect(await dispatchTask(JSON.stringify(task), at.context, delivery)).toEqual({ kind: 'done' });
    expect(at.prompts).toHaveLength(2);
  });

  test.each(['regenerate', 'continue'] as const)('makes %s report that it is unreadable', async (kind) => {
    const at = await withUnreadable();
    at.sent(press('press-1', { kind }, '1.2'));
    await at.queued();
    expect(at.prompts).toHaveLength(2);
    expect(at.whispers).toEqual(['U1: This question and its answer can no longer be read. Ask again.']);
  });

  test('is answered again when its question is edited', async () => {
    const at = await withUnreadable([[endEvent('Third.')]]);
    await at.edit('1.2', 'U1', 'two again');
    await at.queued();
    expect(await at.outcome('1.2')).toMatchObject({ text: 'Third.' });
  });
});

const turn = (message: string) => ({
  thread: THREAD,
  message: messageId(message),
  asker: userId('U1'),
  askerWorkspace: THREAD.workspace,
});

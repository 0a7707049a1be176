import { expect, test } from '@jest/globals';
import { CancellationWatcher } from '../../../shared/chat/answer/cancellation-watcher.ts';
import { messageId } from '../../../shared/domain/index.ts';
import type { PendingQuestion, StoredSignal } from '../../../shared/storage/index.ts';
import { TestTime } from '../../upstream/time.ts';
import { TURN } from '../completion-harness.ts';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const createQuestion = (id: string): PendingQuestion => ({
  turn: { ...TURN, message: messageId(id) },
  question: 'And?',
  attachments: undefined,
});

test('a Stop is seen within a second, also while the platform is slow to acknowledge new questions', async () => {
  const time = new TestTime(1_000);
  const acknowledged: string[] = [];
  const slow = Promise.withResolvers<void>();
  let signal: StoredSignal | undefined;
  const watcher = new CancellationWatcher(
    TURN,
    { acknowledged: [], includedEdit: undefined, previousKey: undefined, ignoredSignals: [] },
    {
      signals: { poll: async () => ({ signal, waiting: [createQuestion('2.1'), createQuestion('3.1')] }) },
      platform: {
        acknowledge: async ({ message }) => {
          acknowledged.push(message);
          await slow.promise;
        },
      },
      time,
    },
  );
  time.advance(1_000);
  await settled();
  expect(acknowledged).toEqual(['2.1']);
  signal = { signal: 'stopped', key: '1' };
  time.advance(1_000);
  await settled();
  expect(watcher.stopped.aborted).toBe(true);
  slow.resolve();
  await settled();
  // One after the other, each once.
  expect(acknowledged).toEqual(['2.1', '3.1']);
  watcher.end();
});

import { expect, test } from '@jest/globals';
import { OTHER_VERSION, dispatchTask } from '../../shared/worker/index.ts';
import { commandHarness } from '../commands/command-harness.ts';

test('a task of another version is retried for several minutes, and is not dropped', async () => {
  const { context, logged } = commandHarness();
  const body = JSON.stringify({ v: 1, kind: 'of-a-later-version' });
  const verdict = await dispatchTask(body, context, { deadline: 1e12, isRedelivery: false, isLast: false });
  expect(verdict).toBe(OTHER_VERSION);
  expect(verdict).toEqual({ kind: 'later', afterMs: 60_000 });
  expect(JSON.stringify(logged)).toContain('task.unreadable');
});

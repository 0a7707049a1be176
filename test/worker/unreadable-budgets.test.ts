import { expect, test } from '@jest/globals';
import { getAccountPartition } from '../../shared/billing/budget-service.ts';
import { serializeTask, userId } from '../../shared/domain/index.ts';
import type { Dynamo } from '../../shared/storage/index.ts';
import { createBudgets } from '../../functions/composition/billing.ts';
import { commandHarness, fakeInteraction, typedCommand } from '../commands/command-harness.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { price } from '../billing/budget-harness.ts';
import { TestTime } from '../upstream/time.ts';
import { TURN } from '../chat/completion-harness.ts';

/** A workspace whose budgets are stored as a later version might store them. */
async function harness() {
  const time = new TestTime();
  const memory = createMemoryDynamo();
  const table = { isDown: false };
  const dynamo: Dynamo = {
    ...memory,
    get: (input) => (table.isDown ? Promise.reject(new Error('the table is down')) : memory.get(input)),
  };
  const key = { pk: { S: getAccountPartition(TURN.thread) }, sk: { S: 'RULES' } };
  await memory.put({ TableName: 'conversations', Item: { ...key, book: { S: '{"rules":{}}' } } });
  const logged: unknown[] = [];
  const config = {
    accounts: 'on' as const,
    conversationsTable: 'conversations',
    timeZone: 'Europe/Berlin',
    deploymentBudget: [],
  } satisfies Parameters<typeof createBudgets>[0];
  const budgets = createBudgets(config, dynamo, price, time, (...line) => void logged.push(line));
  const erased: unknown[] = [];
  const at = commandHarness(
    {
      budgets,
      erasure: {
        page: (scope) => Promise.resolve(void erased.push(scope)).then(() => ({ erased: 1, pauseMs: 0 })),
        threadPage: () => Promise.resolve({ erased: 0, pauseMs: 0 }),
        channelSettings: () => Promise.resolve(),
        scans: () => Promise.resolve(false),
      },
    },
    time,
  );
  return { ...at, budgets, table, logged, erased };
}

test('a command and an erasure run where the budgets of the workspace cannot be read', async () => {
  const { call, dispatch, stage, budgets, logged, erased } = await harness();
  expect(await call(fakeInteraction(typedCommand('help')))).toEqual({ kind: 'done' });
  expect(JSON.stringify(stage.answers)).toContain('parley');
  const { thread, message, askerWorkspace } = TURN;
  const user = userId('U2');
  const scope = { kind: 'person', user } as const;
  const task = {
    v: 1,
    kind: 'erase',
    thread,
    message,
    asker: user,
    askerWorkspace,
    round: 0,
    scope,
  } as const;
  expect(await dispatch(serializeTask(task))).toEqual({ kind: 'done' });
  expect(erased).toEqual([expect.objectContaining({ user })]);
  expect(await budgets.getZone(thread)).toBe('Europe/Berlin');
  expect(logged).toContainEqual(['budgets.unreadable', { name: 'ACCOUNT#slack#T1' }]);
});

test('a request to a model is still not sent without limits there, and a table that fails is not taken for it', async () => {
  const { budgets, table } = await harness();
  await expect(budgets.mustPayAlone(TURN.thread, TURN.asker)).rejects.toThrow('cannot be read');
  table.isDown = true;
  await expect(budgets.getZone(TURN.thread)).rejects.toThrow('the table is down');
});

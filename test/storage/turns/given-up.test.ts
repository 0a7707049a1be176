import { expect, test } from '@jest/globals';
import { channelId, messageId, type TurnRef, userId, workspaceId } from '../../../shared/domain/index.ts';
import { ConditionFailedError, TurnSignals, Turns } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';

const root = messageId('1700000000.000001');
const TURN: TurnRef = {
  thread: { platform: 'slack', workspace: workspaceId('T1'), channel: channelId('C1'), root },
  message: root,
  asker: userId('U1'),
  askerWorkspace: workspaceId('T1'),
};
const config = () => ({
  dynamo: createMemoryDynamo(),
  table: 'conversations',
  days: 30,
  now: () => 1_700_000_000_000,
});

test('a task that was given up gets no claim any more, whichever process works on it; the notice about it does', async () => {
  const tables = config();
  const [turns, signals] = [new Turns(tables), new TurnSignals(tables)];
  await turns.accept(TURN, 'q', []);
  const early = await turns.claim(TURN, 60_000, false, 'message-1');
  expect(early).toMatchObject({ kind: 'held', fence: 1 });
  await signals.giveUp(TURN, 'message-1');
  await expect(turns.renew(TURN, 1, 60_000)).rejects.toThrow(ConditionFailedError);
  expect(await turns.claim(TURN, 60_000, true, 'message-1')).toEqual({ kind: 'taken', untilMs: 0 });
  expect(await turns.claim(TURN, 60_000, false, 'message-1')).toEqual({ kind: 'taken', untilMs: 0 });
  expect(await turns.claim(TURN, 60_000, false, 'message-2')).toMatchObject({ kind: 'held', fence: 3 });
  expect(await turns.claim(TURN, 60_000, true)).toMatchObject({ kind: 'held', fence: 4 });
});

test('giving up the task of an unknown turn stores nothing', async () => {
  const tables = config();
  await new TurnSignals(tables).giveUp(TURN, 'message-1');
  expect(tables.dynamo.items('conversations')).toEqual([]);
});

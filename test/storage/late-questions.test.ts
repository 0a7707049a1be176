import { expect, test } from '@jest/globals';
import { channelId, messageId, type TurnRef, userId, workspaceId } from '../../shared/domain/index.ts';
import { Turns } from '../../shared/storage/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';

const WRITTEN_MS = 1_700_000_000_000;
const root = messageId('1699999000.000001');
const workspace = workspaceId('T1');
const turnOf = (message: string): TurnRef => ({
  thread: { platform: 'slack', workspace, channel: channelId('C1'), root },
  message: messageId(message),
  asker: userId('U1'),
  askerWorkspace: workspace,
});
const OWNER = turnOf('1699999999.000001');
const LATE = turnOf('1700000000.000001');

/** The table at this time (ms) after the second question was written. */
function turnsAfter(ms: number): Turns {
  const now = () => WRITTEN_MS + ms;
  return new Turns({ dynamo: createMemoryDynamo(), table: 'conversations', days: 30, now });
}

const waitingIn = async (turns: Turns): Promise<string[]> =>
  (await turns.history(OWNER)).waiting.map(({ question }) => question);

test('a late question that may have been deleted is not merged with another one', async () => {
  const soon = turnsAfter(1_000);
  expect(await soon.accept(LATE, 'Why?', [])).toBe(false);
  expect(await waitingIn(soon)).toEqual(['Why?']);
  const late = turnsAfter(60_000);
  expect(await late.accept(LATE, 'Why?', [])).toBe(true);
  expect(await waitingIn(late)).toEqual([]);
});

test('a question that could not be queued is not merged either, before and after it is queued again', async () => {
  const turns = turnsAfter(1_000);
  await turns.accept(LATE, 'Why?', []);
  await turns.markUnsent(LATE, 'Why?', [], WRITTEN_MS);
  expect(await waitingIn(turns)).toEqual([]);
  await turns.completeDue(LATE);
  expect(await waitingIn(turns)).toEqual([]);
});

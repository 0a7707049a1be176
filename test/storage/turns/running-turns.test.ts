import { expect, test } from '@jest/globals';
import { channelId, messageId, userId, workspaceId } from '../../../shared/domain/index.ts';
import { Turns, TurnSignals } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';

const now = () => 1_700_000_010_000;
const nth = (n: number) => messageId(`17000000${10 + n}.000000`);

test('an answer is found as running also behind many later questions', async () => {
  const store = { dynamo: createMemoryDynamo(), table: 'conversations', days: 30, now };
  const [turns, signals] = [new Turns(store), new TurnSignals(store)];
  const thread = {
    platform: 'slack',
    workspace: workspaceId('T1'),
    channel: channelId('C1'),
    root: nth(0),
  } as const;
  const turn = { thread, message: nth(0), asker: userId('U1'), askerWorkspace: workspaceId('T1') };
  await turns.accept(turn, 'q', []);
  await turns.claim(turn, 60_000);
  for (let n = 1; n <= 30; n += 1) await turns.accept({ ...turn, message: nth(n) }, 'and?', []);
  expect(await signals.listRunning(thread)).toEqual([turn]);
});

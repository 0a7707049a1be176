import { expect, test } from '@jest/globals';
import { channelId, messageId, type TurnRef, userId, workspaceId } from '../../../shared/domain/index.ts';
import { type Dynamo, Turns } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';

const NOW = 1_700_000_000_000;
const USER = userId('U1');
const PLACE = { platform: 'slack', workspace: workspaceId('T1'), channel: channelId('C1') } as const;

/** A person who asked four questions in the channel, each in a thread of its own. A page of the index holds `pageSize`. */
async function askFour(pageSize: number) {
  const memory = createMemoryDynamo();
  const dynamo: Dynamo = { ...memory, query: (input) => memory.query({ Limit: pageSize, ...input }) };
  const turns = new Turns({ dynamo, table: 'conversations', days: 30, now: () => NOW });
  const refs = [1, 2, 3, 4].map((n): TurnRef => {
    const message = messageId(`1699999990.00000${n}`);
    return { thread: { ...PLACE, root: message }, message, asker: USER, askerWorkspace: PLACE.workspace };
  });
  for (const ref of refs) await turns.accept(ref, 'q', []);
  const findLast = async () => (await turns.findLastOfPerson(PLACE, USER))?.turn.message;
  return { turns, refs, findLast };
}

test('the last question of a person is found, although more of theirs are in the index than fit into a page', async () => {
  const { refs, findLast } = await askFour(2);
  expect(await findLast()).toBe(refs[3]?.message);
});

test('the last question is found also in the oldest thread', async () => {
  const { turns, refs, findLast } = await askFour(2);
  const [oldest] = refs;
  if (!oldest) throw new Error('no question');
  const last = { ...oldest, message: messageId('1699999999.000001') };
  await turns.accept(last, 'q', []);
  expect(await findLast()).toBe(last.message);
});

test('a question that was deleted is not the last one', async () => {
  const { turns, refs, findLast } = await askFour(100);
  for (const ref of refs.slice(2)) {
    await turns.claim(ref, 60_000);
    await turns.removeContent(ref, 1, NOW + 60_000);
  }
  expect(await findLast()).toBe(refs[1]?.message);
});

import { expect, test } from '@jest/globals';
import { channelId, messageId, userId, workspaceId } from '../../shared/domain/index.ts';
import { Schedules, toRestoredItem, Turns } from '../../shared/storage/index.ts';
import { createMemoryDynamo, type MemoryDynamo } from '../fakes/dynamo.ts';

const NOW = 1_790_000_000_000;
const TABLE = 'conversations';

/** The items of the table after they are restored, as attributes that are due. */
const listDueAttributes = (dynamo: MemoryDynamo) =>
  dynamo
    .items(TABLE)
    .map((item) => toRestoredItem({ ...item, pk: { S: item['pk']?.S ?? '' } }))
    .map(({ open, due }) => ({ open, due }));

test('a restored question is not asked again', async () => {
  const dynamo = createMemoryDynamo();
  const turns = new Turns({ dynamo, table: TABLE, days: 30, now: () => NOW });
  const turn = {
    thread: {
      platform: 'slack' as const,
      workspace: workspaceId('T1'),
      channel: channelId('C1'),
      root: messageId('1.1'),
    },
    message: messageId('1.1'),
    asker: userId('U1'),
    askerWorkspace: workspaceId('T1'),
  };
  await turns.accept(turn, 'q', []);
  await turns.markUnsent(turn, 'q', [], NOW);
  expect(dynamo.items(TABLE)).toMatchObject([{ open: { S: 'unsent' } }]);
  expect(listDueAttributes(dynamo)).toEqual([{ open: undefined, due: undefined }]);
});

test('a restored schedule keeps its next run', async () => {
  const dynamo = createMemoryDynamo();
  const schedules = new Schedules({ dynamo, table: TABLE, now: () => NOW });
  await schedules.save({
    platform: 'slack',
    workspace: workspaceId('T1'),
    id: 'weekly-U1',
    content: { kind: 'weekly-summary' },
    by: userId('U1'),
    channel: undefined,
    recurrence: { weekdays: ['monday'], minuteOfDay: 540, zone: 'UTC' },
    locale: undefined,
    dueMs: NOW,
    failures: 0,
  });
  expect(listDueAttributes(dynamo)).toEqual([{ open: { S: 'schedule' }, due: { N: String(NOW / 1_000) } }]);
});

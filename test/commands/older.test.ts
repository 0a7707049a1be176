import { expect, test } from '@jest/globals';
import { serializeTask, channelId, messageId, userId, workspaceId } from '../../shared/domain/index.ts';
import { dispatchTask } from '../../shared/worker/index.ts';
import { Erasure, Recordings, RetentionRun } from '../../shared/storage/index.ts';
import { fakeInteraction, commandHarness, typedCommand } from './command-harness.ts';
import { ERASE_BY_SCAN } from '../fakes/tables.ts';

const ADMIN = { user: userId('U9'), workspace: workspaceId('T1'), roles: [], admin: true, locale: 'en' };
const DAY_S = 86_400;
const NOTHING = { text: 'Hello', words: [], fromMs: 0, toMs: 1_000 };

/** A workspace in which something was said in two channels: so many days ago, in each a turn and a recording. */
async function harness(daysAgo: readonly number[]) {
  const at = commandHarness();
  const { dynamo, time } = at;
  const scan = async () => ({ Items: dynamo.items('conversations') });
  const all = { ...ERASE_BY_SCAN, dynamo, scan, table: 'conversations' };
  const context = { ...at.context, erasure: new Erasure(all), shortening: new RetentionRun(all) };
  const recordings = new Recordings({ dynamo, table: 'conversations', days: 30, now: time.now });
  const now = time.now() / 1_000;
  for (const channel of ['C1', 'C2']) {
    for (const ago of daysAgo) {
      const message = messageId((now - ago * DAY_S).toFixed(6));
      const thread = {
        platform: 'slack',
        workspace: workspaceId('T1'),
        channel: channelId(channel),
        root: message,
      } as const;
      const ttl = { N: String(Math.floor(now + (30 - ago) * DAY_S)) };
      const [pk, sk] = [{ S: `slack#T1#${channel}#${message}` }, { S: `TURN#${message.padStart(20, '0')}` }];
      await dynamo.put({ TableName: 'conversations', Item: { pk, sk, ttl } });
      await recordings.begin({ thread, message, file: 'F1' }, ADMIN.user, thread.workspace);
      await recordings.saveChunk({ thread, message, file: 'F1' }, { ...NOTHING, n: 0 });
    }
  }
  let calls = 0;
  const run = (body: string) =>
    dispatchTask(body, context, { deadline: time.now() + 60_000, isRedelivery: false, isLast: false });
  const set = async (text: string) => {
    calls += 1;
    const one = fakeInteraction(typedCommand(`settings ${text}`), { id: `call-${calls}`, by: ADMIN });
    const thread = { platform: 'slack', workspace: 'T1', channel: 'C1', root: '1.1' };
    const task = { v: 1, kind: 'invoked', thread, message: one.id, asker: ADMIN.user, askerWorkspace: 'T1' };
    await run(serializeTask({ ...task, interaction: one }));
    for (let sent = at.queue.sent.shift(); sent; sent = at.queue.sent.shift()) await run(sent.body);
  };
  /** In how many days what lies in a channel goes, the soonest first; what is gone already is below zero. */
  const left = (channel: string): number[] =>
    dynamo
      .items('conversations')
      .filter(({ pk }) => pk?.S?.includes(`slack#T1#${channel}#`))
      .map(({ ttl }) => Math.round((Number(ttl?.N) - now) / DAY_S))
      .toSorted((a, b) => a - b);
  return { set, left };
}

test('a shorter retention period of a channel applies to its stored turns and recordings, and to no other channel', async () => {
  const { set, left } = await harness([1, 10]);
  const before = left('C2');
  await set('retentionDays 7 for:channel');
  expect(left('C1')).toEqual([-3, -3, -3, 6, 6, 6]);
  expect(left('C2')).toEqual(before);
});

test('a shorter retention period of a workspace applies to all channels without their own; nothing is stored longer', async () => {
  const { set, left } = await harness([1]);
  await set('retentionDays 14 for:channel');
  await set('retentionDays 5 for:workspace');
  expect([left('C1'), left('C2')]).toEqual([
    [13, 13, 13],
    [4, 4, 4],
  ]);
  await set('retentionDays 20 for:workspace');
  expect(left('C2')).toEqual([4, 4, 4]);
});

import { intakeWithin } from '../../../shared/intake/within-worker.ts';
import { expect, test } from '@jest/globals';
import { serializeTask, channelId, messageId, userId, workspaceId } from '../../../shared/domain/index.ts';
import { acceptQuestion } from '../../../shared/intake/index.ts';
import { dispatchTask } from '../../../shared/worker/index.ts';
import { Erasure } from '../../../shared/storage/index.ts';
import { fakeInteraction, commandHarness, typedCommand } from '../command-harness.ts';
import { ERASE_BY_SCAN } from '../../fakes/tables.ts';

const BY = { user: userId('U1'), workspace: workspaceId('T1'), roles: [], admin: false, locale: 'en' };
const OTHER = { ...BY, user: userId('U2') };
const ADMIN = { ...OTHER, admin: true };
const THREAD = {
  platform: 'slack',
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1.1'),
} as const;

function harness() {
  const at = commandHarness();
  const scan = async () => ({ Items: at.dynamo.items('conversations') });
  const { dynamo } = at;
  const context = {
    ...at.context,
    erasure: new Erasure({ ...ERASE_BY_SCAN, dynamo, scan, table: 'conversations' }),
  };
  let calls = 0;
  const call = async (...[payload, by]: [Parameters<typeof fakeInteraction>[0], typeof BY]) => {
    calls += 1;
    const one = fakeInteraction(payload, { id: `call-${calls}`, by });
    const task = { v: 1, kind: 'invoked', thread: THREAD, message: one.id, asker: by.user };
    await run(serializeTask({ ...task, askerWorkspace: by.workspace, interaction: one }));
    return JSON.stringify(at.stage.answers.at(-1)?.card);
  };
  const run = (body: string) =>
    dispatchTask(body, context, { deadline: at.time.now() + 60_000, isRedelivery: false, isLast: false });
  /** Does what waits in line. */
  const queued = async () => {
    for (let sent = at.queue.sent.shift(); sent; sent = at.queue.sent.shift()) await run(sent.body);
    return JSON.stringify(at.stage.answers.at(-1)?.card);
  };
  const ask = async (id: string, by: typeof BY) => {
    const message = { thread: THREAD, id: messageId(id), author: by.user, authorWorkspace: by.workspace };
    const question = { ...message, text: `Question ${id}`, attachments: [], addressed: 'mention' as const };
    await acceptQuestion(question, intakeWithin(context));
    await queued();
  };
  const press = (name: string, args: string[], by: typeof BY) =>
    call({ kind: 'action', action: { name, args }, chosen: [] }, by);
  /** What is answered and kept. */
  const turns = () => at.dynamo.items('conversations').flatMap(({ body, id }) => (body ? [id?.S] : []));
  return { ...at, call, press, ask, queued, turns };
}

test('me: after a confirmation, all data of the person is erased and no one else’s, and they are notified', async () => {
  const { call, press, ask, queued, turns, time } = harness();
  await ask('1.1', BY);
  await ask('1.2', OTHER);
  await call(typedCommand('settings footer yes'), BY);
  const card = await call(typedCommand('forget me'), BY);
  expect(card).toContain('"forget.me"');
  expect(turns()).toEqual(['1.1', '1.2']);
  expect(await press('forget.me', [], BY)).toContain('I am deleting');
  expect(await queued()).toContain('forgotten everything about you');
  expect(turns()).toEqual(['1.2']);
  time.advance(30_001);
  expect(await call(typedCommand('settings'), BY)).not.toContain('(mine)');
});

test('thread: the person who started it and admins erase the whole thread', async () => {
  const { call, press, ask, queued, turns } = harness();
  await ask('1.1', BY);
  await ask('1.2', OTHER);
  const message = { thread: THREAD, id: messageId('1.2'), author: OTHER.user, text: '', attachments: [] };
  const card = await call({ kind: 'on-message', name: 'forget', message }, OTHER);
  expect(card).toContain('{"name":"forget.thread","args":["C1","1.1"]}');
  expect(await press('forget.thread', ['C1', '1.1'], OTHER)).toContain('Only <@U1>');
  await queued();
  expect(turns()).toHaveLength(2);
  await press('forget.thread', ['C1', '1.1'], ADMIN);
  expect(await queued()).toContain('forgotten this thread');
  expect(turns()).toEqual([]);
  expect(await press('forget.thread', ['C1', '1.1'], BY)).toContain('I have stored nothing about this');
});

test('message: the asker erases question and answer; Slack’s command knows no thread', async () => {
  const { call, press, ask, queued, turns } = harness();
  await ask('1.1', BY);
  await ask('1.2', OTHER);
  expect(await call(typedCommand('forget message'), BY)).toContain(
    'Slack accepts no commands in threads. Choose _More actions › Forget this_ in the menu',
  );
  expect(await press('forget.message', ['C1', '1.1', '1.2'], BY)).toContain('Only <@U2>');
  expect(await press('forget.message', ['C1', '1.1', '1.1'], BY)).toContain('are deleted as soon as');
  await queued();
  expect(turns()).toEqual(['1.2']);
  expect(await press('forget.message', ['C1', '1.1', '7.7'], BY)).toContain(
    'I have stored nothing about this',
  );
});

test('message: also a turn beyond the retention period is erased', async () => {
  const { call, press, ask, queued, turns, time } = harness();
  await ask('1.1', BY);
  time.advance(3 * 86_400_000);
  await call(typedCommand('settings retentionDays 1 for:channel'), ADMIN);
  expect(turns()).toEqual(['1.1']);
  expect(await press('forget.message', ['C1', '1.1', '1.1'], BY)).toContain('are deleted as soon as');
  await queued();
  expect(turns()).toEqual([]);
});

test.each([
  ['forget.thread', []],
  ['forget.thread', ['C2', '1.1']],
  ['forget.everything', ['C1', '1.1']],
])('a forged press of %s %j removes nothing', async (name, args) => {
  const { press, ask, queued, turns } = harness();
  await ask('1.1', BY);
  await press(name, args, OTHER);
  await queued();
  expect(turns()).toEqual(['1.1']);
});

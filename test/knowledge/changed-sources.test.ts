import { expect, test } from '@jest/globals';
import { channelId, type ChatEvent, messageId } from '../../shared/domain/index.ts';
import { handleEvent } from '../../shared/intake/index.ts';
import { intakeWithin } from '../../shared/intake/within-worker.ts';
import { ADA, knowledgeHarness, MESSAGE } from './knowledge-harness.ts';

const { platform, workspace, channel } = MESSAGE.thread;
const PLACE = { platform, workspace, channel };

/** A channel with a collection; events pass through the queue. */
async function collectionHarness() {
  const harness = knowledgeHarness();
  await harness.turnOn();
  const happens = async (event: ChatEvent) => {
    const outcome = await handleEvent(event, intakeWithin(harness.context));
    for (let task = harness.queue.sent.shift(); task; task = harness.queue.sent.shift())
      if (!task.body.includes('secondPass')) await harness.dispatch(task.body);
    return outcome;
  };
  const titles = async () => (await harness.collections.list(PLACE)).ready.map(({ title }) => title);
  return { ...harness, happens, titles };
}

test('a deleted channel takes its collection with it, that of another channel stays', async () => {
  const { type, happens, titles, collections, dynamo } = await collectionHarness();
  await type('knowledge add https://wiki.example.com/leave');
  expect(await happens({ kind: 'channel-deleted', ...PLACE, channel: channelId('C2') })).toBe('queued');
  expect(await titles()).toEqual(['Handbook']);
  expect(await happens({ kind: 'channel-deleted', ...PLACE })).toBe('queued');
  expect(await collections.hasDocuments(PLACE)).toBe(false);
  expect(dynamo.items('conversations').filter(({ pk }) => pk?.S?.startsWith('KNOWLEDGE#'))).toEqual([]);
});

test('what is added while the channel is deleted goes in a second pass', async () => {
  const { type, queue, dispatch, context, titles, time } = await collectionHarness();
  await handleEvent({ kind: 'channel-deleted', ...PLACE }, intakeWithin(context));
  await dispatch(queue.sent.shift()?.body ?? '');
  await type('knowledge add https://wiki.example.com/leave');
  const [second] = queue.sent;
  expect(second?.body).toContain('secondPass');
  time.advance(4 * 60_000);
  await dispatch(second?.body ?? '');
  expect(await titles()).toEqual([]);
});

test('a deleted thread takes what was added from it, and nothing else of its channel', async () => {
  const { add, type, happens, titles, context } = await collectionHarness();
  const thread = messageId('777');
  const deletion = { kind: 'channel-deleted', ...PLACE, thread } as const;
  expect(await happens(deletion)).toBe('ignored');
  await type('knowledge add https://wiki.example.com/leave');
  const { messenger } = context;
  const links = ['https://discord.com/channels/1/777/778', 'https://discord.com/channels/1/7/777'];
  messenger.getPermalink = async () => links.shift();
  await add({ text: 'In the thread', author: ADA, id: messageId('778') });
  await add({ text: 'Its first message', author: ADA, id: messageId('777') });
  expect(await titles()).toHaveLength(3);
  expect(await happens(deletion)).toBe('queued');
  expect((await titles()).toSorted()).toEqual(['Handbook', 'Its first message']);
});

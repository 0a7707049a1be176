import { expect, test } from '@jest/globals';
import { channelId, type ChatEvent, messageId, parseTask } from '../../shared/domain/index.ts';
import { handleEvent } from '../../shared/intake/index.ts';
import { intakeWithin } from '../../shared/intake/within-worker.ts';
import { Erasure } from '../../shared/storage/index.ts';
import { handleDeadLetter } from '../../shared/worker/index.ts';
import { toolServersIn } from '../fakes/tool-servers.ts';
import { getMessageTimeMs } from '../../shared/utils/index.ts';
import { TestTime } from '../upstream/time.ts';
import { NO_RECORDINGS } from '../fakes/recordings.ts';
import { BARE } from '../fakes/bare-context.ts';
import { ERASE_BY_SCAN } from '../fakes/tables.ts';
import { ADA, ADMIN, knowledgeHarness, MESSAGE } from './knowledge-harness.ts';

const { platform, workspace, channel } = MESSAGE.thread;
const PLACE = { platform, workspace, channel };

const SCHEDULE = {
  content: { kind: 'prompt', prompt: 'What is new?' },
  by: ADA,
  recurrence: { weekdays: ['monday'], minuteOfDay: 540, zone: 'Europe/Berlin' },
  locale: 'en',
  dueMs: 1_800_000_000_000,
  failures: 0,
} as const;

/** A channel with a collection; events pass through the queue. */
async function collectionHarness(...of: Parameters<typeof knowledgeHarness>) {
  const harness = knowledgeHarness(...of);
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

test('a deleted channel takes its facts, settings and schedules with it, and their authors are told; those of other channels stay', async () => {
  let removeSettings: typeof BARE.erasure.channelSettings | undefined;
  const erasure = {
    ...BARE.erasure,
    channelSettings: async (place: typeof PLACE) => removeSettings?.(place),
  };
  const { type, happens, context, dynamo, stage } = await collectionHarness({ erasure });
  const config = { ...ERASE_BY_SCAN, dynamo, scan: async () => ({}), table: 'conversations' };
  removeSettings = (place) => new Erasure(config).channelSettings(place);
  const C2 = { channel: channelId('C2') };
  for (const at of [{}, C2]) {
    await type('settings tools knowledge for:channel', ADMIN, at);
    const id = at === C2 ? 's2' : 's1';
    await context.schedules.save({ ...SCHEDULE, id, ...PLACE, ...at });
  }
  const settingKeys = () =>
    dynamo
      .items('conversations')
      .map(({ sk }) => sk?.S ?? '')
      .filter((sk) => sk.includes('LEVEL#channel'));
  expect(settingKeys().filter((sk) => sk.includes('#C1'))).not.toEqual([]);
  await happens({ kind: 'channel-deleted', ...PLACE });
  expect(settingKeys().filter((sk) => sk.includes('#C1'))).toEqual([]);
  expect(settingKeys().filter((sk) => sk.includes('#C2'))).not.toEqual([]);
  expect((await context.schedules.list(PLACE)).map(({ id }) => id)).toEqual(['s2']);
  expect(stage.directMessages).toMatchObject([{ user: ADA, key: 's1#deleted' }]);
  expect(JSON.stringify(stage.directMessages)).toMatch(/<#C1> was deleted.*What is new\?/u);
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

const edited = (text: string, at: string, ids: readonly string[] = []): ChatEvent => ({
  kind: 'message-edited',
  at,
  message: {
    ...MESSAGE,
    text,
    authorWorkspace: workspace,
    attachments: ids.map(file),
    addressed: 'if-member',
  },
});
const file = (id: string) => ({ id, name: `${id}.txt`, mimetype: 'text/plain', bytes: 40 });

test('an edited message is found by its new words only; an older edit that arrives late changes nothing', async () => {
  const { add, happens, search, titles } = await collectionHarness();
  await add();
  await happens(edited('The gate opens at nine.', '1700000900.000100'));
  expect((await search('gate'))?.content).toBe('[1] The gate opens at nine.\nThe gate opens at nine.');
  expect((await search('door code'))?.summary).toBe('Nothing found');
  await happens(edited('The door code is 1234.', '1700000800.000100'));
  expect(await titles()).toEqual(['The gate opens at nine.']);
  await happens(edited(' ', '1700001000.000100'));
  expect(await titles()).toEqual([]);
});

test('a file that an edit removes is removed; the others are not read again', async () => {
  const harness = await collectionHarness({}, { F1: 'Refunds take five days.', F2: 'Cats are welcome.' });
  await harness.add({ attachments: [file('F1'), file('F2')] });
  await harness.happens(edited('', '1700000900.000100', ['F2']));
  expect(await harness.titles()).toEqual(['F2.txt']);
});

test.each([
  ['listed', [{ id: 'F2' }], ['F2.txt']],
  ['unknown', undefined, ['F1.txt', 'F2.txt']],
] as const)(
  'after an edit whose event does not list the files they are asked for (%s)',
  async (_, left, expected) => {
    const harness = await collectionHarness({}, { F1: 'Refunds take five days.', F2: 'Cats are welcome.' });
    await harness.add({ attachments: [file('F1'), file('F2')] });
    harness.context.platform.listFiles = async () => left?.map(({ id }) => file(id));
    const event = edited('', '1700000900.000100');
    if (event.kind !== 'message-edited') throw new Error('no edit');
    await harness.happens({ ...event, message: { ...event.message, mayHaveFiles: true } });
    expect((await harness.titles()).toSorted()).toEqual(expected);
  },
);

test('a message that is deleted while its edit is indexed leaves nothing', async () => {
  const { add, happens, titles, deleteMessage } = await collectionHarness();
  await add();
  deleteMessage();
  await happens(edited('The gate opens at nine.', '1700000900.000100'));
  expect(await titles()).toEqual([]);
});

test('an edit that could not be indexed for long removes the former text', async () => {
  const { add, context, queue, dispatch, titles } = await collectionHarness();
  await add();
  await handleEvent(edited('The gate opens at nine.', '1700000900.000100'), intakeWithin(context));
  const task = queue.sent.splice(0).find(({ body }) => body.includes('reindex'));
  const recordings = NO_RECORDINGS;
  await handleDeadLetter(task?.body ?? '', { ...context, recordings });
  for (const { body } of queue.sent.splice(0)) await dispatch(body);
  expect(await titles()).toEqual([]);
});

test('in Discord, whose edits are told in milliseconds, an edit may make a message a question', async () => {
  const { context, queue } = await collectionHarness();
  const event = edited('and why?', '1790000000766');
  if (event.kind !== 'message-edited') throw new Error('no edit');
  const message = { ...event.message, thread: { ...MESSAGE.thread, platform: 'discord' as const } };
  await handleEvent({ ...event, message: { ...message, addressed: 'mention' } }, intakeWithin(context));
  const tasks = queue.sent.map(({ body }) => parseTask(body));
  expect(tasks).toMatchObject([{ kind: 'ask', editedAt: 1_790_000_000_766 }]);
});

test('a PDF at an address is added with its pages, by its file name', async () => {
  const url = 'https://files.example.com/2026/Travel%20rules.pdf';
  const servers = toolServersIn(new TestTime());
  const harness = await collectionHarness({
    toolServers: { ...servers, request: async () => ({ kind: 'pdf', url, content: 'JVBERi0xLjc=' }) },
    pdf: async () => ({ kind: 'text', text: 'Cover\fTrains below 600 km.', pages: 2, of: 2 }),
  });
  expect(await harness.type(`knowledge add ${url}`)).toContain('“Travel rules.pdf” is added');
  expect((await harness.search('trains'))?.search?.results).toEqual([
    { number: 1, title: 'Travel rules.pdf · p. 2', url },
  ]);
});

test('a PDF at an address without text is refused by its name', async () => {
  const servers = toolServersIn(new TestTime());
  const page = { kind: 'pdf', url: 'https://files.example.com/', content: 'JVBERi0xLjc=' } as const;
  const harness = await collectionHarness({
    toolServers: { ...servers, request: async () => page },
    pdf: async () => ({ kind: 'locked' }),
  });
  expect(await harness.type('knowledge add https://files.example.com/')).toMatch(
    /files\.example\.com” was not added.*password/u,
  );
});

const itemsOf = ({ dynamo }: Pick<Awaited<ReturnType<typeof collectionHarness>>, 'dynamo'>) =>
  dynamo.items('conversations').filter(({ pk }) => pk?.S?.startsWith('KNOWLEDGE#'));

test('a message whose author was erased since is not added, whatever content the platform sends with it; a later one is', async () => {
  const harness = await collectionHarness();
  const erasedAt = getMessageTimeMs(MESSAGE.id) + 1;
  await harness.context.erasureMoments.record({ platform, workspace, user: MESSAGE.author }, erasedAt);
  expect(await harness.add()).toContain('cannot read that message');
  expect(itemsOf(harness)).toEqual([]);
  expect(await harness.add({ id: messageId('1700000001.000200') })).toContain('is added');
});

test('a page that is read while a person is erased, and the index of an edit, count as added when they were requested, so the second pass removes them', async () => {
  const time = new TestTime();
  const tools = toolServersIn(time);
  const request: typeof tools.request = async (...of) => {
    time.advance(10_000);
    return tools.request(...of);
  };
  const harness = await collectionHarness({ toolServers: { ...tools, request } });
  const receivedAt = harness.time.now();
  await harness.type('knowledge add https://wiki.example.com/leave', ADA, { receivedAt });
  await harness.add();
  harness.time.advance(20_000);
  await harness.happens(edited('The gate opens at nine.', '1700000900.000100'));
  expect(await harness.titles()).toHaveLength(2);
  const later = itemsOf(harness).filter(({ removed, at }) => !removed && Number(at?.N) > receivedAt);
  expect(later).toEqual([]);
});

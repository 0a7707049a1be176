import { beforeAll, expect, test } from '@jest/globals';
import * as v from 'valibot';
import {
  channelId,
  messageId,
  parseTranscriptionTask,
  parseTask,
  serializeTask,
  type Thread,
  type TurnRef,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import {
  Facts,
  Collections,
  Jobs,
  PersonIndex,
  Ratings,
  Schedules,
  Recordings,
  Presets,
  SettingsStore,
  Turns,
} from '../../shared/storage/index.ts';
import { listTerms, rankPassages } from '../../shared/knowledge/rules/index.ts';
import { compressTurn, decompressJson } from '../../shared/storage/dynamodb/turn-compression.ts';
import { createJobId, createJobItem, readJob } from '../../shared/storage/jobs/job-item.ts';
import { queryPersonItems } from '../../shared/storage/privacy/person-items.ts';
import type { Job } from '../../shared/video/jobs/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { readItems, readStored } from './stored-examples.ts';

// Items and messages of an earlier version: they never change, new kinds are added. The code that reads them may
// change, as long as it reads these.

const NOW = 1_790_000_000_000;
const dynamo = createMemoryDynamo();
const config = { dynamo, table: 'conversations', days: 30, now: () => NOW };
const thread: Thread = {
  platform: 'slack',
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1790000000.000100'),
};
const [adaId, T1] = [userId('U1'), workspaceId('T1')];
const ref = (message: string): TurnRef => ({
  thread,
  message: messageId(message),
  asker: adaId,
  askerWorkspace: T1,
});
const place = {
  platform: 'slack',
  workspace: 'T1',
  channel: 'C1',
  user: 'U1',
  thread: { channel: 'C1', root: thread.root },
} as const;

beforeAll(async () => {
  for (const Item of await readItems()) await dynamo.put({ TableName: 'conversations', Item });
});

test('a conversation from the previous version continues', async () => {
  const turns = new Turns(config);
  const waiting = ref('1790000002.000100');
  const { turns: past } = await turns.history(waiting);
  expect(past).toMatchObject([
    {
      question: 'Why is the sky blue, 1790000000.000100?',
      mergedQuestions: [{ message: '1790000000.000150', question: 'And red?' }],
      pictures: [{ id: 'F1', name: 'sky.png' }],
      outcome: {
        kind: 'answered',
        text: 'Light is scattered. (stopped)',
        closing: 10,
        usage: { promptTokens: 10, cachedTokens: 2 },
      },
    },
    { outcome: { kind: 'failed', reason: 'server', text: 'The model had an error.' } },
  ]);
  // That version stored earlier messages without their authors.
  expect(JSON.stringify(past)).not.toContain('look at the sky');
  const later = new Turns({ ...config, now: () => NOW + 300_000 });
  expect((await later.listDue(10)).map((due) => due.kind === 'turn' && due.turn.message)).toEqual([
    '1790000000.000100',
    '1790000001.000100',
  ]);
  expect(await turns.claim(waiting, 60_000)).toMatchObject({ kind: 'held', fence: 1 });
});

test('turns and jobs are stored under the names that the previous version reads', () => {
  const outcome = {
    kind: 'failed',
    reason: 'server',
    text: 'Sorry.',
    timings: [NOW, 1, 2, 3, 4, 1],
  } as const;
  const mergedQuestions = [{ message: messageId('1.2'), question: 'And red?' }];
  expect(decompressJson(compressTurn({ question: 'Why?', mergedQuestions, outcome }))).toEqual({
    question: 'Why?',
    folded: mergedQuestions,
    ending: { kind: 'failed', reason: 'server', text: 'Sorry.', course: [NOW, 1, 2, 3, 4, 1] },
  });
  const by = { platform: 'slack', workspace: T1, user: adaId } as const;
  const job: Job = {
    id: createJobId(by, 'r1'),
    by,
    thread,
    requestMessage: messageId('1.1'),
    state: 'submitted',
    version: 1,
    createdAt: NOW,
    prompt: 'Wave.',
    model: 'video-1',
    confirmedAt: NOW,
    key: 'k1',
    isCancelRequested: true,
    accounts: [{ partition: 'ACCOUNT#slack#T1', account: 'D#2026-11-21#person#U1' }],
    isRateLimited: true,
    firstAttemptAt: NOW + 1,
    wasOnlyRateLimited: true,
    statusReadAt: NOW + 2,
    serviceProblem: 'unheard',
  };
  const stored = createJobItem(job, 1);
  expect(JSON.parse(stored['body']?.S ?? '')).toMatchObject({
    asked: '1.1',
    agreedAt: NOW,
    cancelWanted: true,
    accounts: [{ book: 'ACCOUNT#slack#T1', account: 'D#2026-11-21#person#U1' }],
    waits: true,
    triedAt: NOW + 1,
    seenAt: NOW + 2,
    trouble: 'unheard',
  });
  expect(readJob(stored)).toEqual(job);
});

test('its context messages are part of the history, with their authors', async () => {
  const other = { ...thread, root: messageId('1790000015.000100') };
  const { turns } = await new Turns(config).history({ ...ref('1790000017.000100'), thread: other });
  const line = { by: 'U2', author: 'grace', text: 'Look at the sky.', at: 1_790_000_015_000 };
  expect(turns).toMatchObject([{ contextLines: [line] }]);
});

test('its card with follow-up questions is known', async () => {
  const root = messageId('1790000010.000100');
  const other = { ...thread, root };
  const turns = new Turns(config);
  const { turns: past } = await turns.history({ ...ref('1790000011.000100'), thread: other });
  expect(past).toMatchObject([{ followUps: '1790000012.000100' }]);
  const claim = await turns.claim({ ...ref(root), thread: other }, 60_000);
  expect(claim).toMatchObject({ kind: 'held', followUps: '1790000012.000100' });
});

test('its settings, presets, videos and recordings are read', async () => {
  const layers = await new SettingsStore(config).layers(place);
  expect([layers.workspace?.values?.model, layers.thread?.values?.model]).toEqual(['model-b', 'model-c']);
  const saved = await new Presets(config).list(place, 'persona');
  expect(saved).toMatchObject([
    { name: 'house', by: undefined, id: 'call-1.1789999999000', adminOnly: true, revision: 3 },
    { name: 'pirate', text: 'Talk like a pirate.', by: 'U1', id: undefined, adminOnly: false, revision: 0 },
  ]);
  const { layer, log } = await new SettingsStore(config).read({ ...place, channel: 'C8' }, 'channel');
  expect([layer.values.persona, layer.ids?.persona]).toEqual(['house', 'call-1.1789999999000']);
  expect(log.map(({ removed }) => removed)).toEqual([undefined, 'pirate']);
  const jobs = await new Jobs(config).listByPerson({ platform: 'slack', workspace: T1, user: adaId }, 10);
  expect(jobs).toMatchObject([{ state: 'requested', prompt: 'waves', price: '0.35', key: 'key-1' }]);
  const recordings = new Recordings(config);
  const recordingRef = { thread, message: messageId('1790000003.000100'), file: 'F3' };
  expect(await recordings.find(recordingRef)).toMatchObject({
    by: 'U1',
    ms: 2000,
    chunkCount: 1,
    source: { id: 'F3' },
  });
  expect(await recordings.listChunks(recordingRef)).toMatchObject([{ text: 'Hello there.' }]);
  const translation = { message: messageId('1790000005.000100') };
  expect(await recordings.findSpoken(recordingRef, 'de')).toEqual(translation);
  expect(await recordings.findSpoken(recordingRef, 'fr')).toEqual({ ...translation, maxMs: 1_000 });
});

test('its instructions and ratings are read', async () => {
  const { layer } = await new SettingsStore(config).read({ ...place, channel: 'C9' }, 'channel');
  expect(layer).toEqual({
    values: { instructions: 'Be brief.' },
    locks: { instructions: { reason: '' } },
  });
  const ratings = await new Ratings(config).list({ platform: 'slack', workspace: T1 }, 0, 10);
  expect(ratings).toMatchObject([
    { message: '1790000001.000100', model: 'model-b', good: true, text: undefined, answer: undefined },
    { model: 'model-a', good: false, text: 'It was wrong.', answer: '1790000009.000100' },
  ]);
  expect(ratings[1]?.thread).toEqual(thread);
});

test('its schedules are read', async () => {
  const schedules = new Schedules(config);
  expect(await schedules.list({ platform: 'slack', workspace: T1 })).toEqual([
    {
      platform: 'slack',
      workspace: 'T1',
      id: 'weekly-C1',
      content: { kind: 'weekly-summary' },
      by: 'U1',
      channel: 'C1',
      recurrence: { weekdays: ['monday'], minuteOfDay: 540, zone: 'Europe/Berlin' },
      locale: 'en',
      dueMs: 1_790_582_400_000,
      failures: 0,
    },
  ]);
});

test('a document of its collections is found', async () => {
  const collections = new Collections({
    ...config,
    sleep: () => Promise.resolve(),
    enqueueSecondRemoval: () => Promise.resolve(),
  });
  const { ready } = await collections.list(thread);
  expect(ready).toMatchObject([{ kind: 'file', title: 'rules.pdf', by: 'U1' }]);
  const indexed = await collections.findTerms(thread, ready, listTerms('parental leave'));
  const [best] = rankPassages(listTerms('parental leave'), indexed, 1);
  expect(best && (await collections.findPassage(thread, best.id, best.position))).toEqual({
    text: 'Parental leave is sixteen weeks.',
    page: 3,
  });
});

test('what it remembered about a person is used and changed', async () => {
  const facts = new Facts({ ...config, createId: () => 'new' });
  const owner = { platform: 'slack', workspace: T1, user: adaId } as const;
  const fact = { id: '3f2a1c', text: 'Likes tea', isPrivate: true, at: NOW };
  expect(await facts.list(owner, undefined)).toEqual([fact]);
  expect(await facts.edit(owner, fact.id, 'Likes coffee', undefined)).toMatchObject({ kind: 'stored' });
});

test('filling its person index continues, and the index leads to the same items', async () => {
  const index = new PersonIndex(config);
  // The index of a version that indexed less: it is filled again.
  expect(await index.state()).toMatchObject({ kind: 'filling', read: 500 });
  const page = await queryPersonItems(
    config,
    { platform: 'slack', workspace: T1, user: userId('U2') },
    undefined,
  );
  const turn = page.items.find(({ sk }) => sk?.S === 'TURN#0001790000001.000100');
  expect(turn?.['id']?.S).toBe('1790000001.000100');
});

test('its queued tasks are done', async () => {
  const shape = v.object({ tasks: v.array(v.unknown()), recordings: v.array(v.unknown()) });
  const { tasks, recordings } = v.parse(shape, await readStored('tasks.json'));
  const unread = [
    ...tasks.filter((task) => parseTask(JSON.stringify(task)) === undefined),
    ...recordings.filter((task) => parseTranscriptionTask(JSON.stringify(task)) === undefined),
  ];
  expect(unread).toEqual([]);
  // The previous version reads them again: under the names that it wrote.
  for (const [written, parse] of [
    [tasks, parseTask],
    [recordings, parseTranscriptionTask],
  ] as const)
    for (const task of written) {
      const read = parse(JSON.stringify(task));
      expect(read && JSON.parse(serializeTask(read))).toMatchObject(v.parse(v.looseObject({}), task));
    }
  expect(tasks.length + recordings.length).toBe(35);
});

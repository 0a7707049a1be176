import { expect, test } from '@jest/globals';
import { channelId, messageId, userId, workspaceId } from '../../../shared/domain/index.ts';
import { Recordings } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';

const T0 = 1_700_000_000_000;
const DAY_MS = 86_400_000;
const WORKSPACE = workspaceId('T1');
const [ADA, BEN] = [userId('U1'), userId('U2')];
const thread = {
  platform: 'slack',
  workspace: WORKSPACE,
  channel: channelId('C1'),
  root: messageId('1.1'),
} as const;
const ref = { thread, message: messageId('1.2'), file: 'F1' };
const other = { ...ref, message: messageId('1.3') };

function recordingsAt(time = { now: T0 }) {
  const store = { dynamo: createMemoryDynamo(), table: 'conversations', days: 30, now: () => time.now };
  return { recordings: new Recordings(store), time };
}

test('only a known recording is stopped, has transcripts and is resumed', async () => {
  const { recordings } = recordingsAt();
  expect(await recordings.stop(ref, BEN)).toBe(false);
  expect(await recordings.addTranscriptMessages(ref, [messageId('1.9')])).toBe(false);
  await recordings.begin(ref, ADA, WORKSPACE);
  expect(await recordings.stop(ref, BEN)).toBe(true);
  expect(await recordings.readSignal(ref)).toEqual({ isDeleted: false, stoppedBy: BEN, recordedBy: ADA });
  expect(await recordings.addTranscriptMessages(ref, [messageId('1.9')])).toBe(true);
  await recordings.resume(ref);
  expect(await recordings.readSignal(ref)).toMatchObject({ stoppedBy: undefined });
  expect(await recordings.listByMessage(thread, ref.message)).toEqual([{ ref, messages: ['1.9'] }]);
  await recordings.remove(ref);
  expect(await recordings.listByMessage(thread, ref.message)).toEqual([]);
});

test('one recording is the first of its channel, however often it asks, until a year has passed', async () => {
  const { recordings, time } = recordingsAt();
  expect(await recordings.isFirstInChannel(ref)).toBe(true);
  expect(await recordings.isFirstInChannel(other)).toBe(false);
  expect(await recordings.isFirstInChannel(ref)).toBe(true);
  time.now += 366 * DAY_MS;
  expect(await recordings.isFirstInChannel(other)).toBe(true);
});

test('a later progress of a spoken translation stays when an earlier one is saved late', async () => {
  const { recordings } = recordingsAt();
  const request = { to: 'de', interactionId: 'I1' };
  const first = { next: 0, uploading: { until: 2, key: 'k', name: 'n' } };
  await recordings.saveSpeechProgress(ref, request, first);
  expect(await recordings.findSpeechProgress(ref, request)).toEqual(first);
  const second = { next: 2, spokenAt: messageId('1.9') };
  await recordings.saveSpeechProgress(ref, request, second);
  await recordings.saveSpeechProgress(ref, request, first);
  expect(await recordings.findSpeechProgress(ref, request)).toEqual(second);
});

test('a translation does not replace the original text that is stored', async () => {
  const { recordings } = recordingsAt();
  const chunk = { n: 0, text: 'Hello.', fromMs: 0, toMs: 900, words: [] };
  await recordings.saveChunk(ref, { ...chunk, text: 'Hullo.', translation: 'Hallo.' }, 'de');
  expect(await recordings.listChunks(ref)).toMatchObject([{ text: 'Hullo.' }]);
  await recordings.saveChunk(ref, chunk);
  await recordings.saveChunk(ref, { ...chunk, text: 'Hullo.', translation: 'Hallo.' }, 'de');
  expect(await recordings.listChunks(ref)).toMatchObject([{ text: 'Hello.' }]);
  expect(await recordings.listChunks(ref, 'de')).toMatchObject([{ translation: 'Hallo.' }]);
});

test('a transcript and a progress that have expired are replaced before the table deletes them', async () => {
  const { recordings, time } = recordingsAt();
  const request = { to: 'de', interactionId: 'I1' };
  const chunk = { n: 0, text: 'Hello.', fromMs: 0, toMs: 900, words: [] };
  await recordings.saveSpeechProgress(ref, request, { next: 2 });
  await recordings.saveChunk(ref, chunk);
  time.now += 30 * DAY_MS;
  await recordings.saveSpeechProgress(ref, request, { next: 1 });
  expect(await recordings.findSpeechProgress(ref, request)).toEqual({ next: 1 });
  await recordings.saveChunk(ref, { ...chunk, translation: 'Hallo.' }, 'de');
  expect(await recordings.listChunks(ref)).toMatchObject([{ text: 'Hello.' }]);
});

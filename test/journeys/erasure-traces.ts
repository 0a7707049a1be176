import { expect } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import type { NewMessage } from '../../infra/local/emulator/sqs/queues.ts';
import type { LocalSystem } from '../../infra/local/system.ts';
import { PICTURES } from '../image-files/pictures.ts';
import { tableOf } from './relay-harness.ts';
import { botMessages, type JourneyHarness, queuesAreEmpty } from './harness.ts';

/** The environment of a system that makes videos. */
export const VIDEOS = { VIDEO_MODELS: 'model-a-video:image_url:0.35', VIDEO_LIMIT: '600/60' };
export const PICTURE = { name: 'sea.png', content: Buffer.from(PICTURES.png, 'base64') };
/** How often a text of about 20 characters is repeated in a file too long for the prompt (20,000 characters): a tool reads it. */
export const LONG_TEXT_REPEATS = 3_000;

/** The commands with which something is remembered about a person across threads, and who types them. */
export const rememberingCommands = (name: string, fact: string): readonly (readonly [string, string])[] => [
  ['ada', '/parley settings memory on for:workspace'],
  [name, '/parley memory on'],
  [name, `/parley memory add ${fact} counts.`],
];

/** Bytes as text, decompressed if they are compressed. */
export function unpacked(bytes: Uint8Array): string {
  try {
    return brotliDecompressSync(bytes).toString('utf8');
  } catch {
    return Buffer.from(bytes).toString('latin1');
  }
}

/** A client for the tables of a system. The caller destroys it. */
export function dynamoOf(system: LocalSystem): DynamoDB {
  const { region, credentials } = tableOf(system);
  return new DynamoDB({ region, credentials, endpoint: system.emulator.dynamodb });
}

/** All items of the tables as text. */
export async function tableTexts(system: LocalSystem): Promise<string[]> {
  const dynamo = dynamoOf(system);
  const texts: string[] = [];
  for (const { name: TableName } of system.emulator.resources.tables) {
    const { Items = [] } = await dynamo.scan({ TableName });
    for (const item of Items) {
      const bodies = Object.values(item).map(({ B }) => (B ? unpacked(B) : ''));
      texts.push(JSON.stringify(item) + bodies.join('\n'));
    }
  }
  dynamo.destroy();
  return texts;
}

/** The files of a system, without those of the simulated platforms. */
export const storedFiles = (folder: string): (readonly [string, Buffer])[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name).slice(folder.length + 1))
    .filter((name) => !/^(?:(?:slack|discord)[^/]*\.jsonl|local\.json)/u.test(name))
    .map((name) => [name, readFileSync(join(folder, name))] as const);

/** Where any of these texts is found: in the tables, in logs and bucket, or in waiting messages. */
export async function findTraces(
  system: LocalSystem,
  folder: string,
  canaries: readonly string[],
): Promise<string[]> {
  const texts = await tableTexts(system);
  const inTables = texts.flatMap((text) =>
    canaries.filter((one) => text.includes(one)).map((one) => `table: ${one}: ${text.slice(0, 160)}`),
  );
  const live = storedFiles(folder).filter(([name]) => !/^(?:dynamodb|queues)/u.test(name));
  const inFiles = live.flatMap(([name, bytes]) =>
    canaries.filter((one) => bytes.includes(one)).map((one) => `${name}: ${one}`),
  );
  return [...inTables, ...inFiles];
}

/**
 * Expires every item with one of these texts, or of a recording, as if its time had passed. Fails if one of them
 * would be kept for more than a day. Resolves with their number.
 */
export async function expireItems(
  dynamo: DynamoDB,
  system: LocalSystem,
  canaries: readonly string[],
): Promise<number> {
  const TableName = tableOf(system).table;
  const { Items = [] } = await dynamo.scan({ TableName });
  const tomorrow = Date.now() / 1_000 + 86_400;
  const isMarked = (item: (typeof Items)[number]) => {
    const text = JSON.stringify(item) + (item['body']?.B ? unpacked(item['body'].B) : '');
    return item['ttl']?.N !== undefined && canaries.some((one) => text.includes(one));
  };
  const marked = Items.filter((item) => isMarked(item) || item['pk']?.S?.startsWith('VOICE#'));
  // A video is checked when it is due, and is then deleted with its files.
  const goesAt = ({ ttl, due }: (typeof Items)[number]) =>
    Math.min(Number(ttl?.N), Number(due?.N ?? Infinity));
  const late = marked.filter((item) => !item['sk']?.S?.startsWith('DRAFT#') && goesAt(item) > tomorrow);
  expect(late).toEqual([]);
  for (const item of marked) {
    await dynamo.updateItem({
      TableName,
      Key: { pk: item['pk'] ?? { S: '' }, sk: item['sk'] ?? { S: '' } },
      UpdateExpression: 'SET #ttl = :past',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':past': { N: '1' } },
    });
  }
  return marked.length;
}

/** The API key of a workspace. */
export const API_KEY = 'canary-key-0123456789abcdef';

export type SentMessage = { readonly queue: string; readonly message: NewMessage };
const taskSchema = v.object({ kind: v.optional(v.string()), asker: v.optional(v.string()) });

/** Records every message that is queued from now on. */
export function recordSentMessages({ emulator: { queues } }: LocalSystem): readonly SentMessage[] {
  const sent: SentMessage[] = [];
  const send = queues.send.bind(queues);
  queues.send = (queue, message) => {
    sent.push({ queue, message });
    return send(queue, message);
  };
  return sent;
}

/**
 * Delivers messages again, as SQS may do, and as one that waited all the time would be; then those of one person as
 * dead letters. Erasure tasks are left out.
 */
async function redeliver(system: LocalSystem, sent: readonly SentMessage[], person: string): Promise<void> {
  const { queues } = system.emulator;
  for (const way of ['again', 'dead']) {
    for (const [nth, { queue, message }] of sent.entries()) {
      const { kind, asker } = v.parse(taskSchema, JSON.parse(message.body));
      if (kind === 'erase' || (way === 'dead' && asker !== person)) continue;
      const to = way === 'dead' ? queues.rules(queue)?.deadLetters?.queue : queue;
      if (to !== undefined) queues.send(to, { ...message, dedup: `${way}-${nth}` });
    }
    await queuesAreEmpty(system);
  }
}

/** Fails if a second delivery of these messages shows one of these texts to a model, or stores it. */
export async function expectNoTracesAfterRedelivery(
  { system, upstream }: Pick<JourneyHarness, 'system' | 'upstream'>,
  folder: string,
  { sent, person, canaries }: { sent: readonly SentMessage[]; person: string; canaries: readonly string[] },
): Promise<void> {
  const before = upstream.journal.length;
  await redeliver(system, sent, person);
  const requests = JSON.stringify(upstream.journal.slice(before));
  expect(canaries.filter((one) => requests.includes(one))).toEqual([]);
  expect(await findTraces(system, folder, canaries)).toEqual([]);
}

/** Asks behind a question of somebody else, while the question before is answered. */
export async function askDuringAnswer(journey: JourneyHarness, name: string, text: string): Promise<string> {
  const { slack } = journey;
  const other = name === 'ada' ? 'grace' : 'ada';
  const slow = '[[sim:tokens=90]] [[sim:slow=100]]';
  const thread = await slack.say(other, `<@${slack.botUserId}> Tell me about the sea. ${slow}`);
  await slack.core.until(() =>
    botMessages(slack, thread).find(({ stream, text: answer }) => stream?.open && answer !== ''),
  );
  await slack.say(other, 'What is 10 + 11? [[sim:tokens=8]]', { thread });
  const message = await slack.say(name, text, { thread });
  await queuesAreEmpty(journey.system);
  return message;
}

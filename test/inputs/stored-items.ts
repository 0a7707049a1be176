import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { channelId, messageId, type Thread, userId, workspaceId } from '../../shared/domain/index.ts';
import type { AwsCall } from '../../shared/aws/aws-request.ts';
import { fetchDynamo } from '../../shared/storage/dynamodb/fetch-client.ts';
import { createDynamoSend } from '../../shared/storage/dynamodb/json-protocol.ts';
import { FrontStore } from '../../shared/storage/interactions/front-store.ts';
import { plainEncryptor } from '../fakes/plain-encryptor.ts';
import {
  ApiRequests,
  Collections,
  Facts,
  FormDrafts,
  Integrations,
  LiveAnswers,
  Schedules,
  Webhooks,
  Jobs,
  PersonIndex,
  Ratings,
  Recordings,
  Presets,
  SettingsStore,
  Turns,
} from '../../shared/storage/index.ts';
import type { Random } from '../faults/seeded-random.ts';
import type { EntryPoint, Try } from './entry-point.ts';
import { asJson, type Json, membersOf } from './json.ts';
import { chance, mutated, pick } from './mutate.ts';
import { describe } from './run-block.ts';

const NOW = 1_790_000_000_000;
const now = (): number => NOW;

/** Items as earlier versions stored them, in DynamoDB's JSON: bytes as base64. */
const ITEMS: readonly Json[] = membersOf(
  asJson(JSON.parse(readFileSync(join(import.meta.dirname, '..', 'storage', 'kept', 'items.json'), 'utf8'))),
).map(([, item]) => onWire(item));

function onWire(value: Json): Json {
  const members = membersOf(value);
  if (members.length === 0) return value;
  const bytes = members.find(([key]) => key === 'base64')?.[1];
  if (bytes !== undefined) return bytes;
  const inner = members.map(([key, of]): [string, Json] => [key, onWire(of)]);
  return Array.isArray(value) ? inner.map(([, of]) => of) : Object.fromEntries(inner);
}

const anyItem = (random: Random): Json => ITEMS[Math.floor(random() * ITEMS.length)] ?? null;

/** A table that returns the same items to every request. */
function answerFrom(random: Random, target: string): Json {
  const item = (): Json => (chance(random, 0.7) ? mutated(random, anyItem(random)) : anyItem(random));
  const whole: Json = target.endsWith('.GetItem') ? { Item: item() } : { Items: [item(), item(), item()] };
  return chance(random, 0.05) ? mutated(random, whole) : whole;
}

const thread: Thread = {
  platform: 'slack',
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1790000000.000100'),
};
const turn = {
  thread,
  message: messageId('1790000002.000100'),
  asker: userId('U1'),
  askerWorkspace: workspaceId('T1'),
};
const place = {
  platform: 'slack',
  workspace: 'T1',
  channel: 'C1',
  user: 'U1',
  thread: { channel: 'C1', root: thread.root },
} as const;
const person = { platform: 'slack', workspace: workspaceId('T1'), user: userId('U1') } as const;
const recording = { thread, message: messageId('1790000003.000100'), file: 'F3' };

type Read = () => Promise<unknown>;

/** Every function that reads the table. */
function readers(aws: AwsCall): readonly [Read, ...Read[]] {
  const dynamo = fetchDynamo(aws);
  const store = { dynamo, table: 'conversations', days: 30, now };
  const frontStore = new FrontStore({
    send: createDynamoSend(aws),
    table: 'conversations',
    days: 30,
    now,
  });
  const turns = new Turns(store);
  const recordings = new Recordings(store);
  const collections = new Collections({
    ...store,
    sleep: () => Promise.resolve(),
    enqueueSecondRemoval: () => Promise.resolve(),
  });
  return [
    () => turns.history(turn),
    () => turns.search(turn, 'sky', 5),
    () => turns.findByMessage(thread),
    () => turns.findByMessage(thread, turn.message),
    () => turns.claim(turn, 60_000),
    () => turns.listDue(10),
    () => new SettingsStore(store).layers(place),
    () => new SettingsStore(store).read(place, 'channel'),
    () => new Presets(store).list(place, 'persona'),
    () => new Presets(store).read(place, 'persona', 'pirate'),
    () => new FormDrafts(store).find(place, 'd1'),
    () => new Ratings(store).list(person, 0, 10),
    () => new Jobs(store).listByPerson(person, 10),
    () => new Jobs(store).listDue(10),
    () => recordings.find(recording),
    () => recordings.listChunks(recording),
    () => recordings.transcriptText(thread, recording.message),
    () => new PersonIndex(store).state(),
    () => collections.list(thread),
    () => collections.findPassage(thread, 'M1790000000.000100.3f2a1c.1', 3),
    () => new Facts({ ...store, createId: () => 'f1' }).list(person, undefined),
    () => new Schedules(store).list(person),
    () => new Integrations(store).list(person),
    () => new Integrations(store).authenticate(person, '0123456789abcdef', 'key'),
    () => new Webhooks({ ...store, encryptor: plainEncryptor }).find(person, '0123456789abcdef'),
    () => new ApiRequests(store).find(person, '0123456789abcdef', 'ask_1'),
    () => new LiveAnswers(store).read(turn),
    () => frontStore.findNote('1', { ...thread, user: person.user }),
    () => frontStore.findDraftModal(place, 'd1', 0),
    () => frontStore.findFact(person, 'f1'),
  ];
}

/** A record may be malformed, and is then rejected. */
const REFUSED = new Set(['ValiError', 'SyntaxError', 'Error', 'InvalidDynamoResponseError']);

/** Stored items as they were written, damaged, or written by another version. */
export const storedEntry: EntryPoint = {
  name: 'stored',
  share: 6,
  open: (random): Try => {
    const reads = readers(async ({ target }) => asJson(answerFrom(random, target)));
    return async () => {
      try {
        await pick(random, reads)();
      } catch (error) {
        if (!(error instanceof Error) || !REFUSED.has(error.name)) return `it threw ${describe(error)}`;
      }
      return undefined;
    };
  },
};

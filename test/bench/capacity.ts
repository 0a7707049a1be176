import { BARE_INTAKE } from '../fakes/bare-intake.ts';
import { fakePlatform } from '../chat/completion-harness.ts';
import { bareContext } from '../fakes/bare-context.ts';
import { EMPTY_QUEUE } from '../fakes/empty-queue.ts';
import type { AttributeValue, DynamoDB } from '@aws-sdk/client-dynamodb';
import { FakeQueue, FakeMessenger } from '../fakes/messenger.ts';
import {
  channelId,
  type IncomingMessage,
  messageId,
  type PromptMessage,
  type Task,
  parseTask,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { type ProcessContext, dispatchTask } from '../../shared/worker/index.ts';
import { acceptQuestion } from '../../shared/intake/index.ts';
import { DEFAULTS } from '../../shared/ports/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { CHAT_LIMIT } from '../../shared/rate-limits/index.ts';
import type { Platform } from '../../shared/platforms/ports/index.ts';
import { systemTime, type Time } from '../../shared/runtime/time.ts';
import {
  Breakers,
  TokenBuckets,
  type Dynamo,
  KeyRateLimiter,
  TurnSignals,
  SettingsStore,
  Turns,
  type TurnsConfig,
} from '../../shared/storage/index.ts';
import { settingsStoresIn } from '../fakes/settings-stores.ts';
import { startTables } from '../fakes/tables.ts';
import { Meter, metered } from './capacity-meter.ts';
import { prose } from './prose.ts';
import type { Row } from './report-table.ts';

/** 2027-01-15T08:00:00Z */
const T0 = 1_800_000_000_000;
const TURNS = 500;
/** The characters of a turn. */
export type TurnSize = { readonly question: number; readonly answer: number };

const TWO_KILOBYTES: TurnSize = { question: 300, answer: 1_748 };

/**
 * The cost of one turn of 2 KB in the tables, as the table counts it, and in the person index, at the start of a
 * thread and far into it.
 */
export async function capacity(): Promise<Row[]> {
  const costs = await measureTurns(TURNS);
  const [first, last] = [costs[0], costs[TURNS - 1]];
  const maxCount = (of: 'writes' | 'reads'): number => Math.max(...costs.map((cost) => cost[of]));
  return [
    { what: 'write units per turn of 2 KB, turn 1', value: first?.writes ?? NaN, unit: 'units', limit: 7 },
    {
      what: `write units per turn of 2 KB, turn ${TURNS}`,
      value: last?.writes ?? NaN,
      unit: 'units',
      limit: 7,
    },
    { what: `write units, most of ${TURNS} turns`, value: maxCount('writes'), unit: 'units', limit: 7 },
    { what: 'read units per turn of 2 KB, turn 1', value: first?.reads ?? NaN, unit: 'units', limit: 3 },
    {
      what: `read units per turn of 2 KB, turn ${TURNS}`,
      value: last?.reads ?? NaN,
      unit: 'units',
      limit: 3,
    },
    { what: `read units, most of ${TURNS} turns`, value: maxCount('reads'), unit: 'units', limit: 3 },
  ];
}

/** The units of the tables that a turn takes. */
export type TurnUnits = { readonly writes: number; readonly reads: number };

/**
 * The units of each of so many turns of one thread, and its prompt as JSON. With a `gapMs`, so much time passes between two turns.
 * Without a `size`, a turn has 2 KB.
 */
export async function measureTurns(
  count: number,
  gapMs?: number,
  size = TWO_KILOBYTES,
): Promise<(TurnUnits & { readonly prompt: string })[]> {
  const tables = await startTables();
  const meter = new Meter();
  const dynamo = metered(tables.client, meter);
  const costs: (TurnUnits & { readonly prompt: string })[] = [];
  for (let n = 1; n <= count; n += 1) {
    meter.reset();
    const time = gapMs === undefined ? systemTime : timeAt(T0 + n * gapMs);
    const prompt = await takeTurn(n, dynamo, time, size);
    costs.push({ writes: meter.writes, reads: meter.reads, prompt });
  }
  await tables.close();
  return costs;
}

/** After so many turns their units repeat every `CYCLE` turns. */
const REAL_TURNS = 30;
const CYCLE = 5;
/** So many turns before a measured one are real: more than the window holds. */
const REAL_BEFORE = 10;

/**
 * The units of the turns with these numbers (in ascending order) of one thread. Copies of earlier turns fill the gaps, so that 10,000
 * take a minute.
 */
export async function measureTurnsAt(
  numbers: readonly number[],
  gapMs: number,
): Promise<ReadonlyMap<number, TurnUnits>> {
  const tables = await startTables();
  const meter = new Meter();
  const dynamo = metered(tables.client, meter);
  const units = new Map<number, TurnUnits>();
  let done = 0;
  const takeUntil = async (last: number): Promise<void> => {
    for (let n = done + 1; n <= last; n += 1) {
      meter.reset();
      await takeTurn(n, dynamo, timeAt(T0 + n * gapMs), TWO_KILOBYTES);
      units.set(n, { writes: meter.writes, reads: meter.reads });
    }
    done = Math.max(done, last);
  };
  await takeUntil(REAL_TURNS);
  const items = await finishedTurns(tables.client);
  for (const number of numbers) {
    for (; done < number - REAL_BEFORE; done += 1) await copyTurn(done + 1, items, tables.client);
    await takeUntil(number);
  }
  await tables.close();
  return units;
}

type Item = Readonly<Record<string, AttributeValue>>;

/** The number of a turn in its message ids and keys, but not in the id of the thread's root. */
const NUMBER = /(?<=17000)(\d{5})(?=\.000000)/gu;

/** The items of the last turns of the thread, by their number. */
async function finishedTurns(client: DynamoDB): Promise<ReadonlyMap<number, Item>> {
  const { Items = [] } = await client.scan({ TableName: 'conversations' });
  return new Map(
    Items.flatMap((item) => {
      const [number] = item['sk']?.S?.startsWith('TURN#') ? (item['sk'].S.match(NUMBER) ?? []) : [];
      return number === undefined ? [] : [[Number(number), item] as const];
    }),
  );
}

/** Stores turn `n` as a copy of the last one at the same place of the cycle. */
async function copyTurn(n: number, items: ReadonlyMap<number, Item>, client: DynamoDB): Promise<void> {
  const first = REAL_TURNS - CYCLE + 1;
  const from = first + ((n - first) % CYCLE);
  const shift = n - from;
  const shifted = (text: string): string =>
    text.replace(NUMBER, (number) => String(Number(number) + shift).padStart(5, '0'));
  const item = Object.entries(items.get(from) ?? {}).map(([name, value]): [string, AttributeValue] => {
    if (name === 'n') return [name, { N: String(n) }];
    return name !== 'pk' && value.S !== undefined ? [name, { S: shifted(value.S) }] : [name, value];
  });
  await client.putItem({ TableName: 'conversations', Item: Object.fromEntries(item) });
}

/** A time that stands still. A sleep ends only by its signal, so that a slow machine does not make a turn poll for Stop, which takes a unit. */
const timeAt = (now: number): Time => ({
  now: () => now,
  sleep: (_, signal) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      if (signal?.aborted === true) reject(signal.reason);
    }),
});

/** Takes one turn: the first by a mention, the others as follow-ups without one. Resolves with its prompt as JSON. */
async function takeTurn(n: number, dynamo: Dynamo, time: Time, size: TurnSize): Promise<string> {
  const root = messageId('1700000000.000000');
  const message: IncomingMessage = {
    thread: {
      platform: 'slack',
      workspace: workspaceId('T0BENCH000'),
      channel: channelId('C0BENCH000'),
      root,
    },
    id: n === 1 ? root : messageId(`17000${String(n).padStart(5, '0')}.000000`),
    author: userId('U0BENCH000'),
    authorWorkspace: workspaceId('T0BENCH000'),
    text: prose(size.question, n),
    attachments: [],
    addressed: n === 1 ? 'mention' : 'if-member',
  };
  const { now } = time;
  const store = { dynamo, table: 'conversations', days: 30, now };
  const turns = new Turns(store);
  let task: Task | undefined;
  const queue = { send: async (body: string) => void (task = parseTask(body)) };
  await acceptQuestion(message, { ...BARE_INTAKE, turns, queue, now });
  if (task?.kind !== 'ask') throw new Error('the message was not queued');
  let prompt = '';
  const onPrompt = (messages: readonly PromptMessage[]): void => void (prompt = JSON.stringify(messages));
  const verdict = await dispatchTask(
    JSON.stringify(task),
    depsFor(store, dynamo, { n, time, onPrompt, answerLength: size.answer }),
    {
      deadline: now() + 60_000,
      isRedelivery: false,
      isLast: false,
    },
  );
  if (verdict.kind !== 'done') throw new Error('the question was not answered');
  return prompt;
}

/**
 * Nobody has changed a setting, and 30 s do not pass: a worker reads settings once in that time, half a unit for all
 * its turns.
 */
let settings: SettingsStore | undefined;

function depsFor(
  store: TurnsConfig,
  dynamo: Dynamo,
  {
    n,
    time,
    onPrompt,
    answerLength,
  }: {
    readonly n: number;
    readonly time: Time;
    readonly answerLength: number;
    readonly onPrompt: (prompt: readonly PromptMessage[]) => void;
  },
): ProcessContext {
  const { now } = time;
  // A worker is new at each turn, the most expensive case; each has a key of its own, so that none waits.
  const permits = new KeyRateLimiter({
    buckets: new TokenBuckets(dynamo, 'tokens', now),
    random: Math.random,
    family: 'chat',
    limit: CHAT_LIMIT,
    keys: () => Promise.resolve([`bench${n}`]),
    now,
  });
  return {
    ...bareContext(store),
    turns: new Turns(store),
    signals: new TurnSignals(store),
    showMessage: EMPTY_QUEUE,
    platform: silent(n),
    messenger: new FakeMessenger(),
    queue: new FakeQueue(),
    chat: {
      ...streamsOnly,
      async *stream(prompt, { beforeAttempt }) {
        onPrompt(prompt);
        await beforeAttempt();
        const text = prose(answerLength, -n);
        yield { type: 'text', text };
        yield { type: 'end', text, finish: 'stop', model: 'model-a' };
      },
    },
    permits,
    videoPermits: permits,
    breakers: new Breakers({ dynamo, table: 'tokens', now, random: Math.random }),
    time,
    settings: DEFAULTS,
    ...settingsStoresIn(store),
    settingsStore: (settings ??= new SettingsStore({ ...store, now: () => 0 })),
    log: () => undefined,
  };
}

/** A platform that responds at once: only the tables are measured. */
function silent(n: number): Platform {
  const posted = [messageId(`1800000000.${String(n).padStart(6, '0')}`)];
  return {
    ...fakePlatform(),
    reply: () => ({
      write: () => undefined,
      step: () => undefined,
      enableStopButton: () => undefined,
      stopped: new AbortController().signal,
      stopStreaming: async () => posted,
      posted: async () => posted,
      hasUnconfirmedPosts: false,
      publish: async () => posted,
    }),
  };
}

import { type AccountKey, type Dynamo, Ledger } from '../../shared/storage/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { type Random, createSeededRandom } from '../faults/seeded-random.ts';
import { SimulatedTime } from './simulated-time.ts';

const T0 = 1_700_000_000_000;
const CALLS_AT_ONCE = 40;
const PEOPLE = 5;
/** About a hundredth of a dollar, with all digits. */
const ESTIMATE = 12_345_678_901_234_567n;

export type Added = {
  readonly calls: number;
  readonly rejections: number;
  readonly died: number;
  /** Accounts whose sum differs from that of their requests. */
  readonly wrong: readonly string[];
  /** The largest amount by which an account exceeded its budget (atto-dollars). */
  readonly over: bigint;
};

/**
 * Requests that reserve on three accounts, and are then settled, released or lost, many at once, on a table that is
 * slow, loses responses, fails and repeats writes. A second ledger records what took effect.
 */
export async function ledgers(seed: number, calls: number, mutant?: 'no hold'): Promise<Added> {
  const random = createSeededRandom(seed);
  const clock = new SimulatedTime(T0);
  const memory = createMemoryDynamo();
  const books = new Map<string, Map<string, bigint>>();
  const totals = { calls: 0, rejections: 0, died: 0, over: 0n };
  const limitOf = (account: string): bigint =>
    ESTIMATE * BigInt(Math.floor((calls / (account.includes('person') ? PEOPLE : 1)) * 0.5));
  const effects = watched(memory, (account, id, atto) => {
    const book = books.get(account) ?? new Map<string, bigint>();
    books.set(account, book.set(id, atto));
    const used = usedIn(memory, account);
    const over = used - limitOf(account);
    if (over > totals.over) totals.over = over;
  });
  const dynamo = faulty(mutant ? holdless(effects) : effects, clock, random);
  const ledger = new Ledger({ dynamo, table: 'conversations', now: () => Math.floor(clock.now) });
  let open = 0;
  const worker = async (): Promise<void> => {
    open += 1;
    while (totals.calls < calls) {
      const id = `call-${(totals.calls += 1)}`;
      const person = Math.floor(random() * PEOPLE);
      const accounts = [`D#1#person#U${person}`, 'W#1#channel#C1', 'M#1#workspace#all'];
      const keys = accounts.map((account) => ({ partition: 'ACCOUNT#test', account }));
      await oneCall(id, keys, { ledger, clock, random, totals, limitOf });
    }
    open -= 1;
  };
  for (let i = 0; i < CALLS_AT_ONCE; i += 1) void worker();
  await clock.run(() => open === 0);
  const wrong = [...books].flatMap(([account, book]) => {
    const sum = [...book.values()].reduce((total, atto) => total + atto, 0n);
    return sum === usedIn(memory, account) ? [] : [`${account}: ${usedIn(memory, account)} is not ${sum}`];
  });
  return { ...totals, wrong };
}

type Harness = {
  readonly ledger: Ledger;
  readonly clock: SimulatedTime;
  readonly random: Random;
  readonly totals: { rejections: number; died: number };
  readonly limitOf: (account: string) => bigint;
};

async function oneCall(id: string, keys: readonly AccountKey[], harness: Harness): Promise<void> {
  const { ledger, clock, random, totals, limitOf } = harness;
  const reservations: AccountKey[] = [];
  const free = (): Promise<unknown> =>
    Promise.allSettled(reservations.map((key) => again(() => ledger.release(key, id, ESTIMATE))));
  for (const key of keys) {
    const reserving = {
      id,
      atto: ESTIMATE,
      limit: { atto: limitOf(key.account) },
      untilMs: clock.now + 60_000,
    };
    reservations.push(key);
    const done = await ledger.reserve(key, reserving).catch(() => undefined);
    if (done?.reserved) continue;
    if (done) reservations.pop();
    totals.rejections += 1;
    await free();
    return;
  }
  await clock.sleep(random() * 5_000);
  const fate = random();
  if (fate < 0.05) totals.died += 1;
  else if (fate < 0.2) await free();
  else {
    const atto = (ESTIMATE * BigInt(Math.floor(random() * 1000))) / 1000n;
    const booking = { id, model: 'a', prompt: 1, cached: 0, completion: 1, atto, priced: true };
    for (const key of keys) await again(() => ledger.settle(key, ESTIMATE, booking)).catch(() => undefined);
  }
}

const again = <T>(write: () => Promise<T>): Promise<T> => write().catch(write);

/** Returns which amount of which request took effect on which account. */
function watched(inner: Dynamo, tell: (account: string, id: string, atto: bigint) => void): Dynamo {
  return {
    ...inner,
    update: async (input) => {
      const result = await inner.update(input);
      const {
        UpdateExpression: change = '',
        ExpressionAttributeValues: values,
        ExpressionAttributeNames: names,
      } = input;
      const account = input.Key?.['sk']?.S ?? '';
      const id = names?.['#hold']?.slice('hold_'.length);
      if (id === undefined) return result;
      if (change.includes('+ :atto')) tell(account, id, BigInt(values?.[':atto']?.N ?? 0));
      else if (change.includes('- :atto')) tell(account, id, 0n);
      else tell(account, id, BigInt(values?.[':delta']?.N ?? 0) + ESTIMATE);
      return result;
    },
  };
}

/** A seeded bug: changes are not tied to their request. */
const holdless = (inner: Dynamo): Dynamo => ({
  ...inner,
  update: (input) =>
    inner.update({
      ...input,
      ConditionExpression: (input.ConditionExpression ?? '')
        .replace('attribute_not_exists(#hold)', 'attribute_not_exists(nothing)')
        .replace('attribute_exists(#hold)', 'attribute_exists(#used)'),
    }),
});

function faulty(inner: Dynamo, clock: SimulatedTime, random: Random): Dynamo {
  const late = async <T>(call: () => Promise<T>): Promise<T> => {
    await clock.sleep(random() * 30);
    if (random() < 0.02) throw new Error('failed');
    const result = await call();
    // A retry of the HTTP client finds the effect of the first attempt.
    if (random() < 0.02) await call().catch(() => undefined);
    await clock.sleep(random() * 30);
    if (random() < 0.02) throw new Error('the reply was lost');
    return result;
  };
  return {
    ...inner,
    get: (input) => late(() => inner.get(input)),
    update: (input) => late(() => inner.update(input)),
  };
}

function usedIn(memory: ReturnType<typeof createMemoryDynamo>, account: string): bigint {
  const item = memory.items('conversations').find(({ sk }) => sk?.S === account);
  return BigInt(item?.['used']?.N ?? 0);
}

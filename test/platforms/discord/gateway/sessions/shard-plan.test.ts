import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  INITIAL_PLAN,
  shardKey,
  LEASE_MS,
  removeMember,
  type Plan,
  readPlan,
  withShardCount,
  getShard,
  listShards,
  takeShare,
} from '../../../../../shared/platforms/discord/gateway/sessions/shard-plan.ts';

const DAY_MS = 86_400_000;
const divided = (count: number): Plan => ({ ...INITIAL_PLAN, current: { number: 1, count } });

/** A process that follows its share at once. */
class Process {
  readonly name: string;
  readonly running = new Set<string>();
  dead = false;
  #lookedAt = 0;
  constructor(name: string) {
    this.name = name;
  }

  /** A process that could not read the plan for this long has ended its shards: see `Relay`. */
  fence(now: number): void {
    if (this.dead || now - this.#lookedAt > LEASE_MS - 5_000) this.running.clear();
  }

  /** One read of the plan; resolves with the plan after it. */
  look(plan: Plan, now: number, ready = true): Plan {
    if (this.dead) return plan;
    this.fence(now);
    this.#lookedAt = now;
    const { running, name } = this;
    const me = { name, isAlone: false, running, ready: new Set(ready ? running : []) };
    const share = takeShare(plan, me, now);
    const mine = new Set(share.mine.map(shardKey));
    for (const key of running) if (!mine.has(key) || share.surplus.has(key)) running.delete(key);
    for (const key of mine) if (!share.surplus.has(key)) running.add(key);
    return share.plan;
  }
}

/** All processes read the plan in turn, repeatedly. */
function rounds(plan: Plan, processes: readonly Process[], now: number, count = 10): Plan {
  let firstPlan = plan;
  for (let round = 0; round < count; round += 1)
    for (const one of processes) firstPlan = one.look(firstPlan, now + round * 10);
  return firstPlan;
}

const all = (processes: readonly Process[]): string[] =>
  processes.flatMap(({ running }) => [...running]).toSorted();
const expected = (count: number): string[] => listShards({ number: 1, count }).map(shardKey).toSorted();

describe('a shard', () => {
  test.each([
    ['197038439483310086', 16],
    ['81384788765712384', 3],
  ])('receives a guild by its id, as Discord documents: %s of %i', (guild, count) => {
    expect(getShard(guild, count)).toBe(Number((BigInt(guild) / 4_194_304n) % BigInt(count)));
  });

  test('receives direct messages if it is the first', () => {
    expect(getShard(undefined, 9)).toBe(0);
  });
});

describe('a share', () => {
  test('is everything for a single process, whatever others left', () => {
    const before = rounds(divided(3), [new Process('gone')], 0);
    const me = { name: 'me', isAlone: true, running: new Set<string>(), ready: new Set<string>() };
    expect(takeShare(before, me, 1).mine.map(shardKey)).toEqual(['1/0', '1/1', '1/2']);
  });

  test('is even: no process has more than one shard more than another', () => {
    const processes = ['a', 'b', 'c'].map((name) => new Process(name));
    rounds(divided(8), processes, 0);
    expect(all(processes)).toEqual(expected(8));
    expect(processes.map(({ running }) => running.size).toSorted((a, b) => a - b)).toEqual([2, 3, 3]);
  });

  test('goes to a process that starts later once its holder has ended it', () => {
    const [first, second] = [new Process('a'), new Process('b')];
    const alone = rounds(divided(4), [first], 0);
    expect(first.running.size).toBe(4);
    const plan = second.look(alone, 1);
    expect(second.running.size).toBe(0);
    rounds(plan, [first, second], 2);
    expect([first.running.size, second.running.size]).toEqual([2, 2]);
    expect(all([first, second])).toEqual(expected(4));
  });

  test('of a dead process is taken over when its lease has expired, and not before', () => {
    const [first, second] = [new Process('a'), new Process('b')];
    const before = rounds(divided(4), [first, second], 0, 3);
    first.dead = true;
    rounds(before, [second], LEASE_MS - 100, 1);
    expect(second.running.size).toBe(2);
    rounds(before, [second], LEASE_MS + 100, 1);
    expect([...second.running].toSorted()).toEqual(expected(4));
  });

  test('of a process that ends is free at once', () => {
    const [first, second] = [new Process('a'), new Process('b')];
    const before = rounds(divided(4), [first, second], 0);
    rounds(removeMember(before, 'a'), [second], 200, 1);
    expect([...second.running].toSorted()).toEqual(expected(4));
  });

  test('that another process took is no longer owned', () => {
    const [first, second] = [new Process('a'), new Process('b')];
    const before = rounds(divided(1), [first], 0);
    const after = second.look(before, LEASE_MS * 2);
    expect([...second.running]).toEqual(['1/0']);
    first.look(after, LEASE_MS * 2 + 1);
    expect([...first.running]).toEqual([]);
  });

  test('is never run twice, and every shard runs in the end, whatever processes start, die or end', () => {
    const deed = fc.record({
      who: fc.integer({ min: 0, max: 4 }),
      what: fc.constantFrom('look', 'look', 'look', 'die', 'live', 'leave'),
      after: fc.integer({ min: 0, max: 12_000 }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(deed, { maxLength: 60 }), (count, deeds) => {
        const processes = Array.from({ length: 5 }, (_, n) => new Process(`p${n}`));
        let [plan, now] = [divided(count), 0];
        for (const { who, what, after } of deeds) {
          now += after;
          const one = processes[who];
          if (!one) continue;
          if (what === 'look') plan = one.look(plan, now);
          else if (what === 'leave' && !one.dead) {
            plan = removeMember(plan, one.name);
            one.running.clear();
          } else one.dead = what === 'die';
          for (const other of processes) other.fence(now);
          const running = all(processes);
          expect(new Set(running).size).toBe(running.length);
        }
        const living = processes.filter(({ dead }) => !dead);
        if (living.length === 0) return;
        rounds(plan, living, now + LEASE_MS + 1, 12);
        expect(all(living)).toEqual(expected(count));
        const sizes = living.map(({ running }) => running.size);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('another number of shards', () => {
  test('that is higher starts beside the old one, which ends when all new shards are ready', () => {
    const one = new Process('a');
    const before = rounds(divided(2), [one], 0);
    const plan = withShardCount(before, 3, 1);
    const beside = one.look(plan, 2, false);
    expect([...one.running].toSorted()).toEqual(['1/0', '1/1', '2/0', '2/1', '2/2']);
    expect(beside.next).toEqual({ number: 2, count: 3 });
    const after = one.look(one.look(beside, 3), 4);
    expect(after).toMatchObject({ current: { number: 2, count: 3 }, previous: { number: 1, count: 2 } });
    expect(after.next).toBeUndefined();
    expect([...one.running].toSorted()).toEqual(['2/0', '2/1', '2/2']);
  });

  test('may rise again while it starts', () => {
    const plan = withShardCount(withShardCount(divided(2), 3, 1), 4, 2);
    expect(plan.next).toEqual({ number: 3, count: 4 });
    expect(withShardCount(plan, 3, 3)).toEqual(plan);
  });

  test('that is lower applies after it was recommended for a day', () => {
    const plan = withShardCount(divided(4), 3, 0);
    expect(plan).toMatchObject({ fewerSince: 0 });
    expect(withShardCount(plan, 3, DAY_MS - 1).next).toBeUndefined();
    expect(withShardCount(plan, 4, DAY_MS - 1).fewerSince).toBeUndefined();
    expect(withShardCount(plan, 3, DAY_MS)).toMatchObject({ next: { number: 2, count: 3 } });
  });

  test('replaces a number with which Discord refuses connections; if the same number is recommended, the plan stays', () => {
    const one = new Process('a');
    const before = rounds(divided(1), [one], 0);
    expect(withShardCount(before, 1, 1, true)).toBe(before);
    one.look(withShardCount(before, 2, 1, true), 2, false);
    expect([...one.running].toSorted()).toEqual(['2/0', '2/1']);
    expect(withShardCount(withShardCount(before, 2, 1), 2, 2, true).next).toEqual({
      number: 2,
      count: 2,
      stranded: true,
    });
  });
});

test('a plan is parsed as it was written, and other values are rejected', () => {
  const plan = rounds(withShardCount(divided(2), 4, 0), [new Process('a')], 0, 1);
  expect(readPlan(JSON.stringify(plan))).toEqual(plan);
  for (const text of ['', '{}', '[]', 'null', '{"current":{"number":0}}'])
    expect(readPlan(text)).toBeUndefined();
});

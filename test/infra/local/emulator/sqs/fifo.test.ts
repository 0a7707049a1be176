import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { DEDUP_MS, FifoQueue, type QueueMessage } from '../../../../../infra/local/emulator/sqs/fifo.ts';
import type { QueueRules } from '../../../../../infra/local/template/resource-types.ts';

const RULES: QueueRules = {
  name: 'q.fifo',
  visibilityMs: 1000,
  retentionMs: 1_000_000,
  contentDedup: false,
  dedupScope: 'messageGroup',
  deadLetters: { queue: 'dead.fifo', maxReceives: 3 },
};

const message = (id: string, group: string, at = 0, sequence = 0): QueueMessage => ({
  id,
  group,
  dedup: id,
  body: id,
  attributes: {},
  sentAt: at,
  sequence,
  receives: 0,
});

const ids = (messages: readonly QueueMessage[]) => messages.map(({ id }) => id);

describe('a FIFO queue', () => {
  test('delivers the messages of a group in order, and none while one is in flight', () => {
    const queue = new FifoQueue(RULES);
    for (const id of ['a1', 'a2', 'a3']) queue.add(message(id, 'a'));
    queue.add(message('b1', 'b', 0, 4));
    expect(ids(queue.selectMessages(2, 0).ready)).toEqual(['a1', 'a2']);
    queue.receive('a1', 'a', 'r1', 1000, 0);
    expect(ids(queue.selectMessages(10, 0).ready)).toEqual(['b1']);
    expect(ids(queue.selectMessages(10, 1000).ready)).toEqual(['a1', 'a2', 'a3', 'b1']);
  });

  test('delivers other groups while one is busy', () => {
    const queue = new FifoQueue(RULES);
    queue.add(message('b1', 'b', 0, 1));
    queue.add(message('a1', 'a', 0, 2));
    queue.add(message('b2', 'b', 0, 3));
    queue.remove('b1', 'b');
    expect(ids(queue.selectMessages(1, 0).ready)).toEqual(['a1']);
  });

  test('remembers a deduplication id for five minutes after the send, also when the message is deleted', () => {
    const queue = new FifoQueue(RULES);
    queue.add(message('a1', 'a', 0));
    queue.remove('a1', 'a');
    expect(queue.findDuplicate('a', 'a1', DEDUP_MS - 1)?.id).toBe('a1');
    expect(queue.findDuplicate('a', 'a1', DEDUP_MS)).toBeUndefined();
    expect(queue.findDuplicate('b', 'a1', 1)).toBeUndefined();
    const whole = new FifoQueue({ ...RULES, dedupScope: 'queue' });
    whole.add(message('a1', 'a', 0));
    expect(whole.findDuplicate('b', 'a1', 1)?.id).toBe('a1');
  });

  test('moves a message to the dead letters after maxReceives deliveries, and the next of its group is ready', () => {
    const queue = new FifoQueue(RULES);
    queue.add(message('a1', 'a'));
    queue.add(message('a2', 'a'));
    for (const at of [0, 1000, 2000]) queue.receive('a1', 'a', `r${at}`, at + 1000, at);
    const picked = queue.selectMessages(10, 3000);
    expect([ids(picked.dead), ids(picked.ready)]).toEqual([['a1'], ['a2']]);
  });

  test('rejects a receipt after the next delivery', () => {
    const queue = new FifoQueue(RULES);
    queue.add(message('a1', 'a'));
    queue.receive('a1', 'a', 'first', 1000, 0);
    queue.receive('a1', 'a', 'second', 2000, 1000);
    expect(queue.findByReceipt('first', 1000)).toBeUndefined();
    expect(queue.findByReceipt('second', 1000)?.inFlight).toBe(true);
    expect(queue.findByReceipt('second', 2000)?.inFlight).toBe(false);
  });

  test('does not deliver messages beyond the retention', () => {
    const queue = new FifoQueue(RULES);
    queue.add(message('a1', 'a', 0));
    expect(ids(queue.selectMessages(1, RULES.retentionMs).expired)).toEqual(['a1']);
  });
});

type Step =
  | { do: 'send'; group: string }
  | { do: 'receive'; max: number }
  | { do: 'delete' | 'release'; nth: number }
  | { do: 'pass'; ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('send' as const), group: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ do: fc.constant('receive' as const), max: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constantFrom('delete' as const, 'release' as const), nth: fc.nat(5) }),
  fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 700 }) }),
);

/** The model: one list, and for each message its visibility time and receive count. */
type Modelled = { id: string; group: string; hidden: number; receives: number };

function modelPick(
  model: readonly Modelled[],
  max: number,
  now: number,
): { ready: string[]; dead: string[] } {
  const groups = [...new Set(model.map(({ group }) => group))];
  const free = groups.filter((group) => model.every((one) => one.group !== group || one.hidden <= now));
  const ready: string[] = [];
  const dead: string[] = [];
  for (const one of free.flatMap((group) => model.filter((each) => each.group === group))) {
    if (ready.length >= max) break;
    (one.receives >= 3 ? dead : ready).push(one.id);
  }
  return { ready, dead };
}

/** Runs the same operations on a queue and on the model, and returns their results per step. */
function sideBySide(steps: readonly Step[]): { bodies: unknown[]; expected: unknown[] } {
  const queue = new FifoQueue(RULES);
  let model: Modelled[] = [];
  let receipts: { receipt: string; id: string }[] = [];
  let now = 0;
  const bodies: unknown[] = [];
  const expected: unknown[] = [];
  const receive = (max: number, index: number) => {
    const picked = queue.selectMessages(max, now);
    const { ready, dead } = modelPick(model, max, now);
    bodies.push({ ready: ids(picked.ready), dead: ids(picked.dead) });
    expected.push({ ready, dead });
    for (const { id, group } of picked.dead) queue.remove(id, group);
    model = model.filter(({ id }) => !dead.includes(id));
    for (const { id, group } of picked.ready) {
      queue.receive(id, group, `${id}-${index}`, now + RULES.visibilityMs, now);
      receipts = [...receipts.filter((entry) => entry.id !== id), { receipt: `${id}-${index}`, id }];
    }
    for (const one of model.filter(({ id }) => ready.includes(id)))
      Object.assign(one, { hidden: now + 1000, receives: one.receives + 1 });
  };
  const settle = (what: 'delete' | 'release', nth: number) => {
    const entry = receipts[nth];
    if (entry === undefined) return;
    const located = queue.findByReceipt(entry.receipt, now);
    const one = model.find(({ id }) => id === entry.id);
    bodies.push(located?.inFlight);
    expected.push(one && one.hidden > now);
    if (located?.inFlight !== true || one === undefined) return;
    if (what === 'delete') queue.remove(located.message.id, located.message.group);
    else queue.hide(entry.receipt, now);
    if (what === 'delete') model = model.filter(({ id }) => id !== entry.id);
    else one.hidden = now;
  };
  for (const [index, one] of steps.entries()) {
    if (one.do === 'send') {
      queue.add(message(`m${index}`, one.group, now, index));
      model.push({ id: `m${index}`, group: one.group, hidden: 0, receives: 0 });
    } else if (one.do === 'pass') now += one.ms;
    else if (one.do === 'receive') receive(one.max, index);
    else settle(one.do, one.nth);
    const inFlight = model.map(({ hidden }) => hidden).filter((hidden) => hidden > now);
    bodies.push(queue.counts(now), queue.nextVisible(now));
    expected.push(
      { visible: model.length - inFlight.length, inFlight: inFlight.length },
      inFlight.length === 0 ? undefined : Math.min(...inFlight),
    );
  }
  return { bodies, expected };
}

test('property: the queue behaves as a list with visibility times under any operations', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { bodies, expected } = sideBySide(steps);
      expect(bodies).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

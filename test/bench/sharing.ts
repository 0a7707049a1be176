import { readContextOptions } from '../../infra/cdk/context-options.ts';
import { FifoQueue } from '../../infra/local/emulator/sqs/fifo.ts';
import { CHAT_LIMIT } from '../../shared/rate-limits/endpoint-limits.ts';
import type { RateLimit } from '../../shared/rate-limits/gcra.ts';
import { returnToQueue, MAX_IN_WORKER_WAIT_MS } from '../../shared/chat/model/wait-for-permit.ts';
import { TASKS } from '../../shared/runtime/shared-names.ts';
import { TaskAttempts } from '../../shared/storage/index.ts';
import { type TaskMessage, TaskWorker } from '../../shared/task-queue/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { createSeededRandom } from '../faults/seeded-random.ts';
import { SimulatedTime } from '../limits/simulated-time.ts';
import { percentile, type Row } from './report-table.ts';

/** The number of connections with which Lambda polls an idle queue. */
const POLLERS = 5;
const MINUTE_MS = 60_000;
export const ANSWER_MS = 15_000;
/** The time until a new worker is ready. */
const COLD_START_MS = 600;

export type Load = {
  readonly name: string;
  /** The arrival times of the questions (ms). */
  readonly arrivals: readonly number[];
  /** The maximum number of concurrent invocations. */
  readonly concurrency: number;
  /** The rate limit of the models, where it counts: a longer wait than a few seconds happens in the queue. */
  readonly models?: RateLimit | undefined;
};

export type Shared = {
  /** Seconds of invocations per answer. */
  readonly seconds: number;
  readonly invocations: number;
  /** SQS requests per answer, without those of Lambda itself. */
  readonly calls: number;
  /** From a question's arrival to the start of its answer (ms), without the wait for the models. */
  readonly waits: readonly number[];
};

/**
 * The real worker with a simulated queue, Lambda and clock. A message goes to a random consumer that polls at that
 * time: Lambda polls with five connections while it may start an invocation, and each worker with capacity with one.
 */
export async function share({ arrivals, concurrency, models }: Load, seed = 1): Promise<Shared> {
  const clock = new SimulatedTime(0);
  const random = createSeededRandom(seed);
  const queue = new FifoQueue({
    name: 'tasks',
    visibilityMs: 1_000 * TASKS.visibilitySeconds,
    retentionMs: Number.POSITIVE_INFINITY,
    contentDedup: false,
    dedupScope: 'messageGroup',
  });
  const attempts = new TaskAttempts({ dynamo: createMemoryDynamo(), table: 'tokens', now: () => clock.now });
  const waits: number[] = [];
  /**
   * When the models would serve each question, in order of arrival, with unlimited workers; and when they serve the
   * next.
   */
  const ideal = models ? slotsOf(models, arrivals) : arrivals;
  const slots = models ? [...ideal] : undefined;
  const mine = new Map<string, number>();
  const bodies = new Map<string, number>();
  /** Workers that poll for a message. */
  const asking = new Set<() => void>();
  let running = 0;
  let busyMs = 0;
  let invocations = 0;
  let calls = 0;
  let ids = 0;

  const take = (max: number, hiddenMs: number): TaskMessage[] =>
    queue.selectMessages(max, clock.now).ready.flatMap(({ id, group, body }) => {
      const receipt = `r${(ids += 1)}`;
      const message = queue.receive(id, group, receipt, clock.now + hiddenMs, clock.now);
      return message ? [{ id, group, body, receipt, receives: message.receives }] : [];
    });
  const remove = (receipt: string): void => {
    const located = queue.findByReceipt(receipt, clock.now);
    if (located) queue.remove(located.message.id, located.message.group);
  };
  const counted = async <T>(act: () => T | Promise<T>): Promise<T> => {
    calls += 1;
    return act();
  };
  const offer = (): void => {
    if (queue.counts(clock.now).visible === 0) return;
    const free = running < concurrency ? Math.min(POLLERS, concurrency - running) : 0;
    const pick = Math.floor(random() * (free + asking.size));
    if (pick < free) invoke();
    else [...asking][pick - free]?.();
  };
  const receive = (max: number, hiddenSeconds: number): Promise<readonly TaskMessage[]> =>
    counted(
      () =>
        new Promise<readonly TaskMessage[]>((resolve) => {
          let over = false;
          const end = (): void => {
            if (over) return;
            over = true;
            asking.delete(end);
            resolve(take(max, 1_000 * hiddenSeconds));
          };
          if (queue.counts(clock.now).visible > 0) end();
          else {
            asking.add(end);
            clock.at(clock.now + 1_000 * TASKS.receiveWaitSeconds, end);
          }
        }),
    );
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
      clock.at(clock.now + ms, resolve);
    });
  const invoke = (): void => {
    const messages = take(TASKS.batchSize, 1_000 * TASKS.visibilitySeconds);
    if (messages.length === 0) return;
    running += 1;
    invocations += 1;
    clock.at(clock.now + COLD_START_MS, () => void work(messages));
  };
  const work = async (messages: readonly TaskMessage[]): Promise<void> => {
    const began = clock.now;
    const worker = new TaskWorker({
      refuseLateWrites: () => Promise.resolve(),
      serve: async (body) => {
        const slot = mine.get(body) ?? slots?.shift() ?? 0;
        mine.set(body, slot);
        const queueWaitMs = Math.max(0, slot - clock.now);
        if (queueWaitMs > MAX_IN_WORKER_WAIT_MS) return returnToQueue(queueWaitMs);
        await sleep(queueWaitMs);
        waits.push(Math.max(0, clock.now - (bodies.get(body) ?? 0)));
        await sleep(answerMs(waits.length));
        return { kind: 'done' };
      },
      queue: {
        hide: (hidden) =>
          counted(() => {
            for (const { receipt, seconds } of hidden) {
              queue.hide(receipt, clock.now + 1_000 * seconds);
              clock.at(clock.now + 1_000 * seconds + 1, offer);
            }
            return [];
          }),
        deleteMessage: (receipt) => counted(() => remove(receipt)),
        sendToDeadLetters: () => Promise.resolve(),
      },
      isolate: () => Promise.reject(new Error('nothing crashes here')),
      refill: { receive, maxTasks: TASKS.maxTasks, maxMs: 1_000 * TASKS.refillSeconds },
      attempts,
      limits: { maxReceives: TASKS.maxReceives, maxWaitMs: 1_000 * TASKS.maxWaitSeconds },
      time: { now: () => clock.now, sleep },
      random,
      log: () => undefined,
    });
    const remaining = await worker.serve(messages, clock.now + 1_000 * TASKS.workerSeconds - 15_000);
    // Lambda deletes the others. That is one of its own requests.
    for (const message of messages) if (!remaining.includes(message)) remove(message.receipt);
    busyMs += clock.now - began;
    running -= 1;
    offer();
  };

  for (const [n, at] of arrivals.entries()) {
    clock.at(at, () => {
      const body = `q${n}`;
      bodies.set(body, ideal[n] ?? at);
      const message = { id: body, group: body, dedup: body, body, attributes: {}, sentAt: at };
      queue.add({ ...message, sequence: n, receives: 0 });
      offer();
    });
  }
  await clock.run(() => waits.length === arrivals.length && running === 0);
  const answers = arrivals.length;
  return { seconds: busyMs / 1_000 / answers, invocations, calls: calls / answers, waits };
}

/** Around 15 s, so that answers do not end in step with the receives. */
const answerMs = (n: number): number => ANSWER_MS + ((n % 9) - 4) * 500;

/** When each of the requests at these times is served, in order. */
function slotsOf({ perMinute, burst }: RateLimit, arrivals: readonly number[]): number[] {
  const intervalMs = MINUTE_MS / perMinute;
  let free = -Infinity;
  return arrivals.map((at) => {
    const slot = Math.max(at, free - (burst - 1) * intervalMs);
    free = Math.max(free, at) + intervalMs;
    return slot;
  });
}

/** This many per second on average, at random times. */
export function poisson(perSecond: number, seconds: number, seed = 7): number[] {
  const random = createSeededRandom(seed);
  const arrivals: number[] = [];
  for (let at = 0; ;) {
    at += (-Math.log(1 - random()) / perSecond) * 1_000;
    if (at > 1_000 * seconds) return arrivals;
    arrivals.push(at);
  }
}

const BURSTS = Array.from({ length: 600 }, (_, n) => Math.floor(n / 60) * 300_000);

/** The memory of a worker (GB). */
const WORKER_GB = TASKS.workerMemoryMb / 1024;
/** What an answer may cost (GB-s) by the rate of questions: 0.0087 and 0.0048 dollars per 1,000. */
const MAX_GB_SECONDS = { onePerSecond: 0.654, twoPerSecond: 0.359 } as const;

/**
 * `limit`: the maximum runtime of the deployed workers per answer of 15 s; `wait`: the maximum wait of 99 of 100
 * questions for a worker, both in s.
 */
export const LOADS: readonly (Omit<Load, 'concurrency'> & {
  readonly limit?: number;
  readonly wait?: number;
})[] = [
  { name: 'one a minute', arrivals: Array.from({ length: 45 }, (_, n) => n * 60_000), limit: 15.5 },
  { name: 'one in 15 minutes', arrivals: Array.from({ length: 45 }, (_, n) => n * 900_000), limit: 15.5 },
  { name: '0.1 a second', arrivals: poisson(0.1, 7_200) },
  { name: '1 a second', arrivals: poisson(1, 1_800), limit: MAX_GB_SECONDS.onePerSecond / WORKER_GB },
  { name: '2 a second', arrivals: poisson(2, 1_800), limit: MAX_GB_SECONDS.twoPerSecond / WORKER_GB },
  { name: '8 a second', arrivals: poisson(8, 600) },
  { name: '60 at once', arrivals: BURSTS },
  { name: '60 at once, with the limits of the models', arrivals: BURSTS, models: CHAT_LIMIT, wait: 1 },
  {
    name: '2 a second, with the limits of the models',
    arrivals: poisson(1.9, 900),
    models: CHAT_LIMIT,
    wait: 1,
  },
];

/** The default. */
const DEPLOYED = readContextOptions(() => undefined).workerConcurrency;
/** The default, Lambda's minimum, and what eight answers per second need. */
const CONCURRENCY = [2, DEPLOYED, 12];

/** The effect of sharing at several loads: the invocation time per answer, and the wait of questions for a worker. */
export async function sharing(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const load of LOADS) {
    for (const concurrency of CONCURRENCY) {
      const { seconds, calls, waits } = await share({ ...load, concurrency });
      const of = `${load.name}, ${concurrency} workers`;
      const { limit, wait } = concurrency === DEPLOYED ? load : {};
      rows.push(
        { what: `${of}: time of a worker per answer`, value: seconds, unit: 's', ...(limit && { limit }) },
        { what: `${of}: calls of SQS per answer`, value: calls, unit: 'calls' },
        { what: `${of}: wait for a worker, p50`, value: percentile(waits, 0.5) / 1_000, unit: 's' },
        {
          what: `${of}: wait for a worker, p99`,
          value: percentile(waits, 0.99) / 1_000,
          unit: 's',
          ...(wait && { limit: wait }),
        },
      );
    }
  }
  return rows;
}

import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { TaskAttempts } from '../../shared/storage/index.ts';
import {
  type TaskHandler,
  serveIsolatedMessage,
  type TaskMessage,
  TaskWorker,
} from '../../shared/task-queue/index.ts';

export const DONE = { kind: 'done' } as const;
/** The minimum visibility timeout (s). */
export const HIDDEN = 18;

export const message = (group: string, body: string, receives = 1): TaskMessage => ({
  id: body,
  group,
  body,
  receipt: `receipt-${body}`,
  receives,
});

/** Lets every pending promise continue. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const unreachable = (): Promise<never> => Promise.reject(new Error('out of reach'));

/** A queue that records its requests. Time stands still except for what a test adds to `clock`. */
export function queueHarness() {
  const clock = { now: 0 };
  const calls: string[] = [];
  const lines: string[] = [];
  /** The facts of the last line of each event. */
  const facts = new Map<string, object>();
  const sleepers: (() => void)[] = [];
  /** Expired receipts. */
  const lost: string[] = [];
  /** The messages of each further receive; then there are none. */
  const arriving: (readonly TaskMessage[])[] = [];
  const receiveSizes: number[] = [];
  const dynamo = createMemoryDynamo();
  const attempts = new TaskAttempts({ dynamo, table: 'tokens', now: () => clock.now });
  const queue = {
    hide: async (messages: readonly { readonly receipt: string; readonly seconds: number }[]) => {
      for (const { receipt, seconds } of messages) calls.push(`${receipt} ${seconds}`);
      return messages.map(({ receipt }) => receipt).filter((receipt) => lost.includes(receipt));
    },
    deleteMessage: async (receipt: string) => void calls.push(`delete ${receipt}`),
    sendToDeadLetters: async ({ body }: TaskMessage) => void calls.push(`dead-letter ${body}`),
  };
  const deps = {
    queue,
    attempts,
    refuseLateWrites: () => Promise.resolve(),
    limits: { maxWaitMs: 600_000, maxReceives: 200 },
    isolate: async ({ body }: TaskMessage) => void calls.push(`isolate ${body}`),
    refill: {
      receive: async (max: number): Promise<readonly TaskMessage[]> => {
        receiveSizes.push(max);
        await settle();
        return arriving.shift() ?? [];
      },
      maxTasks: 12,
      maxMs: 120_000,
    },
    time: {
      now: () => clock.now,
      // The pause before a process receives more takes no time.
      sleep: (ms: number, signal?: AbortSignal) =>
        ms < 500
          ? Promise.resolve()
          : new Promise<void>((resolve, reject) => {
              signal?.addEventListener('abort', () => reject(signal.reason));
              sleepers.push(resolve);
            }),
    },
    random: () => 0,
    log: (event: string, about: object = {}) => {
      lines.push(event);
      facts.set(event, about);
    },
  };
  /** Processes messages in a process with twelve minutes. Resolves with the ids of those that stay in the queue. */
  const serve = async (messages: readonly TaskMessage[], act: TaskHandler): Promise<string[]> => {
    const left = await new TaskWorker({ ...deps, serve: act }).serve(messages, clock.now + 700_000);
    return left.map(({ id }) => id);
  };
  /** Processes a message in a process of its own. Resolves with whether it stays. */
  const alone = (one: TaskMessage, act: TaskHandler): Promise<boolean> =>
    serveIsolatedMessage(one, clock.now + 700_000, { ...deps, serve: act });
  /** A process that has only this message dies of it. */
  const crash = async (one: TaskMessage): Promise<void> => {
    const dying = Promise.withResolvers<void>();
    void alone(one, () => {
      dying.resolve();
      return new Promise<never>(() => undefined);
    });
    await dying.promise;
  };
  return {
    clock,
    calls,
    lines,
    facts,
    sleepers,
    lost,
    arriving,
    receiveSizes,
    dynamo,
    attempts,
    deps,
    serve,
    alone,
    crash,
  };
}

/** Tasks that end when a test says so. */
export function slowTasks() {
  const startedTasks: string[] = [];
  const ends = new Map<string, () => void>();
  const act = (body: string) => {
    startedTasks.push(body);
    const task = Promise.withResolvers<typeof DONE>();
    ends.set(body, () => task.resolve(DONE));
    return task.promise;
  };
  const end = (body: string): void => ends.get(body)?.();
  return { startedTasks, act, end };
}

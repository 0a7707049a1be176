import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { TaskAttempts } from '../../shared/store/index.ts';
import { type Serve, type TaskMessage, TaskWorker } from '../../shared/task-queue/index.ts';

export const DONE = { kind: 'done' } as const;

export const message = (group: string, body: string, receives = 1): TaskMessage => ({
  id: body,
  group,
  body,
  receipt: `receipt-${body}`,
  receives,
});

/** A queue that notes what is asked of it. Time stands still but for what a test adds to `clock`. */
export function queueWorld() {
  const clock = { now: 0 };
  const calls: string[] = [];
  const lines: string[] = [];
  const sleepers: (() => void)[] = [];
  const dynamo = createMemoryDynamo();
  const attempts = new TaskAttempts({ dynamo, table: 'tokens', now: () => clock.now });
  const queue = {
    hide: async (messages: readonly { readonly receipt: string; readonly seconds: number }[]) => {
      for (const { receipt, seconds } of messages) calls.push(`${receipt} ${seconds}`);
    },
    remove: async (receipt: string) => void calls.push(`remove ${receipt}`),
    bury: async ({ body }: TaskMessage) => void calls.push(`bury ${body}`),
  };
  const deps = {
    queue,
    attempts,
    patience: { maxWaitMs: 600_000, maxReceives: 200 },
    time: {
      now: () => clock.now,
      sleep: (_: number, signal?: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
          sleepers.push(resolve);
        }),
    },
    random: () => 0,
    log: (event: string) => void lines.push(event),
  };
  /** Serves messages in a process of its own, which has ten minutes. Resolves with the ids of those that stay on the queue. */
  const serve = async (messages: readonly TaskMessage[], act: Serve): Promise<string[]> => {
    const left = await new TaskWorker({ ...deps, serve: act }).serve(messages, clock.now + 600_000);
    return left.map(({ id }) => id);
  };
  /** Hands messages to a process that dies before any of them is done. */
  const crash = async (messages: readonly TaskMessage[]): Promise<void> => {
    const dying = Promise.withResolvers<void>();
    const never = new Promise<never>(() => undefined);
    void serve(messages, () => {
      dying.resolve();
      return never;
    });
    await dying.promise;
  };
  return { clock, calls, lines, sleepers, dynamo, attempts, deps, serve, crash };
}

import type { QueueLevel, QueueSample } from '../../dashboard/index.ts';
import type { Queues } from '../emulator/sqs/queues.ts';

const SAMPLE_INTERVAL_MS = 5_000;
/** Six hours of samples. */
const MAX_SAMPLES = 4_320;

/** How full the queues are, now and since the start. */
export type QueueLevels = {
  readonly read: () => QueueLevel[];
  readonly history: () => readonly QueueSample[];
  readonly stop: () => void;
};

/** Counts the messages of all queues every five seconds, in memory. */
export function watchQueueLevels(queues: Queues, now: () => number): QueueLevels {
  const samples: QueueSample[] = [];
  const read = (): QueueLevel[] => queues.names().map((name) => readLevel(queues, name, now()));
  const sample = (): void => {
    const waiting = Object.fromEntries(read().map((level) => [level.name, level.waiting + level.inFlight]));
    samples.push({ at: now(), waiting });
    if (samples.length > MAX_SAMPLES) samples.shift();
  };
  sample();
  const timer = setInterval(sample, SAMPLE_INTERVAL_MS);
  timer.unref();
  return { read, history: () => samples, stop: () => clearInterval(timer) };
}

/** Removes the CDK's suffix: `Tasks0BA6A452.fifo` becomes `Tasks`. */
const toShortName = (name: string): string => name.replace(/[0-9A-F]{8}\.fifo$/u, '') || name;

function readLevel(queues: Queues, name: string, now: number): QueueLevel {
  const { visible, inFlight } = queues.counts(name);
  const sentAt = visible + inFlight === 0 ? [] : queues.messages(name).map((message) => message.sentAt);
  const oldestMs = sentAt.length === 0 ? undefined : Math.max(0, now - Math.min(...sentAt));
  return { name: toShortName(name), waiting: visible, inFlight, oldestMs };
}

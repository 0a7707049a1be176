import { growthOf, type Sample, sampler } from './memory.ts';
import { MEAN_QUESTIONS, plannedThread } from './plan.ts';
import type { Workspace } from '../simulators/slack/workspace.ts';
import { Threads } from './threads.ts';
import { SoakHarness } from './harness.ts';

export type Options = {
  readonly minutes: number;
  /** Questions per second. */
  readonly rate: number;
  readonly seed: number;
  /** The report after each minute. */
  readonly onSample?: (sample: Sample, threads: Threads) => void;
  /** Called after each minute; seeded bugs use it. */
  readonly disturb?: (what: {
    readonly slack: Workspace;
    readonly threads: Threads;
    readonly minute: number;
  }) => void;
};

export type Outcome = {
  readonly stats: Threads['stats'];
  readonly requests: number;
  readonly wrong: readonly string[];
  readonly samples: readonly Sample[];
};

const MINUTE = 60_000;
/**
 * After this time as many threads end as start: the longest take five minutes, and their check one and a half more.
 */
export const WARM_UP_MINUTES = 7;
/** The time after the start of the last thread. */
const AFTERWARDS_MS = 7 * MINUTE;

/** Simulates this many minutes of questions, and checks each answer. */
export async function soak({ minutes, rate, seed, onSample, disturb }: Options): Promise<Outcome> {
  let requests = 0;
  const harness = new SoakHarness(seed, (one) => {
    requests += 1;
    threads.onRequest(one);
  });
  const threads = new Threads(harness);
  const sample = sampler();
  const samples: Sample[] = [];
  const startedAt = harness.time.now();
  const total = minutes * 60 * rate;
  let planned = 0;
  const everyMs = (1_000 * MEAN_QUESTIONS) / rate;
  const begin = (nth: number): void => {
    const plan = plannedThread(harness.random);
    const questions = plan.questions.slice(0, total - planned);
    planned += questions.length;
    threads.begin({ ...plan, questions });
    if (planned < total) harness.time.at(startedAt + Math.round((nth + 1) * everyMs), () => begin(nth + 1));
  };
  harness.start();
  begin(0);
  for (let minute = 1; ; minute += 1) {
    await harness.time.pass(startedAt + minute * MINUTE);
    await threads.prune();
    disturb?.({ slack: harness.slack, threads, minute });
    if (planned >= total) break;
    const measurement = sample(minute * MINUTE);
    samples.push(measurement);
    onSample?.(measurement, threads);
  }
  await harness.time.pass(harness.time.now() + AFTERWARDS_MS);
  harness.stop();
  const left = threads.open === 0 ? [] : [`${threads.open} threads are left open`];
  const wrong = [
    ...threads.wrong,
    ...harness.failures,
    ...harness.checker.violations,
    ...harness.line.givenUp,
    ...left,
  ];
  return { stats: threads.stats, requests, wrong, samples };
}

/** Returns what grows, from the samples after the warm-up. */
export function growing(samples: readonly Sample[], warmUpMinutes = WARM_UP_MINUTES): readonly string[] {
  const steady = samples.filter(({ atMs }) => atMs > warmUpMinutes * MINUTE);
  if (steady.length < 3) return [];
  const kinds = {
    heap: 'the heap',
    external: 'what is outside of the heap',
    rss: 'the resident memory',
  } as const;
  return (['heap', 'external', 'rss'] as const).flatMap((kind) => {
    const { first, last, grows } = growthOf(steady.map((one) => one[kind]));
    return grows ? [`${kinds[kind]} grows from ${mb(first)} to ${mb(last)} MB`] : [];
  });
}

export const mb = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

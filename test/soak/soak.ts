import { listKept, type Rest, type Sample, sampler } from './memory.ts';
import { CHANGES, type Load, MEAN_QUESTIONS, plannedThread, USUAL } from './plan.ts';
import type { Workspace } from '../simulators/slack/workspace.ts';
import type { Asked } from './models.ts';
import { Threads } from './threads.ts';
import { SoakHarness } from './harness.ts';

export type Options = {
  readonly minutes: number;
  /** Questions per second. */
  readonly rate: number;
  readonly seed: number;
  /** People change many questions, and the models allow hardly more requests than there are questions. */
  readonly hasManyChanges?: boolean;
  /** The report after each minute. */
  readonly onMinute?: (sample: Sample, threads: Threads, minute: number) => void;
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
  /** The memory after each third of the questions. */
  readonly rests: readonly Rest[];
};

const MINUTE = 60_000;
const PARTS = 3;

/**
 * Simulates this many minutes of questions, and checks each answer. After each third people rest until everything is answered: what the process
 * holds then does not depend on the questions, unless it keeps something of each.
 */
export async function soak(options: Options): Promise<Outcome> {
  const { minutes, rate, seed, hasManyChanges = false } = options;
  let requests = 0;
  const limit = hasManyChanges ? { perMinute: 75 * rate, burst: 10 } : undefined;
  const onRequest = (one: Asked): void => {
    requests += 1;
    threads.onRequest(one);
  };
  const harness = new SoakHarness(seed, onRequest, limit);
  const threads = new Threads(harness);
  const people = new People(harness, threads, { ...options, load: hasManyChanges ? CHANGES : USUAL });
  const sample = sampler();
  const rests: Rest[] = [];
  harness.start();
  for (let part = 1; part <= PARTS; part += 1) {
    await people.askUntil(Math.round((minutes * 60 * rate * part) / PARTS), sample);
    rests.push({ ...(await sample()), questions: threads.stats.questions });
  }
  harness.stop();
  const { failures, checker, line } = harness;
  const wrong = [...threads.wrong, ...failures, ...checker.violations, ...line.givenUp, ...listKept(rests)];
  return { stats: threads.stats, requests, wrong, rests };
}

/** The people of a run. */
class People {
  readonly #harness: SoakHarness;
  readonly #threads: Threads;
  readonly #options: Options & { readonly load: Load };
  #planned = 0;
  #minute = 0;

  constructor(harness: SoakHarness, threads: Threads, options: Options & { readonly load: Load }) {
    this.#harness = harness;
    this.#threads = threads;
    this.#options = options;
  }

  /** They ask until so many questions are asked in all. Resolves when all threads are checked. */
  async askUntil(target: number, sample: () => Promise<Sample>): Promise<void> {
    const { time, slack } = this.#harness;
    const threads = this.#threads;
    const { onMinute, disturb } = this.#options;
    this.#begin(target, time.now(), 0);
    do {
      await time.pass(time.now() + MINUTE);
      await threads.prune();
      const minute = (this.#minute += 1);
      disturb?.({ slack, threads, minute });
      if (onMinute) onMinute(await sample(), threads, minute);
    } while (this.#planned < target || threads.open > 0);
  }

  #begin(target: number, startedAt: number, nth: number): void {
    if (this.#planned >= target) return;
    const { rate, load } = this.#options;
    const plan = plannedThread(this.#harness.random, load);
    const questions = plan.questions.slice(0, target - this.#planned);
    this.#planned += questions.length;
    this.#threads.begin({ ...plan, questions });
    const everyMs = (1_000 * MEAN_QUESTIONS) / rate;
    const at = startedAt + Math.round((nth + 1) * everyMs);
    this.#harness.time.at(at, () => this.#begin(target, startedAt, nth + 1));
  }
}

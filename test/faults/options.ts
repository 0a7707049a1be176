import type { GroupLock } from '../../infra/local/emulator/sqs/event-sources.ts';
import type { RateLimit } from '../../shared/rate-limits/index.ts';
import type { MemoryDynamo } from '../fakes/dynamo.ts';
import type { Identity } from '../simulators/slack/identity.ts';
import type { Workspace } from '../simulators/slack/workspace.ts';
import type { SeededBug } from './seeded-bugs.ts';
import type { Speech } from './process-ports.ts';
import type { Random } from './seeded-random.ts';
import type { FaultPlan, FaultHarness } from './harness.ts';

export type ScenarioOptions = {
  readonly plan: FaultPlan;
  readonly random?: Random;
  readonly mutant?: SeededBug;
  /** What frees a group: see `GroupLock`. */
  readonly groupLock?: GroupLock | undefined;
  /** The questions, each this long after the previous one (ms). */
  readonly questions: readonly Question[];
  /** Other actions of people, each this long after the first question (ms). */
  readonly acts?: readonly UserAction[] | undefined;
  /** Questions with this text kill the process that works on them, this long (ms) after it started. */
  readonly poison?: { readonly text: string; readonly afterMs: number } | undefined;
  /** When all workers are killed (ms from the start). */
  readonly kills?: readonly number[] | undefined;
  /** The model searches the thread before it answers. */
  readonly searches?: boolean | undefined;
  /**
   * People have budgets, and their questions are booked. `several`: on the accounts of their month, their day and the
   * month of the workspace.
   */
  readonly budgets?: boolean | 'several' | undefined;
  /**
   * When Slack starts to sign with another secret, which the deployment then holds beside the old one (ms from the
   * start).
   */
  readonly rotatesAfterMs?: number | undefined;
  /**
   * A deployment: the fronts have the new version from the first time on, the workers from the second (ms from the
   * start).
   */
  readonly deployment?: { readonly frontAfterMs: number; readonly workerAfterMs: number } | undefined;
  /** No fault occurs after this time (ms from the start). */
  readonly faultsUntilMs?: number | undefined;
  /** The maximum number of model requests. */
  readonly limit?: RateLimit | undefined;
  /** How the simulated workspace differs from the default. */
  readonly identity?: Partial<Identity> | undefined;
  /**
   * No question fits into the shared worker, which is known from the task, or once it is claimed and its history
   * read.
   */
  readonly large?: 'at once' | 'when claimed' | undefined;
  /** The text of the model after the first words of each answer. */
  readonly goesOn?: Speech | undefined;
};

export type Question = {
  readonly text: string;
  readonly afterMs: number;
  /** Questions with the same number are in one thread, which the first of them starts. */
  readonly thread?: number;
  /** The asker; Ada by default. */
  readonly person?: string;
};

/** The report of a wait: below a question, or to one person. */
export type WaitNotice = { readonly atMs: number; readonly to: string; readonly words: string };

/** An action on the question of this number, or on its answer. */
export type UserAction = {
  /** `stop`: by Slack's own Stop. */
  readonly what: 'edit' | 'delete' | 'regenerate' | 'stop' | 'continue';
  readonly question: number;
  readonly afterMs: number;
};

/** An action on a question with its time (ms), and whether the question is in the wait queue two seconds later. */
export type CompletedAction = {
  readonly act: UserAction;
  readonly ts: string;
  readonly atMs: number;
  isInQueueAfter: boolean;
};

/** The state when nothing more happens. */
export type ScenarioResult = {
  readonly harness: FaultHarness;
  readonly workspace: Workspace;
  readonly store: MemoryDynamo;
  readonly questionIds: readonly string[];
  /** When each question's turn ended (ms), by its ts. */
  readonly endedAt: ReadonlyMap<string, number>;
  /** The final text of the questions by their ts; deleted ones are absent. */
  readonly standing: ReadonlyMap<string, string>;
  readonly done: readonly CompletedAction[];
  /** Since when there is no status below each question (ms), by the ts of its thread. */
  readonly clearedAt: ReadonlyMap<string, number>;
  /** The reports of waits, in order. */
  readonly notices: readonly WaitNotice[];
  /** The total time that workers spent on tasks (ms). */
  readonly heldMs: number;
  readonly requests: number;
  /** Nobody did anything but ask, so no answer is written twice. */
  readonly isPlain: boolean;
  /** The model requests with their times. */
  readonly prompts: readonly { readonly question: string; readonly at: number }[];
  /** Requests whose reservation was settled: the account, and the name of the reservation. */
  readonly settled: ReadonlySet<string>;
  readonly tokens: number;
  /**
   * The recorded questions when the thread was closed by the deletion of its first message; later ones are not
   * answered.
   */
  readonly before: readonly string[] | undefined;
  /** Answers that replaced stored ones. */
  readonly rewritten: number;
  /** Slack delivered an event as often as it does, and each delivery failed. */
  readonly gaveUp: boolean;
};

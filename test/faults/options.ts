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
  /** The questions, each asked this long after the one before (ms). */
  readonly questions: readonly Question[];
  /** What people do besides, each this long after the first question (ms). */
  readonly acts?: readonly UserAction[] | undefined;
  /** The questions with this in their text kill the process that works on them, so long (ms) after it began. */
  readonly poison?: { readonly text: string; readonly afterMs: number } | undefined;
  /** When all workers are killed (ms from the beginning). */
  readonly kills?: readonly number[] | undefined;
  /** The model searches the thread before it answers. */
  readonly searches?: boolean | undefined;
  /** People have budgets, and what they ask is booked. `several`: on an account of their month, of their day and of the workspace's month. */
  readonly budgets?: boolean | 'several' | undefined;
  /** When Slack begins to sign with another secret, which the deployment then holds beside the old one (ms from the beginning). */
  readonly rotatesAfterMs?: number | undefined;
  /** A deployment: the fronts are of the new version from the first moment on, the workers from the second (ms from the beginning). */
  readonly deployment?: { readonly frontAfterMs: number; readonly workerAfterMs: number } | undefined;
  /** No fault strikes after this (ms from the beginning). */
  readonly faultsUntilMs?: number | undefined;
  /** How often the models may be asked. */
  readonly limit?: RateLimit | undefined;
  /** How the simulated workspace differs from the usual one. */
  readonly identity?: Partial<Identity> | undefined;
  /** No question fits into a worker that has several: that is known from the task, or once it is claimed and its past read. */
  readonly large?: 'at once' | 'when claimed' | undefined;
  /** What the model says after the first words of each answer. */
  readonly goesOn?: Speech | undefined;
};

export type Question = {
  readonly text: string;
  readonly afterMs: number;
  /** Questions with the same number are asked in one thread, which the first of them begins. */
  readonly thread?: number;
  /** Who asks; Ada, unless told. */
  readonly person?: string;
};

/** What was said of a wait: below a question, or to a person alone. */
export type WaitNotice = { readonly atMs: number; readonly to: string; readonly words: string };

/** Something done to the question of this number, or to its answer. */
export type UserAction = {
  /** `stop`: by Slack's own Stop. */
  readonly what: 'edit' | 'delete' | 'regenerate' | 'stop' | 'continue';
  readonly question: number;
  readonly afterMs: number;
};

/** What somebody did to a question, when (ms), and whether the question stands in the wait queue two seconds later. */
export type CompletedAction = {
  readonly act: UserAction;
  readonly ts: string;
  readonly atMs: number;
  isInQueueAfter: boolean;
};

/** What is left when nothing more happens. */
export type ScenarioResult = {
  readonly harness: FaultHarness;
  readonly workspace: Workspace;
  readonly store: MemoryDynamo;
  readonly asked: readonly string[];
  /** When each question's turn ended (ms), by its ts. */
  readonly endedAt: ReadonlyMap<string, number>;
  /** What the questions say in the end, by their ts; a deleted one is not there. */
  readonly standing: ReadonlyMap<string, string>;
  readonly done: readonly CompletedAction[];
  /** When the last status below each question was taken away (ms), by the ts of its thread. */
  readonly clearedAt: ReadonlyMap<string, number>;
  /** What was said of waits, in order. */
  readonly told: readonly WaitNotice[];
  /** For how long workers were at work on tasks, for all tasks together (ms). */
  readonly heldMs: number;
  readonly requests: number;
  /** Nobody did anything but ask: then no answer is made twice. */
  readonly isPlain: boolean;
  /** What the model was asked, and when. */
  readonly prompts: readonly { readonly question: string; readonly at: number }[];
  /** Calls whose cost was booked in place of what was reserved for them: the account, and the name of that. */
  readonly settled: ReadonlySet<string>;
  readonly tokens: number;
  /** The questions on record when the thread was closed, because the first was deleted; those that came later are not answered. */
  readonly before: readonly string[] | undefined;
  /** Bodies that were replaced by others after they had been stored. */
  readonly rewritten: number;
  /** Slack delivered an event as often as it does, and each time it failed. */
  readonly gaveUp: boolean;
};

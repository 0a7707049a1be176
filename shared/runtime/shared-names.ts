/** Names that the deployment (`infra`) and the functions share: each is written once, here. */

/** Environment variables that the deployment sets on functions. */
export * as ENV from './config/environment-names.ts';

/** The name of the stack of a stage, and the namespace of all that it measures. */
export const stackNameOf = (stage: string): string => (stage === 'prod' ? 'Parley' : `Parley-${stage}`);

/** Routes of the HTTP API. */
export const ROUTES = {
  slackEvents: '/slack/events',
  slackInstall: '/slack/install',
  slackRedirect: '/slack/oauth_redirect',
  discordInteractions: '/discord/interactions',
  discordEvents: '/discord/events',
  videoCallback: '/callbacks/video/{job}/{secret}',
} as const;

/** What a secret holds until it is filled in. */
export const SECRET_PLACEHOLDER = 'to be filled in';

/** Keys and the sparse index of the `conversations` table; `tokens` has the partition key alone. */
export const KEYS = { partition: 'pk', sort: 'sk', ttl: 'ttl' } as const;

/** What the tokens of an install are sealed for, with its workspace behind it: some functions may open nothing else. */
export const INSTALL_ENCRYPTION_CONTEXT = 'slack-install#';

/** Holds only what still needs a later look: `open` names the kind of look, `due` when (s since 1970). */
export const OPEN_INDEX = { name: 'open', partition: 'open', sort: 'due' } as const;

/**
 * Leads from a person (`by`) to every item that names them as the one who left it, in all workspaces of both platforms. Costs one
 * more write unit for each such item, once: `by` never changes.
 */
export const PERSON_INDEX = { name: 'person', partition: 'by', sort: 'pk' } as const;

/** How the task queue delivers. */
export const TASKS = {
  /**
   * The queue itself moves a message to the dead letters after so many receives. Only a last resort: waits, hand-backs and throttled
   * invocations count as receives. What a worker gives up by: shared/task-queue/attempts.ts.
   */
  maxReceives: 200,
  /** How long a task may wait after its first attempt, as for the limits of the models. */
  maxWaitSeconds: 600,
  /** The longest that one invocation of the worker may take; the queue's own visibility is a little more. */
  workerSeconds: 840,
  visibilitySeconds: 870,
  batchSize: 10,
  /** Of the worker that has up to `maxTasks` tasks at a time, and what of it files and pictures may take together. */
  workerMemoryMb: 216,
  workerFilesMb: 16,
  /**
   * What is new stays small (1 MB), and the threads of Node share what they free: with what Lambda and the C library would choose that worker is 45 MB
   * larger (`npm run bench -- worker`).
   */
  workerV8Flags: ['--semi-space-growth-factor=1'],
  workerVariables: { MALLOC_ARENA_MAX: '1' },
  /** The same of the worker that has one task at a time, such as one with large files. */
  largeWorkerMemoryMb: 512,
  largeWorkerFilesMb: 200,
  /** A worker receives more tasks for so long after its beginning at most, so that each has ten minutes but for the closing. */
  refillSeconds: 240,
  /** How many tasks a worker has at a time. */
  maxTasks: 20,
  /** For so long a worker waits for more tasks at a time (s). It ends that much later: a receive that is ended early may lose messages. */
  receiveWaitSeconds: 2,
  /** For so long a worker that lives on does (s): half of what SQS allows, so that it ends soon where it is told to. */
  serviceReceiveWaitSeconds: 10,
} as const;

/** How the queue of recordings delivers: one at a time, since each may fill the memory and the minutes of a function. */
export const RECORDINGS = {
  maxReceives: 200,
  /** Five deliveries of 15 minutes. */
  maxWaitSeconds: 4_500,
  workerSeconds: 900,
  visibilitySeconds: 930,
  batchSize: 1,
} as const;

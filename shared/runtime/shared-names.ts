/** Names that the deployment (`infra`) and the functions share. Each is defined once, here. */

/** Environment variables of the functions. */
export * as ENV from './config/environment-names.ts';

/** Returns the stack name of a stage, which is also the namespace of its metrics. */
export const stackName = (stage: string): string => (stage === 'prod' ? 'Parley' : `Parley-${stage}`);

/** Returns the name of the function that talks to MCP servers. Not a variable: the workers have no room for one. */
export const toolClientName = (stage: string): string => `${stackName(stage)}-tool-client`;

/** Routes of the HTTP API. */
export const ROUTES = {
  slackEvents: '/slack/events',
  slackInstall: '/slack/install',
  slackRedirect: '/slack/oauth_redirect',
  toolSignIn: '/tools/oauth',
  discordInteractions: '/discord/interactions',
  discordEvents: '/discord/events',
  videoCallback: '/callbacks/video/{job}/{secret}',
} as const;

/** The initial value of a secret. */
export const SECRET_PLACEHOLDER = 'to be filled in';

/** The keys of the `conversations` table; `tokens` has only the partition key. */
export const KEYS = { partition: 'pk', sort: 'sk', ttl: 'ttl' } as const;

/**
 * The encryption context of install tokens, followed by the workspace: some functions may decrypt nothing else.
 */
export const INSTALL_ENCRYPTION_CONTEXT = 'slack-install#';

/** A sparse index of items that need later work: `open` is the kind of work, `due` when (s since 1970). */
export const OPEN_INDEX = { name: 'open', partition: 'open', sort: 'due' } as const;

/**
 * An index from a person (`by`) to every item that they created, in all workspaces of both platforms. Costs one
 * more write unit per item, once: `by` never changes.
 */
export const PERSON_INDEX = { name: 'person', partition: 'by', sort: 'pk' } as const;

/** How the task queue delivers messages. */
export const TASKS = {
  /**
   * SQS moves a message to the dead-letter queue after this many receives. Only a last resort: waits, returned
   * messages and throttled invocations count as receives. The worker's own limits:
   * shared/task-queue/attempt-runner.ts.
   */
  maxReceives: 200,
  /** How long a task may wait after its first attempt, for example for rate limits. */
  maxWaitSeconds: 600,
  /** The maximum duration of a worker invocation; the queue's visibility timeout is slightly longer. */
  workerSeconds: 840,
  visibilitySeconds: 870,
  batchSize: 10,
  /**
   * For the worker that runs up to `maxTasks` tasks at a time: its memory, and the part for files and images.
   */
  workerMemoryMb: 164,
  workerFilesMb: 10,
  /**
   * A young generation of 1 MB instead of up to 30. No optimizing compiler for WebAssembly: it takes 25 MB and some
   * time for the HTTP parser of undici, whose code needs no speed here. Measured by `npm run bench -- worker`.
   */
  workerV8Flags: ['--semi-space-growth-factor=1', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering'],
  /**
   * One malloc arena for all threads, and blocks of 16 KB or more are returned to the system as soon as they are freed.
   * The compiler of V8 uses 20 MB in such blocks while the bundle loads; with the defaults of the C library the process keeps them.
   */
  workerVariables: {
    MALLOC_ARENA_MAX: '1',
    MALLOC_MMAP_THRESHOLD_: '16384',
  },
  /** The same for the worker that runs one task at a time, such as one with large files. */
  largeWorkerMemoryMb: 512,
  largeWorkerFilesMb: 200,
  /** How long a worker receives more tasks after its start, so that each task still has ten minutes. */
  refillSeconds: 240,
  /** How many tasks a worker runs at a time: 16 answers need all of its share of a processor (`npm run bench -- worker`). */
  maxTasks: 15,
  /**
   * The wait time of a receive (s). It delays the end of the worker, because a cancelled receive may lose
   * messages.
   */
  receiveWaitSeconds: 2,
  /**
   * The wait time in a long-running worker (s): half of the SQS maximum, so that it stops soon when it is told
   * to.
   */
  serviceReceiveWaitSeconds: 10,
} as const;

/**
 * How the transcription queue delivers messages: one at a time, since each may use all memory and time of a
 * function.
 */
export const RECORDINGS = {
  maxReceives: 200,
  /** Five deliveries of 15 minutes. */
  maxWaitSeconds: 4_500,
  workerSeconds: 900,
  visibilitySeconds: 930,
  batchSize: 1,
} as const;

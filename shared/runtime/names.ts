/** Names that the deployment (`infra`) and the functions share: each is written once, here. */

/** Environment variables that the deployment sets on functions. */
export * as ENV from './env.ts';

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
export const TO_FILL_IN = 'to be filled in';

/** Keys and the sparse index of the `conversations` table; `tokens` has the partition key alone. */
export const KEYS = { partition: 'pk', sort: 'sk', ttl: 'ttl' } as const;

/** What the tokens of an install are sealed for, with its workspace behind it: some functions may open nothing else. */
export const OF_INSTALL = 'slack-install#';

/** Holds only what still needs a later look: `open` names the kind of look, `due` when (s since 1970). */
export const OPEN_INDEX = { name: 'open', partition: 'open', sort: 'due' } as const;

/** How the task queue delivers. */
export const TASKS = {
  /** A task delivered this often without success goes to the dead letters. */
  maxReceives: 5,
  /** The longest that one invocation of the worker may take; the queue's own visibility is a little more. */
  workerSeconds: 600,
  visibilitySeconds: 630,
  batchSize: 10,
} as const;

/** How the queue of recordings delivers: one at a time, since each may fill the memory and the minutes of a function. */
export const RECORDINGS = {
  maxReceives: 5,
  workerSeconds: 900,
  visibilitySeconds: 930,
  batchSize: 1,
} as const;

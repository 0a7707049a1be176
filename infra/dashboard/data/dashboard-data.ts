import type { MethodCalls } from './api-calls.ts';

/** What the operator's page shows. The local system and a deployment deliver the same shape. Times are ms since 1970. */
export type DashboardData = {
  /** Which system it is, such as `Parley-prod in eu-central-1`. */
  readonly system: string;
  /** After how long the page should ask again. */
  readonly refreshMs: number;
  readonly at: number;
  readonly fromMs: number;
  readonly stepMs: number;
  readonly totals: Totals;
  readonly steps: readonly TimeStep[];
  readonly usage: Usage;
  readonly limits: readonly KeyLimit[];
  readonly pausedModels: readonly PausedModel[];
  readonly queues: readonly QueueLevel[];
  readonly queueHistory: readonly QueueSample[];
  readonly jobs: readonly JobRow[];
  readonly tools: readonly ToolRow[];
  readonly errors: readonly ErrorRow[];
  /** Undefined for a system without alarms, or if they cannot be read. */
  readonly alarms: readonly AlarmRow[] | undefined;
  readonly feedback: readonly FeedbackRow[];
  readonly messages: readonly MessageRow[];
  /** Sentences about what is missing on the page, and why. */
  readonly notes: readonly string[];
  /** What could not be read, or not yet: that it is empty says nothing. */
  readonly unread: readonly UnreadPart[];
};

export type UnreadPart = 'records' | 'usage' | 'limits' | 'queues';

/** Median and 95th percentile in ms; undefined without values. */
export type Percentiles = { readonly p50: number | undefined; readonly p95: number | undefined };

export type Totals = {
  readonly answers: number;
  readonly failed: number;
  /** Questions that have no answer yet. */
  readonly waiting: number;
  readonly firstWord: Percentiles;
  readonly total: Percentiles;
  readonly tokens: number;
  readonly dollars: number;
};

/** One step of the time axis. `at` is its start. */
export type TimeStep = {
  readonly at: number;
  readonly answers: number;
  readonly failed: number;
  readonly firstWord: Percentiles;
  readonly total: Percentiles;
  readonly queueWait: Percentiles;
  readonly requestWait: Percentiles;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly dollars: number;
  /** Rejections by a rate limit. */
  readonly limited: number;
  /** Failed requests to the models. */
  readonly failedRequests: number;
};

export type UsageRow = {
  readonly id: string;
  readonly name: string | undefined;
  readonly platform: string;
  readonly requests: number;
  readonly tokens: number;
  readonly dollars: number;
  /** Requests whose price is unknown; `dollars` lacks them. */
  readonly unpriced: number;
};

/** The usage of whole days, from the accounts. */
export type Usage = {
  readonly firstDay: string;
  readonly people: readonly UsageRow[];
  readonly channels: readonly UsageRow[];
  readonly models: readonly UsageRow[];
};

/** How much of a rate limit is used. */
export type KeyLimit = {
  /** The start of the hash of the API key. */
  readonly key: string;
  readonly family: string;
  readonly used: number;
  readonly burst: number;
  readonly waiting: number;
  readonly pausedUntil: number | undefined;
};

/** A model without capacity that gets no requests for a while. */
export type PausedModel = { readonly model: string; readonly until: number };

export type QueueLevel = {
  readonly name: string;
  readonly waiting: number;
  readonly inFlight: number;
  /** The age of the oldest message, in ms. */
  readonly oldestMs: number | undefined;
};

export type QueueSample = { readonly at: number; readonly waiting: Readonly<Record<string, number>> };

export type JobRow = {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
};

/** The calls of one tool that administrators turned on: of a server (MCP), or the web search. */
export type ToolRow = {
  /** The name of the server, or `search`. */
  readonly source: string;
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
  /** Shown on a card first. */
  readonly proposed: number;
  /** How long calls took (ms), without those that only showed a card. */
  readonly ms: Percentiles;
};

/** Equal problems, counted. */
export type ErrorRow = {
  readonly event: string;
  readonly source: string;
  readonly level: string;
  /** Reason, error name, status and code, as far as they were logged. */
  readonly message: string;
  readonly count: number;
  readonly lastAt: number;
  readonly trace: string | undefined;
};

/** An alarm of the deployment, in its present state. */
export type AlarmRow = {
  readonly name: string;
  /** What it means, and where the runbook says what to do. */
  readonly meaning: string;
  readonly state: 'alarm' | 'ok' | 'no data';
  readonly since: number;
  /** Whether somebody is notified. */
  readonly isNotifying: boolean;
};

export type FeedbackRow = { readonly model: string; readonly good: number; readonly bad: number };

/** The ledger line of a message. */
export type MessageRow = {
  readonly trace: string;
  readonly platform: string | undefined;
  readonly channel: string | undefined;
  readonly channelName: string | undefined;
  readonly message: string | undefined;
  readonly receivedAt: number;
  /** `unasked`: the bot responded without asking a model, because there was no question or the budget is used up. */
  readonly state: 'answered' | 'unasked' | 'failed' | 'waiting';
  readonly reason: string | undefined;
  readonly model: string | undefined;
  readonly requests: number | undefined;
  readonly attempts: number;
  readonly queueWaitMs: number | undefined;
  readonly requestWaitMs: number | undefined;
  readonly firstWordMs: number | undefined;
  readonly totalMs: number | undefined;
  readonly promptTokens: number | undefined;
  readonly completionTokens: number | undefined;
  readonly dollars: number | undefined;
  readonly problems: number;
};

/** One step on the way of a message, from its event to its final update. */
export type LedgerEntry = {
  readonly at: number;
  readonly source: string;
  readonly what: string;
  readonly details: string;
  readonly isProblem: boolean;
};
export type MessageLedger = {
  readonly row: MessageRow;
  readonly entries: readonly LedgerEntry[];
  /** The requests to platforms and models, by method. */
  readonly calls: readonly MethodCalls[];
};

import type * as v from 'valibot';
import type * as shapes from './resource-schemas.ts';
import type { Permissions } from './permissions.ts';

/** A route of the HTTP API and its function, by logical id. */
export type Route = {
  readonly key: string;
  readonly functionId: string;
  readonly timeoutMs: number;
  /** Absent if the stage has none. */
  readonly throttle?: Throttle | undefined;
};

export type Table = v.InferOutput<typeof shapes.Table> & { readonly name: string };

/** An event source mapping from a queue to a function. */
export type EventSource = {
  readonly queue: string;
  readonly queueArn: string;
  readonly functionId: string;
  readonly batchSize: number;
  readonly concurrency: number;
  readonly partialFailures: boolean;
};

export type Schedule = {
  readonly id: string;
  readonly expression: string;
  readonly functionId: string;
  readonly input: string | undefined;
};

/** A secret of the template; `kind` selects its local value. */
export type SecretResource = { readonly arn: string; readonly name: string; readonly kind: string };

/** A bucket with its lifecycle rules. */
export type BucketResource = {
  readonly name: string;
  readonly rules: readonly { readonly prefix: string; readonly days: number }[];
};

/** All supported resources of the template, with references resolved to local values. */
export type TemplateResources = {
  readonly functions: readonly Omit<FunctionSpec, 'directory'>[];
  readonly routes: readonly Route[];
  /** The functions with a URL of their own, by logical id. */
  readonly functionUrls: readonly string[];
  readonly tables: readonly Table[];
  readonly queues: readonly QueueRules[];
  readonly eventSources: readonly EventSource[];
  readonly schedules: readonly Schedule[];
  readonly secrets: readonly SecretResource[];
  readonly buckets: readonly BucketResource[];
  /** What the roles of functions and processes may do in DynamoDB and S3. */
  readonly permissions: Permissions;
  readonly processes: readonly ProcessSpec[];
  /** KMS keys. */
  readonly keys: readonly { readonly arn: string }[];
};

/** A FIFO queue as pure state: no clock, no disk, no network. Times are ms since 1970 and passed as arguments. */

/** The settings of a queue, from its resource in the template. */
export type QueueRules = {
  readonly name: string;
  readonly visibilityMs: number;
  readonly retentionMs: number;
  readonly contentDedup: boolean;
  /** High-throughput queues deduplicate per group. */
  readonly dedupScope: 'queue' | 'messageGroup';
  readonly deadLetters?: { readonly queue: string; readonly maxReceives: number };
};

/** Throttle of a route: requests per second, and burst. */
export type Throttle = { readonly rate: number; readonly burst: number };

/** A function of the template: its bundle and its settings. */
export type FunctionSpec = {
  readonly logicalId: string;
  readonly name: string;
  readonly arn: string;
  readonly directory: string;
  readonly handler: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** How many invocations may run at a time; more are throttled. Undefined: any number. */
  readonly reservedConcurrency?: number | undefined;
  /** Whether X-Ray traces its invocations. */
  readonly isTraced?: boolean;
  /** The logical id of its role. */
  readonly role: string;
  readonly env: Readonly<Record<string, string>>;
};

/** A permanent process of the template. */
export type ProcessSpec = {
  readonly logicalId: string;
  /** Asset names by file name. `index.js` is the entry. */
  readonly files: Readonly<Record<string, string>>;
  /** Number of instances. */
  readonly count: number;
  /** The logical id of its role. */
  readonly role: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether it is useless without Discord. */
  readonly needsDiscord: boolean;
};

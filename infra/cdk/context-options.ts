import * as z from 'zod/mini';

const context = z.object({
  stage: z._default(z.string().check(z.regex(/^[a-z][a-z0-9-]{0,15}$/)), 'dev'),
  workerConcurrency: z._default(z.coerce.number().check(z.int(), z.minimum(2), z.maximum(1000)), 3),
  recordingConcurrency: z._default(z.coerce.number().check(z.int(), z.minimum(2), z.maximum(1000)), 20),
  tracing: z._default(z.enum(['on', 'off']), 'off'),
  worker: z._default(z.enum(['lambda', 'fargate']), 'lambda'),
  alarmTopic: z.optional(z.string().check(z.regex(/^arn:aws[a-z-]*:sns:[^:]+:\d{12}:.+$/))),
  rules: z._default(z.enum(['on', 'off']), 'on'),
  relay: z._default(z.enum(['on', 'off']), 'off'),
  // What API Gateway allows an account to begin with, in most regions.
  apiRate: z._default(z.coerce.number().check(z.int(), z.minimum(10), z.maximum(10_000)), 100),
  apiBurst: z._default(z.coerce.number().check(z.int(), z.minimum(10), z.maximum(5_000)), 200),
  waf: z._default(z.enum(['on', 'off']), 'off'),
  canary: z.optional(z.string().check(z.regex(/^[CG][A-Z0-9]+:[UW][A-Z0-9]+$/))),
  gradual: z._default(z.enum(['on', 'off']), 'off'),
});

/** A channel and a person of Slack, as `-c canary=CHANNEL:PERSON` names them. */
export type Canary = { readonly channel: string; readonly person: string };

/** What is chosen at synthesis (`-c name=value`), because it changes the shape of the stack. */
export type ContextOptions = {
  /** `prod` protects the tables from deletion and keeps what they hold; any other name is free to be torn down. */
  readonly stage: string;
  /**
   * How many workers run at a time: 2 to 1000 (the range that SQS allows). Each has up to 20 tasks, so three do for what one key of the models
   * takes; more of them cost more, since they share less (`npm run bench -- sharing`).
   */
  readonly workerConcurrency: number;
  /** Whether tasks are done by a function or by a container that runs on; `workerConcurrency` is how many there are at most. */
  readonly worker: 'lambda' | 'fargate';
  /** How many recordings are written out at a time. */
  readonly recordingConcurrency: number;
  /** The SNS topic (ARN) that alarms notify; without it they only change their state. */
  readonly alarmTopic?: string | undefined;
  /** Whether the AwsSolutions rules are applied. */
  readonly rules: boolean;
  /** Whether a container keeps a connection to Discord's gateway: mentions, DMs and replies without a command. */
  readonly relay: boolean;
  /** How many requests a second each address of a platform takes for long, and how many at once; what is more is answered 429. */
  readonly apiRate: number;
  readonly apiBurst: number;
  /** Whether the platforms call through CloudFront with a firewall, in us-east-1 only. */
  readonly waf: boolean;
  /** Whether new versions of functions are put to use little by little, and taken back when they fail. */
  readonly gradual: boolean;
  /** Whether X-Ray keeps what questions take, on their whole way. */
  readonly tracing: boolean;
  /** Where in Slack a question is asked every quarter of an hour, and in whose name. Absent: none is. */
  readonly canary?: Canary | undefined;
};

/** Reads the choices from the context. Throws, naming the value, when one is out of its range. */
export function readContextOptions(get: (key: string) => unknown): ContextOptions {
  const given = Object.keys(context.shape).map((key) => [key, get(key)] as const);
  const parsed = context.safeParse(Object.fromEntries(given.filter(([, value]) => value !== undefined)));
  if (parsed.success) {
    const { rules, relay, waf, gradual, tracing, canary } = parsed.data;
    const [channel = '', person = ''] = canary?.split(':') ?? [];
    return {
      ...parsed.data,
      rules: rules === 'on',
      relay: relay === 'on',
      waf: waf === 'on',
      gradual: gradual === 'on',
      tracing: tracing === 'on',
      canary: canary === undefined ? undefined : { channel, person },
    };
  }
  const faults = parsed.error.issues.map((issue) => `-c ${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`Not a valid choice: ${faults.join('; ')}`);
}

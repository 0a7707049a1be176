import * as v from 'valibot';

/** A whole number; `cdk -c` passes it as text. */
const count = (min: number, max: number) =>
  v.pipe(v.unknown(), v.transform(Number), v.number(), v.integer(), v.minValue(min), v.maxValue(max));

const contextSchema = v.object({
  stage: v.optional(v.pipe(v.string(), v.regex(/^[a-z][a-z0-9-]{0,15}$/)), 'dev'),
  workerConcurrency: v.optional(count(2, 1000), 4),
  recordingConcurrency: v.optional(count(2, 1000), 20),
  tracing: v.optional(v.picklist(['on', 'off']), 'off'),
  worker: v.optional(v.picklist(['lambda', 'fargate']), 'lambda'),
  alarmTopic: v.optional(v.pipe(v.string(), v.regex(/^arn:aws[a-z-]*:sns:[^:]+:\d{12}:.+$/))),
  rules: v.optional(v.picklist(['on', 'off']), 'on'),
  relay: v.optional(v.picklist(['on', 'off']), 'off'),
  // The default API Gateway limit of an account in most regions.
  apiRate: v.optional(count(10, 10_000), 100),
  apiBurst: v.optional(count(10, 5_000), 200),
  waf: v.optional(v.picklist(['on', 'off']), 'off'),
  canary: v.optional(v.pipe(v.string(), v.regex(/^[CG][A-Z0-9]+:[UW][A-Z0-9]+$/))),
  gradual: v.optional(v.picklist(['on', 'off']), 'off'),
});

/** A Slack channel and person, from `-c canary=CHANNEL:PERSON`. */
export type Canary = { readonly channel: string; readonly person: string };

/** Options of the synthesis (`-c name=value`) that change the resources of the stack. */
export type ContextOptions = {
  /** `prod` protects the tables from deletion and retains their data; other stages can be deleted. */
  readonly stage: string;
  /**
   * Maximum number of concurrent workers: 2 to 1000 (the range of SQS). Each processes up to 20 tasks, so three are sufficient
   * for the rate limit of one model key; more cost more, because they share less (`npm run bench -- sharing`).
   */
  readonly workerConcurrency: number;
  /** Whether tasks run in a function or in a permanent container; `workerConcurrency` is the maximum number of either. */
  readonly worker: 'lambda' | 'fargate';
  /** Maximum number of concurrent transcriptions. */
  readonly recordingConcurrency: number;
  /** The SNS topic (ARN) that alarms notify. Without it they only change state. */
  readonly alarmTopic?: string | undefined;
  /** Whether to apply the AwsSolutions rules of cdk-nag. */
  readonly rules: boolean;
  /** Whether to run the relay for Discord's gateway: mentions, DMs and replies without a command. */
  readonly relay: boolean;
  /** Requests per second on each platform route, and burst; more get a 429. */
  readonly apiRate: number;
  readonly apiBurst: number;
  /** Whether to put CloudFront with a firewall before the API; only in us-east-1. */
  readonly waf: boolean;
  /** Whether functions are deployed gradually and rolled back on errors. */
  readonly gradual: boolean;
  /** Whether X-Ray traces questions. */
  readonly tracing: boolean;
  /** Where in Slack, and as whom, the canary asks a question every 15 minutes. Absent: no canary. */
  readonly canary?: Canary | undefined;
};

/** Reads the options from the context. Throws an Error that names each invalid value. */
export function readContextOptions(get: (key: string) => unknown): ContextOptions {
  const values = Object.keys(contextSchema.entries).map((key) => [key, get(key)] as const);
  const parsed = v.safeParse(
    contextSchema,
    Object.fromEntries(values.filter(([, value]) => value !== undefined)),
  );
  if (parsed.success) {
    const { rules, relay, waf, gradual, tracing, canary } = parsed.output;
    const [channel = '', person = ''] = canary?.split(':') ?? [];
    return {
      ...parsed.output,
      rules: rules === 'on',
      relay: relay === 'on',
      waf: waf === 'on',
      gradual: gradual === 'on',
      tracing: tracing === 'on',
      canary: canary === undefined ? undefined : { channel, person },
    };
  }
  const problems = parsed.issues.map((issue) => `-c ${v.getDotPath(issue)}: ${issue.message}`);
  throw new Error(`Invalid option: ${problems.join('; ')}`);
}

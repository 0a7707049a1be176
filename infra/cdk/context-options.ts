import leven from 'leven';
import * as v from 'valibot';

/** A whole number; `cdk -c` passes it as text. */
const count = (min: number, max: number) =>
  v.pipe(v.unknown(), v.transform(Number), v.number(), v.integer(), v.minValue(min), v.maxValue(max));

const contextSchema = v.object({
  stage: v.optional(v.pipe(v.string(), v.regex(/^[a-z][a-z0-9-]{0,15}$/)), 'dev'),
  workerConcurrency: v.optional(count(2, 1000), 4),
  recordingConcurrency: v.optional(count(2, 1000), 20),
  largeConcurrency: v.optional(count(2, 1000), 10),
  tracing: v.optional(v.picklist(['on', 'off']), 'off'),
  worker: v.optional(v.picklist(['lambda', 'fargate']), 'lambda'),
  alarmTopic: v.optional(v.pipe(v.string(), v.regex(/^arn:aws:sns:[^:]+:\d{12}:.+$/))),
  rules: v.optional(v.picklist(['on', 'off']), 'on'),
  relay: v.optional(v.picklist(['on', 'off']), 'off'),
  // The default API Gateway limit of an account in most regions.
  apiRate: v.optional(count(10, 10_000), 100),
  apiBurst: v.optional(count(10, 5_000), 200),
  waf: v.optional(v.picklist(['on', 'off']), 'off'),
  canary: v.optional(v.pipe(v.string(), v.regex(/^[CG][A-Z0-9]+:[UW][A-Z0-9]+$/))),
  gradual: v.optional(v.picklist(['on', 'off']), 'off'),
  api: v.optional(v.pipe(v.unknown(), v.transform(String), v.regex(/^(?:off|[1-9][0-9]{0,2})$/)), 'off'),
});

/** What each option does, for docs/configuration.md. */
const MEANINGS: Readonly<Record<keyof typeof contextSchema.entries, string>> = {
  stage: 'The name of this deployment. `prod` protects the tables, the bucket and the key from deletion',
  workerConcurrency: 'Maximum number of workers. Each handles up to 15 tasks at a time',
  recordingConcurrency: 'Maximum number of recordings that are transcribed at a time',
  largeConcurrency:
    'Maximum number of tasks at a time that are large or may have crashed a worker. Each has one of its own',
  tracing: 'X-Ray records [how long each step of a question takes](deploying.md#traces)',
  worker: '`fargate`: [the worker is a container](deploying.md#the-worker-as-a-container)',
  alarmTopic:
    'ARN of the SNS topic, in the region of the deployment, that receives alarms. Without it they only change state',
  rules: '`off`: do not check the template against the AwsSolutions rules',
  relay: '[The Discord relay](discord.md#the-relay) runs: mentions and direct messages',
  apiRate: '[Throttle](deploying.md#floods) of each public address: requests per second',
  apiBurst: 'Its burst',
  waf: '[A firewall](deploying.md#floods) in front of the API, in us-east-1',
  canary:
    'Where in Slack, and in whose name, [a test question](deploying.md#a-canary) is asked every 15 minutes',
  api: '[The API for integrations](api.md): how many requests at a time; `off` for none',
  gradual: 'New versions of functions receive traffic [step by step](deploying.md#gradual-deployment)',
};

/** An option for documents. `values` are those that it accepts, in words. */
export type ContextOptionFacts = Readonly<Record<'name' | 'meaning' | 'values' | 'fallback', string>>;

/** Describes all options, as the schema accepts them. */
export function describeContextOptions(): ContextOptionFacts[] {
  return Object.entries(contextSchema.entries).map(([name, { wrapped, default: fallback }]) => ({
    name,
    meaning: MEANINGS[v.parse(v.keyof(contextSchema), name)],
    values: describeSchema(wrapped),
    fallback: fallback === undefined ? '' : String(fallback),
  }));
}

function describeSchema(
  schema: (typeof contextSchema.entries)[keyof typeof contextSchema.entries]['wrapped'],
): string {
  if (schema.type === 'picklist') return schema.options.map((one) => `\`${one}\``).join(', ');
  const bounds = schema.pipe.flatMap((one) =>
    one.type === 'min_value' || one.type === 'max_value' ? [one.requirement.toLocaleString('en')] : [],
  );
  if (bounds.length > 0) return bounds.join(' to ');
  const pattern = schema.pipe.flatMap((one) => (one.type === 'regex' ? [one.requirement.source] : []));
  return `\`${pattern.join('').replaceAll('|', '\\|')}\``;
}

/** A Slack channel and person, from `-c canary=CHANNEL:PERSON`. */
export type Canary = { readonly channel: string; readonly person: string };

/** Options of the synthesis (`-c name=value`) that change the resources of the stack. */
export type ContextOptions = {
  /** `prod` protects the tables from deletion and retains their data; other stages can be deleted. */
  readonly stage: string;
  /**
   * Maximum number of concurrent workers: 2 to 1000 (the range of SQS). Each processes up to 15 tasks (`TASKS.maxTasks`), so four are sufficient
   * for the rate limit of one model key; more cost more, because they share less (`npm run bench -- sharing`).
   */
  readonly workerConcurrency: number;
  /** Whether tasks run in a function or in a permanent container; `workerConcurrency` is the maximum number of either. */
  readonly worker: 'lambda' | 'fargate';
  /** Maximum number of concurrent transcriptions. */
  readonly recordingConcurrency: number;
  /** Maximum number of concurrent isolated tasks, each in a worker of its own. */
  readonly largeConcurrency: number;
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
  /** How many requests the API for integrations takes at a time. Absent: there is none. */
  readonly api?: number | undefined;
  /** Whether functions are deployed gradually and rolled back on errors. */
  readonly gradual: boolean;
  /** Whether X-Ray traces questions. */
  readonly tracing: boolean;
  /** Where in Slack, and as whom, the canary asks a question every 15 minutes. Absent: no canary. */
  readonly canary?: Canary | undefined;
};

/** Most letters by which a misspelled name differs from its option: one for three letters of the option, and two at most. */
const maxTypoDistance = (option: string): number => Math.min(2, Math.floor(option.length / 3));

/**
 * Returns a sentence for each name in the context that looks like a misspelled option. The CDK passes any name, and a deployment with `-c replay=on` would
 * remove the relay. Names of the CDK itself are similar to none.
 */
export function findMisspelledOptions(names: readonly string[]): string[] {
  const known = Object.keys(contextSchema.entries);
  return names.flatMap((name) => {
    if (known.includes(name)) return [];
    const [nearest] = known
      .map((option) => ({ option, distance: leven(option.toLowerCase(), name.toLowerCase()) }))
      .filter(({ option, distance }) => distance <= maxTypoDistance(option))
      .toSorted((a, b) => a.distance - b.distance);
    return nearest ? [`-c ${name}: there is no such option. Did you mean ${nearest.option}?`] : [];
  });
}

/** Reads the options from the context. Throws an Error that names each invalid value. */
export function readContextOptions(get: (key: string) => unknown): ContextOptions {
  const values = Object.keys(contextSchema.entries).map((key) => [key, get(key)] as const);
  const parsed = v.safeParse(
    contextSchema,
    Object.fromEntries(values.filter(([, value]) => value !== undefined)),
  );
  if (parsed.success) {
    const { rules, relay, waf, gradual, tracing, canary, api } = parsed.output;
    const [channel = '', person = ''] = canary?.split(':') ?? [];
    return {
      ...parsed.output,
      rules: rules === 'on',
      relay: relay === 'on',
      waf: waf === 'on',
      gradual: gradual === 'on',
      tracing: tracing === 'on',
      api: api === 'off' ? undefined : Number(api),
      canary: canary === undefined ? undefined : { channel, person },
    };
  }
  const problems = parsed.issues.map((issue) => `-c ${v.getDotPath(issue)}: ${issue.message}`);
  throw new Error(`Invalid option: ${problems.join('; ')}`);
}

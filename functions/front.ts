import { called } from '../shared/flows/called.ts';
import { happen, type HappenDeps } from '../shared/flows/happen.ts';
import { slackApp } from '../shared/platforms/slack/app.ts';
import { FrontReceiver } from '../shared/platforms/slack/receiver.ts';
import { type AwsCall, awsCaller, type AwsCallOptions } from '../shared/runtime/aws-request.ts';
import type { SlackFrontConfig } from '../shared/runtime/front-config.ts';
import { type HttpAnswer, readRequest } from '../shared/runtime/http.ts';
import { type Level, type Log, logger } from '../shared/runtime/log.ts';
import { showMessageIn, sqsQueue } from '../shared/runtime/queue.ts';
import { keepLoaded, onTimer, type Schedule, secret, slackSigning } from '../shared/runtime/secrets.ts';
import type { Clock } from '../shared/runtime/time.ts';
import { Arrivals } from '../shared/store/arrivals.ts';
import { dynamoSend } from '../shared/store/dynamo-json.ts';
import { dynamoLight } from '../shared/store/dynamo-light.ts';
import { Inbox } from '../shared/store/inbox.ts';
import { Marks } from '../shared/store/marks.ts';
import { Recent } from '../shared/store/recent.ts';
import { SettingsStore } from '../shared/store/settings.ts';
import { type OpenForm, slackForms } from './slack-forms.ts';

export type SlackFrontDeps = HappenDeps & {
  /** The signing secrets that count now; must not load anything because it was asked. */
  readonly secrets: () => Promise<readonly string[]>;
  /** Absent where no forms can be opened. */
  readonly openForm?: OpenForm;
  readonly botUserId?: string | undefined;
  readonly allowedBots: ReadonlySet<string>;
  readonly log: Readonly<Record<Level, Log>>;
};

/** The function that answers Slack: verify, parse, one flow, answer. Never rejects. */
export function slackFront(deps: SlackFrontDeps): (event: unknown) => Promise<HttpAnswer> {
  const listen = slackApp({
    ...deps,
    happen: (happening) => happen(happening, deps),
    called: async (parsed) => ((await deps.openForm?.(parsed)) ? 'opened' : called(parsed.invocation, deps)),
  });
  const receiver = new FrontReceiver({ ...deps, listen });
  return async (event) => {
    const request = readRequest(event);
    return request ? receiver.handle(request) : { statusCode: 413, body: '' };
  };
}

/** Slack's two words of one message come within a second of each other. */
const TAKEN_MS = 10_000;

/** How AWS is called, and how the signing secret is loaded now and then: over the network and by a timer unless told. */
type Ground = {
  readonly callerOf?: (options?: AwsCallOptions) => AwsCall;
  readonly schedule?: Schedule;
};

/** What the deployed front works with. Begins to load the signing secret at once. */
export function frontDeps(
  config: SlackFrontConfig,
  now: Clock = Date.now,
  ground: Ground = {},
): SlackFrontDeps {
  const { callerOf = (options) => awsCaller(config.aws, options), schedule = onTimer } = ground;
  const log = logger(config.logLevel, (line) => process.stdout.write(`${line}\n`), now);
  const aws = callerOf();
  const patient = callerOf({ deadlineMs: 2_000 });
  const signing = secret(config.signingSecretId, slackSigning, { aws: patient, now });
  const failed = (error: string): void => log.error('secret.missing', { error });
  const loaded = keepLoaded(signing, { schedule, failed });
  const { conversationsTable: table, days, botUserId, allowedBots } = config;
  const dynamo = dynamoLight(aws);
  const store = { dynamo, table, days, now };
  const inbox = new Inbox({ send: dynamoSend(aws), table, days, now });
  const choices = new SettingsStore(store);
  return {
    secrets: async () => {
      const held = await loaded();
      return held ? [held.current, held.previous ?? ''] : [];
    },
    turns: new Arrivals(store),
    taken: new Recent({ now, keptMs: TAKEN_MS, most: 1_000 }),
    marks: new Marks(store),
    queue: sqsQueue(config.taskQueueUrl, aws),
    showMessage: showMessageIn(config.taskQueueUrl, aws),
    voice: sqsQueue(config.voiceQueueUrl, aws),
    choices,
    openForm: slackForms(config, { aws, dynamo, choices, inbox, now }, log.warn),
    botUserId,
    allowedBots,
    now,
    log,
  };
}

import { randomBytes } from 'node:crypto';
import { type AwsCall, createAwsCall, createSqsQueue } from '../../../shared/aws/index.ts';
import { createReadLimit } from '../../../shared/integrations/index.ts';
import { everyMessageIsNew } from '../../../shared/intake/index.ts';
import {
  type readApiConfig,
  createProcessLog,
  systemTime,
  type Time,
} from '../../../shared/runtime/index.ts';
import {
  ApiRequests,
  fetchDynamo,
  Integrations,
  LiveAnswers,
  SettingsStore,
  TokenBuckets,
  TurnIntake,
} from '../../../shared/storage/index.ts';
import { noRecordingTracking } from '../../../shared/voice/index.ts';
import type { ApiFrontDeps } from './api-front.ts';

/** What an integration may send: 60 requests a minute, and 30 at once. */
const INTEGRATION_REQUEST_LIMIT = { intervalUs: 1e6, toleranceUs: 29e6 } as const;

/** What simulations replace. */
type Clients = {
  readonly aws?: AwsCall;
  readonly time?: Time;
  readonly randomBytes?: (count: number) => Uint8Array;
};

/** Builds what the API needs. It has no token of a platform, no key of the models, and reads no settings but those of its own questions. */
export function createApiFrontDeps(
  config: ReturnType<typeof readApiConfig>,
  clients: Clients = {},
): ApiFrontDeps {
  const { aws = createAwsCall(config.aws, { deadlineMs: 5_000 }), time = systemTime } = clients;
  const { now } = time;
  const dynamo = fetchDynamo(aws);
  const store = { dynamo, table: config.conversationsTable, days: config.historyDays, now };
  const buckets = new TokenBuckets(dynamo, config.tokensTable, now);
  const queue = createSqsQueue(config.taskQueueUrl, aws);
  return {
    integrations: new Integrations(store),
    requests: new ApiRequests(store),
    answers: new LiveAnswers(store),
    turns: new TurnIntake(store),
    settingsStore: new SettingsStore(store),
    queue,
    // An integration sends no recordings.
    transcriptionQueue: queue,
    recordings: noRecordingTracking,
    recentMessages: everyMessageIsNew,
    allowedBots: new Set(),
    takeRequest: async ({ platform, workspace }, integration) => {
      const key = `API#${platform}#${workspace}#${integration}`;
      const decision = await buckets.take(key, INTEGRATION_REQUEST_LIMIT, { maxWaitMs: 0 });
      return decision.granted ? undefined : decision.retryAfterMs;
    },
    takeRead: createReadLimit(now),
    randomBytes: clients.randomBytes ?? randomBytes,
    now,
    time,
    log: createProcessLog(config.logLevel, now).warn,
  };
}

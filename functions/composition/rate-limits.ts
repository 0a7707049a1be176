import type { WorkerContext } from '../../shared/worker/index.ts';
import { type EndpointFamily, type RateLimit, ENDPOINT_LIMITS } from '../../shared/rate-limits/index.ts';
import { type ModelsConfig, type Log, type Clock, systemTime } from '../../shared/runtime/index.ts';
import {
  Breakers,
  TokenBuckets,
  type Dynamo,
  KeyRateLimiter,
  RollingWindows,
} from '../../shared/storage/index.ts';
import type { UpstreamConfig } from '../../shared/upstream/index.ts';
import { createDynamo } from './dynamo.ts';
import type { Keys } from './models/api-keys.ts';
import { getErrorFacts } from '../../shared/utils/index.ts';

/** The table, clock and randomness of the limits. Default: those of the deployment. */
type InfraClients = {
  readonly dynamo?: Dynamo | undefined;
  readonly now?: Clock | undefined;
  readonly random?: (() => number) | undefined;
};

/**
 * The timeout of the tokens table. After it, requests are sent at a low rate without the table. There is one attempt, as a
 * repeated write would take two permits.
 */
const ONE_ATTEMPT = { maxAttempts: 1, attemptMs: 1_000 } as const;

/** How often other bots may ask in a channel: a burst of six, then every half hour. */
const BOT_QUESTION_LIMIT = { intervalUs: 1_800e6, toleranceUs: 5 * 1_800e6 } as const;

/** The limits of each family of endpoints (chat, speech, video, models), for all API keys. */
export function createLimits(config: ModelsConfig, keys: Keys, log: Log, clients: InfraClients = {}) {
  const { tokensTable: table, speechLimit, videoLimit } = config;
  const { dynamo = createDynamo(config, ONE_ATTEMPT), now = systemTime.now } = clients;
  const { random = Math.random } = clients;
  const buckets = new TokenBuckets(dynamo, table, now);
  const createLimiter = (
    family: EndpointFamily,
    limit: RateLimit = ENDPOINT_LIMITS[family],
  ): KeyRateLimiter =>
    new KeyRateLimiter({
      buckets,
      random,
      family,
      limit,
      keys: keys.names,
      now,
      onTableUnavailable: (granted, error) =>
        log('rate-limits.table-unavailable', { family, granted, ...getErrorFacts(error) }),
    });
  const permits = createLimiter('chat');
  const breakers = new Breakers({ dynamo, table, now, random });
  const takeBotQuestionPermit: WorkerContext['takeBotQuestionPermit'] = async ({
    platform,
    workspace,
    channel,
  }) =>
    (await buckets.take(`BOTS#${platform}#${workspace}#${channel}`, BOT_QUESTION_LIMIT, { maxWaitMs: 0 }))
      .granted;
  const takeSearchPermit = async ({ perMinute, burst }: RateLimit): Promise<boolean> => {
    const intervalUs = 60e6 / perMinute;
    const rule = { intervalUs, toleranceUs: (burst - 1) * intervalUs };
    return (await buckets.take('SEARCHES', rule, { maxWaitMs: 0 })).granted;
  };
  const windows = createWindows({ dynamo, table, now, random }, keys);
  return {
    permits,
    speechPermits: createLimiter('speech', speechLimit),
    videoPermits: createLimiter('video', videoLimit),
    models: createLimiter('models'),
    breakers,
    windows,
    takeBotQuestionPermit,
    /** Takes one of the searches of this deployment; false if there is none. */
    takeSearchPermit,
  };
}

type Windows = NonNullable<UpstreamConfig['windows']>;

/** The rolling windows of the vision service, for the key of that name, or for the first key. */
function createWindows(
  store: ConstructorParameters<typeof RollingWindows>[0],
  keys: Keys,
): (keyName?: string) => Windows {
  const windows = new RollingWindows(store);
  return (keyName) => ({
    take: async (endpoint, limit) =>
      windows.take(`KEY#${keyName ?? (await keys.names())[0]}#${endpoint}`, limit),
  });
}

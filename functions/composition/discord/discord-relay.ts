import { randomUUID } from 'node:crypto';
import {
  handleEvent,
  type HandleEventContext,
  acceptsUnaddressed,
  everyMessageIsNew,
} from '../../../shared/intake/index.ts';
import {
  Relay,
  type RelayDeps,
  restReads,
  type ShardStores,
} from '../../../shared/platforms/discord/gateway/index.ts';
import {
  type AwsCall,
  AwsError,
  createAwsCall,
  createShowMessage,
  discordBotSchema,
  createSqsQueue,
  createSecretReader,
  type Secret,
  InvalidSecretError,
} from '../../../shared/aws/index.ts';
import {
  type readRelayConfig,
  stackName,
  SECRET_PLACEHOLDER,
  createEmbeddedMetrics,
  createTrace,
  systemTime,
  type Trace,
  writeLine,
} from '../../../shared/runtime/index.ts';
import {
  fetchDynamo,
  GatewayCheckpoints,
  TokenBuckets,
  type Dynamo,
  TurnSignals,
  Recordings,
  SettingsStore,
  Turns,
  VersionedText,
} from '../../../shared/storage/index.ts';
import { getErrorFacts } from '../../../shared/utils/index.ts';
import { writeHeartbeat } from '../process/heartbeat-file.ts';

type Config = ReturnType<typeof readRelayConfig>;

const SECRET_RETRY_MS = 30_000;

/**
 * Our own limit of sessions: a burst of twenty, or two for each shard, then one every three minutes. It stays below Discord's
 * 1,000 a day.
 */
const SESSION_INTERVAL_US = 180e6;
const MIN_BURST = 20;
const sessionRule = (shards: number) => ({
  intervalUs: SESSION_INTERVAL_US,
  toleranceUs: (Math.max(MIN_BURST, 2 * shards) - 1) * SESSION_INTERVAL_US,
});
/** Errors of AWS about the request itself, which a retry would get again. */
const PERMANENT_ERROR_NAMES = new Set([
  'ValidationException',
  'InvalidMessageContents',
  'InvalidParameterValue',
]);
const { now, sleep } = systemTime;

/**
 * Reads the bot token. While the secret cannot be read or is not filled in, it calls `wait` with the error and reads again:
 * the deployment creates the secret, and its owner fills it in later.
 */
export async function waitForToken(
  bot: Pick<Secret<{ readonly botToken: string }>, 'refresh'>,
  wait: (error: unknown) => Promise<void>,
): Promise<string> {
  for (;;) {
    try {
      // Without the cache, which would keep a placeholder.
      const { botToken } = await bot.refresh();
      if (botToken !== SECRET_PLACEHOLDER) return botToken;
      throw new InvalidSecretError('The secret is still to be filled in');
    } catch (error) {
      await wait(error);
    }
  }
}

/**
 * Creates the relay of Discord's gateway. Waits until the secret of the bot is filled in.
 */
export async function createRelay(config: Config, log: RelayDeps['log']): Promise<Relay> {
  const aws = createAwsCall(config.aws, { deadlineMs: 5_000 });
  const bot = createSecretReader(config.discordBotSecretId, discordBotSchema, { aws, now });
  const token = await waitForToken(bot, (error) => {
    writeHeartbeat();
    log.error('secret.missing', getErrorFacts(error));
    return sleep(SECRET_RETRY_MS);
  });
  return new Relay(relayDeps(config, aws, token, log));
}

/** The dependencies of the relay. */
function relayDeps(config: Config, aws: AwsCall, token: string, log: RelayDeps['log']): RelayDeps {
  const metrics = createEmbeddedMetrics(stackName(config.stage), writeLine, now);
  const heartbeat = minutely(now, () => metrics('relay.heartbeat', { RelayHeartbeat: 1 }));
  const { tokensTable, discordApiUrl, discordGatewayUrl: gatewayUrl, discordMessages: profile } = config;
  const { discordRelayTasks: tasks } = config;
  const dynamo = fetchDynamo(aws);
  const taking = createIntake(config, aws, dynamo);
  const buckets = new TokenBuckets(dynamo, tokensTable, now);
  return {
    token,
    profile,
    gatewayUrl,
    reads: restReads(discordApiUrl, token),
    shardStores: (shard) => ({
      checkpointStore: createCheckpointStore(dynamo, tokensTable, `discord${shard && `#${shard}`}`),
      guildStore: createCheckpointStore(dynamo, tokensTable, `discord-guilds${shard && `#${shard}`}`),
    }),
    planStore: new VersionedText(dynamo, tokensTable, 'discord-shards'),
    member: tasks > 1 ? randomUUID() : undefined,
    sessionLimit: {
      take: (maxWaitMs, shards) => buckets.take('SESSIONS#discord', sessionRule(shards), { maxWaitMs }),
    },
    identifyLimit: tasks > 1 ? identifySlots(buckets) : undefined,
    onChatEvent: (chatEvent) => handleEvent(chatEvent, taking),
    mayConcern: (guild, channel) =>
      acceptsUnaddressed({ platform: 'discord', workspace: guild, channel }, taking.settingsStore),
    isPermanentError: (error) => !(error instanceof AwsError) || PERMANENT_ERROR_NAMES.has(error.code),
    now,
    sleep,
    random: Math.random,
    onAlive: () => {
      writeHeartbeat();
      heartbeat();
    },
    log,
  };
}

/** Events of the relay start a trace. */
const startTrace: Trace = () => createTrace(now());

/** Calls `act` at most once a minute. */
function minutely(clock: () => number, act: () => void): () => void {
  let last = -Infinity;
  return () => {
    if (clock() - last < 60_000) return;
    last = clock();
    act();
  };
}

function createCheckpointStore(dynamo: Dynamo, table: string, name: string): ShardStores['checkpointStore'] {
  const bookmarks = new GatewayCheckpoints(dynamo, table, name);
  return {
    load: () => bookmarks.load(),
    save: (text) => bookmarks.save(text),
    discard: () => bookmarks.discard(now()),
  };
}

/** Only one shard of each group may identify at a time. */
const identifySlots = (buckets: TokenBuckets): RelayDeps['identifyLimit'] => ({
  take: (key, apartMs, maxWaitMs) =>
    buckets.take(`IDENTIFY#discord#${key}`, { intervalUs: apartMs * 1_000, toleranceUs: 0 }, { maxWaitMs }),
});

function createIntake(config: Config, aws: AwsCall, dynamo: Dynamo) {
  const { conversationsTable: table, historyDays: days } = config;
  const store = { dynamo, table, days, now };
  return {
    turns: new Turns(store),
    signals: new TurnSignals(store),
    queue: createSqsQueue(config.taskQueueUrl, aws, startTrace),
    showMessage: createShowMessage(config.taskQueueUrl, aws),
    transcriptionQueue: createSqsQueue(config.voiceQueueUrl, aws, startTrace),
    settingsStore: new SettingsStore(store),
    recordings: new Recordings(store),
    recentMessages: everyMessageIsNew,
    // Its channels allow bots.
    allowedBots: new Set(),
    now,
  } satisfies HandleEventContext;
}

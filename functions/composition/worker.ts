import { type Settings, DEFAULTS } from '../../shared/ports/index.ts';
import type { ProcessContext, WorkerContext } from '../../shared/worker/index.ts';
import { formatModelFacts } from '../../shared/commands/index.ts';
import {
  type AwsCall,
  createAwsCall,
  createShowMessage,
  kmsEncryptor,
  sqsQueue,
} from '../../shared/aws/index.ts';
import {
  type PlatformsConfig,
  type sweeperConfig,
  type WorkerConfig,
  type Level,
  type Log,
  logger,
  embeddedMetrics,
  type Metrics,
  stackName,
  taskTrace,
  systemTime,
} from '../../shared/runtime/index.ts';
import {
  AnswerFiles,
  Facts,
  FormDrafts,
  Jobs,
  TurnSignals,
  createModelListWriter,
  Recordings,
  Ratings,
  Presets,
  Schedules,
  SettingsStore,
  Turns,
  type TurnsConfig,
} from '../../shared/storage/index.ts';
import { validateJson } from '../../shared/upstream/index.ts';
import { dynamoOf } from './dynamo.ts';
import { erasingOf } from './privacy.ts';
import { asListed, chatOf, modelsOf, upstreamOf } from './models/chat-model.ts';
import { limitsOf } from './rate-limits.ts';
import { allKeys } from './models/workspace-api-keys.ts';
import { priceBy, budgetsOf } from './billing.ts';
import { EXTENSIONS, type Extensions } from './extensions/extensions.ts';
import { createPlatformAdapters } from './platforms.ts';
import { toolSourcesOf } from './tools/tool-sources.ts';
import { integrationsOf } from './api/integrations.ts';
import { videosOf } from './video/video.ts';

type Stored = ReturnType<typeof sweeperConfig> | PlatformsConfig;

const { now } = systemTime;

/** The log of a function. It does not use `console`, as Lambda would wrap each JSON line in JSON again. */
export const logOf = ({ logLevel }: { readonly logLevel: Level }): Record<Level, Log> =>
  logger(logLevel, (line) => process.stdout.write(`${line}\n`), now, taskTrace);

/** The metrics of a function or process. */
export const metricsOf = ({ stage }: { readonly stage: string }): Metrics =>
  embeddedMetrics(stackName(stage), (line) => process.stdout.write(`${line}\n`), now, taskTrace);

/** Requests to AWS services other than DynamoDB. */
export const awsOf = ({ aws }: Stored): AwsCall => createAwsCall(aws, { deadlineMs: 5_000 });

const storeOf = (config: Stored): TurnsConfig => ({
  dynamo: dynamoOf(config),
  table: config.conversationsTable,
  days: config.historyDays,
  now,
});

export const turnsOf = (config: Stored): Turns => new Turns(storeOf(config));
export const jobsOf = (config: Stored): Jobs => new Jobs(storeOf(config));
export const settingsStoreOf = (config: Stored): SettingsStore => new SettingsStore(storeOf(config));
export const signalsOf = (config: Stored): TurnSignals => new TurnSignals(storeOf(config));

/** Builds the context of a worker. `own`: what differs between processes. `extensions`: what the deployment adds. */
export function workerContext(
  config: WorkerConfig,
  aws: AwsCall,
  own: Pick<WorkerContext, 'memory' | 'movesLarge' | 'pdf' | 'notePhases'>,
  extensions: Extensions = EXTENSIONS,
): ProcessContext {
  const { info, warn } = logOf(config);
  const dynamo = dynamoOf(config);
  const metrics = metricsOf(config);
  const platforms = createPlatformAdapters(config, { aws, dynamo, log: info, metrics }, extensions);
  const choices = settingsStoreOf(config);
  const { keys, ownKeys } = allKeys(config, { ...platforms, settingsStore: choices, aws, dynamo, log: warn });
  const limits = limitsOf(config, keys, warn);
  const upstream = upstreamOf(config, keys, limits, extensions);
  const keep = createModelListWriter(storeOf(config));
  const models = modelsOf(upstream, limits, config, (all) =>
    keep(all.map(asListed).map((one) => ({ id: one.id, about: formatModelFacts(one) }))),
  );
  const price = priceBy(models);
  const budgets = budgetsOf(config, dynamo, price);
  return {
    turns: turnsOf(config),
    signals: signalsOf(config),
    ...platforms,
    ownKeys,
    queue: sqsQueue(config.taskQueueUrl, aws, taskTrace),
    showMessage: createShowMessage(config.taskQueueUrl, aws),
    chat: chatOf(config, keys, limits, warn, upstream, models),
    price,
    budgets,
    videos: videosOf(config, { store: storeOf(config), keys, windows: limits.windows, log: info }),
    permits: limits.permits,
    videoPermits: limits.videoPermits,
    transcription: transcriptionOf(config, aws),
    breakers: limits.breakers,
    botMayAsk: limits.botMayAsk,
    ...own,
    ...erasingOf(config, aws),
    time: systemTime,
    settings: settingsOf(config),
    settingsStore: choices,
    facts: new Facts({ ...storeOf(config), createId }),
    presets: new Presets(storeOf(config)),
    drafts: new FormDrafts(storeOf(config)),
    ratings: new Ratings(storeOf(config)),
    schedules: new Schedules(storeOf(config)),
    ...toolSourcesOf(
      config,
      { ...platforms, aws, store: storeOf(config), budgets, maySearch: limits.maySearch, log: warn },
      extensions,
    ),
    integrations: integrationsOf(config, storeOf(config), kmsEncryptor(config.sealKeyId, aws)),
    answerFiles: new AnswerFiles(storeOf(config)),
    readAs: validateJson,
    metrics,
    log: info,
  };
}

const transcriptionOf = (config: WorkerConfig, aws: AwsCall): WorkerContext['transcription'] => ({
  queue: sqsQueue(config.voiceQueueUrl, aws, taskTrace),
  recordings: new Recordings(storeOf(config)),
});

/** The id of a fact: six hex digits. */
const createId = (): string => crypto.randomUUID().slice(0, 6);

const settingsOf = ({
  systemPrompt,
  otherModels,
  standInModels,
  followUpModel,
  reasoning,
  historyDays,
  timeZone,
  slackCommand,
}: WorkerConfig): Settings => ({
  ...DEFAULTS,
  systemPrompt,
  otherModels,
  reasoning,
  keptDays: historyDays,
  standIns: standInModels,
  followUpModel,
  zone: timeZone,
  slackCommand,
});

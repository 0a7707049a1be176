import { type Settings, DEFAULTS } from '../../shared/ports/index.ts';
import type { ProcessContext, WorkerContext } from '../../shared/worker/index.ts';
import { formatModelFacts } from '../../shared/commands/index.ts';
import {
  type AwsCall,
  createInvokingCall,
  createShowMessage,
  createKmsEncryptor,
  createSqsQueue,
} from '../../shared/aws/index.ts';
import {
  type PlatformsConfig,
  type readSweeperConfig,
  type WorkerConfig,
  type Level,
  type Log,
  createProcessLog,
  createEmbeddedMetrics,
  type Metrics,
  stackName,
  getTaskTrace,
  systemTime,
  writeLine,
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
import { getDynamo } from './dynamo.ts';
import { createPrivacyContext } from './privacy.ts';
import {
  toListedModel,
  createChatModel,
  createModelList,
  createUpstreamClient,
} from './models/chat-model.ts';
import { createLimits } from './rate-limits.ts';
import { createAllKeys } from './models/workspace-api-keys.ts';
import { createPricing, createBudgets } from './billing.ts';
import { EXTENSIONS, type Extensions } from './extensions/extensions.ts';
import { createPlatformAdapters } from './platforms.ts';
import { createToolSources } from './tools/tool-sources.ts';
import { createIntegrations } from './api/integrations.ts';
import { createVideos } from './video/video.ts';

type Stored = ReturnType<typeof readSweeperConfig> | PlatformsConfig;

const { now } = systemTime;

/** The log of a worker or another function that works on tasks: each line names the trace of its task. */
export const createLog = ({ logLevel }: { readonly logLevel: Level }): Record<Level, Log> =>
  createProcessLog(logLevel, now, getTaskTrace);

/** The metrics of a function or process. */
export const createMetrics = ({ stage }: { readonly stage: string }): Metrics =>
  createEmbeddedMetrics(stackName(stage), writeLine, now, getTaskTrace);

/** Requests to AWS services other than DynamoDB. */
export const createAwsClient = ({ aws }: Stored): AwsCall => createInvokingCall(aws, { deadlineMs: 5_000 });

const getStoreConfig = (config: Stored): TurnsConfig => ({
  dynamo: getDynamo(config),
  table: config.conversationsTable,
  days: config.historyDays,
  now,
});

export const createTurns = (config: Stored): Turns => new Turns(getStoreConfig(config));
export const createJobs = (config: Stored): Jobs => new Jobs(getStoreConfig(config));
export const createSettingsStore = (config: Stored): SettingsStore =>
  new SettingsStore(getStoreConfig(config));
export const createTurnSignals = (config: Stored): TurnSignals => new TurnSignals(getStoreConfig(config));

/** Builds the context of a worker. `own`: what differs between processes. `extensions`: what the deployment adds. */
export function createWorkerContext(
  config: WorkerConfig,
  aws: AwsCall,
  own: Pick<WorkerContext, 'memory' | 'movesLarge' | 'pdf' | 'notePhases'>,
  extensions: Extensions = EXTENSIONS,
): ProcessContext {
  const { info, warn } = createLog(config);
  const dynamo = getDynamo(config);
  const store = getStoreConfig(config);
  const metrics = createMetrics(config);
  const platforms = createPlatformAdapters(config, { aws, dynamo, log: info, metrics }, extensions);
  const settingsStore = createSettingsStore(config);
  const { keys, ownKeys } = createAllKeys(config, { ...platforms, settingsStore, aws, dynamo, log: warn });
  const limits = createLimits(config, keys, warn);
  const upstream = createUpstreamClient(config, keys, limits, extensions);
  const keep = createModelListWriter(store);
  const models = createModelList(upstream, limits, config, (all) =>
    keep(all.map(toListedModel).map((one) => ({ id: one.id, about: formatModelFacts(one) }))),
  );
  const price = createPricing(models);
  const budgets = createBudgets(config, dynamo, price, systemTime, warn);
  return {
    turns: new Turns(store),
    signals: new TurnSignals(store),
    ...platforms,
    ownKeys,
    queue: createSqsQueue(config.taskQueueUrl, aws, getTaskTrace),
    showMessage: createShowMessage(config.taskQueueUrl, aws),
    chat: createChatModel(config, keys, limits, warn, upstream, models),
    price,
    budgets,
    videos: createVideos(config, { store, keys, windows: limits.windows, log: info }),
    permits: limits.permits,
    videoPermits: limits.videoPermits,
    transcription: createTranscription(config, aws),
    breakers: limits.breakers,
    takeBotQuestionPermit: limits.takeBotQuestionPermit,
    ...own,
    ...createPrivacyContext(config, aws),
    time: systemTime,
    settings: pickSettings(config),
    settingsStore,
    facts: new Facts({ ...store, createId }),
    presets: new Presets(store),
    drafts: new FormDrafts(store),
    ratings: new Ratings(store),
    schedules: new Schedules(store),
    ...createToolSources(
      config,
      { ...platforms, aws, store, budgets, takeSearchPermit: limits.takeSearchPermit, log: warn },
      extensions,
    ),
    integrations: createIntegrations(config, store, createKmsEncryptor(config.sealKeyId, aws)),
    answerFiles: new AnswerFiles(store),
    readAs: validateJson,
    metrics,
    log: info,
  };
}

const createTranscription = (config: WorkerConfig, aws: AwsCall): WorkerContext['transcription'] => ({
  queue: createSqsQueue(config.voiceQueueUrl, aws, getTaskTrace),
  recordings: new Recordings(getStoreConfig(config)),
});

/** The id of a fact: six hex digits. */
const createId = (): string => crypto.randomUUID().slice(0, 6);

const pickSettings = ({
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

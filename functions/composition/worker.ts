import { type Chat, type ListedModel, type Settings, DEFAULTS } from '../../shared/ports/index.ts';
import type { ProcessContext, WorkerContext } from '../../shared/worker/index.ts';
import { formatModelFacts } from '../../shared/commands/index.ts';
import type { Platform } from '../../shared/platforms/ports/index.ts';
import { type AwsCall, createAwsCall, createShowMessage, sqsQueue } from '../../shared/aws/index.ts';
import {
  type PlatformsConfig,
  type ModelsConfig,
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
  FormDrafts,
  ErasureMoments,
  Jobs,
  TurnSignals,
  createModelListWriter,
  Recordings,
  Ratings,
  Presets,
  SettingsStore,
  ToolLog,
  Turns,
  type TurnsConfig,
} from '../../shared/storage/index.ts';
import {
  validateJson,
  calculateCost,
  createUpstream,
  formatDollars,
  type Model,
  type Upstream,
} from '../../shared/upstream/index.ts';
import { dynamoOf } from './dynamo.ts';
import { erasingOf } from './privacy.ts';
import { byAnotherKey, type Keys } from './api-keys.ts';
import { limitsOf } from './rate-limits.ts';
import { allKeys } from './workspace-api-keys.ts';
import { priceBy, budgetsOf } from './billing.ts';
import { EXTENSIONS, type Extensions } from './extensions/extensions.ts';
import { createPlatformAdapters } from './platforms.ts';
import { suggestBy } from './follow-up-model.ts';
import { videosOf } from './video/video.ts';
import { visionChatOf, withModel } from './video/vision-chat.ts';

type Config = PlatformsConfig;
type Stored = ReturnType<typeof sweeperConfig> | Config;

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
export const choicesOf = (config: Stored): SettingsStore => new SettingsStore(storeOf(config));
export const signalsOf = (config: Stored): TurnSignals => new TurnSignals(storeOf(config));

export const platformOf = (config: Config, aws: AwsCall, log: Log): Platform =>
  createPlatformAdapters(config, { aws, dynamo: dynamoOf(config), log }).platform;

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
  const choices = choicesOf(config);
  const { keys, ownKeys } = allKeys(config, { ...platforms, settingsStore: choices, aws, dynamo, log: warn });
  const limits = limitsOf(config, keys, warn);
  const upstream = upstreamOf(config, keys, limits, extensions);
  const keep = createModelListWriter(storeOf(config));
  const models = modelsOf(upstream, limits, config, (all) =>
    keep(all.map(asListed).map((one) => ({ id: one.id, about: formatModelFacts(one) }))),
  );
  const price = priceBy(models);
  return {
    turns: turnsOf(config),
    signals: signalsOf(config),
    ...platforms,
    ownKeys,
    queue: sqsQueue(config.taskQueueUrl, aws, taskTrace),
    showMessage: createShowMessage(config.taskQueueUrl, aws),
    chat: chatOf(config, keys, limits, warn, upstream, models),
    price,
    budgets: budgetsOf(config, dynamo, price),
    videos: videosOf(config, { store: storeOf(config), keys, windows: limits.windows, log: info }),
    permits: limits.permits,
    videoPermits: limits.videoPermits,
    transcription: {
      queue: sqsQueue(config.voiceQueueUrl, aws, taskTrace),
      recordings: new Recordings(storeOf(config)),
    },
    breakers: limits.breakers,
    botMayAsk: limits.botMayAsk,
    ...own,
    ...erasingOf(config, aws),
    time: systemTime,
    settings: settingsOf(config),
    settingsStore: choices,
    presets: new Presets(storeOf(config)),
    drafts: new FormDrafts(storeOf(config)),
    ratings: new Ratings(storeOf(config)),
    erasureMoments: new ErasureMoments(storeOf(config)),
    toolSources: extensions.toolSources,
    toolLog: new ToolLog(storeOf(config)),
    readAs: validateJson,
    metrics,
    log: info,
  };
}

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

type Limits = ReturnType<typeof limitsOf>;

export const upstreamOf = (
  config: ModelsConfig,
  keys: Keys,
  limits: Limits,
  { adaptBody }: Pick<Extensions, 'adaptBody'> = EXTENSIONS,
): Upstream =>
  createUpstream({
    baseUrl: config.upstreamBaseUrl,
    visionUrl: config.upstreamVisionUrl,
    shape: config.upstreamShape,
    apiKey: (ask) => keys.value(undefined, ask?.refresh ?? false),
    time: systemTime,
    random: Math.random,
    windows: limits.windows(),
    visionChat: visionChatOf(config),
    adaptBody,
  });

/** The models list, fetched every ten minutes. Empty if the request fails. */
export function modelsOf(
  upstream: Upstream,
  { models }: Limits,
  config: ModelsConfig,
  reportModels?: (models: readonly Model[]) => Promise<void>,
) {
  let last: readonly Model[] = [];
  const chat = visionChatOf(config);
  return async (): Promise<readonly Model[]> => {
    const list = upstream.models.list({
      deadline: now() + LIST_MS,
      beforeAttempt: async () => {
        const permit = await models.take({ maxWaitMs: 0, priority: 'person' });
        if (permit.kind !== 'granted') throw new Error('no permit for the list of models');
      },
    });
    const listed = await list.then((one) => one.models).catch(() => []);
    const current = withModel(listed, chat?.model);
    if (current === last) return current;
    last = current;
    // Suggestions while people type may be outdated. If storing the list fails, the next one is stored again.
    await reportModels?.(current).catch(() => {
      last = [];
    });
    return current;
  };
}

/** Requests to the models, with the key of the permit. */
export function chatOf(
  config: ModelsConfig,
  keys: Keys,
  limits: Limits,
  log: Log,
  upstream = upstreamOf(config, keys, limits),
  list = modelsOf(upstream, limits, config),
): Chat {
  const usual = config.upstreamModel;
  // Without a list, nothing is known of any model, and requests are sent as they are.
  const lookUpModel = async (id: string) => (await list()).find((model) => model.id === id);
  return {
    model: usual,
    suggestQuestions: suggestBy(upstream, keys.value, lookUpModel),
    async *stream(
      messages,
      {
        model = usual,
        tools,
        toolChoice,
        maxTokens,
        sampling,
        versions: n,
        format,
        permit,
        standIns: fallbackModels,
        ...options
      },
    ) {
      const responseFormat = format && ({ type: 'json_schema', ...format, strict: true } as const);
      // A stop word or a bias would break the JSON.
      const plain = { n, ...(format && { stop: undefined, logitBias: undefined }) };
      const body = { ...sampling, ...plain, model, messages, tools, toolChoice, maxTokens, responseFormat };
      yield* byAnotherKey(
        () =>
          upstream.chat.stream(body, {
            ...options,
            fallbackModels,
            lookUpModel,
            apiKey: (ask) => keys.value(permit?.()?.key, ask?.refresh ?? false),
          }),
        { keys, permit: () => permit?.()?.key, log },
      );
    },
    modelFacts: async (id = usual) => {
      const models = await list(); // Empty where the server has no list: the properties are then unknown.
      const { features, inputModalities, contextLength, ready } = models.find((one) => one.id === id) ?? {};
      return {
        tools: features?.includes('tools'),
        images: inputModalities?.includes('image'),
        audio: inputModalities?.includes('audio'),
        video: inputModalities?.includes('video'),
        context: contextLength,
        ready,
        modelsWithImages: models.filter((one) => one.inputModalities?.includes('image')).map((one) => one.id),
      };
    },
    listModels: async () => (await list()).map(asListed),
  };
}

/** The properties by which people choose a model. */
const SHOWN_CAPABILITIES = new Set(['tools', 'reasoning']);

function asListed({
  id,
  contextLength,
  inputModalities = [],
  features = [],
  ready,
  pricing,
  retirement,
}: Model): ListedModel {
  return {
    id,
    context: contextLength,
    inputModalities,
    capabilities: features.filter((feature) => SHOWN_CAPABILITIES.has(feature)),
    ready,
    retirement,
    pricePerThousand: (usage) => {
      const { atto, unpriced: unknown } = calculateCost(usage, pricing);
      return unknown.some((part) => part !== 'request') ? undefined : Number(formatDollars(atto * 1_000n));
    },
  };
}

/** How long an answer waits for the models list. */
const LIST_MS = 3_000;

import type { Chat, ListedModel, ModelFacts } from '../../../shared/ports/index.ts';
import { type Log, type ModelsConfig, systemTime, type Time } from '../../../shared/runtime/index.ts';
import {
  calculateCost,
  createUpstream,
  toDecimalDollars,
  type Model,
  type Upstream,
} from '../../../shared/upstream/index.ts';
import { EXTENSIONS, type Extensions } from '../extensions/extensions.ts';
import type { createLimits } from '../rate-limits.ts';
import { getVisionChat, withModel } from './vision-chat.ts';
import { withOtherKeys, type Keys } from './api-keys.ts';
import { createSuggestQuestions } from './follow-up-model.ts';
import { getSchemaFields, withArgumentsAsText } from './schema-fields.ts';

const { now } = systemTime;

type Limits = ReturnType<typeof createLimits>;

/** With a token every 20 ms, an answer takes a fifth less processor time than if each is read alone. The platforms get words less often. */
const READ_INTERVAL_MS = 100;

export const createUpstreamClient = (
  config: ModelsConfig,
  keys: Keys,
  limits: Limits,
  { adaptBody }: Pick<Extensions, 'adaptBody'> = EXTENSIONS,
  time: Time = systemTime,
): Upstream =>
  createUpstream({
    baseUrl: config.upstreamBaseUrl,
    visionUrl: config.upstreamVisionUrl,
    shape: config.upstreamShape,
    timeouts: { firstToken: config.firstTokenSeconds * 1_000 },
    apiKey: (ask) => keys.value(undefined, ask?.refresh ?? false),
    time,
    random: Math.random,
    readIntervalMs: READ_INTERVAL_MS,
    windows: limits.windows(),
    visionChat: getVisionChat(config),
    adaptBody,
  });

/** For so long after a failure, calls hardly wait for the list: an answer reads it several times. */
const SHORT_WAITS_MS = 10_000;
/** Enough for a list that has arrived since. */
const SHORT_WAIT_MS = 50;

/** The models list, fetched every ten minutes. While it cannot be fetched, the last one is used. Empty if it was never fetched. */
export function createModelList(
  upstream: { readonly models: Pick<Upstream['models'], 'list'> },
  { models }: { readonly models: Pick<Limits['models'], 'take'> },
  config: Parameters<typeof getVisionChat>[0],
  reportModels?: (models: readonly Model[]) => Promise<void>,
  clock = now,
) {
  let lastListed: readonly Model[] | undefined;
  let last: readonly Model[] = [];
  let failedAtMs = -Infinity;
  const chat = getVisionChat(config);
  const fetchList = (waitMs: number) =>
    upstream.models.list({
      deadline: clock() + waitMs,
      beforeAttempt: async () => {
        const permit = await models.take({ maxWaitMs: 0, priority: 'person' });
        if (permit.kind !== 'granted') throw new Error('no permit for the list of models');
      },
    });
  return async (): Promise<readonly Model[]> => {
    // A clock that is corrected may step back.
    const hasJustFailed = Math.abs(clock() - failedAtMs) < SHORT_WAITS_MS;
    const listed = await fetchList(hasJustFailed ? SHORT_WAIT_MS : LIST_MS).then(
      (list) => list.models,
      () => undefined,
    );
    if (listed === undefined && !hasJustFailed) failedAtMs = clock();
    if (listed === undefined || listed === lastListed) return last;
    lastListed = listed;
    last = withModel(listed, chat?.model);
    // Suggestions while people type may be outdated. If storing the list fails, it is stored again.
    await reportModels?.(last).catch(() => {
      lastListed = undefined;
    });
    return last;
  };
}

/** Requests to the models, with the key of the permit. */
export function createChatModel(
  config: ModelsConfig,
  keys: Keys,
  limits: Limits,
  log: Log,
  upstream = createUpstreamClient(config, keys, limits),
  list = createModelList(upstream, limits, config),
): Chat {
  const usual = config.upstreamModel;
  // Without a list, nothing is known of any model, and requests are sent as they are.
  const lookUpModel = async (id: string) => (await list()).find((model) => model.id === id);
  return {
    model: usual,
    suggestQuestions: createSuggestQuestions(upstream, keys.value, lookUpModel),
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
        standIns,
        ...options
      },
    ) {
      const knownModel = format && model !== undefined ? await lookUpModel(model) : undefined;
      const body = {
        ...sampling,
        n,
        model,
        messages,
        tools,
        toolChoice,
        maxTokens,
        ...(format && getSchemaFields(format, knownModel, config.upstreamShape)),
      };
      const events = withOtherKeys(
        () =>
          upstream.chat.stream(body, {
            ...options,
            standIns,
            lookUpModel,
            apiKey: (ask) => keys.value(permit?.()?.key, ask?.refresh ?? false),
          }),
        { keys, keyName: () => permit?.()?.key, service: 'chat', log },
      );
      for await (const event of events) yield format ? withArgumentsAsText(event) : event;
    },
    modelFacts: async (id = usual) => getFacts(await list(), id),
    listModels: async () => (await list()).map(toListedModel),
  };
}

/** Facts about a model. The list is empty where the server has none: they are then unknown. */
function getFacts(models: readonly Model[], id: string | undefined): ModelFacts {
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
}

/** The properties by which people choose a model. */
const SHOWN_CAPABILITIES = new Set(['tools', 'reasoning']);

export function toListedModel({
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
      return unknown.some((part) => part !== 'request') ? undefined : Number(toDecimalDollars(atto * 1_000n));
    },
  };
}

/** How long an answer waits for the models list. */
const LIST_MS = 3_000;

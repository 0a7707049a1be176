import { createKnowledgeTools } from '../../shared/knowledge/index.ts';
import { createMessageSearchTools } from '../../shared/search/index.ts';
import { createApiFront, createApiFrontDeps } from '../../functions/composition/api/index.ts';
import { createIntegrations } from '../../functions/composition/api/integrations.ts';
import type { StreamedResponse } from '../../functions/composition/api/stream-response.ts';
import { createToolServers } from '../../functions/composition/tools/tool-client.ts';
import { createToolSignIn } from '../../functions/composition/tools/tool-sign-in.ts';
import { ByteBudget } from '../../shared/runtime/byte-budget.ts';
import { noPdfReader } from '../../shared/documents/index.ts';
import { noPhases } from '../../shared/aws/xray-segments.ts';
import { noBreakers, DEFAULTS, type Settings, type ToolSource } from '../../shared/ports/index.ts';
import type { Budgets } from '../../shared/billing/index.ts';
import type { ProcessContext } from '../../shared/worker/index.ts';
import type { VoiceContext } from '../../shared/voice/index.ts';
import { BARE } from '../fakes/bare-context.ts';
import { EMPTY_QUEUE } from '../fakes/empty-queue.ts';
import {
  createDiscordFront,
  createDiscordFrontDeps,
} from '../../functions/composition/discord/discord-front.ts';
import { createDiscordEventHandler } from '../../functions/composition/discord/webhook-events.ts';
import { createSlackFrontDeps, createSlackFront } from '../../functions/composition/slack/slack-front.ts';
import { createSlackInstall } from '../../functions/composition/slack/slack-install.ts';
import { createLimits } from '../../functions/composition/rate-limits.ts';
import { createAllKeys } from '../../functions/composition/models/workspace-api-keys.ts';
import { createErasureLookup, createPlatformAdapters } from '../../functions/composition/platforms.ts';
import { createInstalls } from '../../functions/composition/slack/adapter.ts';
import { createPricing, createBudgets } from '../../functions/composition/billing.ts';
import { createTranscriptionClient } from '../../functions/composition/video/transcriber.ts';
import { createChatModel } from '../../functions/composition/models/chat-model.ts';
import type { createRestCall } from '../../shared/platforms/discord/index.ts';
import type { createWebCall, SlackMessengerDeps } from '../../shared/platforms/slack/index.ts';
import type { AwsCall } from '../../shared/aws/aws-request.ts';
import { createKmsEncryptor } from '../../shared/aws/kms-encryption.ts';
import type { readWorkerConfig } from '../../shared/runtime/config/config.ts';
import { readDiscordFrontConfig, readSlackFrontConfig } from '../../shared/runtime/config/front-config.ts';
import type { HttpResponse } from '../../shared/runtime/http.ts';
import type { Time } from '../../shared/runtime/time.ts';
import type { Queue } from '../../shared/aws/sqs-queue.ts';
import { createSecretReader, slackOAuthSchema } from '../../shared/aws/secrets.ts';
import type { TableScan } from '../../shared/storage/dynamodb/dynamo.ts';
import {
  Collections,
  type Dynamo,
  Erasure,
  ExportLimit,
  Exports,
  TurnSignals,
  Recordings,
  ScanLease,
  RetentionRun,
  Schedules,
  AnswerFiles,
  ToolCredentials,
  ToolLog,
  Turns,
} from '../../shared/storage/index.ts';
import { enqueueScheduledRun } from '../../shared/schedules/index.ts';
import { enqueueDocumentErasure } from '../../shared/privacy/index.ts';
import type { Upstream } from '../../shared/upstream/index.ts';
import { settingsStoresIn } from '../fakes/settings-stores.ts';
import { DECODER, speechFile } from './speech.ts';
import { API_CONFIG, configOf, countBytes, ENV } from './environment.ts';
import { gatewayOf } from './gateway.ts';
import { callbackFront, type VideoService } from './video-service.ts';

/** The infrastructure clients, all in memory and compared with the model. */
export type InfraClients = {
  readonly time: Time;
  readonly random: () => number;
  /** Tables, queues, keys and secrets as the fronts reach them. */
  readonly cloud: (tables: Dynamo) => AwsCall;
  readonly dynamo: Dynamo;
  readonly scan: TableScan;
  readonly queues: { readonly tasks: Queue; readonly voice: Queue };
  readonly webCall: typeof createWebCall;
  readonly sendBytes: NonNullable<SlackMessengerDeps['sendBytes']>;
  readonly restCall: typeof createRestCall;
  readonly upstream: Upstream;
  /** The video service; absent where videos are disabled. */
  readonly videos?: VideoService | undefined;
  /** The sources of tools beside the servers of workspaces. */
  readonly toolSources?: ((budgets: Budgets) => readonly ToolSource[]) | undefined;
  /** Settings that differ from the configuration. */
  readonly settings?: Partial<Settings> | undefined;
  /** The address of the API; absent where channels have no webhooks. */
  readonly apiUrl?: string | undefined;
  readonly publicKey: string;
  readonly applicationId: string;
  readonly unique: () => string;
  /** Instead of random bytes, where several processes must not have the same. */
  readonly randomBytes?: ((count: number) => Uint8Array) | undefined;
};

/** The entry points of the deployment and the worker context, composed as the functions compose them. */
export type System = {
  readonly slack: (event: unknown) => Promise<HttpResponse>;
  readonly discord: (event: unknown) => Promise<HttpResponse>;
  readonly discordEvents: (event: unknown) => Promise<HttpResponse>;
  readonly install: (event: unknown) => Promise<HttpResponse>;
  readonly gateway: (t: string, d: unknown) => Promise<void>;
  /** The endpoint for callbacks of the video service. */
  readonly callback: (event: unknown) => Promise<HttpResponse>;
  /** The return of a person from the page of an MCP server. */
  readonly toolSignIn: (event: unknown) => Promise<HttpResponse>;
  /** `POST /v1/ask`, `GET /v1/ask/{id}`. */
  readonly api: (event: unknown) => Promise<StreamedResponse>;
  /** Enqueues what schedules have due, as the sweeper does. */
  readonly enqueueDueRuns: () => Promise<void>;
  readonly context: WorkDeps;
};

/** The contexts of the workers for questions and for recordings. */
export type WorkDeps = ProcessContext & { readonly recordings: Recordings; readonly voice: VoiceContext };

const quiet = (): void => undefined;
const LOG = { debug: quiet, info: quiet, warn: quiet, error: quiet };

export function systemOn(clients: InfraClients): System {
  const ground = { ...clients, aws: clients.cloud(clients.dynamo) };
  const { time, aws, queues, publicKey } = ground;
  const { now } = time;
  const config = configOf(ground.applicationId);
  const app = createSecretReader(config.slackOAuthSecretId, slackOAuthSchema, { aws, now });
  const installs = createInstalls(config, ground);
  const store = { dynamo: ground.dynamo, table: ENV.CONVERSATIONS_TABLE, days: config.historyDays, now };
  const slackOf = () =>
    createSlackFront({
      ...createSlackFrontDeps(readSlackFrontConfig(ENV), now, { callerOf: () => aws, schedule: quiet }),
      log: LOG,
    });
  const discordOf = () =>
    createDiscordFront({
      ...createDiscordFrontDeps(
        { ...readDiscordFrontConfig({ ...ENV, DISCORD_PUBLIC_KEY: publicKey }) },
        now,
        aws,
      ),
      log: LOG,
    });
  const [slack, discord] = [once(slackOf), once(discordOf)];
  const context = once(() => workerOf(config, ground));
  const discordEvents = once(() =>
    createDiscordEventHandler({ publicKey, queue: queues.tasks, now, log: LOG }),
  );
  const install = once(() =>
    createSlackInstall({ app, slackApiUrl: config.slackApiUrl, installs, now, log: quiet }),
  );
  const gateway = once(() => gatewayOf(ground, ENV.CONVERSATIONS_TABLE));
  const signIn = once(() => {
    const credentials = new ToolCredentials({
      ...store,
      encryptor: createKmsEncryptor(config.sealKeyId, aws),
    });
    return createToolSignIn({ credentials, queue: queues.tasks, log: quiet });
  });
  const { randomBytes = countBytes() } = ground;
  const api = once(() => createApiFront(createApiFrontDeps(API_CONFIG, { aws, time, randomBytes })));
  return {
    slack: (event) => slack()(event),
    discord: (event) => discord()(event),
    discordEvents: (event) => discordEvents()(event),
    install: (event) => install()(event),
    gateway: (t, d) => gateway()(t, d),
    callback: callbackFront(store, queues.tasks),
    toolSignIn: (event) => signIn()(event),
    api: (event) => api()(event),
    enqueueDueRuns: async () => {
      for (const due of await new Schedules(store).listDue(200)) await enqueueScheduledRun(due, queues.tasks);
    },
    get context() {
      return context();
    },
  };
}

/** Builds a value at its first use: a simulated process has one entry point, rarely two. */
function once<T>(build: () => T): () => T {
  let built: { readonly value: T } | undefined;
  return () => (built ??= { value: build() }).value;
}

function workerOf(
  config: ReturnType<typeof readWorkerConfig>,
  ground: InfraClients & { readonly aws: AwsCall },
): WorkDeps {
  const { time, aws, dynamo, queues, upstream } = ground;
  const { now } = time;
  const store = { dynamo, table: config.conversationsTable, days: config.historyDays, now };
  const { tokensTable: _, ...speaking } = config;
  const sides = createPlatformAdapters(speaking, { ...ground, log: quiet });
  const stores = settingsStoresIn(store);
  const { keys, ownKeys } = createAllKeys(config, { ...sides, ...stores, aws, dynamo, log: quiet, now });
  const limits = createLimits(config, keys, quiet, { dynamo, now, random: ground.random });
  const models = async () => (await upstream.models.list()).models;
  const price = createPricing(models);
  const voice = { queue: queues.voice, recordings: new Recordings(store) };
  const erasing = { ...store, scan: ground.scan, isIndexComplete: () => Promise.resolve(true) };
  const shared = {
    ...sides,
    ...stores,
    signals: new TurnSignals(store),
    time,
    settings: { ...settingsOf(config), ...ground.settings },
    log: quiet,
  };
  const chat = createChatModel(config, keys, limits, quiet, upstream, models);
  const budgets = createBudgets(config, dynamo, price, time);
  const collections = new Collections({
    ...store,
    sleep: () => Promise.resolve(),
    enqueueSecondRemoval: (place, id) => enqueueDocumentErasure(place, id, { queue: queues.tasks, now }),
  });
  return {
    ...shared,
    turns: new Turns(store),
    recordings: voice.recordings,
    transcription: voice,
    videos: ground.videos?.videos(store, keys) ?? BARE.videos,
    voice: {
      ...shared,
      ...voice,
      erased: createErasureLookup(store),
      media: DECODER,
      transcriptionClient: createTranscriptionClient(upstream, keys, quiet),
      createVoiceFile: speechFile,
      speechPermits: limits.speechPermits,
      chat,
      permits: limits.permits,
      breakers: noBreakers,
      metrics: () => undefined,
      budgets,
      queue: queues.tasks,
      recordingsQueue: queues.voice,
    },
    ownKeys,
    toolSources: [
      createKnowledgeTools({ collections }),
      createMessageSearchTools({ platform: sides.platform, log: quiet }),
      ...(ground.toolSources?.(budgets) ?? []),
    ],
    collections,
    toolServers: createToolServers(config, aws, dynamo, now),
    integrations: {
      ...createIntegrations(ground, store, createKmsEncryptor(config.sealKeyId, aws)),
      randomBytes: ground.randomBytes ?? countBytes(),
    },
    toolLog: new ToolLog(store),
    answerFiles: new AnswerFiles(store),
    queue: queues.tasks,
    showMessage: EMPTY_QUEUE,
    chat,
    price,
    budgets,
    permits: limits.permits,
    videoPermits: limits.videoPermits,
    breakers: limits.breakers,
    takeBotQuestionPermit: limits.takeBotQuestionPermit,
    erasure: new Erasure(erasing),
    shortening: new RetentionRun(erasing),
    exporter: new Exports(erasing),
    exportLimit: new ExportLimit(erasing),
    scanLease: new ScanLease(store),
    installs: createInstalls(config, ground),
    metrics: () => undefined,
    notePhases: noPhases,
    memory: new ByteBudget(Infinity),
    movesLarge: false,
    pdf: noPdfReader,
  };
}

/** The maximum answer length of the deployment, locked for all workspaces. */
export const MAX_TOKENS = 512;
export const SETTINGS: Partial<Settings> = {
  layers: {
    deployment: { values: { maxTokens: MAX_TOKENS }, locks: { maxTokens: { reason: 'by the deployment' } } },
  },
  // So small that most of a thread is found only by the search tool.
  window: { bytes: 600, tokens: 60 },
};

const settingsOf = (config: ReturnType<typeof readWorkerConfig>): Settings => ({
  ...DEFAULTS,
  systemPrompt: config.systemPrompt,
  otherModels: config.otherModels,
  followUpModel: config.followUpModel,
  keptDays: config.historyDays,
  slackCommand: config.slackCommand,
});

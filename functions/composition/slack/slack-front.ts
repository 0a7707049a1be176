import { noRecordingTracking } from '../../../shared/voice/index.ts';
import { enqueueInteraction, handleEvent, type HandleEventContext } from '../../../shared/intake/index.ts';
import { createSlackApp, type FindBot } from '../../../shared/platforms/slack/front.ts';
import type { WorkspaceId } from '../../../shared/domain/index.ts';
import {
  type AwsCall,
  createAwsCall,
  createKmsEncryptor,
  type AwsCallOptions,
  createShowMessage,
  createSqsQueue,
  refreshRegularly,
  onTimer,
  type Schedule,
  createSecretReader,
  listSigningSecrets,
  slackSigningSchema,
} from '../../../shared/aws/index.ts';
import {
  createCallRecorder,
  type SlackFrontConfig,
  type HttpResponse,
  parseRequest,
  type Level,
  type Log,
  createProcessLog,
  type Clock,
} from '../../../shared/runtime/index.ts';
import {
  TurnIntake,
  createDynamoSend,
  fetchDynamo,
  FrontStore,
  Installs,
  TurnSignals,
  SettingsStore,
} from '../../../shared/storage/index.ts';
import { getErrorFacts, TtlCache } from '../../../shared/utils/index.ts';
import { type OpenForm, createSlackForms } from './slack-forms.ts';

export type SlackFrontDeps = HandleEventContext & {
  /** The signing secrets that are valid now. Must not load them on demand. */
  readonly secrets: () => Promise<readonly string[]>;
  /** Absent where no modals can be opened. */
  readonly openForm?: OpenForm;
  readonly findBot?: FindBot;
  readonly botUserId?: string | undefined;
  readonly allowedBots: ReadonlySet<string>;
  /** Logs the requests to Slack that a request caused: those that open modals. */
  readonly recordCalls?: ReturnType<typeof createCallRecorder>;
  readonly log: Readonly<Record<Level, Log>>;
};

/** The handler of the Slack front: it verifies, records and enqueues, and then responds. Never rejects. */
export function createSlackFront(deps: SlackFrontDeps): (event: unknown) => Promise<HttpResponse> {
  const receiver = createSlackApp({
    ...deps,
    handleChatEvent: (chatEvent) => handleEvent(chatEvent, deps),
    handleInteraction: async (parsed) =>
      (await deps.openForm?.(parsed)) ? 'opened' : enqueueInteraction(parsed.interaction, deps),
  });
  const record = deps.recordCalls ?? ((run) => run());
  return async (event) => {
    const request = parseRequest(event);
    return request ? record(() => receiver.handle(request)) : { statusCode: 413, body: '' };
  };
}

/** Slack sends a mention as two events within a second. */
const RECENT_MESSAGES_TTL_MS = 10_000;
/** In channels of several companies, each message of others needs it. Short, so that a company that has just installed the app is heard. */
const BOTS_TTL_MS = 5_000;

/** Default: AWS over the network, and a timer that refreshes the signing secret. */
type InfraClients = {
  readonly callerOf?: (options?: AwsCallOptions) => AwsCall;
  readonly schedule?: Schedule;
};

/** The dependencies of the deployed front. Starts to load the signing secret at once. */
export function createSlackFrontDeps(
  config: SlackFrontConfig,
  now: Clock = Date.now,
  clients: InfraClients = {},
): SlackFrontDeps {
  const { callerOf = (options) => createAwsCall(config.aws, options), schedule = onTimer } = clients;
  const log = createProcessLog(config.logLevel, now);
  const aws = callerOf();
  const secretsCall = callerOf({ deadlineMs: 2_000 });
  const signing = createSecretReader(config.signingSecretId, slackSigningSchema, { aws: secretsCall, now });
  const failed = (error: unknown): void => log.error('secret.missing', getErrorFacts(error));
  const loadSecrets = refreshRegularly(signing, { schedule, failed });
  const { conversationsTable: table, days, botUserId, allowedBots } = config;
  const dynamo = fetchDynamo(aws);
  const store = { dynamo, table, days, now };
  const frontStore = new FrontStore({ send: createDynamoSend(aws), table, days, now });
  const settingsStore = new SettingsStore(store);
  const encryptor = createKmsEncryptor(config.sealKeyId, aws);
  const installs = new Installs({ dynamo, table, encryptor, now, unique: () => '' });
  const bots = new TtlCache<string | undefined, WorkspaceId>({ now, ttlMs: BOTS_TTL_MS });
  return {
    secrets: async () => {
      const signingSecrets = await loadSecrets();
      return signingSecrets ? listSigningSecrets(signingSecrets, now()) : [];
    },
    turns: new TurnIntake(store),
    recentMessages: new TtlCache({ now, ttlMs: RECENT_MESSAGES_TTL_MS, maxEntries: 1_000 }),
    signals: new TurnSignals(store),
    queue: createSqsQueue(config.taskQueueUrl, aws),
    showMessage: createShowMessage(config.taskQueueUrl, aws),
    transcriptionQueue: createSqsQueue(config.voiceQueueUrl, aws),
    recordings: noRecordingTracking,
    settingsStore,
    openForm: createSlackForms(config, { aws, installs, settingsStore, store: frontStore, now }, log.warn),
    findBot: (workspace) => bots.get(workspace, (key) => installs.findBotUser(key)),
    botUserId,
    allowedBots,
    recordCalls: createCallRecorder({ slack: [config.slackApiUrl] }, log.info, now),
    now,
    log,
  };
}

import { randomUUID } from 'node:crypto';
import type { WorkspaceId } from '../../../shared/domain/index.ts';
import {
  type Log,
  type PlatformsConfig,
  type WorkerConfig,
  type Metrics,
  systemTime,
  type Time,
} from '../../../shared/runtime/index.ts';
import { LruMap } from '../../../shared/utils/index.ts';
import { createPlatformRouter, createMessengerRouter } from '../../../shared/platforms/index.ts';
import {
  createResponseUrlClient,
  createAgentApi,
  createSlackDirectory,
  createSlackPlatform,
  createSlackMessenger,
  createWebCall,
  createFileHosts,
  createChannelAccessFinder,
  createPublicChannelFinder,
  userGroupFinder,
  createBotTokenProvider,
  createHomeToken,
  isOrganization,
  emptyOnFailure,
  userProfileReader,
  type SlackMessengerDeps,
  renewToken,
} from '../../../shared/platforms/slack/index.ts';
import {
  type AwsCall,
  createKmsEncryptor,
  createSecretReader,
  RELOADED_IF_REJECTED_TTL_MS,
  slackBotSchema,
  slackOAuthSchema,
} from '../../../shared/aws/index.ts';
import { StreamCounter, type Dynamo, Installs, Posts } from '../../../shared/storage/index.ts';
import type { PlatformAdapter } from '../platform-adapter.ts';

type Config = PlatformsConfig & Partial<Pick<WorkerConfig, 'slackFilesHosts' | 'tokensTable'>>;
type InfraClients = {
  readonly aws: AwsCall;
  readonly dynamo: Dynamo;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  /** Default: the system clock. */
  readonly time?: Time | undefined;
  /** Default: the Web API over the network. */
  readonly webCall?: typeof createWebCall | undefined;
  /** Default: uploads over the network. */
  readonly sendBytes?: SlackMessengerDeps['sendBytes'];
};

/** Returns a function that builds the platform, client and token of a workspace. */
function workspaceFactory(config: Config, clients: InfraClients) {
  const { slackApiUrl, tokensTable: table } = config;
  const { time = systemTime, webCall = createWebCall } = clients;
  const { now } = time;
  const tokenIn = createTokenReaders(config, clients);
  const streams =
    table === undefined ? undefined : new StreamCounter({ ...clients, table, now, random: Math.random });
  const hosts = createFileHosts(slackApiUrl, config.slackFilesHosts);
  const posts = new Posts({ ...clients, table: config.conversationsTable, days: config.historyDays, now });
  return (workspace: WorkspaceId) => {
    const token = (options?: { readonly refresh: boolean }) => tokenIn(workspace, options);
    const onLimited = () => clients.metrics?.('slack.limited', { RateLimited: 1 }, { source: 'slack' });
    let hasCanvases = false;
    const onScopes = (scopes: readonly string[]) => void (hasCanvases = scopes.includes('canvases:write'));
    const call = webCall({ slackApiUrl, token, onLimited, onScopes });
    const readPerson = userProfileReader({ call, time, workspace });
    const person = emptyOnFailure(readPerson);
    const agent = createAgentApi({ call, time });
    const platform = createSlackPlatform({
      call,
      agent,
      person,
      time,
      ...(streams && {
        reportOpenStreams: (open: number) => streams.report(`slack#${workspace}`, open),
      }),
      files: { token, hosts },
      log: clients.log,
    });
    const messenger = createSlackMessenger({
      call,
      agent,
      time,
      respondToUrl: createResponseUrlClient(slackApiUrl),
      origins: hosts.own,
      posts,
      sendBytes: clients.sendBytes,
      hasCanvases: () => hasCanvases,
      log: clients.log,
    });
    const groups = userGroupFinder({ call, time });
    const directory = createSlackDirectory({ call, time });
    const isPublic = createPublicChannelFinder({ call, time });
    const access = createChannelAccessFinder({ call, readPerson });
    return { platform, messenger, directory, person, readPerson, groups, isPublic, access };
  };
}

/** Of a process. Far more than its tasks have at a time, so that none of them loses what is known about its workspace. */
const MAX_WORKSPACES = 500;

/** The adapter of all Slack workspaces. Each has its own platform, client and token; they share nothing. */
export function createSlackAdapter(config: Config, clients: InfraClients): PlatformAdapter {
  const createWorkspace = workspaceFactory(config, clients);
  const workspaces = new LruMap<WorkspaceId, ReturnType<typeof createWorkspace>>(MAX_WORKSPACES);
  const getWorkspace = (id: WorkspaceId) => {
    const known = workspaces.get(id);
    if (known) return known;
    const workspace = createWorkspace(id);
    workspaces.set(id, workspace);
    return workspace;
  };
  return {
    platform: createPlatformRouter(({ workspace }) => getWorkspace(workspace).platform),
    userProfile: ({ workspace }, user) => getWorkspace(workspace).person(user),
    directory: { find: (place, reference) => getWorkspace(place.workspace).directory.find(place, reference) },
    memberRoles: async ({ workspace }, user) => {
      const { readPerson, groups } = getWorkspace(workspace);
      if (!isOrganization(workspace)) {
        const [{ admin = false, hasLeft }, roles] = await Promise.all([readPerson(user), groups(user)]);
        return { admin, roles, hasLeft };
      }
      // Not known of strangers and of people who have left, or without `users:read`. A request has to name one of them.
      const { admin = false, teams = [], hasLeft } = await readPerson(user);
      return { admin, roles: await groups(user, teams), hasLeft };
    },
    isPublicChannel: ({ workspace, channel }) => getWorkspace(workspace).isPublic(channel),
    channelAccess: ({ workspace, channel }, user) => getWorkspace(workspace).access(channel, user),
    messenger: createMessengerRouter(({ workspace }) => getWorkspace(workspace).messenger),
  };
}

/** The workspaces that installed the app by OAuth. */
export const createInstalls = (
  config: Config,
  { aws, dynamo, time = systemTime }: Pick<InfraClients, 'aws' | 'dynamo' | 'time'>,
): Installs =>
  new Installs({
    dynamo,
    table: config.conversationsTable,
    encryptor: createKmsEncryptor(config.sealKeyId, aws),
    now: time.now,
    unique: randomUUID,
  });

/** Reads the bot token of a workspace: that of its install by OAuth, otherwise the deployment's own. */
function createTokenReaders(config: Config, clients: InfraClients) {
  const { aws, log, time = systemTime, webCall = createWebCall } = clients;
  const { now } = time;
  const bot = createSecretReader(config.slackBotSecretId, slackBotSchema, {
    aws,
    now,
    ttlMs: RELOADED_IF_REJECTED_TTL_MS,
  });
  const app = createSecretReader(config.slackOAuthSecretId, slackOAuthSchema, { aws, now });
  return createBotTokenProvider({
    installs: createInstalls(config, clients),
    getOwnToken: createHomeToken({
      token: async (options) => (await (options?.refresh ? bot.refresh() : bot.load())).botToken,
      callWith: (token) => webCall({ slackApiUrl: config.slackApiUrl, token: async () => token }),
    }),
    renew: async (refreshToken) =>
      renewToken({ ...(await app.load()), slackApiUrl: config.slackApiUrl, now }, refreshToken),
    time,
    log,
  });
}

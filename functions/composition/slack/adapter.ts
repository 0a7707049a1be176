import { randomUUID } from 'node:crypto';
import type { WorkspaceId } from '../../../shared/domain/index.ts';
import type { Log } from '../../../shared/worker/index.ts';
import { botTokens } from '../../../shared/installs/bot-token.ts';
import { platformRouter, messengerRouter } from '../../../shared/platforms/platform-router.ts';
import {
  responseUrlClient,
  createAgentApi,
  createSlackDirectory,
  createSlackPlatform,
  createSlackMessenger,
  createWebCall,
  fileHosts,
  groupFinder,
  homeToken,
  isOrganisation,
  personFinder,
  type SlackMessengerDeps,
} from '../../../shared/platforms/slack/index.ts';
import { renewToken } from '../../../shared/platforms/slack/oauth/renew-token.ts';
import type { AwsCall } from '../../../shared/aws/aws-request.ts';
import type { PlatformsConfig, WorkerConfig } from '../../../shared/runtime/config/config.ts';
import type { Metrics } from '../../../shared/runtime/metrics.ts';
import { kmsEncryptor } from '../../../shared/aws/kms-encryption.ts';
import { secret, slackBotSchema, slackOAuthSchema } from '../../../shared/aws/secrets.ts';
import { systemTime, type Time } from '../../../shared/runtime/time.ts';
import { StreamCounter, type Dynamo, Installs, Posts } from '../../../shared/storage/index.ts';
import type { PlatformAdapter } from '../platform-adapter.ts';

type Config = PlatformsConfig & Partial<Pick<WorkerConfig, 'slackFilesHosts' | 'tokensTable'>>;
type InfraClients = {
  readonly aws: AwsCall;
  readonly dynamo: Dynamo;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  /** The machine's own unless told. */
  readonly time?: Time | undefined;
  /** How Slack is called; over the network unless told. */
  readonly webCall?: typeof createWebCall | undefined;
  /** How files are sent to Slack; over the network unless told. */
  readonly sendBytes?: SlackMessengerDeps['sendBytes'];
};

/** Slack in all its workspaces, each with a platform, a client and a token of its own: nothing is shared between them. */
export function slackSide(config: Config, ground: InfraClients): PlatformAdapter {
  const { slackApiUrl, tokensTable: table } = config;
  const { time = systemTime, webCall = createWebCall } = ground;
  const { now } = time;
  const tokenIn = tokensOf(config, ground);
  const crowd =
    table === undefined ? undefined : new StreamCounter({ ...ground, table, now, random: Math.random });
  const hosts = fileHosts(slackApiUrl, config.slackFilesHosts);
  const posts = new Posts({ ...ground, table: config.conversationsTable, days: config.historyDays, now });
  const make = (workspace: WorkspaceId) => {
    const token = (options?: { readonly refresh: boolean }) => tokenIn(workspace, options);
    const onLimited = () => ground.metrics?.('slack.limited', { RateLimited: 1 }, { source: 'slack' });
    const call = webCall({ slackApiUrl, token, onLimited });
    const person = personFinder({ call, time, workspace });
    const agent = createAgentApi({ call, time });
    const platform = createSlackPlatform({
      call,
      agent,
      person,
      time,
      ...(crowd && { reportOpenStreams: (open: number) => crowd.tell(`slack#${workspace}`, open) }),
      files: { token, hosts },
      log: ground.log,
    });
    const stage = createSlackMessenger({
      call,
      agent,
      time,
      answer: responseUrlClient(slackApiUrl),
      origins: hosts.own,
      posts,
      sendBytes: ground.sendBytes,
      log: ground.log,
    });
    const groups = groupFinder({ call, time });
    const directory = createSlackDirectory({ call, time });
    return { platform, stage, directory, person, groups };
  };
  const made = new Map<WorkspaceId, ReturnType<typeof make>>();
  const sideOf = (workspace: WorkspaceId) => {
    const side = made.get(workspace) ?? make(workspace);
    made.set(workspace, side);
    return side;
  };
  return {
    platform: platformRouter(({ workspace }) => sideOf(workspace).platform),
    userProfile: ({ workspace }, user) => sideOf(workspace).person(user),
    directory: { find: (place, reference) => sideOf(place.workspace).directory.find(place, reference) },
    memberRoles: async ({ workspace }, user) => {
      const { person, groups } = sideOf(workspace);
      if (!isOrganisation(workspace)) {
        const [{ admin = false }, roles] = await Promise.all([person(user), groups(user)]);
        return { admin, roles };
      }
      const { admin = false, teams } = await person(user);
      return { admin, roles: await groups(user, teams) };
    },
    messenger: messengerRouter(({ workspace }) => sideOf(workspace).stage),
  };
}

/** The workspaces that have the app by OAuth. */
export const installsOf = (
  config: Config,
  { aws, dynamo, time = systemTime }: Pick<InfraClients, 'aws' | 'dynamo' | 'time'>,
): Installs =>
  new Installs({
    dynamo,
    table: config.conversationsTable,
    encryptor: kmsEncryptor(config.sealKeyId, aws),
    now: time.now,
    unique: randomUUID,
  });

/** The token of the bot in each workspace: of the install by OAuth, else the deployment's own. */
function tokensOf(config: Config, ground: InfraClients) {
  const { aws, log, time = systemTime, webCall = createWebCall } = ground;
  const { now } = time;
  const bot = secret(config.slackBotSecretId, slackBotSchema, { aws, now });
  const app = secret(config.slackOAuthSecretId, slackOAuthSchema, { aws, now });
  return botTokens({
    installs: installsOf(config, ground),
    own: homeToken({
      token: async (options) => (await (options?.refresh ? bot.refresh() : bot.load())).botToken,
      callWith: (token) => webCall({ slackApiUrl: config.slackApiUrl, token: async () => token }),
    }),
    renew: async (refreshToken) =>
      renewToken({ ...(await app.load()), slackApiUrl: config.slackApiUrl, now }, refreshToken),
    time,
    log,
  });
}

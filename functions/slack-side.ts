import { randomUUID } from 'node:crypto';
import type { WorkspaceId } from '../shared/conversation/index.ts';
import type { Log } from '../shared/flows/index.ts';
import { workspaceTokens } from '../shared/flows/workspace-token.ts';
import { routedPlatform, routedStage } from '../shared/platforms/routed.ts';
import {
  answerer,
  createAgentApi,
  createSlackDirectory,
  createSlackPlatform,
  createSlackStage,
  createWebCall,
  fileHosts,
  groupFinder,
  homeToken,
  isOrganisation,
  personFinder,
  type StageDeps,
} from '../shared/platforms/slack/index.ts';
import { renewToken } from '../shared/platforms/slack/oauth.ts';
import type { AwsCall } from '../shared/runtime/aws-request.ts';
import type { SpeakingConfig, WorkerConfig } from '../shared/runtime/config.ts';
import type { Metrics } from '../shared/runtime/metrics.ts';
import { kmsSealer } from '../shared/runtime/seal.ts';
import { secret, slackBot, slackOAuth } from '../shared/runtime/secrets.ts';
import { systemTime, type Time } from '../shared/runtime/time.ts';
import { Crowd, type Dynamo, Installs, Posts } from '../shared/store/index.ts';
import type { Side } from './side.ts';

type Config = SpeakingConfig & Partial<Pick<WorkerConfig, 'slackFilesHosts' | 'tokensTable'>>;
type Ground = {
  readonly aws: AwsCall;
  readonly dynamo: Dynamo;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  /** The machine's own unless told. */
  readonly time?: Time | undefined;
  /** How Slack is called; over the network unless told. */
  readonly webCall?: typeof createWebCall | undefined;
  /** How files are sent to Slack; over the network unless told. */
  readonly sendBytes?: StageDeps['sendBytes'];
};

/** Slack in all its workspaces, each with a platform, a client and a token of its own: nothing is shared between them. */
export function slackSide(config: Config, ground: Ground): Side {
  const { slackApiUrl } = config;
  const { time = systemTime, webCall = createWebCall } = ground;
  const { now } = time;
  const tokenIn = tokensOf(config, ground);
  const { tokensTable: table } = config;
  const crowd = table === undefined ? undefined : new Crowd({ ...ground, table, now, random: Math.random });
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
      ...(crowd && { tellOthers: (open: number) => crowd.tell(`slack#${workspace}`, open) }),
      files: { token, hosts },
      log: ground.log,
    });
    const stage = createSlackStage({
      call,
      agent,
      time,
      answer: answerer(slackApiUrl),
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
    platform: routedPlatform(({ workspace }) => sideOf(workspace).platform),
    people: ({ workspace }, user) => sideOf(workspace).person(user),
    directory: { find: (place, reference) => sideOf(place.workspace).directory.find(place, reference) },
    standing: async ({ workspace }, user) => {
      const { person, groups } = sideOf(workspace);
      if (!isOrganisation(workspace)) {
        const [{ admin = false }, roles] = await Promise.all([person(user), groups(user)]);
        return { admin, roles };
      }
      const { admin = false, teams } = await person(user);
      return { admin, roles: await groups(user, teams) };
    },
    stage: routedStage(({ workspace }) => sideOf(workspace).stage),
  };
}

/** The workspaces that have the app by OAuth. */
export const installsOf = (
  config: Config,
  { aws, dynamo, time = systemTime }: Pick<Ground, 'aws' | 'dynamo' | 'time'>,
): Installs =>
  new Installs({
    dynamo,
    table: config.conversationsTable,
    sealer: kmsSealer(config.sealKeyId, aws),
    now: time.now,
    unique: randomUUID,
  });

/** The token of the bot in each workspace: of the install by OAuth, else the deployment's own. */
function tokensOf(config: Config, ground: Ground) {
  const { aws, log, time = systemTime, webCall = createWebCall } = ground;
  const { now } = time;
  const bot = secret(config.slackBotSecretId, slackBot, { aws, now });
  const app = secret(config.slackOAuthSecretId, slackOAuth, { aws, now });
  return workspaceTokens({
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

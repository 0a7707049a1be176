import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startSimulatedDiscord } from '../../infra/local/services/discord.ts';
import { readIdentity } from '../../infra/local/services/identity.ts';
import { startSimulatedSlack, startSimulatedUpstream } from '../../infra/local/services/services.ts';
import * as v from 'valibot';
import type { Variables } from '../../infra/configuration/index.ts';
import type { Gateway } from '../simulators/discord/gateway.ts';
import type { DiscordSimulator } from '../simulators/discord/index.ts';
import type { Failure } from '../simulators/slack/delivery.ts';
import type { SlackSimulator } from '../simulators/slack/index.ts';
import type { UpstreamSimulator } from '../simulators/upstream/index.ts';

/** Slack, Discord and the models, simulated in this process: they live on when the system is killed, and have all that happened on record. */
export type Services = {
  readonly slack: SlackSimulator;
  readonly discord: DiscordSimulator;
  readonly gateway: Gateway;
  readonly upstream: UpstreamSimulator;
  /** What the system has taken of what people did in Slack: the `ts` of a message, followed by `#edited` for an edit of it. */
  readonly taken: ReadonlySet<string>;
  /** How many events the system has not taken yet and will be sent again. */
  pending(): number;
  /** What the system is told of them. */
  readonly variables: Variables;
  /** Where the system takes events and interactions: the origin of its HTTP API. */
  setTarget(api: string): void;
  close(): Promise<void>;
};

/** Slack tries again after a minute and after five; here after this, so that a round need not last minutes. */
const MAX_RETRY_MS = 2_000;
/** Makes a stream last some seconds, so that kills meet answers that are being written. */
const PACE_MS = 30;
const HOST = '127.0.0.1';

function after(ms: number, action: () => void): () => void {
  const timer = setTimeout(action, ms < 60_000 ? ms : MAX_RETRY_MS);
  return () => clearTimeout(timer);
}

/** Starts the three with their files in `directory`. */
export async function startServices(directory: string): Promise<Services> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const identity = readIdentity(directory);
  const taken = new Set<string>();
  const keys = new Map<string, string>();
  const pending = new Set<string>();
  const onTaken = (event: string): void => {
    taken.add(keys.get(event) ?? event);
    pending.delete(event);
  };
  const onFailure = ({ eventId, againInMs }: Failure): void => {
    if (againInMs === undefined) pending.delete(eventId);
  };
  const upstream = await startSimulatedUpstream(identity, { paceMs: PACE_MS });
  const slack = await startSimulatedSlack({
    directory,
    host: HOST,
    identity,
    options: { after, onTaken, onFailure },
    note: () => {},
  });
  const discord = await startSimulatedDiscord({ directory, host: HOST, options: {} });
  const { simulator: models } = upstream;
  const { simulator: workspace } = slack;
  const { simulator: guild, gateway } = discord;
  if (!models || !workspace || !guild || !gateway) throw new Error('not everything is simulated');
  workspace.core.onEvent(({ event_id: id, event }) => {
    keys.set(id, keyOf(event));
    pending.add(id);
  });
  models.control.change({ queueMs: 500, runMs: 3_000 });
  return {
    slack: workspace,
    discord: guild,
    gateway,
    upstream: models,
    taken,
    pending: () => pending.size,
    variables: {
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_SIGNING_SECRET: slack.signingSecret,
      SLACK_BOT_USER_ID: slack.botUserId,
      DISCORD_API_URL: discord.apiUrl,
      DISCORD_GATEWAY_URL: discord.gatewayUrl ?? undefined,
      DISCORD_PUBLIC_KEY: discord.publicKey,
      DISCORD_APPLICATION_ID: discord.applicationId,
      DISCORD_BOT_TOKEN: discord.botToken ?? undefined,
      DISCORD_MESSAGES: 'all',
      UPSTREAM_BASE_URL: upstream.baseUrl,
      UPSTREAM_VISION_URL: upstream.visionUrl,
      UPSTREAM_API_KEY: upstream.apiKey,
      UPSTREAM_MODEL: upstream.model,
      VIDEO_MODELS: 'model-a-video:image_url:0.35',
      VIDEO_LIMIT: '600/60',
      ACCOUNTS: 'on',
    },
    setTarget(api) {
      workspace.setDeliverTo(`${api}/slack/events`);
      guild.setDeliverTo(api);
    },
    async close() {
      await Promise.all([workspace.close(), discord.close?.(), models.close()]);
    },
  };
}

const told = v.object({ ts: v.optional(v.string()), message: v.optional(v.object({ ts: v.string() })) });

function keyOf(event: unknown): string {
  const { ts = '', message } = v.parse(v.fallback(v.optional(told), undefined), event) ?? {};
  return message ? `${message.ts}#edited` : ts;
}

/** The folder of the services beside that of the system. */
export const servicesFolder = (directory: string): string => join(directory, 'services');

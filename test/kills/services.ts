import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startSimulatedDiscord } from '../../infra/local/services/discord.ts';
import { buildTemplate } from '../../infra/local/template/build.ts';
import { readIdentity } from '../../infra/local/services/identity.ts';
import { startSimulatedSlack, startSimulatedUpstream } from '../../infra/local/services/services.ts';
import * as v from 'valibot';
import type { Variables } from '../../infra/configuration/index.ts';
import type { Gateway } from '../simulators/discord/gateway.ts';
import type { DiscordSimulator } from '../simulators/discord/index.ts';
import type { Failure } from '../simulators/slack/delivery.ts';
import { DEFAULT_IDENTITY, type SlackSimulator } from '../simulators/slack/index.ts';
import type { UpstreamSimulator } from '../simulators/upstream/index.ts';

/**
 * Slack, Discord and the models, simulated in this process: they survive kills of the system and record everything.
 */
export type Services = {
  readonly slack: SlackSimulator;
  readonly discord: DiscordSimulator;
  readonly gateway: Gateway;
  readonly upstream: UpstreamSimulator;
  /** The Slack messages that the system has accepted: their `ts`, with `#edited` for an edit. */
  readonly acceptedKeys: ReadonlySet<string>;
  /** The number of events that the system has not accepted and that will be sent again. */
  pending(): number;
  /** The name of a person in Slack who has done nothing yet, for actions that concern everything of a person. Throws after 400. */
  newcomer(): string;
  /** The events sent to the system. */
  readonly variables: Variables;
  /** The origin of the system's HTTP API for events and interactions. */
  setTarget(api: string): void;
  close(): Promise<void>;
};

/**
 * Slack retries after a minute and after five; here it retries after this time, so that a round takes less than
 * minutes.
 */
const MAX_RETRY_MS = 2_000;
/** Slows streams down to some seconds, so that kills interrupt answers. */
const PACE_MS = 30;
const HOST = '127.0.0.1';
const NEWCOMERS = Array.from({ length: 400 }, (_, n) => ({
  id: `U0NEW${String(n).padStart(5, '0')}`,
  name: `new${n}`,
  realName: `New ${n}`,
}));

function after(ms: number, action: () => void): () => void {
  const timer = setTimeout(action, ms < 60_000 ? ms : MAX_RETRY_MS);
  return () => clearTimeout(timer);
}

/** Starts the three services with their files in `directory`. */
export async function startServices(directory: string): Promise<Services> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const identity = readIdentity(directory);
  const acceptedKeys = new Set<string>();
  const keys = new Map<string, string>();
  const pending = new Set<string>();
  const onTaken = (event: string): void => {
    acceptedKeys.add(keys.get(event) ?? event);
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
    options: { after, onTaken, onFailure, identity: { users: [...DEFAULT_IDENTITY.users, ...NEWCOMERS] } },
    note: () => {},
  });
  const commands = await (await buildTemplate()).discordCommands();
  const discord = await startSimulatedDiscord({ directory, host: HOST, options: {}, commands });
  const { simulator: models } = upstream;
  const { simulator: workspace } = slack;
  const { simulator: guild, gateway } = discord;
  if (!models || !workspace || !guild || !gateway) throw new Error('not everything is simulated');
  workspace.core.onEvent(({ event_id: id, event }) => {
    keys.set(id, keyOf(event));
    pending.add(id);
  });
  models.control.change({ queueMs: 500, runMs: 3_000 });
  const newcomers = NEWCOMERS.values();
  return {
    slack: workspace,
    discord: guild,
    gateway,
    upstream: models,
    acceptedKeys,
    pending: () => pending.size,
    newcomer() {
      const { value } = newcomers.next();
      if (!value) throw new Error('more people are needed');
      return value.name;
    },
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

const responseSchema = v.object({
  ts: v.optional(v.string()),
  message: v.optional(v.object({ ts: v.string() })),
});

function keyOf(event: unknown): string {
  const { ts = '', message } = v.parse(v.fallback(v.optional(responseSchema), undefined), event) ?? {};
  return message ? `${message.ts}#edited` : ts;
}

/** The folder of the services, next to that of the system. */
export const servicesFolder = (directory: string): string => join(directory, 'services');

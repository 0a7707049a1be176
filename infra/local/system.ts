import { join, resolve } from 'node:path';
import type { Server } from 'node:http';
import type { DiscordSimulatorOptions } from '../../test/simulators/discord/index.ts';
import type { SlackSimulatorOptions } from '../../test/simulators/slack/index.ts';
import type { UpstreamSimulatorOptions } from '../../test/simulators/upstream/index.ts';
import { builtTemplate } from './template/build.ts';
import { startEmulator } from './emulator.ts';
import type { Built, Emulator } from './emulator.ts';
import { readCheckedConfig, checkServices } from '../configuration/index.ts';
import type { Check, LocalConfig, ServiceChecks, SlackBot, Variables } from '../configuration/index.ts';
import { ROUTES } from '../../shared/runtime/shared-names.ts';
import { realDiscord, simulatedDiscord } from './services/discord.ts';
import type { DiscordSide } from './services/discord.ts';
import { httpApi } from './emulator/http-api.ts';
import type { ApiSide } from './emulator/http-api.ts';
import { identityIn } from './services/identity.ts';
import type { Identity } from './services/identity.ts';
import { folderWithRoom } from './emulator/disk-space.ts';
import { closeServer, listen, PortTaken } from './listen.ts';
import { describe, reachable, removeLocalJson, writeLocalJson } from './local-json.ts';
import type { LocalJson } from './local-json.ts';
import { lockFolder } from './lock.ts';
import { openLogs } from './functions/logs.ts';
import type { Logs } from './functions/logs.ts';
import { localParameters } from './services/parameters.ts';
import { settle } from './services/preflight.ts';
import { StartupError } from './startup-error.ts';
import { realSlack, realUpstream, simulatedSlack, simulatedUpstream } from './services/services.ts';
import type { SlackSide, UpstreamSide } from './services/services.ts';
import { startSocketMode } from './services/socket-mode.ts';
import type { SocketModeOptions } from './services/socket-mode.ts';
import { unwind } from './cleanup.ts';
import type { Cleanup } from './cleanup.ts';

/** Where ports are looked for when none was asked for. */
const FIRST_PORT = 3000;
const PORTS_TRIED = 50;

export type LocalOptions = {
  /** Folder for everything that is kept. Made when it is not there. */
  readonly data: string;
  /** Of the HTTP API; 0 takes any free one. Without it, the first free one from 3000 on. */
  readonly port?: number | undefined;
  /** Address on which the API and the page listen; loopback by default. Everything else is on loopback always. */
  readonly host?: string | undefined;
  /** Configuration as `.env` would give it; all simulated by default. */
  readonly variables?: Variables | undefined;
  /** What was found of where they were read, to be told along with what is found of themselves. */
  readonly checks?: readonly Check[] | undefined;
  /** The template to serve; by default that of this very source. */
  readonly built?: (() => Promise<Built>) | undefined;
  /** What to change in the simulated Slack, Discord and models, such as pace or limits. */
  readonly slack?: SlackSimulatorOptions | undefined;
  readonly discord?: DiscordSimulatorOptions | undefined;
  readonly upstream?: UpstreamSimulatorOptions | undefined;
  /** The bytes that may still be written to the data folder; by default as the system says. */
  readonly freeBytes?: (() => number) | undefined;
  /** Gets lines for the person at the terminal. */
  readonly say?: ((line: string) => void) | undefined;
  /** Gets every line that the functions log; they are in `<data>/logs` in any case. */
  readonly echo?: ((line: string) => void) | undefined;
};

/** A running local system. */
export type LocalSystem = {
  /** What `local.json` says. */
  readonly local: LocalJson;
  readonly config: LocalConfig;
  /** Whether Slack and Discord answered, where they are real. */
  readonly reached: ServiceChecks['reached'];
  readonly cloud: Emulator;
  readonly slack: SlackSide;
  readonly discord: DiscordSide;
  readonly upstream: UpstreamSide;
  /** Takes nothing new, lets what runs finish for some seconds, and stops everything. Does it once. */
  close(): Promise<void>;
};

/**
 * Starts the whole system on this machine. Rejects with StartupError for what the person can put right (what of the configuration
 * cannot work, a taken port or folder); whatever was started by then is stopped again. `say` gets what may work and may not.
 */
export async function startLocal(options: LocalOptions): Promise<LocalSystem> {
  const { config, checks } = readCheckedConfig(options.variables ?? {});
  settle([...(options.checks ?? []), ...checks], options.say);
  const undo: Cleanup = [];
  try {
    return await start(options, config, undo);
  } catch (error) {
    await unwind(undo);
    throw error;
  }
}

async function start(options: LocalOptions, config: LocalConfig, undo: Cleanup): Promise<LocalSystem> {
  const directory = resolve(options.data);
  const { host = '127.0.0.1' } = options;
  const space = await folderWithRoom(directory, options.say, options.freeBytes);
  undo.push(lockFolder(directory));
  removeLocalJson(directory);
  const logs = openLogs(join(directory, 'logs'), options.echo);
  const identity = identityIn(directory);
  let cloud: Emulator | undefined;
  let page: string | null = null;
  // Anyone who can sign may post events: the simulated Slack then has to know the messages that they tell of.
  let witness: ApiSide['witness'];
  // Where the disk is full, the platforms are told to come again.
  const server = httpApi(() =>
    cloud && !space.isLow()
      ? { routes: cloud.inventory.routes, page, invoke: cloud.invoke, witness, note: logs.note }
      : undefined,
  );
  const api = `http://127.0.0.1:${await takePort(server, host, options.port)}`;
  undo.push(() => closeServer(server, 100));
  const { built, slackBot, reached } = await prepare(options, config);
  const upstream = await startUpstream(options, config, identity, undo);
  const slack = await startSlack(options, config, { directory, identity, logs, undo }, slackBot);
  const discord = await startDiscord(options, config, { directory, undo });
  witness = (path, header, body) => {
    if (path === ROUTES.slackEvents) slack.simulator?.witness(header, body);
    return path === '/discord/interactions' ? discord.simulator?.witness(header, body) : undefined;
  };
  page = slack.simulator ? reachable(slack.simulator.url) : null;
  const own = config.slack.kind !== 'simulated' && options.variables?.['SLACK_API_URL'] !== undefined;
  const ownAddress = own || slack.simulator !== undefined;
  const sides = { slack: { ...slack, ownAddress }, discord, upstream };
  const started = await startEmulator(
    {
      built,
      directory,
      api,
      parameters: (names) => localParameters(names, sides, options.variables ?? {}),
      secret: (kind) => secretOf(kind, slack, discord, upstream, config),
      seal: identity.apiKey,
      logs,
      // Messages of Discord come by its gateway, which takes a token.
      hasDiscord: discord.gatewayUrl !== null && discord.botToken !== null,
    },
    undo,
  );
  started.begin();
  cloud = started;
  undo.push(() => {
    cloud = undefined;
  });
  await connectSlack(config, slack, { api, reached: reached.slack, say: options.say }, logs, undo);
  slack.simulator?.setNeighbour(discord.simulator && reachable(discord.simulator.url));
  discord.simulator?.setNeighbour(page ?? undefined);
  discord.simulator?.setDeliverTo(api);
  undo.push(() => discord.simulator?.setDeliverTo(undefined));
  const local = describe(api, page, slack, discord, upstream, started.dynamodb);
  writeLocalJson(directory, local);
  undo.push(() => removeLocalJson(directory));
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= unwind(undo));
  return { local, config, reached, cloud: started, slack, discord, upstream, close };
}

/** Builds what is deployed, while the real services are asked whether they take what is configured. */
async function prepare(
  { built, variables = {}, say }: LocalOptions,
  config: LocalConfig,
): Promise<Omit<ServiceChecks, 'checks'> & { readonly built: Built }> {
  const [template, { checks, ...services }] = await Promise.all([
    built?.() ?? builtTemplate(say),
    checkServices(config, variables),
  ]);
  settle(checks, say);
  return { ...services, built: template };
}

async function takePort(server: Server, host: string, port: number | undefined): Promise<number> {
  if (port !== undefined) {
    return await listen(server, host, port).catch((error: unknown) => {
      throw error instanceof PortTaken
        ? new StartupError(
            `Port ${port} is in use. Choose another with --port, or leave it out for a free one.`,
          )
        : error;
    });
  }
  for (let candidate = FIRST_PORT; candidate < FIRST_PORT + PORTS_TRIED; candidate += 1) {
    const taken = await listen(server, host, candidate).catch((error: unknown) => {
      if (error instanceof PortTaken) return undefined;
      throw error;
    });
    if (taken !== undefined) return taken;
  }
  return await listen(server, host, 0);
}

type StackResources = {
  readonly directory: string;
  readonly identity: Identity;
  readonly logs: Logs;
  readonly undo: Cleanup;
};

async function startSlack(
  { host = '127.0.0.1', slack: changes = {} }: LocalOptions,
  { slack }: LocalConfig,
  { directory, identity, logs, undo }: StackResources,
  bot: SlackBot | undefined,
): Promise<SlackSide> {
  if (slack.kind !== 'simulated') return realSlack(slack, identity, bot);
  const side = await simulatedSlack({ directory, host, identity, options: changes, note: logs.note });
  undo.push(() => side.simulator?.close());
  return side;
}

async function startDiscord(
  { host = '127.0.0.1', discord: changes = {} }: LocalOptions,
  { discord }: LocalConfig,
  { directory, undo }: Pick<StackResources, 'directory' | 'undo'>,
): Promise<DiscordSide> {
  if (discord.kind !== 'simulated') return realDiscord(discord);
  const side = await simulatedDiscord({ directory, host, options: changes });
  undo.push(() => side.close?.());
  return side;
}

async function startUpstream(
  options: LocalOptions,
  { upstream }: LocalConfig,
  identity: Identity,
  undo: Cleanup,
): Promise<UpstreamSide> {
  if (upstream.kind === 'real') return realUpstream(upstream);
  const side = await simulatedUpstream(identity, options.upstream ?? {});
  undo.push(() => side.simulator?.close());
  return side;
}

/** Opens the way by which events come. */
async function connectSlack(
  { slack: choice }: LocalConfig,
  slack: SlackSide,
  { api, ...how }: Pick<SocketModeOptions, 'reached' | 'say'> & { readonly api: string },
  { note }: Logs,
  undo: Cleanup,
) {
  const { simulator, apiUrl, signingSecret } = slack;
  const eventsUrl = `${api}${ROUTES.slackEvents}`;
  if (simulator !== undefined) {
    simulator.setDeliverTo(eventsUrl);
    // Events that come while the system stops wait for its next start.
    undo.push(() => simulator.setDeliverTo(undefined));
  } else if (choice.kind === 'socket') {
    const { appToken } = choice;
    const socket = await startSocketMode({
      ...how,
      eventsUrl,
      appToken,
      apiUrl,
      signingSecret,
      now: Date.now,
      note,
    });
    undo.push(() => socket.close());
  }
}

/** As the deployment leaves the secret when nobody fills it in. */
const NO_APP = { clientId: 'to be filled in', clientSecret: 'to be filled in' };

function secretOf(
  kind: string,
  slack: SlackSide,
  discord: DiscordSide,
  upstream: UpstreamSide,
  { slackApp }: LocalConfig,
): unknown {
  if (kind === 'slack-signing') return { current: slack.signingSecret };
  if (kind === 'slack-bot')
    return { botToken: slack.botToken, ...(slack.botUserId !== '' && { botUserId: slack.botUserId }) };
  if (kind === 'slack-oauth') return slack.app ?? slackApp ?? NO_APP;
  if (kind === 'discord-bot') return { botToken: discord.botToken ?? '' };
  if (kind === 'upstream') return { apiKey: upstream.apiKey };
  return undefined;
}

import { join, resolve } from 'node:path';
import type { DiscordSimulatorOptions } from '../../test/simulators/discord/index.ts';
import type { McpSimulator } from '../../test/simulators/mcp/index.ts';
import type { SlackSimulatorOptions } from '../../test/simulators/slack/index.ts';
import type { UpstreamSimulatorOptions } from '../../test/simulators/upstream/index.ts';
import { buildTemplate } from './template/build.ts';
import { startEmulator, type TemplateBuild, type Emulator } from './emulator.ts';
import {
  readCheckedConfig,
  checkServices,
  getValue,
  type Check,
  type LocalConfig,
  type ServiceChecks,
  type SlackBot,
  type Variables,
} from '../configuration/index.ts';
import { ROUTES } from '../../shared/runtime/index.ts';
import { toDiscordService, startSimulatedDiscord, type DiscordService } from './services/discord.ts';
import { createHttpApi, type ApiTarget } from './emulator/http-api.ts';
import { createLogCollector } from './dashboard/log-collector.ts';
import { startDashboard } from './dashboard/start-dashboard.ts';
import { readIdentity, type Identity } from './services/identity.ts';
import { createDataFolder } from './emulator/disk-space.ts';
import { closeServer, listenOnPort, toOrigin } from './listen.ts';
import {
  buildLocalJson,
  toLoopbackUrl,
  removeLocalJson,
  writeLocalJson,
  type LocalJson,
} from './local-json.ts';
import { lockFolder } from './lock.ts';
import { openLogs, type Logs } from './functions/logs.ts';
import { getLocalParameters } from './services/parameters.ts';
import { reportChecks } from './services/report-checks.ts';
import { getServiceSecret } from './services/service-secret.ts';
import {
  toSlackService,
  toUpstreamService,
  startSimulatedSlack,
  startSearch,
  startSimulatedUpstream,
  type SlackService,
  type UpstreamService,
} from './services/services.ts';
import { startToolServers } from './services/tool-servers.ts';
import { startSocketMode, type SocketModeOptions } from './services/socket-mode.ts';
import { runCleanup, type Cleanup } from './cleanup.ts';

export type LocalOptions = {
  /** The data folder. Created if missing. */
  readonly data: string;
  /** Port of the HTTP API; 0 for any free one. Default: the first free one from 3000. */
  readonly port?: number | undefined;
  /** Address of the API and the page; default: loopback. Everything else always uses loopback. */
  readonly host?: string | undefined;
  /** Variables as in `.env`. Default: everything is simulated. */
  readonly variables?: Variables | undefined;
  /** Checks of the variables' sources, reported together with those of the values. */
  readonly checks?: readonly Check[] | undefined;
  /** The template to run. Default: that of this source. */
  readonly build?: (() => Promise<TemplateBuild>) | undefined;
  /** Whether to start the process that receives Discord's messages. Default: true. Without a bot token it is never started. */
  readonly relay?: boolean | undefined;
  /** Options of the simulators, such as speed or limits. */
  readonly slack?: SlackSimulatorOptions | undefined;
  readonly discord?: DiscordSimulatorOptions | undefined;
  readonly upstream?: UpstreamSimulatorOptions | undefined;
  /** Prints lines for the person at the terminal. */
  readonly say?: ((line: string) => void) | undefined;
  /** Prints every line that the functions log; they are also in `<data>/logs`. */
  readonly echo?: ((line: string) => void) | undefined;
};

/** A running local system. */
export type LocalSystem = {
  /** The content of `local.json`. */
  readonly local: LocalJson;
  readonly config: LocalConfig;
  /** Whether the real Slack and Discord responded. */
  readonly reached: ServiceChecks['reached'];
  readonly emulator: Emulator;
  readonly slack: SlackService;
  readonly discord: DiscordService;
  readonly upstream: UpstreamService;
  /** The simulated MCP servers; undefined if both platforms are real. */
  readonly toolServers: McpSimulator | undefined;
  /** Stops accepting requests, lets running work finish for some seconds, and stops everything. Runs once. */
  close(): Promise<void>;
};

/**
 * Starts the whole system on this machine. Rejects with StartupError for problems that the person can fix (configuration, a
 * port or folder in use); what was started by then is stopped. `say` prints warnings.
 */
export async function startLocal(options: LocalOptions): Promise<LocalSystem> {
  const { config, checks } = readCheckedConfig(options.variables ?? {});
  reportChecks([...(options.checks ?? []), ...checks], options.say);
  const undo: Cleanup = [];
  try {
    return await start(options, config, undo);
  } catch (error) {
    await runCleanup(undo);
    throw error;
  }
}

async function start(options: LocalOptions, config: LocalConfig, undo: Cleanup): Promise<LocalSystem> {
  const directory = resolve(options.data);
  const { host = '127.0.0.1' } = options;
  const space = await createDataFolder(directory, options.say);
  undo.push(lockFolder(directory));
  removeLocalJson(directory);
  const collector = createLogCollector(join(directory, 'logs'), Date.now);
  const logs = openLogs(join(directory, 'logs'), options.echo, collector.observe);
  const identity = readIdentity(directory);
  let cloud: Emulator | undefined;
  let page: string | null = null;
  let dashboard: string | undefined;
  // Anyone with the signing secret may post events, so the simulated Slack learns their messages from the requests.
  let observe: ApiTarget['observe'];
  // With a full disk, platforms get a 503 and retry.
  const server = createHttpApi(() =>
    cloud && !space.isLow() ? toApiTarget(cloud, { page, dashboard, observe, note: logs.note }) : undefined,
  );
  const api = toLoopbackUrl(toOrigin(host, await listenOnPort(server, host, options.port)));
  undo.push(() => closeServer(server, 100));
  const { built, slackBot, reached } = await prepare(options, config);
  const upstream = await startUpstream(options, config, identity, undo);
  const slack = await startSlack(options, config, { directory, identity, logs, undo }, slackBot);
  const discord = await startDiscord(options, config, { directory, built, undo });
  observe = (path, header, body) => {
    if (path === ROUTES.slackEvents) slack.simulator?.observe(header, body);
    return path === '/discord/interactions' ? discord.simulator?.observe(header, body) : undefined;
  };
  page = slack.simulator ? toLoopbackUrl(slack.simulator.url) : null;
  const toolServers = await startToolServers(config, directory, undo);
  const ownAddress = hasOwnAddress(options, config, slack);
  const simulators = { slack: { ...slack, ownAddress }, discord, upstream, toolServers };
  const started = await startEmulator(
    {
      built,
      directory,
      api,
      parameters: (names) => getLocalParameters(names, simulators, options.variables ?? {}),
      secret: (kind) => getServiceSecret(kind, { slack, discord, upstream }, config),
      kmsSecret: identity.apiKey,
      logs,
      // With the logs on the terminal, it is among them.
      say: options.echo ? undefined : options.say,
      // Discord's messages arrive by its gateway, which requires a token.
      hasDiscord: options.relay !== false && discord.gatewayUrl !== null && discord.botToken !== null,
    },
    undo,
  );
  dashboard = await startDashboard({ ...simulators, collector, logs, emulator: started, api }, undo);
  started.begin();
  cloud = started;
  undo.push(() => {
    cloud = undefined;
  });
  await connectSlack(config, slack, { api, reached: reached.slack, say: options.say }, logs, undo);
  connectDiscord(discord, api, undo);
  const local = buildLocalJson(api, page, slack, discord, upstream, started, options.variables ?? {});
  writeLocalJson(directory, local);
  undo.push(() => removeLocalJson(directory));
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= runCleanup(undo));
  return { local, config, reached, emulator: started, ...simulators, slack, close };
}

const toApiTarget = (
  { resources, invoke }: Emulator,
  target: Pick<ApiTarget, 'page' | 'dashboard' | 'observe' | 'note'>,
): ApiTarget => ({
  routes: resources.routes,
  functionUrl: resources.functionUrls[0],
  invoke,
  ...target,
});

/** Whether Slack has another address than its own, where its files are, too. */
const hasOwnAddress = ({ variables }: LocalOptions, { slack }: LocalConfig, service: SlackService): boolean =>
  service.simulator !== undefined ||
  (slack.kind !== 'simulated' && variables?.['SLACK_API_URL'] !== undefined);

/** Builds the template, and checks the configuration with the real services at the same time. */
async function prepare(
  { build: built, variables = {}, say }: LocalOptions,
  config: LocalConfig,
): Promise<Omit<ServiceChecks, 'checks' | 'clock'> & { readonly built: TemplateBuild }> {
  const [template, { checks, clock, ...services }] = await Promise.all([
    built?.() ?? buildTemplate(say),
    checkServices(config, variables),
  ]);
  reportChecks([...checks, ...clock], say);
  return { ...services, built: template };
}

type StartContext = {
  readonly directory: string;
  readonly identity: Identity;
  readonly logs: Logs;
  readonly undo: Cleanup;
};

/** The options of the simulated Slack, whose app has the command of the settings. */
function toSimulatorOptions({ variables = {}, slack = {} }: LocalOptions): SlackSimulatorOptions {
  const command = getValue(variables, 'SLACK_COMMAND');
  return command === undefined ? slack : { ...slack, identity: { commands: [command], ...slack.identity } };
}

async function startSlack(
  options: LocalOptions,
  { slack }: LocalConfig,
  { directory, identity, logs, undo }: StartContext,
  bot: SlackBot | undefined,
): Promise<SlackService> {
  if (slack.kind !== 'simulated') return toSlackService(slack, identity, bot);
  const simulator = await startSimulatedSlack({
    directory,
    host: options.host ?? '127.0.0.1',
    identity,
    options: toSimulatorOptions(options),
    note: logs.note,
  });
  undo.push(() => simulator.simulator?.close());
  return simulator;
}

async function startDiscord(
  { host = '127.0.0.1', discord: changes = {} }: LocalOptions,
  { discord }: LocalConfig,
  { directory, built, undo }: Pick<StartContext, 'directory' | 'undo'> & { readonly built: TemplateBuild },
): Promise<DiscordService> {
  if (discord.kind !== 'simulated') return toDiscordService(discord);
  const simulator = await startSimulatedDiscord({
    directory,
    host,
    options: changes,
    commands: await built.discordCommands?.(),
  });
  undo.push(() => simulator.close?.());
  return simulator;
}

async function startUpstream(
  options: LocalOptions,
  { upstream }: LocalConfig,
  identity: Identity,
  undo: Cleanup,
): Promise<UpstreamService> {
  const search = await startSearch(upstream, options.variables ?? {});
  undo.push(() => search.search?.close());
  if (upstream.kind === 'real') return { ...toUpstreamService(upstream), ...search };
  const simulator = await startSimulatedUpstream(identity, options.upstream ?? {});
  undo.push(() => simulator.simulator?.close());
  return { ...simulator, ...search };
}

/** The simulated Discord sends its interactions to the API until the stop. */
function connectDiscord({ simulator }: DiscordService, api: string, undo: Cleanup): void {
  simulator?.setDeliverTo(api);
  undo.push(() => simulator?.setDeliverTo(undefined));
}

/** Connects Slack's events to the API. */
async function connectSlack(
  { slack: choice }: LocalConfig,
  slack: SlackService,
  { api, ...how }: Pick<SocketModeOptions, 'reached' | 'say'> & { readonly api: string },
  { note }: Logs,
  undo: Cleanup,
) {
  const { simulator, apiUrl, signingSecret } = slack;
  const eventsUrl = `${api}${ROUTES.slackEvents}`;
  if (simulator !== undefined) {
    simulator.setDeliverTo(eventsUrl);
    // Events that arrive during the stop are stored for the next start.
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

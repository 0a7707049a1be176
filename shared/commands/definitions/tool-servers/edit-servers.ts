import type { CommandsContext } from '../../context.ts';
import {
  type Card,
  MAX_SERVERS,
  type QueueDelivery,
  SERVER_AUTHS,
  type ServerAuth,
} from '../../../domain/index.ts';
import { isToolSourceName } from '../../../settings/rules/index.ts';
import type { ToolServer } from '../../../storage/index.ts';
import {
  formatOption,
  getCommandFormat,
  getCommandName,
  type Locale,
  localize,
  withLabel,
} from '../../../i18n/index.ts';
import {
  beginSignIn,
  confirmSignIn,
  describeOutcome,
  getEnabledUse,
  mergeTools,
  readFirstTools,
  readToolChoice,
  requestToolServer,
  createSignInCard,
} from '../../../tools/index.ts';
import { type CommandRequest, textCard } from '../../framework/types.ts';
import { findServer, showServer, showServers, type ToolsRequest } from './show-servers.ts';

/** Stores the key of a server, from the modal that `key` opens too. Only administrators get here. */
export async function setServerKey(
  request: ToolsRequest,
  name: string,
  key: string,
  context: CommandsContext,
): Promise<Card> {
  const lookup = await findServer(request, name, context);
  if ('card' in lookup) return lookup.card;
  await context.toolServers.credentials.save(request.interaction, name, { token: key });
  return refreshTools(request, name, context);
}

/**
 * Adds a server with all of its tools off. With a key or a sign-in, its tools are read when there is one. One that is there with this name and address, as after a
 * repeated delivery of the command, is shown as it is.
 */
export async function addServer(
  request: CommandRequest,
  address: string,
  context: CommandsContext,
  { isRedelivery }: Pick<QueueDelivery, 'isRedelivery'>,
): Promise<Card> {
  const { options, interaction, locale } = request;
  const { servers } = context.toolServers;
  const url = parseAddress(address);
  if (!url) return textCard(localize(locale, 'tools.bad-url'), 'bad');
  const wanted = String(options['with'] ?? 'none');
  const auth: ServerAuth = SERVER_AUTHS.find((one) => one === wanted) ?? 'none';
  const name = String(options['name'] ?? suggestName(url));
  const isThis = (one: ToolServer) => one.name === name && one.url === url.href && one.auth === auth;
  const all = await servers.list(interaction);
  const own = all.find(isThis);
  const obstacle = own ? undefined : findObstacle(request, name, all, context);
  if (obstacle) return obstacle;
  let server: ToolServer = own ?? { name, url: url.href, auth, tools: [] };
  if (!own && auth === 'none') {
    const listed = await listTools(request, server, url.host, context);
    if ('reason' in listed) {
      const option = getCommandName(withLabel, getCommandFormat(interaction));
      return textCard(localize(locale, 'tools.not-added', { reason: listed.reason, option }), 'bad');
    }
    server = { ...server, tools: mergeTools([], listed.tools) };
  }
  if (!own && !(await servers.add(interaction, server))) {
    // Another administrator has added one with this name meanwhile.
    const first = await servers.find(interaction, name);
    if (!first || !isThis(first)) return textCard(localize(locale, 'tools.bad-name'), 'bad');
    server = first;
  }
  const excess = own && !isRedelivery ? undefined : await removeIfTooMany(request, name, context);
  if (excess) return excess;
  return auth === 'none' || auth === 'key'
    ? showServer(request, server, context)
    : connect(request, name, context);
}

/** Reads the address of a server, also as Slack formats it; undefined if it is none. The host itself is checked where it is opened. */
function parseAddress(address: string): URL | undefined {
  const text = address.replaceAll(/^<|(?:\|[^>]*)?>$/gu, '');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && /^https?:$/u.test(url.protocol) && url.username === '' && url.hash === '' ? url : undefined;
}

/** Says why a server of this name cannot be added beside those that there are; undefined if it can. */
function findObstacle(
  { locale }: ToolsRequest,
  name: string,
  all: readonly ToolServer[],
  { toolSources }: CommandsContext,
): Card | undefined {
  if (all.length >= MAX_SERVERS) return createTooManyCard(locale);
  const isTaken =
    all.some((one) => one.name === name) || toolSources.some((source) => source.names.includes(name));
  return isToolSourceName(name) && !isTaken ? undefined : textCard(localize(locale, 'tools.bad-name'), 'bad');
}

/**
 * Removes a server that exceeds the limit, and says so. Others may have added servers with other names meanwhile: each of them sees this one, and none that
 * exceeds the limit stays. After a repeated delivery too: the process of the first one may have died before it looked.
 */
async function removeIfTooMany(
  { interaction, locale }: ToolsRequest,
  name: string,
  { toolServers: { servers } }: CommandsContext,
): Promise<Card | undefined> {
  const others = (await servers.list(interaction)).filter((one) => one.name !== name);
  if (others.length < MAX_SERVERS) return undefined;
  await servers.remove(interaction, name);
  return createTooManyCard(locale);
}

const createTooManyCard = (locale: Locale): Card =>
  textCard(localize(locale, 'tools.too-many', { most: MAX_SERVERS }), 'bad');

/** Suggests the name of a server: `jira` of `mcp.jira.example.com`, `jira` of `jira.com`. */
function suggestName({ hostname }: URL): string {
  const parts = hostname
    .split('.')
    .filter((part) => !['www', 'mcp', 'api'].includes(part))
    .map((part) => part.toLowerCase().replaceAll(/[^a-z0-9-]/gu, ''));
  return parts.find(isToolSourceName)?.slice(0, 24) ?? 'server';
}

/** Asks a server for its tools; resolves with the reason, where the server is called `label`, if it does not say. */
async function listTools(
  { interaction, locale }: ToolsRequest,
  server: ToolServer,
  label: string,
  context: CommandsContext,
): Promise<{ readonly tools: Parameters<typeof mergeTools>[1] } | { readonly reason: string }> {
  const { signal } = new AbortController();
  const { user } = interaction.by;
  const listed = await requestToolServer(interaction, server, { kind: 'list' }, user, context, signal);
  if (listed.kind === 'listed') return { tools: listed.tools };
  if (listed.kind === 'called')
    return { reason: localize(locale, 'tools.failed.invalid', { server: label }) };
  const thread = { platform: interaction.platform };
  return { reason: describeOutcome(listed, label, locale, thread, context) };
}

/** Reads the list of tools again. Changed and new tools are off. */
export async function refreshTools(
  request: ToolsRequest,
  name: string,
  context: CommandsContext,
): Promise<Card> {
  const lookup = await findServer(request, name, context);
  if ('card' in lookup) return lookup.card;
  const { server } = lookup;
  const listed = await listTools(request, server, name, context);
  if ('reason' in listed) return textCard(listed.reason, 'bad');
  await context.toolServers.servers.change(request.interaction, name, (stored) =>
    // Another one may have its name by now.
    stored.url === server.url ? { ...stored, tools: mergeTools(stored.tools, listed.tools) } : undefined,
  );
  return showServers(request, name, context);
}

/** Turns exactly these tools on. `all` and `none` are the words for every tool and no tool. */
export async function useTools(
  request: ToolsRequest,
  name: string,
  list: string,
  context: CommandsContext,
): Promise<Card> {
  const lookup = await findServer(request, name, context);
  if ('card' in lookup) return lookup.card;
  const words = new Set(list.split(/[\s,、，]+/u));
  const tools = lookup.server.tools.map((tool) => ({
    ...tool,
    use: words.has('all') || words.has(tool.name) ? getEnabledUse(tool) : ('off' as const),
  }));
  await context.toolServers.servers.change(request.interaction, name, (stored) => ({
    ...stored,
    // A tool that the list of this moment did not have as it is stays off.
    tools: mergeTools(tools, stored.tools),
  }));
  return showServers(request, name, context);
}

/** Turns a tool on or off, as it was chosen in the menu of the card. Idempotent. */
export async function changeTool(
  request: ToolsRequest,
  name: string,
  choice: string,
  context: CommandsContext,
): Promise<Card> {
  const lookup = await findServer(request, name, context);
  if ('card' in lookup) return lookup.card;
  const changed = readToolChoice(choice, lookup.server.tools);
  await context.toolServers.servers.change(request.interaction, name, (stored) => ({
    ...stored,
    tools: stored.tools.flatMap((one) => (one.name === changed?.name ? mergeTools([changed], [one]) : one)),
  }));
  return showServers(request, name, context);
}

/** Removes a server with its keys and the sign-ins of people. */
export async function removeServer(
  request: ToolsRequest,
  name: string,
  context: CommandsContext,
): Promise<Card> {
  const { interaction, locale } = request;
  const lookup = await findServer(request, name, context);
  if ('card' in lookup) return lookup.card;
  const { servers, credentials } = context.toolServers;
  // The keys first: nothing would lead to them afterwards.
  await credentials.removeAll(interaction, name);
  await servers.remove(interaction, name);
  return textCard(localize(locale, 'tools.removed', { server: name }), 'good');
}

/** Begins a sign-in: for everybody by an administrator, or for the person alone, as the server was added. */
export async function connect(request: ToolsRequest, name: string, context: CommandsContext): Promise<Card> {
  const { interaction, locale, admin } = request;
  const lookup = await findServer(request, name, context);
  if ('card' in lookup) return lookup.card;
  const { server } = lookup;
  const isPersonal = server.auth === 'person';
  if (!isPersonal && !admin) return textCard(localize(locale, 'usage.admins'), 'bad');
  if (!isPersonal && server.auth !== 'oauth') return showServer(request, server, context);
  const signIn = await beginSignIn(interaction, server, interaction.by.user, context);
  if ('authorizationUrl' in signIn) return createSignInCard(name, signIn.authorizationUrl, locale);
  // What the server answered to the registration, or that its metadata names no place for one (GitHub, Azure DevOps).
  if (signIn.failure.reason === 'invalid' || signIn.failure.reason === 'unauthorized') {
    const option = formatOption(withLabel, 'key', getCommandFormat(interaction));
    return textCard(localize(locale, 'tools.no-sign-in', { server: name, option }), 'bad');
  }
  const thread = { platform: interaction.platform };
  return textCard(describeOutcome(signIn.failure, name, locale, thread, context), 'bad');
}

/** Confirms a sign-in with the code from the page of the bot: it is theirs who began it. */
export async function confirm(request: ToolsRequest, code: string, context: CommandsContext): Promise<Card> {
  const { interaction, locale } = request;
  const { user } = interaction.by;
  const server = await confirmSignIn(interaction, code, user, context);
  if (!server) return textCard(localize(locale, 'tools.confirm-unknown'), 'bad');
  await readFirstTools(interaction, server, user, context);
  return textCard(localize(locale, 'tools.connected', { server: server.name }), 'good');
}

import type { CommandsContext } from '../../context.ts';
import type { Card } from '../../../domain/index.ts';
import { isToolSourceName, resolveSetting } from '../../../settings/rules/index.ts';
import { getInteractionSettingsPlace } from '../../../settings/index.ts';
import type { ToolServer } from '../../../storage/index.ts';
import { formatToolsCommand, getCommandFormat, localize } from '../../../i18n/index.ts';
import { createServerCard, createServersCard } from '../../../tools/index.ts';
import { type InteractionRequest, textCard } from '../../framework/types.ts';

export type ToolsRequest = InteractionRequest;

/** A server of the workspace, or a card that says why not. */
export type FoundServer = { readonly server: ToolServer } | { readonly card: Card };

/** Finds a server of the workspace by its name. */
export async function findServer(
  { interaction, locale }: ToolsRequest,
  name: string,
  context: CommandsContext,
): Promise<FoundServer> {
  const server = isToolSourceName(name)
    ? await context.toolServers.servers.find(interaction, name)
    : undefined;
  return server ? { server } : { card: textCard(localize(locale, 'tools.no-server', { name }), 'bad') };
}

/** The names of sources that are on here, for anybody. */
async function namesOn(
  { interaction }: ToolsRequest,
  context: CommandsContext,
): Promise<ReadonlySet<string>> {
  const layers = await context.settingsStore.layers(getInteractionSettingsPlace(interaction));
  const { value = [] } = resolveSetting(['channel', 'workspace'], 'tools', layers);
  return new Set(value.map((entry) => entry.split('@')[0] ?? ''));
}

/** Shows one server, or all of them if the name is empty. */
export async function showServers(
  request: ToolsRequest,
  name: string,
  context: CommandsContext,
): Promise<Card> {
  const { interaction, locale } = request;
  if (name !== '') {
    const lookup = await findServer(request, name, context);
    return 'card' in lookup ? lookup.card : showServer(request, lookup.server, context);
  }
  const servers = await context.toolServers.servers.list(interaction);
  if (servers.length === 0) {
    const format = getCommandFormat(interaction);
    const command = formatToolsCommand('add', 'https://mcp.example.com/mcp', format, context.settings);
    const own = formatToolsCommand('on', 'knowledge', format, context.settings);
    return textCard(localize(locale, 'tools.list.none', { command, own }));
  }
  const on = await namesOn(request, context);
  return createServersCard(servers, (one) => on.has(one), locale);
}

/** Shows a server: its tools, and what administrators decided about them. */
export const showServer = async (
  request: ToolsRequest,
  server: ToolServer,
  context: CommandsContext,
): Promise<Card> =>
  createServerCard(server, (await namesOn(request, context)).has(server.name), request.locale);

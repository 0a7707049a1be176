import type { ToolPlace } from '../storage/index.ts';
import type { ToolsContext } from './context.ts';

/** A name of no source of tools, and the names of those that exist. */
export type UnknownSource = { readonly name: string; readonly known: readonly string[] };

type SourcesContext = Pick<ToolsContext, 'toolSources'> & {
  readonly settings: Pick<ToolsContext['settings'], 'layers'>;
  readonly toolServers: { readonly servers: Pick<ToolsContext['toolServers']['servers'], 'list'> };
};

const getSourceName = (entry: string): string => entry.split('@')[0] ?? '';

/**
 * Finds the first entry of the setting `tools` that names neither a source of the deployment nor a server of the workspace. Entries that are set already are
 * left alone: their server may have been removed since. Rejects if the table is unavailable.
 */
export async function findUnknownSource(
  entries: readonly string[],
  place: ToolPlace,
  { toolSources, toolServers, settings }: SourcesContext,
): Promise<UnknownSource | undefined> {
  const own = toolSources.flatMap(({ names }) => names);
  const isSet = new Set(
    Object.values(settings.layers)
      .flatMap((layer) => layer?.values.tools ?? [])
      .map(getSourceName),
  );
  const others = entries.map(getSourceName).filter((name) => !own.includes(name) && !isSet.has(name));
  if (others.length === 0) return undefined;
  const servers = (await toolServers.servers.list(place)).map(({ name }) => name);
  const name = others.find((one) => !servers.includes(one));
  return name === undefined ? undefined : { name, known: [...own, ...servers] };
}

import type { CommandsContext } from '../../context.ts';
import type { Card } from '../../../domain/index.ts';
import { appendValues, getInteractionSettingsPlace } from '../../../settings/index.ts';
import { localize } from '../../../i18n/index.ts';
import { textCard } from '../../framework/types.ts';
import { resolveReference } from '../../arguments/references.ts';
import { changeSetting } from '../parts/change-setting.ts';
import { findUnknownSource } from '../../../tools/index.ts';
import { findServer, showServer, type ToolsRequest } from './show-servers.ts';

type Level = 'channel' | 'workspace';

/** Turns a source on at a level, for everybody or for one person, role or group. */
export async function turnOn(
  request: ToolsRequest,
  name: string,
  level: Level,
  who: string | undefined,
  context: CommandsContext,
): Promise<Card> {
  let suffix = '';
  if (who !== undefined && who !== '') {
    const person = await resolveReference(request, context, who.trim(), 'people');
    if ('sentence' in person) return textCard(person.sentence, 'bad');
    suffix = `@${person.id}`;
  }
  return changeSource(request, name, level, `${name}${suffix}`, context);
}

/** Turns a source off at a level, for everybody. */
export const turnOff = (
  request: ToolsRequest,
  name: string,
  level: Level,
  context: CommandsContext,
): Promise<Card> => changeSource(request, name, level, undefined, context);

/** Changes the setting `tools`, with its locks and its list of changes. `entry`: what is on now; undefined turns the source off. */
async function changeSource(
  request: ToolsRequest,
  name: string,
  level: Level,
  entry: string | undefined,
  context: CommandsContext,
): Promise<Card> {
  const { interaction, locale } = request;
  const isOwn = context.toolSources.some((source) => source.names.includes(name));
  const lookup = isOwn ? undefined : await findServer(request, name, context);
  const place = getInteractionSettingsPlace(interaction);
  const isWithoutChannel = level === 'channel' && place.channel === undefined;
  if (isWithoutChannel) return textCard(localize(locale, 'settings.no.nowhere'), 'bad');
  const { layer } = await context.settingsStore.read(place, level);
  const layers = await context.settingsStore.layers(place);
  // A channel without a list of its own begins with that of the workspace.
  const current =
    layer.values.tools ?? (level === 'channel' ? layers.workspace?.values.tools : undefined) ?? [];
  // What is on can be turned off, also if its server was removed.
  const isOn = current.some((one) => one === name || one.startsWith(`${name}@`));
  if (lookup && 'card' in lookup && !(isOn && entry === undefined)) {
    const unknown = await findUnknownSource([name], interaction, context);
    if (!unknown) return lookup.card;
    return textCard(
      appendValues(localize(locale, 'tools.no-source', { name }), unknown.known, locale),
      'bad',
    );
  }
  // “Everybody” replaces the entries for some.
  const isForSome = entry !== undefined && entry !== name;
  const others = current.filter((one) => one !== name && (isForSome || !one.startsWith(`${name}@`)));
  const value = [...new Set(entry === undefined ? others : [...others, entry])];
  const refusal = await changeSetting(request, context, { kind: 'value', level, setting: 'tools', value });
  if (refusal) return refusal;
  if (lookup && 'server' in lookup) return showServer(request, lookup.server, context);
  const key = `tools.changed.${entry === undefined ? 'off' : 'on'}-${level}` as const;
  return textCard(localize(locale, key, { name }), 'good');
}

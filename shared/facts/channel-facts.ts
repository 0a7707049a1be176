import { MAX_FACT_LENGTH } from '../domain/index.ts';
import { MAX_CHANNEL_FACTS_LENGTH, resolveSetting, type SettingsLayers } from '../settings/rules/index.ts';
import { toVisibleText } from '../utils/index.ts';
import { toFactText } from './fact-text.ts';

/** A fact of a channel. Its id is made of its text: a channel has no fact twice. */
export type ChannelFact = { readonly id: string; readonly text: string };

/** The first character of the ids of facts of a channel: those of people are hexadecimal. */
const ID_PREFIX = 'k';

/** Whether an id is that of a fact of a channel. */
export const isChannelFactId = (id: string): boolean => id.startsWith(ID_PREFIX);

/** Returns the facts of a channel, from its setting. */
export function listChannelFacts(layers: SettingsLayers): readonly ChannelFact[] {
  const { value = '' } = resolveSetting(['channel'], 'channelFacts', layers);
  return parseChannelFacts(value);
}

/** Parses the value of the setting: a fact per line. */
export function parseChannelFacts(value: string): readonly ChannelFact[] {
  const texts = new Set(listLines(value).flatMap((line) => toFactText(line) ?? []));
  return [...texts].map((text) => ({ id: createId(text), text }));
}

/** Returns the first line of the value that is too long for a fact, and so would never be used; undefined if there is none. */
export const findLongLine = (value: string): string | undefined =>
  listLines(value).find(
    (line) => toFactText(line) === undefined && toVisibleText(line, line.length).trim() !== '',
  );

/** The lines of the value, without the marks of a list. */
const listLines = (value: string): readonly string[] =>
  value.split('\n').map((line) => line.replace(/^\s*[-*•]\s+/u, ''));

/** Returns the value with the fact of that id replaced by `text`, or removed; with a new one for an unknown id. Undefined if it is too long. */
export function changeChannelFacts(
  facts: readonly ChannelFact[],
  id: string | undefined,
  text: string | undefined,
): { readonly value: string | undefined } | undefined {
  const texts = facts.flatMap((fact) => (fact.id === id ? (text ?? []) : fact.text));
  const isNew = text !== undefined && !facts.some((fact) => fact.id === id);
  const value = [...new Set([...texts, ...(isNew ? [text] : [])])].join('\n');
  if (value.length > MAX_CHANNEL_FACTS_LENGTH) return undefined;
  return { value: value === '' ? undefined : value };
}

/** FNV-1a, 32 bits: distinguishes the few lines of a channel. */
function createId(text: string): string {
  let hash = 0x81_1c_9d_c5;
  for (const character of text.slice(0, MAX_FACT_LENGTH))
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01_00_01_93);
  return ID_PREFIX + (hash >>> 0).toString(36);
}

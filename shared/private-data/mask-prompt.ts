import type { MaskedCounts, PromptMessage, PromptPart, ToolCall } from '../domain/index.ts';
import { Placeholders } from './placeholders.ts';
import { getFilter } from './private-data-filter.ts';
import type { PrivateDataFilter } from './find-private-data.ts';
import type { SettingsLayers } from '../settings/rules/index.ts';

/** Follows the system prompt. The same in all requests, so that prompts keep the prefix that the upstream caches. */
const EXPLANATION =
  'Private data is replaced by placeholders such as [card 1] or [email 2] before you read it. The same value always has the same placeholder. Write placeholders exactly as they are, and do not ask for the values.';
const MEDIA_NOTE = '(A file was left out here: pictures, recordings and videos may not be sent to you.)';

/** Masks all messages of a prompt, in order. Attachments that are not text stay, or are left out, as the filter says. */
export function maskPrompt(
  messages: readonly PromptMessage[],
  filter: PrivateDataFilter,
): { readonly messages: readonly PromptMessage[]; readonly placeholders: Placeholders } {
  const placeholders = new Placeholders(filter);
  const masked = messages.map((message, place): PromptMessage => {
    switch (message.role) {
      case 'system': {
        const content = placeholders.mask(message.content);
        return { ...message, content: place === 0 ? `${content}\n\n${EXPLANATION}`.trim() : content };
      }
      case 'user':
        return { ...message, content: maskContent(message.content, placeholders, filter) };
      case 'assistant': {
        const { toolCalls, origin } = message;
        const content = placeholders.mask(message.content);
        if (!toolCalls) return { ...message, content };
        return {
          ...message,
          content,
          toolCalls: toolCalls.map((call) => maskCall(call, placeholders)),
          // What the model's server added is signed, and goes back to it only as it was.
          origin: origin && { ...origin, reasoning: placeholders.mask(origin.reasoning) },
        };
      }
      case 'tool':
        return { ...message, content: placeholders.mask(message.content) };
    }
  });
  return { messages: masked, placeholders };
}

/** Returns the placeholders of a prompt, for the calls of tools in it; undefined where nothing is masked. */
export function getPlaceholders(
  messages: readonly PromptMessage[],
  layers: SettingsLayers,
): Placeholders | undefined {
  const filter = getFilter(layers);
  return filter && maskPrompt(messages, filter).placeholders;
}

/** Masks a text by itself, as the settings of a place say. */
export const maskText = (text: string, layers: SettingsLayers): string => maskAndCount(text, layers).text;

/** Masks a text by itself, and says what was masked in it, if anything was. */
export function maskAndCount(
  text: string,
  layers: SettingsLayers,
): { readonly text: string; readonly masked: MaskedCounts | undefined } {
  const filter = getFilter(layers);
  if (!filter) return { text, masked: undefined };
  const placeholders = new Placeholders(filter);
  const masked = placeholders.mask(text);
  const { counts } = placeholders;
  return { text: masked, masked: Object.keys(counts).length > 0 ? counts : undefined };
}

function maskContent(
  content: string | readonly PromptPart[],
  placeholders: Placeholders,
  { leavesOutMedia }: PrivateDataFilter,
): string | readonly PromptPart[] {
  if (typeof content === 'string') return placeholders.mask(content);
  return content.map((part): PromptPart => {
    if (part.type === 'text') return { ...part, text: placeholders.mask(part.text) };
    if (!leavesOutMedia) return part;
    placeholders.countMedia();
    return { type: 'text', text: MEDIA_NOTE };
  });
}

/** Masks the arguments of a call: all texts, names and numbers in them if they are JSON, otherwise the text as it is. */
function maskCall(call: ToolCall, placeholders: Placeholders): ToolCall {
  let parsed: unknown;
  try {
    parsed = JSON.parse(call.arguments);
  } catch {
    return { ...call, arguments: placeholders.mask(call.arguments) };
  }
  const masked = maskJson(parsed, placeholders);
  return masked === parsed ? call : { ...call, arguments: JSON.stringify(masked) };
}

/** Masks all texts, names and numbers in a JSON value. Returns the same value if there is nothing to mask. */
export const maskJson = (value: unknown, placeholders: Placeholders): unknown =>
  mapJson(value, (item) => {
    if (typeof item === 'string') return placeholders.mask(item);
    const written = String(item);
    const masked = Number.isSafeInteger(item) ? placeholders.mask(written) : written;
    return masked === written ? item : masked;
  });

/** Replaces the placeholders in all texts of a JSON value by their values. */
export const unmaskJson = (value: unknown, placeholders: Placeholders): unknown =>
  mapJson(value, (item) => (typeof item === 'string' ? placeholders.unmask(item) : item));

/** Changes all texts, names and numbers of a JSON value. Returns the same value if nothing changes. */
function mapJson(value: unknown, change: (item: string | number) => unknown): unknown {
  if (typeof value === 'string' || typeof value === 'number') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const changed = value.map((item: unknown) => mapJson(item, change));
    return changed.every((item, place) => item === value[place]) ? value : changed;
  }
  let isChanged = false;
  const entries = Object.entries(value).map(([name, item]: [string, unknown]): [string, unknown] => {
    const entry: [string, unknown] = [String(change(name)), mapJson(item, change)];
    isChanged ||= entry[0] !== name || entry[1] !== item;
    return entry;
  });
  return isChanged ? Object.fromEntries(entries) : value;
}

import { isRecord, toVisibleText } from '../utils/index.ts';
import type { JsonObject } from './expand-schema.ts';
import { normalizeSchema } from './normalize-schema.ts';
import type { ServerTool } from '../domain/index.ts';
import { MAX_LISTED_TOOLS, MAX_RESULT_LENGTH } from './protocol.ts';

const MAX_DESCRIPTION_LENGTH = 1_000;
/** The most parts of a result that are read. */
const MAX_PARTS = 200;
/** The most values of structured content that are looked for in the text. */
const MAX_VALUES = 300;

/*
 * Servers break the format in details, such as a link without a name. They are read one by one: a single one must not cost the list or the result.
 */

/** Returns the result of a call as text. What is not text is only named. Undefined if it is no result. */
export function renderResult({ content, structuredContent }: JsonObject): string | undefined {
  const list = content ?? [];
  if (!Array.isArray(list)) return undefined;
  const parts = list.slice(0, MAX_PARTS).map(renderPart);
  const text = parts.join('\n\n');
  const isMissing = structuredContent && !isRepeated(structuredContent, text.slice(0, MAX_RESULT_LENGTH));
  const whole = isMissing ? `${text.trim()}\n\n${JSON.stringify(structuredContent)}`.trim() : text;
  return toVisibleText(whole, MAX_RESULT_LENGTH);
}

/**
 * Whether a text has the values of structured content: a server should repeat them as text, in any form. Some have only a sentence there, such as
 * “3 results”.
 */
function isRepeated(structured: unknown, text: string): boolean {
  let left = MAX_VALUES;
  const isIn = (value: unknown): boolean => {
    left -= 1;
    if (left < 0) return true;
    if (typeof value === 'number') return text.includes(String(value));
    if (typeof value === 'string')
      return text.includes(value) || text.includes(JSON.stringify(value).slice(1, -1));
    return typeof value !== 'object' || value === null || Object.values(value).every(isIn);
  };
  return text.trim() !== '' && isIn(structured);
}

function renderPart(part: unknown): string {
  const { type, text, title, name, uri, resource } = isRecord(part) ? part : {};
  switch (type) {
    case 'text':
      return toText(text);
    case 'resource_link':
      return `${toText(title) || toText(name)}: ${toText(uri)}`.slice(0, 2_000);
    case 'resource':
      return toText(isRecord(resource) ? resource['text'] : undefined) || '(file, not shown)';
    default:
      return `(${typeof type === 'string' ? type.slice(0, 50) : 'part'}, not shown)`;
  }
}

const toText = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, MAX_RESULT_LENGTH) : '';

/**
 * Returns the tools of a list that can be offered: with a name and a schema that is not too large. The first tool of a name counts. Hints that
 * are missing have the defaults of the protocol: not read-only, destructive.
 */
export function toServerTools(tools: readonly unknown[]): ServerTool[] {
  const byName = new Map<string, ServerTool>();
  for (const tool of tools) {
    const { name, description, title, annotations, inputSchema } = isRecord(tool) ? tool : {};
    // The schema last: it is the most work.
    if (typeof name !== 'string' || !/^[\w./-]{1,100}$/u.test(name) || byName.has(name)) continue;
    const parameters = isParametersSchema(inputSchema) ? normalizeSchema(inputSchema) : undefined;
    if (parameters === undefined) continue;
    const { readOnlyHint, destructiveHint } = isRecord(annotations) ? annotations : {};
    const isReadOnly = readOnlyHint === true;
    byName.set(name, {
      name,
      description: toVisibleText(toText(description) || toText(title) || name, MAX_DESCRIPTION_LENGTH),
      parameters,
      isReadOnly,
      isDestructive: !isReadOnly && destructiveHint !== false,
    });
    if (byName.size === MAX_LISTED_TOOLS) break;
  }
  return [...byName.values()];
}

/** Arguments are always an object. Some servers leave out the type. */
const isParametersSchema = (schema: unknown): boolean =>
  isRecord(schema) && (schema['type'] === undefined || schema['type'] === 'object');

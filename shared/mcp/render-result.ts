import type { CallToolResult, ContentBlock, Tool } from '@modelcontextprotocol/sdk/types.js';
import { toVisibleText } from '../utils/index.ts';
import { normalizeSchema } from './normalize-schema.ts';
import type { ServerTool } from '../domain/index.ts';
import { MAX_LISTED_TOOLS, MAX_RESULT_LENGTH } from './protocol.ts';

const MAX_DESCRIPTION_LENGTH = 1_000;
/** The most parts of a result that are read. */
const MAX_PARTS = 200;

/** Returns the result of a call as text. What is not text is only named. */
export function renderResult({ content = [], structuredContent }: Partial<CallToolResult>): string {
  const parts = content.slice(0, MAX_PARTS).map(renderPart);
  // A result with structured content should repeat it as text; not all servers do.
  const isEmpty = parts.every((part) => part.trim() === '');
  const text = isEmpty && structuredContent ? JSON.stringify(structuredContent) : parts.join('\n\n');
  return toVisibleText(text, MAX_RESULT_LENGTH);
}

function renderPart(part: ContentBlock): string {
  switch (part.type) {
    case 'text':
      return part.text.slice(0, MAX_RESULT_LENGTH);
    case 'image':
    case 'audio':
      return `(${part.type}, not shown)`;
    case 'resource_link':
      return `${part.title ?? part.name}: ${part.uri}`.slice(0, 2_000);
    case 'resource':
      return 'text' in part.resource ? part.resource.text.slice(0, MAX_RESULT_LENGTH) : '(file, not shown)';
  }
}

/**
 * Returns the tools of a list that can be offered: with a name and a schema that is not too large. The first tool of a name counts. Hints that
 * are missing have the defaults of the protocol: not read-only, destructive.
 */
export function toServerTools(tools: readonly Tool[]): ServerTool[] {
  const byName = new Map<string, ServerTool>();
  for (const { name, description = '', title, annotations, inputSchema } of tools) {
    const parameters = normalizeSchema(inputSchema);
    if (!/^[\w./-]{1,100}$/u.test(name) || byName.has(name) || parameters === undefined) continue;
    const isReadOnly = annotations?.readOnlyHint === true;
    byName.set(name, {
      name,
      description: toVisibleText(description || title || name, MAX_DESCRIPTION_LENGTH),
      parameters,
      isReadOnly,
      isDestructive: !isReadOnly && annotations?.destructiveHint !== false,
    });
    if (byName.size === MAX_LISTED_TOOLS) break;
  }
  return [...byName.values()];
}

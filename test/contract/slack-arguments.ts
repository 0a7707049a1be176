import { jsonOf } from '../simulators/slack/http.ts';

/** Arguments that hold JSON. A form has everything as text, so their names say what was text and what was not. */
const JSON_ARGUMENTS = new Set([
  'attachments',
  'blocks',
  'changes',
  'channel_ids',
  'chunks',
  'file_ids',
  'files',
  'loading_messages',
  'metadata',
  'prompts',
  'user_ids',
  'view',
]);
const NUMBERS = new Set(['count', 'length', 'limit', 'page']);

/** What the official client was called with: a form's text as the values that it was made of. */
export function typedArguments(form: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(form).map(([name, value]) => [name, typed(name, value)]));
}

function typed(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (JSON_ARGUMENTS.has(name)) return jsonOf(value) ?? value;
  if (NUMBERS.has(name)) return /^\d+$/.test(value) ? Number(value) : value;
  if (value === 'true' || value === 'false') return value === 'true';
  return value;
}

import type { ChatMessage, Tool } from '../chat/request.ts';
import { numberOf, withoutDirectives } from '../directives.ts';
import type { Directive } from '../directives.ts';
import type { Random } from '../random.ts';
import { splitFacts } from './facts.ts';
import { keywords } from './memory.ts';
import { fit } from './schema.ts';

export type Use = { readonly name: string; readonly arguments: string };

const VERBS = new Set([
  'get',
  'set',
  'list',
  'find',
  'search',
  'make',
  'create',
  'lookup',
  'fetch',
  'run',
  'do',
  'start',
]);

/** Names a file that comes along: not the words of whoever asks. */
const ATTACHED = /^Attached (?:file|picture) “.*$/gmu;

/**
 * Which tools the question asks for: the one that the choice names; else those that a directive names; else the first whose name
 * it says in words (`get_weather` for "what is the weather in Oslo?"). A required call is always made.
 */
export function toolUses(
  tools: readonly Tool[],
  question: string,
  directives: readonly Directive[],
  forced: { readonly required: boolean; readonly name: string | undefined },
  random: Random,
): Use[] {
  const directive = directives.find(({ name }) => name === 'tool' || name === 'tools');
  const plain = withoutDirectives(splitFacts(question).question).replaceAll(ATTACHED, '').trim();
  const use = (tool: Tool, nth = 0): Use => {
    const about = nth === 0 ? plain : `${plain} ${nth + 1}`;
    return { name: tool.name, arguments: JSON.stringify(fit(tool.parameters, about, random)) };
  };
  const [first] = tools;
  if (first === undefined) return [];
  const named = (wanted: string | undefined): Use[] =>
    tools.filter(({ name }) => name === wanted).map((tool) => use(tool));
  if (forced.name !== undefined) return named(forced.name);
  if (directive?.name === 'tools') {
    const count = Math.min(16, numberOf(directive.value, 2));
    return Array.from({ length: count }, (_, nth) => use(tools[nth % tools.length] ?? first, nth));
  }
  const demanded = forced.required ? [use(first)] : [];
  if (directive?.value !== undefined) {
    const uses = named(directive.value);
    return uses.length > 0 ? uses : demanded;
  }
  const meant = tools.find((tool) => says(plain, tool.name));
  return meant === undefined ? demanded : [use(meant)];
}

function says(question: string, tool: string): boolean {
  if (question.includes(tool)) return true;
  const words = new Set(keywords(question));
  if (words.has('animate')) words.add('video');
  const parts = [...keywords(tool.replace(/([a-z])([A-Z])/gu, '$1 $2').replace(/[_-]+/gu, ' '))];
  const telling = parts.filter((part) => !VERBS.has(part));
  return telling.length > 0 && telling.every((part) => words.has(part));
}

/** What the assistant says once its tools have answered. */
export function afterTools(messages: readonly ChatMessage[]): string {
  const since = messages.findLastIndex(({ role }) => role === 'assistant');
  const calls = messages[since]?.toolCalls ?? [];
  const answers = messages.slice(since + 1).filter(({ role }) => role === 'tool');
  const lines = answers.map(({ toolCallId, text }, at) => {
    const name = (calls.find(({ id }) => id === toolCallId) ?? calls[at])?.name ?? 'tool';
    return `\`${name}\` says: ${text.length > 500 ? `${text.slice(0, 499)}…` : text}`;
  });
  return lines.join('\n\n');
}
